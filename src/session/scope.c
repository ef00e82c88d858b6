#include "session/scope.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "session/manifest.h"

#define FILE_MAX 65536

/* ------------------------------------------------------------- small files */

static int
read_text(int dirfd, const char *name, char *out, size_t size)
{
	auto_close int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n = 1;

	if (fd < 0)
		return -errno;
	while (n > 0 && len < size - 1) {
		n = read(fd, out + len, size - 1 - len);
		if (n > 0)
			len += (size_t)n;
	}
	out[len] = '\0';
	return n < 0 ? -errno : 0;
}

/* The kernel accepts the text of such a file in one write or not at all. */
static int
write_text(int dirfd, const char *name, const char *text)
{
	auto_close int fd = openat(dirfd, name, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		return -errno;
	return 0;
}

/* True if a line contains this word. */
static bool
has_word(const char *line, const char *word)
{
	size_t len = strlen(word);

	for (const char *s = line; (s = strstr(s, word)) != NULL; s += len)
		if ((s == line || s[-1] == ' ') &&
		    (s[len] == '\0' || s[len] == ' ' || s[len] == '\n'))
			return true;
	return false;
}

/* ---------------------------------------------------------------- where */

/* Fields 4 and 5 are root and mount point; the type follows " - ". */
int
scope_find_mount(const char *mountinfo, char *out, size_t size)
{
	char root[PATH_MAX], place[PATH_MAX], kind[64];
	const char *dash;

	for (const char *line = mountinfo; line != NULL && *line != '\0';
	     line = line[0] == '\n' ? line + 1 : NULL) {
		size_t len = strcspn(line, "\n");

		dash = strstr(line, " - ");
		if (dash != NULL && dash < line + len &&
		    sscanf(line, "%*s %*s %*s %4095s %4095s", root, place) ==
			2 &&
		    sscanf(dash + 3, "%63s", kind) == 1 &&
		    strcmp(kind, "cgroup2") == 0 && strcmp(root, "/") == 0 &&
		    strlen(place) < size) {
			memcpy(out, place, strlen(place) + 1);
			return 0;
		}
		line += len;
	}
	return -ENOENT;
}

int
scope_find_own(const char *cgroup, char *out, size_t size)
{
	const char *s = strncmp(cgroup, "0::", 3) == 0 ?
	    cgroup :
	    strstr(cgroup, "\n0::");
	size_t len;

	if (s == NULL)
		return -ENOENT;
	s = strstr(s, "::") + 2;
	len = strcspn(s, "\n");
	if (len >= size)
		return -ENAMETOOLONG;
	memcpy(out, s, len);
	out[len] = '\0';
	return 0;
}

/* A cgroup in which we may create others and move ourselves. */
static int
open_parent(const char *path)
{
	auto_close int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct statfs fs;

	if (fd < 0 || fstatfs(fd, &fs) < 0)
		return -errno;
	if (fs.f_type != CGROUP2_SUPER_MAGIC)
		return -ENOTSUP;
	if (faccessat(fd, ".", W_OK, AT_EACCESS) < 0 ||
	    faccessat(fd, "cgroup.procs", W_OK, AT_EACCESS) < 0)
		return -errno;
	return fd_take(&fd);
}

/*
 * The path of our own cgroup, below the mount.  The search begins at its
 * parent: a cgroup that has processes can set no limits for its children.
 */
static int
find_parent(char *path, size_t size, char *why, size_t why_size)
{
	auto_free char *text = xmalloc(FILE_MAX);
	char mount[PATH_MAX], own[PATH_MAX];
	int fd = -1;

	if (read_text(AT_FDCWD, "/proc/self/mountinfo", text, FILE_MAX) < 0 ||
	    scope_find_mount(text, mount, sizeof(mount)) < 0) {
		snprintf(why, why_size, "this system has no cgroup2");
		return -1;
	}
	if (read_text(AT_FDCWD, "/proc/self/cgroup", text, FILE_MAX) < 0 ||
	    scope_find_own(text, own, sizeof(own)) < 0)
		own[0] = '\0';
	do {
		char *slash = strrchr(own, '/');

		if (slash != NULL)
			*slash = '\0';
		if ((size_t)snprintf(path, size, "%s%s", mount, own) < size)
			fd = open_parent(path);
	} while (fd < 0 && own[0] != '\0');
	if (fd < 0)
		snprintf(why, why_size,
		    "no cgroup above this process is writable; start tend with "
		    "systemd-run --user --scope -p Delegate=yes, or name a "
		    "delegated cgroup in TEND_CGROUP");
	return fd;
}

static int
choose_parent(char *path, size_t size, char *why, size_t why_size)
{
	const char *given = getenv("TEND_CGROUP");
	int fd;

	if (given == NULL || given[0] == '\0')
		return find_parent(path, size, why, why_size);
	snprintf(path, size, "%s", given);
	fd = open_parent(given);
	if (fd < 0)
		snprintf(why, why_size, "TEND_CGROUP=%.200s: %s", given,
		    fd == -ENOTSUP ? "not a cgroup2" : strerror(-fd));
	return fd;
}

/* ---------------------------------------------------------------- limits */

struct limit {
	const char *controller, *file;
	uint64_t value; /* 0: not requested */
};

#define LIMITS 3

static void
list_limits(const struct manifest *m, struct limit out[LIMITS])
{
	out[0] = (struct limit){ "memory", "memory.max", m->memory_max };
	out[1] = (struct limit){ "pids", "pids.max", m->pids_max };
	out[2] = (struct limit){ "cpu", "cpu.weight", m->cpu_weight };
}

/* Turning on a controller that is on already fails, which is harmless. */
static void
turn_on(int parent, const struct manifest *m, char *controllers, size_t size)
{
	struct limit limits[LIMITS];
	char text[32];

	list_limits(m, limits);
	for (int i = 0; i < LIMITS; i++) {
		snprintf(text, sizeof(text), "+%s", limits[i].controller);
		if (limits[i].value != 0)
			write_text(parent, "cgroup.subtree_control", text);
	}
	if (read_text(parent, "cgroup.subtree_control", controllers, size) < 0)
		controllers[0] = '\0';
}

static void
add_why(char *why, size_t size, const char *what, const char *reason)
{
	size_t len = strlen(why);

	if (len < size)
		snprintf(why + len, size - len, "%s%s: %s", len > 0 ? "; " : "",
		    what, reason);
}

void
scope_set_limits(int dirfd, const char *controllers, const struct manifest *m,
    char *why, size_t size)
{
	struct limit limits[LIMITS];
	char text[24];
	int rc;

	why[0] = '\0';
	list_limits(m, limits);
	for (int i = 0; i < LIMITS; i++) {
		const struct limit *l = &limits[i];

		if (l->value == 0)
			continue;
		snprintf(text, sizeof(text), "%" PRIu64, l->value);
		rc = has_word(controllers, l->controller) ?
		    write_text(dirfd, l->file, text) :
		    -ENOTSUP;
		if (rc == -ENOTSUP)
			add_why(why, size, l->controller,
			    "this cgroup2 does not have the controller");
		else if (rc < 0)
			add_why(why, size, l->controller, strerror(-rc));
	}
	/*
	 * With a memory limit, forbid swap: otherwise the program could evade
	 * the limit.
	 */
	if (m->memory_max != 0)
		write_text(dirfd, "memory.swap.max", "0");
}

/* ------------------------------------------------------------- the scope */

/* Make and open the directory; or -errno. */
static int
make_scope(int parent, const struct manifest *m, char *name, size_t size)
{
	int fd;

	snprintf(name, size, "tend-%s.scope", m->id);
	if (mkdirat(parent, name, 0755) < 0)
		return -errno;
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static void
set_unenforced(struct manifest *m, const char *why)
{
	free(m->unenforced);
	m->unenforced = why[0] != '\0' ? xstrdup(why) : NULL;
}

int
scope_create(struct manifest *m)
{
	char path[PATH_MAX], whole[PATH_MAX], name[64];
	char controllers[512], why[512] = "";
	auto_close int parent = choose_parent(path, sizeof(path), why,
	    sizeof(why));
	auto_close int dirfd = -1;
	int procs = -1;

	if (parent >= 0) {
		turn_on(parent, m, controllers, sizeof(controllers));
		dirfd = make_scope(parent, m, name, sizeof(name));
		if (dirfd < 0)
			add_why(why, sizeof(why), path, strerror(-dirfd));
	}
	if (dirfd >= 0) {
		scope_set_limits(dirfd, controllers, m, why, sizeof(why));
		procs = openat(dirfd, "cgroup.procs", O_WRONLY | O_CLOEXEC);
	}
	set_unenforced(m, why);
	if (procs >= 0 && path_join(whole, sizeof(whole), path, name) == 0) {
		free(m->cgroup);
		m->cgroup = xstrdup(whole);
	}
	return procs;
}

void
scope_remove(const char *path)
{
	if (path != NULL)
		unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

int
scope_kill(const char *path)
{
	auto_close int dirfd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return dirfd < 0 ? -errno : write_text(dirfd, "cgroup.kill", "1");
}
