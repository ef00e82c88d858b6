#ifndef TEND_LOG_PAYLOAD_H
#define TEND_LOG_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct record;

/*
 * The payloads of records as structs.  records.def lists them; to add one, see
 * CONTRIBUTING.md.  Pure.
 *
 *	struct payload_gap gap;
 *
 *	if (payload_gap_of(&gap, rec))
 *		skip(gap.offset, gap.bytes);
 */

/*
 * Borrowed bytes, not ended by a NUL.  A decoded text points into the payload;
 * the caller of an encoder owns the text.
 */
struct payload_text {
	const uint8_t *p;
	size_t len;
};

struct payload_text payload_text(const char *s); /* NULL is empty */
bool payload_text_is(const struct payload_text *t, const char *s);

#define PAYLOAD_TEXT_MAX 255 /* of TEXT and FLAGGED; longer ones are cut */

/*
 * Bits of an input's flags.  The encoder sets PAYLOAD_KEY if the key is not
 * empty; the decoder reads the key only if PAYLOAD_KEY is set.
 */
enum payload_flags {
	PAYLOAD_WITHHELD = 1 << 0, /* a secret: only count is known */
	PAYLOAD_KEY = 1 << 1,      /* it has the `key` of its request */
};

enum clock_why { CLOCK_SEGMENT, CLOCK_MINUTE, CLOCK_SET };
enum gap_why { GAP_DISK = 1, GAP_HOST };

#define RECORD(number, title, name, NAME, flags, summary) \
	struct payload_##name {
#define U8(name, field) uint8_t field;
#define U16(name, field) uint16_t field;
#define U32(name, field) uint32_t field;
#define U64(name, field) uint64_t field;
#define MAYBE8(name, field) uint8_t field;
#define FLAGS(name, field) uint8_t field;
#define TEXT(name, field) struct payload_text field;
#define FLAGGED(name, field, flag) struct payload_text field;
#define REST(name, field) struct payload_text field;
#define END(name) \
	} \
	; \
	bool payload_##name##_of(struct payload_##name *out, \
	    const struct record *rec); \
	bool payload_##name##_decode(struct payload_##name *out, \
	    const void *p, size_t len); \
	void payload_##name##_encode(const struct payload_##name *in, \
	    struct buf *b);
/*
 * _of: decode a record; false if it has another type or its payload ends too
 * early.
 * _decode: false if the payload ends too early; missing fields are 0 or empty,
 * and a cut text has the part that exists.
 * _encode: append the payload to b; b->full is set if it did not fit.
 */
#include "log/records.def"

/*
 * The payloads of output and sync begin with their offset.  The writer writes
 * the offset and then the bytes, so it need not copy them.
 */
#define PAYLOAD_OFFSET_SIZE 8
void payload_put_offset(uint8_t out[PAYLOAD_OFFSET_SIZE], uint64_t offset);

/*
 * The offset of the next output after an output, a gap or a sync; false for
 * other records.
 */
bool payload_next_offset(const struct record *rec, uint64_t *next);

/* The names of codes; "unknown" for those of a later version. */
const char *payload_input_kind(unsigned kind);
const char *payload_clock_why(unsigned why);
const char *payload_gap_why(unsigned why);
const char *payload_exit_outcome(unsigned outcome);

/* True for input that a person or client typed: not mouse or focus. */
bool payload_input_is_typed(const struct payload_input *in);

#endif
