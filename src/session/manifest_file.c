/* Read session.json with a size limit, and replace it in one step. */
#include "session/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/file.h"

#define FILE_NAME "session.json"

/* Read a whole regular file of ours; no FIFO, device or link. */
static int
read_file(int dirfd, struct buf *b)
{
	struct stat st;
	auto_close int fd = file_open(dirfd, FILE_NAME, &st);

	if (fd < 0)
		return fd;
	return S_ISREG(st.st_mode) ? file_read(fd, MANIFEST_MAX, b) : -EINVAL;
}

/*
 * JSON numbers are limited to 2^53, and some file systems have larger inodes.
 */
int
manifest_set_dir(struct manifest *m, int dirfd)
{
	struct stat st;

	if (fstat(dirfd, &st) < 0)
		return -errno;
	m->dir_dev = st.st_dev & INT64_MAX;
	m->dir_ino = st.st_ino & INT64_MAX;
	return 0;
}

/* A copied directory has the pids, but not the processes. */
static bool
is_elsewhere(int dirfd, const struct manifest *m)
{
	struct manifest here = { 0 };

	return m->dir_ino != 0 && manifest_set_dir(&here, dirfd) == 0 &&
	    (here.dir_ino != m->dir_ino || here.dir_dev != m->dir_dev);
}

int
manifest_read(int dirfd, struct manifest *m, struct error *err)
{
	struct error why;
	struct buf b;
	int rc;

	manifest_init(m);
	buf_init(&b, MANIFEST_MAX + 1);
	rc = read_file(dirfd, &b);
	if (rc < 0)
		error_set(err, -rc, "cannot read " FILE_NAME ": %s",
		    strerror(-rc));
	else if ((rc = manifest_parse((char *)b.data, b.len, m, &why)) < 0) {
		rc = rc == -EINVAL ? -EBADMSG : rc;
		error_set(err, -rc, FILE_NAME " is damaged: %s", why.msg);
	} else
		m->elsewhere = is_elsewhere(dirfd, m);
	buf_finish(&b);
	return rc;
}

void
manifest_believe_id(struct manifest *m, const char *id)
{
	if (strcmp(m->id, id) == 0)
		return;
	snprintf(m->id, sizeof(m->id), "%s", id);
	m->suspect = true;
}

/* Set the mode regardless of the umask. */
static int
write_temp(int dirfd, const char *temp, const struct buf *b, bool sync)
{
	auto_close int fd = openat(dirfd, temp,
	    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int rc;

	if (fd < 0 || fchmod(fd, 0600) < 0)
		return -errno;
	rc = fd_write_all(fd, b->data, b->len);
	if (rc == 0 && sync && fdatasync(fd) < 0)
		rc = -errno;
	return rc;
}

static bool
is_there(int dirfd)
{
	struct stat st;

	return fstatat(dirfd, FILE_NAME, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/*
 * Each thread has its own temporary file; an existing one is left from a dead
 * thread.  When this replaces a file, it is synced first.  Otherwise a disk
 * may keep the new name without the new bytes, and both versions are lost.
 */
static int
replace(int dirfd, const struct buf *b, bool sync)
{
	char temp[sizeof(FILE_NAME) + 16];
	bool first = sync || is_there(dirfd);
	int rc;

	snprintf(temp, sizeof(temp), FILE_NAME ".%d", (int)gettid());
	rc = write_temp(dirfd, temp, b, first);
	if (rc == -EEXIST && unlinkat(dirfd, temp, 0) == 0)
		rc = write_temp(dirfd, temp, b, first);
	if (rc == 0 && renameat(dirfd, temp, dirfd, FILE_NAME) < 0)
		rc = -errno;
	if (rc < 0)
		unlinkat(dirfd, temp, 0);
	else if (sync && fsync(dirfd) < 0)
		rc = -errno;
	return rc;
}

int
manifest_write_text(int dirfd, const struct buf *text, bool sync,
    struct error *err)
{
	int rc = replace(dirfd, text, sync);

	if (rc < 0)
		return error_set(err, -rc, "cannot write " FILE_NAME ": %s",
		    strerror(-rc));
	return 0;
}

int
manifest_write(int dirfd, const struct manifest *m, bool sync,
    struct error *err)
{
	struct buf b;
	int rc;

	buf_init(&b, MANIFEST_MAX);
	if (manifest_format(m, &b) < 0)
		rc = error_set(err, E2BIG, "the command is too long");
	else
		rc = manifest_write_text(dirfd, &b, sync, err);
	buf_finish(&b);
	return rc;
}
