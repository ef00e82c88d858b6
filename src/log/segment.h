#ifndef TEND_LOG_SEGMENT_H
#define TEND_LOG_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log/record.h"

/*
 * Reads one file of the log: its header, and its records by their position in
 * the uncompressed file, even if the file is compressed.
 */
#define SEGMENT_VERSION 1 /* of the format */
#define SEGMENT_HEADER 64
#define SEGMENT_RECORDS (2 * SEGMENT_HEADER) /* the first record's position */
#define SEGMENT_NAME_MAX 20

enum segment_kind { SEGMENT_PLAIN, SEGMENT_COMPRESSED, SEGMENT_TEMPORARY };

struct segment_header {
	bool compressed;
	uint32_t number;
	uint32_t raw_len; /* compressed: plain size; 0: unknown */
	uint64_t nonce;
	uint64_t first_seq;
	uint64_t first_offset;
	uint64_t first_time_ns;
};

/* Write the header twice. */
void segment_put_header(uint8_t out[SEGMENT_RECORDS],
    const struct segment_header *h);
/*
 * segment_get_one_header reads one copy, segment_get_header either of the two.
 */
bool segment_get_one_header(const uint8_t p[SEGMENT_HEADER],
    struct segment_header *out);
bool segment_get_header(const uint8_t p[SEGMENT_RECORDS],
    struct segment_header *out);

void segment_name(char out[SEGMENT_NAME_MAX], uint32_t number,
    enum segment_kind kind);
/* The number in a file's name; 0 if it is not a segment. */
uint32_t segment_number(const char *name, enum segment_kind *kind);

/*
 * The numbers of the segments in a directory, in order, each once.  Returns
 * their count or -errno; the caller frees *out.
 */
int segment_list(int dirfd, uint32_t **out);

/* A compressed block of a .zseg: its position in the file and its bytes. */
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

/* The CRC in the header covers the bytes that b->p points to. */
void segment_put_block(uint8_t out[SEGMENT_BLOCK_HEADER],
    const struct segment_block *b);

struct segment {
	int fd;
	struct segment_header head;
	uint8_t *window; /* bytes of the uncompressed file */
	size_t window_cap, window_len;
	uint64_t window_at;
	/* Compressed only: the file, and its complete blocks. */
	uint8_t *file;
	struct segment_block *blocks;
	size_t block_count;
};

/*
 * -ENOENT: there is no such segment.  -EBADMSG: neither copy of its header is
 * valid, so nothing in it is.
 */
int segment_open(struct segment *s, int dirfd, uint32_t number);
/* The same with an open file of any name; the caller keeps fd. */
int segment_open_fd(struct segment *s, int fd);
void segment_close(struct segment *s);

/* Bytes of the uncompressed file from `at` on; *len is 0 if there are none. */
const uint8_t *segment_bytes(struct segment *s, uint64_t at, size_t *len);

/* Read only the header. */
int segment_look(int dirfd, uint32_t number, struct segment_header *out);

/* The present end; of a compressed segment, the end before compression. */
uint64_t segment_end(const struct segment *s);

/* The file may have changed: read it again. */
void segment_forget(struct segment *s);

/* A position between two records, with the expected values of the next. */
struct segment_cursor {
	uint64_t at;
	uint64_t seq;     /* of the record before */
	uint64_t time_ns; /* of it */
	uint64_t offset;  /* of the next output byte */
	uint8_t open;     /* type of an unfinished event; 0: none */
	bool continued;   /* the record before continued its event */
	bool headless;    /* and that event's beginning is lost */
};

void segment_begin(const struct segment *s, struct segment_cursor *c);

/*
 * The record at the cursor, if it is valid and follows from those before; the
 * cursor moves behind it.  *out is valid until the next call.  RECORD_SHORT:
 * the file ends here or inside this record.
 */
enum record_state segment_next(struct segment *s, struct segment_cursor *c,
    struct record *out);

/*
 * After damage, move to the next valid sync; false leaves the cursor unmoved.
 */
bool segment_resync(struct segment *s, struct segment_cursor *c);

/* Move to the last valid sync, or to the beginning. */
void segment_last_sync(struct segment *s, struct segment_cursor *c);

#endif
