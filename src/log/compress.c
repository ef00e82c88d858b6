#include "log/compress.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/failpoint.h"
#include "base/fd.h"
#include "base/mem.h"
#include "log/io.h"
#include "log/payload.h"
#include "log/segment.h"

#define LEVEL 3
#define LEAST (16 << 10) /* bytes; below this, two syncs cost more */

struct compressor {
	const struct log_io *io;
	int from, to;
	struct segment_header head;
	uint32_t raw_len; /* of the old file; 0: too large */
	ZSTD_CCtx *zstd;
	uint8_t *raw; /* SEGMENT_BLOCK_MAX bytes of the old file ... */
	size_t len;
	uint64_t at; /* ... from here */
	uint8_t *packed;
	uint64_t written; /* bytes of the new file */
	struct segment_block block;
};

static int
read_raw(struct compressor *z)
{
	z->len = 0;
	while (z->len < SEGMENT_BLOCK_MAX) {
		ssize_t n = pread(z->from, z->raw + z->len,
		    SEGMENT_BLOCK_MAX - z->len, (off_t)(z->at + z->len));

		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		z->len += (size_t)n;
	}
	return 0;
}

static bool
sync_at(const struct compressor *z, uint64_t at, struct record *out)
{
	size_t i = (size_t)(at - z->at);

	return record_parse(z->raw + i, z->len - i, z->head.nonce, at, out) ==
	    RECORD_VALID &&
	    out->type == RECORD_SYNC;
}

/*
 * The size of the next block: up to the last sync in the raw bytes, so that a
 * lost block ends where reading can resume.  At the end of the file, and if
 * damage has left no sync, the block takes all of them.
 */
static size_t
block_len(const struct compressor *z)
{
	uint64_t end = z->at + z->len;
	struct record r;

	if (z->len < SEGMENT_BLOCK_MAX)
		return z->len;
	end -= end % RECORD_SYNC_ALIGN;
	for (uint64_t at = end; at > z->at; at -= RECORD_SYNC_ALIGN)
		if (sync_at(z, at, &r))
			return (size_t)(at - z->at);
	return z->len;
}

static int
write_block(struct compressor *z, size_t raw_len)
{
	uint8_t head[SEGMENT_BLOCK_HEADER];
	struct iovec iov[2];
	size_t len = ZSTD_compressCCtx(z->zstd, z->packed,
	    ZSTD_compressBound(SEGMENT_BLOCK_MAX), z->raw, raw_len, LEVEL);
	struct record r;
	int rc;

	if (ZSTD_isError(len))
		return -EIO;
	if (sync_at(z, z->at, &r)) {
		z->block.first_seq = r.seq;
		payload_next_offset(&r, &z->block.offset);
	}
	z->block.at = z->at;
	z->block.raw_len = (uint32_t)raw_len;
	z->block.len = (uint32_t)len;
	z->block.p = z->packed;
	segment_put_block(head, &z->block);
	iov[0] = (struct iovec){ head, sizeof(head) };
	iov[1] = (struct iovec){ z->packed, len };
	rc = log_io_write(z->io, z->to, iov, 2, (off_t)z->written);
	z->written += sizeof(head) + len;
	return rc;
}

static int
write_header(struct compressor *z)
{
	struct segment_header h = z->head;
	uint8_t head[SEGMENT_RECORDS];
	struct iovec iov = { head, sizeof(head) };

	h.compressed = true;
	h.raw_len = z->raw_len;
	segment_put_header(head, &h);
	z->written = sizeof(head);
	return log_io_write(z->io, z->to, &iov, 1, 0);
}

static int
write_file(struct compressor *z)
{
	int rc = write_header(z);

	z->at = SEGMENT_RECORDS;
	z->block.first_seq = z->head.first_seq;
	z->block.offset = z->head.first_offset;
	while (rc == 0) {
		size_t n;

		rc = read_raw(z);
		if (rc < 0 || z->len == 0)
			break;
		n = block_len(z);
		rc = write_block(z, n);
		z->at += n;
	}
	if (rc == 0 && z->io->sync(z->io->arg, z->to) < 0)
		rc = -errno;
	return rc;
}

/*
 * Check that the new file gives the old one back, read as a reader will.
 * Memory and disks may be bad, and the old file is the only other copy.
 */
static int
verify(struct compressor *z)
{
	uint64_t at = SEGMENT_RECORDS;
	struct segment s;
	int rc = segment_open_fd(&s, z->to);

	while (rc == 0) {
		const uint8_t *p;
		size_t len;

		z->at = at;
		rc = read_raw(z);
		if (rc < 0 || z->len == 0)
			break;
		p = segment_bytes(&s, at, &len);
		len = len < z->len ? len : z->len;
		if (len == 0 || memcmp(p, z->raw, len) != 0)
			rc = -EILSEQ;
		at += len;
	}
	if (rc == 0 && segment_end(&s) != at)
		rc = -EILSEQ;
	segment_close(&s);
	return rc;
}

/* Remove the old file once the new name is safely on the disk. */
static int
replace(int dirfd, const struct log_io *io, const char *tmp, const char *old,
    const char *new)
{
	failpoint("compress-written");
	if (io->rename(io->arg, dirfd, tmp, new) < 0)
		return -errno;
	failpoint("compress-renamed");
	if (io->sync_dir(io->arg, dirfd) < 0)
		return -errno;
	return unlinkat(dirfd, old, 0) < 0 ? -errno : 0;
}

/*
 * Create the new file before opening the old one: a thread that trims the
 * segment removes the old file first, then the new one.
 */
static int
compress_open(struct compressor *z, int dirfd, const char *old, const char *tmp)
{
	uint8_t head[SEGMENT_RECORDS] = { 0 };
	struct stat st;

	z->to = openat(dirfd, tmp,
	    O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (z->to < 0 || fchmod(z->to, 0600) < 0) /* regardless of the umask */
		return -errno;
	z->from = openat(dirfd, old, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (z->from < 0 || pread(z->from, head, sizeof(head), 0) < 0)
		return -errno;
	if (!segment_get_header(head, &z->head))
		return -EBADMSG;
	if (fstat(z->from, &st) == 0 && st.st_size <= UINT32_MAX)
		z->raw_len = (uint32_t)st.st_size;
	z->zstd = ZSTD_createCCtx();
	return z->zstd == NULL ? -ENOMEM : 0;
}

int
compress_segment(int dirfd, uint32_t number, const struct log_io *io,
    uint64_t *bytes)
{
	char old[SEGMENT_NAME_MAX], tmp[SEGMENT_NAME_MAX];
	char new[SEGMENT_NAME_MAX];
	struct compressor z = { .io = io, .from = -1, .to = -1 };
	int rc;

	segment_name(old, number, SEGMENT_PLAIN);
	segment_name(tmp, number, SEGMENT_TEMPORARY);
	segment_name(new, number, SEGMENT_COMPRESSED);
	z.raw = xmalloc(SEGMENT_BLOCK_MAX);
	z.packed = xmalloc(ZSTD_compressBound(SEGMENT_BLOCK_MAX));
	rc = compress_open(&z, dirfd, old, tmp);
	if (rc == 0)
		rc = write_file(&z);
	if (rc == 0)
		rc = verify(&z);
	if (rc == 0)
		rc = replace(dirfd, io, tmp, old, new);
	if (rc < 0)
		unlinkat(dirfd, tmp, 0);
	else
		*bytes = z.written;
	ZSTD_freeCCtx(z.zstd);
	fd_close(&z.from);
	fd_close(&z.to);
	free(z.raw);
	free(z.packed);
	return rc;
}

static void
compress_one(int dirfd, uint32_t number, const struct log_io *io,
    struct compress_result *out)
{
	char name[SEGMENT_NAME_MAX];
	uint64_t bytes;
	struct stat st;

	segment_name(name, number, SEGMENT_PLAIN);
	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !S_ISREG(st.st_mode) || st.st_size < LEAST)
		return;
	if (compress_segment(dirfd, number, io, &bytes) < 0) {
		out->failed++;
		return;
	}
	out->segments++;
	out->before += (uint64_t)st.st_size;
	out->after += bytes;
}

int
compress_log(int dirfd, const struct log_io *io, struct compress_result *out)
{
	auto_close int lock = openat(dirfd, ".",
	    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_free uint32_t *numbers = NULL;
	int n;

	*out = (struct compress_result){ 0 };
	if (lock < 0)
		return -errno;
	if (flock(lock, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? -EBUSY : -errno;
	n = segment_list(dirfd, &numbers);
	for (int i = 0; i < n; i++)
		compress_one(dirfd, numbers[i], io, out);
	return n < 0 ? n : 0;
}
