#include "log/segment.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/bytes.h"
#include "base/crc32c.h"
#include "base/fd.h"
#include "base/mem.h"
#include "log/payload.h"

#define MAGIC "tendlog\n"
#define COMPRESSED 1u
#define CRC_AT 60
#define BLOCK_MAGIC 0x6b6c627au
#define WINDOW (256u << 10)

/* A larger .zseg is not ours: segments have a few MiB before compression. */
#define FILE_MAX (256 << 20)

static const char *const extensions[] = { "seg", "zseg", "tmp" };

void
segment_put_header(uint8_t out[SEGMENT_RECORDS], const struct segment_header *h)
{
	memset(out, 0, SEGMENT_HEADER);
	memcpy(out, MAGIC, 8);
	put_u16le(out + 8, SEGMENT_VERSION);
	put_u16le(out + 10, SEGMENT_HEADER);
	put_u32le(out + 12, h->compressed ? COMPRESSED : 0);
	put_u32le(out + 16, h->number);
	put_u32le(out + 20, h->compressed ? h->raw_len : 0);
	put_u64le(out + 24, h->nonce);
	put_u64le(out + 32, h->first_seq);
	put_u64le(out + 40, h->first_offset);
	put_u64le(out + 48, h->first_time_ns);
	put_u32le(out + CRC_AT, crc32c(0, out, CRC_AT));
	memcpy(out + SEGMENT_HEADER, out, SEGMENT_HEADER);
}

bool
segment_get_one_header(const uint8_t p[SEGMENT_HEADER],
    struct segment_header *out)
{
	if (memcmp(p, MAGIC, 8) != 0 || get_u16le(p + 8) != SEGMENT_VERSION ||
	    get_u16le(p + 10) != SEGMENT_HEADER ||
	    crc32c(0, p, CRC_AT) != get_u32le(p + CRC_AT))
		return false;
	*out = (struct segment_header){
		.compressed = (get_u32le(p + 12) & COMPRESSED) != 0,
		.number = get_u32le(p + 16),
		.raw_len = get_u32le(p + 20),
		.nonce = get_u64le(p + 24),
		.first_seq = get_u64le(p + 32),
		.first_offset = get_u64le(p + 40),
		.first_time_ns = get_u64le(p + 48),
	};
	return out->first_seq > 0;
}

bool
segment_get_header(const uint8_t p[SEGMENT_RECORDS], struct segment_header *out)
{
	return segment_get_one_header(p, out) ||
	    segment_get_one_header(p + SEGMENT_HEADER, out);
}

void
segment_name(char out[SEGMENT_NAME_MAX], uint32_t number,
    enum segment_kind kind)
{
	snprintf(out, SEGMENT_NAME_MAX, "%08u.%s", number, extensions[kind]);
}

uint32_t
segment_number(const char *name, enum segment_kind *kind)
{
	char again[SEGMENT_NAME_MAX];
	char *end;
	unsigned long number;

	if (*name < '0' || *name > '9')
		return 0;
	number = strtoul(name, &end, 10);
	if (number > UINT32_MAX)
		return 0;
	for (*kind = SEGMENT_PLAIN; *kind <= SEGMENT_TEMPORARY; ++*kind) {
		segment_name(again, (uint32_t)number, *kind);
		if (strcmp(name, again) == 0)
			return (uint32_t)number;
	}
	return 0;
}

static int
by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* A segment may exist twice: compressed, and not yet removed. */
static int
sort_unique(uint32_t *list, int n)
{
	int kept = 0;

	if (n > 0)
		qsort(list, (size_t)n, sizeof(*list), by_number);
	for (int i = 0; i < n; i++)
		if (kept == 0 || list[kept - 1] != list[i])
			list[kept++] = list[i];
	return kept;
}

struct numbers {
	uint32_t *p;
	int n;
};

static void
add_number(struct numbers *l, uint32_t number)
{
	if ((l->n & (l->n - 1)) == 0)
		l->p = xrealloc(l->p, l->n > 0 ? 2 * (size_t)l->n : 1,
		    sizeof(*l->p));
	l->p[l->n++] = number;
}

/* A compressed segment gets its new name before the old one is removed. */
static bool
is_there(int dirfd, uint32_t number)
{
	char plain[SEGMENT_NAME_MAX], packed[SEGMENT_NAME_MAX];

	segment_name(plain, number, SEGMENT_PLAIN);
	segment_name(packed, number, SEGMENT_COMPRESSED);
	return faccessat(dirfd, plain, F_OK, AT_SYMLINK_NOFOLLOW) == 0 ||
	    faccessat(dirfd, packed, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/*
 * A directory listing during a rename may show neither name.  So each missing
 * number below the newest is looked up by name.
 */
static void
add_missed(int dirfd, struct numbers *l)
{
	int n = l->n;

	for (int i = 0; i < n; i++) {
		uint32_t before = i > 0 ? l->p[i - 1] : 0;
		uint32_t number = l->p[i] - 1;

		for (; number > before && is_there(dirfd, number); number--)
			add_number(l, number);
	}
}

int
segment_list(int dirfd, uint32_t **out)
{
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct numbers l = { 0 };
	struct dirent *d;
	DIR *dir;

	if (fd < 0)
		return -errno;
	dir = fdopendir(fd);
	if (dir == NULL) {
		fd_close(&fd);
		return -errno;
	}
	while ((d = readdir(dir)) != NULL) {
		enum segment_kind kind;
		uint32_t number = segment_number(d->d_name, &kind);

		if (number != 0 && kind != SEGMENT_TEMPORARY)
			add_number(&l, number);
	}
	closedir(dir);
	l.n = sort_unique(l.p, l.n);
	add_missed(dirfd, &l);
	*out = l.p;
	return sort_unique(l.p, l.n);
}

/* ---------------------------------------------------- compressed segments */

static uint32_t
block_crc(const uint8_t *head, const uint8_t *p, size_t len)
{
	uint32_t crc = crc32c(0, head, 12);

	crc = crc32c(crc, head + 16, SEGMENT_BLOCK_HEADER - 16);
	return crc32c(crc, p, len);
}

void
segment_put_block(uint8_t out[SEGMENT_BLOCK_HEADER],
    const struct segment_block *b)
{
	put_u32le(out, BLOCK_MAGIC);
	put_u32le(out + 4, b->raw_len);
	put_u32le(out + 8, b->len);
	put_u64le(out + 16, b->at);
	put_u64le(out + 24, b->first_seq);
	put_u64le(out + 32, b->offset);
	put_u32le(out + 12, block_crc(out, b->p, b->len));
}

static bool
get_block(const uint8_t *p, size_t len, struct segment_block *out)
{
	if (len < SEGMENT_BLOCK_HEADER || get_u32le(p) != BLOCK_MAGIC)
		return false;
	*out = (struct segment_block){
		.raw_len = get_u32le(p + 4),
		.len = get_u32le(p + 8),
		.at = get_u64le(p + 16),
		.first_seq = get_u64le(p + 24),
		.offset = get_u64le(p + 32),
		.p = p + SEGMENT_BLOCK_HEADER,
	};
	return out->len <= len - SEGMENT_BLOCK_HEADER && out->raw_len > 0 &&
	    out->raw_len <= SEGMENT_BLOCK_MAX && out->at <= FILE_MAX &&
	    block_crc(p, out->p, out->len) == get_u32le(p + 12);
}

/*
 * Find the blocks.  If one is damaged, search for the next byte by byte.  The
 * compressed bytes may contain a block that a program printed; its records
 * would not be valid there.
 */
static void
index_blocks(struct segment *s, size_t file_len)
{
	uint64_t least = SEGMENT_RECORDS;
	size_t pos = SEGMENT_RECORDS;

	while (pos < file_len) {
		struct segment_block b;

		if (!get_block(s->file + pos, file_len - pos, &b) ||
		    b.at < least) {
			pos++;
			continue;
		}
		s->blocks = xrealloc(s->blocks, s->block_count + 1,
		    sizeof(*s->blocks));
		s->blocks[s->block_count++] = b;
		least = b.at + b.raw_len;
		pos += SEGMENT_BLOCK_HEADER + b.len;
	}
}

static int
load_compressed(struct segment *s)
{
	struct stat st;
	size_t len = 0;

	if (fstat(s->fd, &st) < 0)
		return -errno;
	if (st.st_size > FILE_MAX)
		return -EBADMSG;
	s->file = xmalloc((size_t)st.st_size);
	while (len < (size_t)st.st_size) {
		ssize_t n = pread(s->fd, s->file + len,
		    (size_t)st.st_size - len, (off_t)len);

		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		len += (size_t)n;
	}
	index_blocks(s, len);
	return 0;
}

/* The block that contains the byte at `at`, or NULL. */
static const struct segment_block *
find_block(const struct segment *s, uint64_t at)
{
	for (size_t i = 0; i < s->block_count; i++) {
		const struct segment_block *b = &s->blocks[i];

		if (at >= b->at && at - b->at < b->raw_len)
			return b;
	}
	return NULL;
}

static void
fill_from_block(struct segment *s, uint64_t at)
{
	const struct segment_block *b = find_block(s, at);
	size_t n;

	s->window_len = 0;
	if (b == NULL)
		return;
	n = ZSTD_decompress(s->window, s->window_cap, b->p, b->len);
	if (ZSTD_isError(n) || n != b->raw_len)
		return;
	s->window_at = b->at;
	s->window_len = n;
}

/* ---------------------------------------------------------------- reading */

static void
fill_from_file(struct segment *s, uint64_t at)
{
	ssize_t n = pread(s->fd, s->window, s->window_cap, (off_t)at);

	s->window_at = at;
	s->window_len = n > 0 ? (size_t)n : 0;
}

/* The bytes at `at` that are in memory. */
static const uint8_t *
in_window(const struct segment *s, uint64_t at, size_t *len)
{
	if (at < s->window_at || at - s->window_at >= s->window_len) {
		*len = 0;
		return s->window;
	}
	*len = s->window_len - (size_t)(at - s->window_at);
	return s->window + (at - s->window_at);
}

static void
fill(struct segment *s, uint64_t at)
{
	if (s->head.compressed)
		fill_from_block(s, at);
	else
		fill_from_file(s, at);
}

static enum record_state
parse_at(struct segment *s, uint64_t at, struct record *out)
{
	size_t len;
	const uint8_t *p = in_window(s, at, &len);
	enum record_state state = record_parse(p, len, s->head.nonce, at, out);

	if (state != RECORD_SHORT)
		return state;
	if (!s->head.compressed || len == 0)
		fill(s, at);
	p = in_window(s, at, &len);
	return record_parse(p, len, s->head.nonce, at, out);
}

static int
read_header(struct segment *s)
{
	uint8_t head[SEGMENT_RECORDS] = { 0 };
	ssize_t n = pread(s->fd, head, sizeof(head), 0);

	if (n < 0)
		return -errno;
	/* The zeros behind a cut header may happen to be right. */
	if (n < SEGMENT_HEADER || !segment_get_header(head, &s->head))
		return -EBADMSG;
	return 0;
}

static int
open_kind(struct segment *s, int dirfd, uint32_t number, enum segment_kind kind)
{
	char name[SEGMENT_NAME_MAX];
	int rc;

	segment_name(name, number, kind);
	s->fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (s->fd < 0)
		return -errno;
	rc = read_header(s);
	if (rc == 0 &&
	    (s->head.number != number ||
		s->head.compressed != (kind == SEGMENT_COMPRESSED)))
		rc = -EBADMSG;
	return rc;
}

/*
 * Try the plain file first: while both exist, it counts.  It may be replaced
 * between the two tries, but never the other way round.
 */
static int
open_either(struct segment *s, int dirfd, uint32_t number)
{
	int rc;

	*s = (struct segment){ .fd = -1 };
	rc = open_kind(s, dirfd, number, SEGMENT_PLAIN);
	if (rc == -ENOENT)
		rc = open_kind(s, dirfd, number, SEGMENT_COMPRESSED);
	return rc;
}

static int
load(struct segment *s, int rc)
{
	if (rc == 0 && s->head.compressed)
		rc = load_compressed(s);
	if (rc < 0) {
		segment_close(s);
		return rc;
	}
	s->window_cap = s->head.compressed ? SEGMENT_BLOCK_MAX : WINDOW;
	s->window = xmalloc(s->window_cap);
	return 0;
}

int
segment_open(struct segment *s, int dirfd, uint32_t number)
{
	return load(s, open_either(s, dirfd, number));
}

int
segment_open_fd(struct segment *s, int fd)
{
	*s = (struct segment){ .fd = fcntl(fd, F_DUPFD_CLOEXEC, 0) };
	return load(s, s->fd < 0 ? -errno : read_header(s));
}

const uint8_t *
segment_bytes(struct segment *s, uint64_t at, size_t *len)
{
	in_window(s, at, len);
	if (*len == 0)
		fill(s, at);
	return in_window(s, at, len);
}

void
segment_close(struct segment *s)
{
	fd_close(&s->fd);
	free(s->window);
	free(s->file);
	free(s->blocks);
	*s = (struct segment){ .fd = -1 };
}

int
segment_look(int dirfd, uint32_t number, struct segment_header *out)
{
	struct segment s;
	int rc = open_either(&s, dirfd, number);

	if (rc == 0)
		*out = s.head;
	segment_close(&s);
	return rc;
}

uint64_t
segment_end(const struct segment *s)
{
	uint64_t end = SEGMENT_RECORDS;
	struct stat st;

	if (!s->head.compressed)
		return fstat(s->fd, &st) < 0 ? 0 : (uint64_t)st.st_size;
	if (s->block_count > 0) {
		const struct segment_block
		    *last = &s->blocks[s->block_count - 1];

		end = last->at + last->raw_len;
	}
	return end > s->head.raw_len ? end : s->head.raw_len;
}

void
segment_forget(struct segment *s)
{
	s->window_len = 0;
}

/* ---------------------------------------------------------------- records */

void
segment_begin(const struct segment *s, struct segment_cursor *c)
{
	*c = (struct segment_cursor){
		.at = SEGMENT_RECORDS,
		.seq = s->head.first_seq - 1,
		.time_ns = s->head.first_time_ns,
		.offset = s->head.first_offset,
	};
}

static bool
follows(const struct segment_cursor *c, const struct record *r)
{
	if (r->time_ns < c->time_ns)
		return false;
	if (!record_is_event(r->type))
		return r->seq == c->seq;
	if (r->seq == c->seq + 1)
		return true;
	return r->seq == c->seq && (c->headless || c->open == r->type);
}

static void
pass(struct segment_cursor *c, const struct record *r)
{
	c->at += RECORD_HEADER + r->len;
	c->time_ns = r->time_ns;
	payload_next_offset(r, &c->offset);
	if (!record_is_event(r->type))
		return;
	c->continued = r->seq == c->seq;
	c->headless = c->headless && c->continued;
	c->open = (r->flags & RECORD_MORE) != 0 ? r->type : 0;
	c->seq = r->seq;
}

enum record_state
segment_next(struct segment *s, struct segment_cursor *c, struct record *out)
{
	enum record_state state = parse_at(s, c->at, out);

	if (state == RECORD_VALID && !follows(c, out))
		state = RECORD_BAD;
	if (state == RECORD_VALID)
		pass(c, out);
	return state;
}

static bool
sync_at(struct segment *s, uint64_t at, struct record *out)
{
	return parse_at(s, at, out) == RECORD_VALID &&
	    out->type == RECORD_SYNC && out->len >= 8;
}

/* At a sync it is unknown whether an event continues behind it. */
static void
go_to_sync(struct segment_cursor *c, uint64_t at, const struct record *sync)
{
	c->at = at;
	c->seq = sync->seq;
	c->time_ns = sync->time_ns;
	payload_next_offset(sync, &c->offset);
	c->open = 0;
	c->continued = false;
	c->headless = true;
}

bool
segment_resync(struct segment *s, struct segment_cursor *c)
{
	uint64_t end = segment_end(s);
	uint64_t at = c->at + (0 - c->at) % RECORD_SYNC_ALIGN;
	struct record r;

	for (; at < end; at += RECORD_SYNC_ALIGN) {
		if (!sync_at(s, at, &r) || r.seq < c->seq ||
		    r.time_ns < c->time_ns)
			continue;
		go_to_sync(c, at, &r);
		return true;
	}
	return false;
}

void
segment_last_sync(struct segment *s, struct segment_cursor *c)
{
	uint64_t at = segment_end(s);
	struct record r;

	segment_begin(s, c);
	for (at -= at % RECORD_SYNC_ALIGN; at > 0; at -= RECORD_SYNC_ALIGN)
		if (sync_at(s, at, &r)) {
			go_to_sync(c, at, &r);
			return;
		}
}
