#ifndef TEND_LOG_RECORD_H
#define TEND_LOG_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The log's records as bytes.  docs/log-format.md draws them and defines when
 * one is valid.  Pure.
 */
#define RECORD_HEADER 28
#define RECORD_MAX (64u << 10) /* header and payload */
#define RECORD_PAYLOAD_MAX (RECORD_MAX - RECORD_HEADER)
#define RECORD_SYNC_EVERY (64u << 10)
#define RECORD_SYNC_ALIGN 4096u

enum record_type {
#define TAG(number, name, ID, flags, summary) RECORD_##ID = number,
#include "log/records.def"
};

enum record_flags {
	RECORD_MORE = 1 << 0,
	RECORD_FRAME = 1 << 1,
	RECORD_HIDDEN = 1 << 2,
	RECORD_FULL = 1 << 3,
};

struct record {
	uint8_t type;
	uint8_t flags;
	uint32_t len; /* of the payload */
	uint64_t seq;
	uint64_t time_ns;
	const uint8_t *payload;
};

/* "output"; NULL for a type that this version does not know. */
const char *record_name(unsigned type);
bool record_is_event(unsigned type); /* true for unknown types */
bool record_is_json(unsigned type);

/*
 * The header of a record at position `at` of the segment with this nonce.  The
 * payload may come in two pieces (the second may be NULL, 0).
 */
void record_header(uint8_t out[RECORD_HEADER], const struct record *r,
    uint64_t nonce, uint64_t at, const void *p1, size_t len1, const void *p2,
    size_t len2);

enum record_state {
	RECORD_VALID,
	RECORD_SHORT, /* more bytes may make it valid */
	RECORD_BAD,
};

/*
 * Parse the record at p, of which len bytes are available.  VALID means that
 * magic, length and CRC are right; the caller checks the order of seq and
 * time.  out->payload points into p.
 */
enum record_state record_parse(const uint8_t *p, size_t len, uint64_t nonce,
    uint64_t at, struct record *out);

#endif
