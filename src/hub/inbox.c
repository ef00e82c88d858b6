#include "hub/inbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "session/disk.h"

#define DRAFT ".upload-"
#define CHANCE 8 /* characters of the id */
#define STEM_MAX 60
#define ENDING_MAX 16

/* --------------------------------------------------------------------- names */

static bool
is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9');
}

/*
 * Copy what is readable, at most `max` bytes.  Everything else becomes one
 * underscore, except at the beginning and at the end.
 */
static size_t
copy_plain(char *out, size_t max, const char *p, size_t len)
{
	size_t n = 0, end = 0;

	for (size_t i = 0; i < len && n < max; i++) {
		if (is_plain(p[i]))
			out[n++] = p[i];
		else if (n > 0 && strchr("-_.", p[i]) != NULL && p[i] != '\0' &&
		    is_plain(out[n - 1]))
			out[n++] = p[i];
		else if (n > 0 && is_plain(out[n - 1]))
			out[n++] = '_';
		if (n > 0 && is_plain(out[n - 1]))
			end = n;
	}
	return end;
}

/* The part of a path after the last separator, of any system. */
static const char *
last_part(const char *path)
{
	const char *at = path;

	for (const char *p = path; *p != '\0'; p++) {
		if (*p == '/' || *p == '\\')
			at = p + 1;
	}
	return at;
}

void
inbox_name(char out[INBOX_NAME_SIZE], const char *wished, const char *unique)
{
	const char *name = wished != NULL ? last_part(wished) : "";
	const char *dot = strrchr(name, '.');
	const char *chance = unique + strlen(unique) - CHANCE;
	char stem[STEM_MAX + 1], ending[ENDING_MAX + 1];
	size_t n, e = 0;

	if (dot != NULL && strlen(dot + 1) <= ENDING_MAX)
		e = copy_plain(ending, ENDING_MAX, dot + 1, strlen(dot + 1));
	n = copy_plain(stem, STEM_MAX, name,
	    e > 0 ? (size_t)(dot - name) : strlen(name));
	if (n == 0)
		n = (size_t)snprintf(stem, sizeof(stem), "file");
	snprintf(out, INBOX_NAME_SIZE, "%.*s-%s%s%.*s", (int)n, stem, chance,
	    e > 0 ? "." : "", (int)e, ending);
}

/* --------------------------------------------------------------------- files */

static int
open_beneath(int dir, const char *name, int flags, unsigned mode)
{
	struct open_how how = { .flags = (uint64_t)(flags | O_CLOEXEC),
		.mode = mode,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
		    RESOLVE_NO_MAGICLINKS };
	long fd = syscall(SYS_openat2, dir, name, &how, sizeof(how));

	return fd >= 0 ? (int)fd : -errno;
}

/* Of one file: the bytes that it counts. */
static uint64_t
weigh(const char *name, const struct stat *st)
{
	if (strncmp(name, DRAFT, strlen(DRAFT)) == 0)
		return INBOX_FILE_MAX;
	return st->st_size > INBOX_LEAST ? (uint64_t)st->st_size : INBOX_LEAST;
}

/* Look at one file: remove it if it was left behind, or count it. */
static uint64_t
look_at(int dir, const char *name)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	if (strncmp(name, DRAFT, strlen(DRAFT)) == 0 &&
	    st.st_mtime + INBOX_DRAFT_S < time(NULL) &&
	    unlinkat(dir, name, 0) == 0)
		return 0;
	return weigh(name, &st);
}

static int
check_disk(int dir)
{
	struct disk d;

	if (disk_look(dir, &d) == 0 && d.free < INBOX_FREE)
		return -ENOSPC;
	return 0;
}

/* 0 if there is room for one more file. */
static int
check_total(int dir)
{
	int fd = open_beneath(dir, ".", O_RDONLY | O_DIRECTORY, 0);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	uint64_t total = INBOX_FILE_MAX;
	const struct dirent *e;

	if (fd < 0)
		return fd;
	if (d == NULL) {
		close(fd);
		return -errno;
	}
	while (total <= INBOX_TOTAL_MAX && (e = readdir(d)) != NULL) {
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			total += look_at(dir, e->d_name);
	}
	closedir(d);
	return total <= INBOX_TOTAL_MAX ? 0 : -EDQUOT;
}

void
inbox_init(struct inbox *b, const char *unique)
{
	memset(b, 0, sizeof(*b));
	b->dir = b->fd = -1;
	snprintf(b->unique, sizeof(b->unique), "%s", unique);
}

int
inbox_open(struct inbox *b, int session_dirfd)
{
	int rc;

	if (mkdirat(session_dirfd, "files", 0700) < 0 && errno != EEXIST)
		return -errno;
	b->dir = open_beneath(session_dirfd, "files", O_RDONLY | O_DIRECTORY,
	    0);
	if (b->dir < 0)
		return b->dir;
	rc = check_disk(b->dir);
	if (rc == 0)
		rc = check_total(b->dir);
	if (rc < 0)
		return rc;
	snprintf(b->draft, sizeof(b->draft), DRAFT "%s", b->unique);
	b->fd = open_beneath(b->dir, b->draft, O_WRONLY | O_CREAT | O_EXCL,
	    0600);
	if (b->fd < 0)
		b->draft[0] = '\0';
	return b->fd < 0 ? b->fd : 0;
}

int
inbox_write(struct inbox *b, const void *p, size_t len)
{
	return fd_write_all(b->fd, p, len);
}

int
inbox_keep(struct inbox *b, const char *wished)
{
	char name[INBOX_NAME_SIZE];

	inbox_name(name, wished, b->unique);
	if (fdatasync(b->fd) < 0)
		return -errno;
	if (syscall(SYS_renameat2, b->dir, b->draft, b->dir, name,
		RENAME_NOREPLACE) < 0)
		return -errno;
	b->draft[0] = '\0';
	memcpy(b->name, name, sizeof(name));
	return 0;
}

void
inbox_drop(struct inbox *b)
{
	if (b->draft[0] != '\0')
		(void)unlinkat(b->dir, b->draft, 0);
	if (b->name[0] != '\0')
		(void)unlinkat(b->dir, b->name, 0);
	inbox_finish(b);
}

void
inbox_finish(struct inbox *b)
{
	fd_close(&b->fd);
	fd_close(&b->dir);
}
