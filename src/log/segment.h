#ifndef TEND_LOG_SEGMENT_H
#define TEND_LOG_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log/record.h"

/*
 * One file of the log, to read: its header, and its records by their place in
 * the uncompressed file, whether it is compressed or not.
 */
#define SEGMENT_VERSION 1 /* of the format */
#define SEGMENT_HEADER 64
#define SEGMENT_RECORDS (2 * SEGMENT_HEADER) /* the first begins here */
#define SEGMENT_NAME_MAX 20

enum segment_kind { SEGMENT_PLAIN, SEGMENT_COMPRESSED, SEGMENT_TEMPORARY };

struct segment_header {
	bool compressed;
	uint32_t number;
	uint32_t raw_len; /* compressed: of the plain file; 0: not known */
	uint64_t nonce;
	uint64_t first_seq;
	uint64_t first_offset;
	uint64_t first_time_ns;
};

/* The header, twice. */
void segment_put_header(uint8_t out[SEGMENT_RECORDS],
    const struct segment_header *h);
/* From one copy, and from either of the two. */
bool segment_get_one_header(const uint8_t p[SEGMENT_HEADER],
    struct segment_header *out);
bool segment_get_header(const uint8_t p[SEGMENT_RECORDS],
    struct segment_header *out);

void segment_name(char out[SEGMENT_NAME_MAX], uint32_t number,
    enum segment_kind kind);
/* The number in a name, or 0 when it is not the name of a segment. */
uint32_t segment_number(const char *name, enum segment_kind *kind);

/*
 * The numbers of the segments in a directory, in order, each once.  How many,
 * or -errno; the caller frees *out.
 */
int segment_list(int dirfd, uint32_t **out);

/* The compressed blocks of a .zseg: a piece of the file and its bytes. */
#define SEGMENT_BLOCK_HEADER 40
#define SEGMENT_BLOCK_MAX (1u << 20) /* uncompressed */

struct segment_block {
	uint64_t at; /* in the uncompressed file */
	uint32_t raw_len;
	uint32_t len;
	uint64_t first_seq;
	uint64_t offset;  /* of the first output byte in or after it */
	const uint8_t *p; /* the compressed bytes */
};

/* The crc of the header is made with the bytes that b->p points to. */
void segment_put_block(uint8_t out[SEGMENT_BLOCK_HEADER],
    const struct segment_block *b);

struct segment {
	int fd;
	struct segment_header head;
	uint8_t *window; /* bytes of the uncompressed file */
	size_t window_cap, window_len;
	uint64_t window_at;
	/* Compressed only: the file, and the blocks of it that are whole. */
	uint8_t *file;
	struct segment_block *blocks;
	size_t block_count;
};

/*
 * -ENOENT: there is no such segment.  -EBADMSG: neither copy of its header is
 * valid, so nothing in it can be.
 */
int segment_open(struct segment *s, int dirfd, uint32_t number);
/* The same with an open file, whatever its name; the caller keeps fd. */
int segment_open_fd(struct segment *s, int fd);
void segment_close(struct segment *s);

/* Bytes of the uncompressed file from `at` on; *len is 0 where none can be. */
const uint8_t *segment_bytes(struct segment *s, uint64_t at, size_t *len);

/* Only the header. */
int segment_look(int dirfd, uint32_t number, struct segment_header *out);

/* Where it ends now; compressed, where it ended before it was. */
uint64_t segment_end(const struct segment *s);

/* The file may have changed: read it again. */
void segment_forget(struct segment *s);

/*
 * A place between two records, and what the one before says about the next.
 */
struct segment_cursor {
	uint64_t at;
	uint64_t seq;     /* of the record before */
	uint64_t time_ns; /* of it */
	uint64_t offset;  /* of the next output byte */
	uint8_t open;     /* type of an event with more to come; 0: none */
	bool continued;   /* the record before went on with its event */
	bool headless;    /* and that event's beginning is lost */
};

void segment_begin(const struct segment *s, struct segment_cursor *c);

/*
 * The record at the cursor, if it is valid and follows from those before; the
 * cursor moves behind it.  *out is valid until the next call.  RECORD_SHORT:
 * the file ends in it, or here.
 */
enum record_state segment_next(struct segment *s, struct segment_cursor *c,
    struct record *out);

/* After damage: to the next valid sync, or false with the cursor unmoved. */
bool segment_resync(struct segment *s, struct segment_cursor *c);

/* To the last valid sync, or to the beginning. */
void segment_last_sync(struct segment *s, struct segment_cursor *c);

#endif
