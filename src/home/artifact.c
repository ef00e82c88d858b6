#include "home/artifact.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/sha256.h"
#include "home/fault.h"
#include "home/handle.h"
#include "home/words.h"

#define ENTRY_MAX (16u << 10)

/* A file being written: it has a temporary name until its entry is written. */
struct saving {
	const char *path;
	char absolute[PATH_MAX]; /* for the entry */
	char draft[PATH_MAX];
	struct error err;
};

/* The directory must exist; the file need not. */
static int
find_place(struct saving *s)
{
	const char *slash = strrchr(s->path, '/');
	const char *name = slash != NULL ? slash + 1 : s->path;
	auto_free char *real = NULL;
	char dir[PATH_MAX];
	struct stat st;

	/* Keep the slash, since the directory may be / itself. */
	snprintf(dir, sizeof(dir), "%s%.*s", slash != NULL ? "" : ".",
	    (int)(name - s->path), s->path);
	real = realpath(dir, NULL);
	if (real == NULL)
		return error_set(&s->err, errno, "%s: %s", dir,
		    strerror(errno));
	if (name[0] == '\0')
		return error_set(&s->err, EISDIR, "%s is a directory", s->path);
	if (path_join(s->absolute, sizeof(s->absolute), real, name) < 0 ||
	    snprintf(s->draft, sizeof(s->draft), "%s.XXXXXX", s->absolute) >=
		(int)sizeof(s->draft))
		return error_set(&s->err, ENAMETOOLONG, "the name is too long");
	/* A rename would replace a device too. */
	if (stat(s->absolute, &st) == 0 && !S_ISREG(st.st_mode))
		return error_set(&s->err, EEXIST,
		    "not a regular file; - is standard output");
	return 0;
}

static int
write_draft(struct saving *s, const void *p, size_t len)
{
	auto_close int fd = mkostemp(s->draft, O_CLOEXEC);
	int rc;

	if (fd < 0)
		return error_set(&s->err, errno, "%s", strerror(errno));
	rc = fd_write_all(fd, p, len);
	if (rc == 0 && fsync(fd) < 0)
		rc = -errno;
	if (rc == 0)
		return 0;
	unlink(s->draft);
	return error_set(&s->err, -rc, "%s", strerror(-rc));
}

static void
put_entry(const struct saving *s, const struct artifact *a, const void *p,
    size_t len, struct buf *out)
{
	char at[WORDS_TIME_MAX], hex[65];
	struct timespec now;
	uint8_t digest[32];
	struct sha256 sum;
	struct json_out j;

	sha256_init(&sum);
	sha256_update(&sum, p, len);
	sha256_final(&sum, digest);
	sha256_hex(digest, hex);
	clock_gettime(CLOCK_REALTIME, &now);
	words_time(now.tv_sec * 1000ll + now.tv_nsec / 1000000, at);
	json_out_init(&j, out);
	json_out_open(&j, '{');
	json_put_text(&j, "kind", a->kind);
	json_put_text(&j, "format", a->format);
	json_put_text(&j, "path", s->absolute);
	json_put_number(&j, "seq", a->seq);
	json_put_number(&j, "offset", a->offset);
	json_put_text(&j, "hash", a->hash);
	json_put_number(&j, "bytes", len);
	json_put_text(&j, "sha256", hex);
	json_put_text(&j, "at", at);
	json_out_close(&j, '}');
	buf_putc(out, '\n');
}

static int
open_manifest(const struct handle *h)
{
	auto_close int dir = -1;

	if (mkdirat(h->dirfd, "artifacts", 0700) < 0 && errno != EEXIST)
		return -1;
	dir = openat(h->dirfd, "artifacts",
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0)
		return -1;
	return openat(dir, "manifest.ndjson",
	    O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/* Write the entry, then the file; if one fails, neither remains. */
static int
publish(struct saving *s, int fd, const struct buf *entry)
{
	struct stat before;
	int rc;

	if (flock(fd, LOCK_EX) < 0 || fstat(fd, &before) < 0)
		return error_set(&s->err, errno, "its manifest: %s",
		    strerror(errno));
	rc = fd_write_all(fd, entry->data, entry->len);
	if (rc < 0)
		error_set(&s->err, -rc, "its manifest: %s", strerror(-rc));
	else if (rename(s->draft, s->absolute) < 0)
		rc = error_set(&s->err, errno, "%s", strerror(errno));
	if (rc < 0 && ftruncate(fd, before.st_size) < 0)
		error_set(&s->err, errno,
		    "its manifest, which is now wrong: %s", strerror(errno));
	return rc;
}

/* Never write into another user's home. */
static bool
is_ours(const struct handle *h)
{
	struct stat st;

	return fstat(h->dirfd, &st) == 0 && st.st_uid == geteuid();
}

static int
record(struct saving *s, const struct handle *h, const struct buf *entry)
{
	auto_close int fd = -1;

	if (!is_ours(h))
		return rename(s->draft, s->absolute) == 0 ?
		    0 :
		    error_set(&s->err, errno, "%s", strerror(errno));
	fd = open_manifest(h);
	if (fd < 0)
		return error_set(&s->err, errno, "its manifest: %s",
		    strerror(errno));
	return publish(s, fd, entry);
}

int
artifact_save(const struct handle *h, const char *path,
    const struct artifact *a, const void *p, size_t len, struct fault *f)
{
	struct saving s = { .path = path };
	struct buf entry;
	int rc;

	buf_init(&entry, ENTRY_MAX);
	rc = find_place(&s);
	if (rc == 0)
		rc = write_draft(&s, p, len);
	if (rc == 0) {
		put_entry(&s, a, p, len, &entry);
		rc = record(&s, h, &entry);
		if (rc < 0)
			unlink(s.draft);
	}
	buf_finish(&entry);
	if (rc < 0)
		return fault_set(f, FAIL_STORAGE, "cannot write %s: %s", path,
		    s.err.msg);
	return 0;
}
