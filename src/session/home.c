/*
 * A user who can write into a home can type into its sessions, and other users
 * may be able to write to its parent (TEND_HOME=/tmp/x).  So an existing
 * directory is used only if it is no link, is ours, and is closed to others;
 * everything below is opened from its descriptor.
 */
#include "session/home.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/id.h"
#include "base/path.h"
#include "session/tree.h"

#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_CLOEXEC)
#define OPEN_OUR_DIR (OPEN_DIR | O_NOFOLLOW)

/* Root may read other users' homes, but not create files there. */
static int
check_owner(int fd, const char *path, bool create, struct error *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return error_set(err, errno, "cannot read %s: %s", path,
		    strerror(errno));
	if (st.st_uid != geteuid() && (create || geteuid() != 0))
		return error_set(err, EACCES,
		    "%s belongs to another user (uid %u)", path, st.st_uid);
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return error_set(err, EACCES,
		    "%s is writable by others: run chmod 700 %s", path, path);
	return 0;
}

/* A link in place of a directory gives ENOTDIR, like any other file. */
static int
open_error(int errnum, const char *path, struct error *err)
{
	struct stat st;

	if ((errnum == ENOTDIR || errnum == ELOOP) && lstat(path, &st) == 0 &&
	    S_ISLNK(st.st_mode))
		return error_set(err, errnum,
		    "%s is a symbolic link: give the directory itself", path);
	/*
	 * A path that is too long would leave no room for the reason behind
	 * it.
	 */
	if (errnum == ENAMETOOLONG)
		return error_set(err, errnum, "file name too long: %s", path);
	return error_set(err, errnum, "cannot open %s: %s", path,
	    strerror(errnum));
}

/*
 * Correct a mode that the umask reduced; an O_PATH descriptor needs no
 * permission.
 */
static int
restore_mode(int parent, const char *name)
{
	auto_close int fd = openat(parent, name,
	    O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	char link[40];
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if ((st.st_mode & 0777) == 0700)
		return 0;
	if (st.st_uid != geteuid())
		return -EACCES;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	return chmod(link, 0700) < 0 ? -errno : 0;
}

int
home_make_dir(int parent, const char *name)
{
	int rc;

	if (mkdirat(parent, name, 0700) < 0)
		return -errno;
	rc = restore_mode(parent, name);
	if (rc < 0)
		unlinkat(parent, name, AT_REMOVEDIR);
	return rc;
}

/* Open the directory `name`; make it if it is missing. */
static int
open_or_make(int parent, const char *name, int flags)
{
	int fd = openat(parent, name, flags), rc;

	if (fd >= 0 || errno != ENOENT)
		return fd < 0 ? -errno : fd;
	rc = home_make_dir(parent, name);
	if (rc < 0 && rc != -EEXIST)
		return rc;
	fd = openat(parent, name, flags);
	return fd < 0 ? -errno : fd;
}

/*
 * Walk down an absolute path and make missing directories.  Links are
 * followed, except for the last part.
 */
static int
make_path(const char *path, int *out)
{
	auto_close int at = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char part[NAME_MAX + 1];
	bool last = false;

	if (at < 0)
		return -errno;
	while (!last) {
		size_t len;
		int next;

		path += strspn(path, "/");
		len = strcspn(path, "/");
		if (len > NAME_MAX)
			return -ENAMETOOLONG;
		memcpy(part, path, len);
		part[len] = '\0';
		path += len;
		last = *path == '\0';
		next = open_or_make(at, part,
		    last ? OPEN_OUR_DIR : O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (next < 0)
			return next;
		close(at);
		at = next;
	}
	*out = fd_take(&at);
	return 0;
}

/* A slash at the end would follow a link. */
int
home_path(const char *option, char out[PATH_MAX], struct error *err)
{
	int rc = path_home(option, out, PATH_MAX, err);
	size_t len = rc == 0 ? strlen(out) : 0;

	while (len > 1 && out[len - 1] == '/')
		out[--len] = '\0';
	return rc;
}

int
home_open_dir(const char *path, bool create, int *fd, struct error *err)
{
	auto_close int home = open(path, OPEN_OUR_DIR);
	int rc;

	*fd = -1;
	if (home < 0 && errno == ENOENT && create) {
		rc = make_path(path, &home);
		if (rc < 0)
			return error_set(err, -rc, "cannot make %s: %s", path,
			    strerror(-rc));
	}
	if (home < 0)
		return errno == ENOENT ? 0 : open_error(errno, path, err);
	rc = check_owner(home, path, create, err);
	if (rc == 0)
		*fd = fd_take(&home);
	return rc;
}

/* A directory of the home that must be ours alone. */
int
home_open_part(const struct home *h, const char *name, bool create,
    struct error *err)
{
	auto_close int fd = create ? open_or_make(h->fd, name, OPEN_OUR_DIR) :
				     openat(h->fd, name, OPEN_OUR_DIR);
	char path[PATH_MAX];
	int rc;

	if (path_join(path, sizeof(path), h->path, name) < 0)
		return error_set(err, ENAMETOOLONG, "%s is too long", h->path);
	if (fd < 0)
		return open_error(create ? -fd : errno, path, err);
	rc = check_owner(fd, path, create, err);
	return rc < 0 ? rc : fd_take(&fd);
}

int
home_open(struct home *h, const char *option, bool create, struct error *err)
{
	int rc;

	h->fd = h->sessions_fd = -1;
	h->made = false;
	rc = home_path(option, h->path, err);
	if (rc < 0)
		return rc;
	rc = home_open_dir(h->path, create, &h->fd, err);
	if (rc < 0 || h->fd < 0)
		return rc;
	h->made = create && faccessat(h->fd, "sessions", F_OK, 0) < 0;
	rc = home_open_part(h, "sessions", create, err);
	if (rc >= 0)
		h->sessions_fd = rc;
	else if (rc != -ENOENT || create)
		home_close(h);
	return rc >= 0 || (rc == -ENOENT && !create) ? 0 : rc;
}

int
home_lock(int fd, int limit_ms)
{
	const struct timespec pause = { 0, 2000000 };

	for (int ms = 0; flock(fd, LOCK_EX | LOCK_NB) < 0; ms += 2) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -errno;
		if (ms >= limit_ms)
			return -EBUSY;
		nanosleep(&pause, NULL);
	}
	return 0;
}

void
home_close(struct home *h)
{
	fd_close(&h->sessions_fd);
	fd_close(&h->fd);
}

int
home_session_dir(const struct home *h, const char *id, struct error *err)
{
	int fd = -1;

	errno = ENOENT;
	if (h->sessions_fd >= 0 && id_is_valid(id))
		fd = openat(h->sessions_fd, id, OPEN_OUR_DIR);
	if (fd >= 0)
		return fd;
	if (errno == ENOENT)
		return error_set(err, ENOENT, "there is no session %s", id);
	return error_set(err, errno, "cannot open session %s: %s", id,
	    strerror(errno));
}

static int
is_id(const struct dirent *entry)
{
	return id_is_valid(entry->d_name);
}

static int
newest_first(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*b)->d_name, (*a)->d_name);
}

int
home_each(const struct home *h, home_fn *fn, void *arg, struct error *err)
{
	struct dirent **entries;
	int n, rc = 0;

	if (h->sessions_fd < 0)
		return 0;
	n = scandirat(h->sessions_fd, ".", &entries, is_id, newest_first);
	if (n < 0)
		return error_set(err, errno, "cannot list %s/sessions: %s",
		    h->path, strerror(errno));
	for (int i = 0; i < n; i++) {
		if (rc == 0)
			rc = fn(arg, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return rc;
}

/* The prefix of a session's directory while it is removed; no id begins so. */
#define GONE "gone-"

static int
is_gone(const struct dirent *entry)
{
	return strncmp(entry->d_name, GONE, sizeof(GONE) - 1) == 0;
}

int
home_sweep(const struct home *h, struct error *err)
{
	struct dirent **entries;
	int n, rc = 0;

	if (h->sessions_fd < 0)
		return 0;
	n = scandirat(h->sessions_fd, ".", &entries, is_gone, NULL);
	for (int i = 0; i < n; i++) {
		int r = tree_remove(h->sessions_fd, entries[i]->d_name);

		rc = r < 0 ? r : rc;
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	else
		rc = -errno;
	if (rc < 0)
		return error_set(err, -rc,
		    "cannot remove old files in %s/sessions: %s", h->path,
		    strerror(-rc));
	return 0;
}

bool
home_is_leaving(int dirfd, const char *id)
{
	char gone[sizeof("../" GONE) + ID_SIZE];
	struct stat own, other;

	snprintf(gone, sizeof(gone), "../" GONE "%s", id);
	if (fstat(dirfd, &own) < 0 || own.st_nlink == 0)
		return true;
	return fstatat(dirfd, gone, &other, AT_SYMLINK_NOFOLLOW) == 0 &&
	    own.st_dev == other.st_dev && own.st_ino == other.st_ino;
}

/* Another process may be removing it, or was killed while it did. */
static int
remove_session(int sessions, const char *id)
{
	char gone[sizeof(GONE) + ID_SIZE];
	int rc;

	snprintf(gone, sizeof(gone), GONE "%s", id);
	if (renameat(sessions, id, sessions, gone) < 0) {
		if (errno != EEXIST && errno != ENOTEMPTY)
			return -errno;
		rc = tree_remove(sessions, gone);
		if (rc < 0)
			return rc;
		if (renameat(sessions, id, sessions, gone) < 0)
			return -errno;
	}
	return tree_remove(sessions, gone);
}

int
home_remove_session(const struct home *h, const char *id, struct error *err)
{
	int rc = -ENOENT;

	if (h->sessions_fd >= 0 && id_is_valid(id))
		rc = remove_session(h->sessions_fd, id);
	if (rc < 0)
		return error_set(err, -rc, "cannot remove session %s: %s", id,
		    strerror(-rc));
	return 0;
}
