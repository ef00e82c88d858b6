#include "log/payload.h"

#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "log/record.h"

struct payload_text
payload_text(const char *s)
{
	return (struct payload_text){ (const uint8_t *)s,
		s == NULL ? 0 : strlen(s) };
}

bool
payload_text_is(const struct payload_text *t, const char *s)
{
	size_t len = strlen(s);

	return t->len == len && memcmp(t->p, s, len) == 0;
}

/* The bytes left to decode; beyond their end, zeros are read. */
struct rest {
	const uint8_t *p;
	size_t len;
	bool cut; /* something was missing */
};

static inline const uint8_t *
take(struct rest *r, size_t n)
{
	static const uint8_t zeros[8];
	const uint8_t *p = r->p;

	if (n > r->len) {
		r->len = 0;
		r->cut = true;
		return zeros;
	}
	r->p += n;
	r->len -= n;
	return p;
}

static inline struct payload_text
take_text(struct rest *r)
{
	struct payload_text t = { .len = *take(r, 1) };

	t.p = r->p;
	if (t.len > r->len) {
		t.len = r->len;
		r->cut = true;
	}
	take(r, t.len);
	return t;
}

static void
put_u16(struct buf *b, uint16_t v)
{
	uint8_t p[2];

	put_u16le(p, v);
	buf_append(b, p, sizeof(p));
}

static void
put_u32(struct buf *b, uint32_t v)
{
	uint8_t p[4];

	put_u32le(p, v);
	buf_append(b, p, sizeof(p));
}

static void
put_u64(struct buf *b, uint64_t v)
{
	uint8_t p[8];

	put_u64le(p, v);
	buf_append(b, p, sizeof(p));
}

static void
put_rest(struct buf *b, const struct payload_text *t)
{
	if (t->len > 0)
		buf_append(b, t->p, t->len);
}

static void
put_text(struct buf *b, const struct payload_text *t)
{
	struct payload_text cut = *t;

	if (cut.len > PAYLOAD_TEXT_MAX)
		cut.len = PAYLOAD_TEXT_MAX;
	buf_putc(b, (char)cut.len);
	put_rest(b, &cut);
}

/* An optional field; its flag is set in the flags. */
static void
put_flagged(struct buf *b, size_t flags_at, uint8_t flag,
    const struct payload_text *t)
{
	if (t->len == 0 || b->full)
		return;
	b->data[flags_at] |= flag;
	put_text(b, t);
}

#define FLAGGED_BITS PAYLOAD_KEY

#define RECORD(number, title, name, NAME, flags, summary) \
	bool payload_##name##_decode(struct payload_##name *out, \
	    const void *p, size_t len) \
	{ \
		struct rest r = { p, len, false }; \
		*out = (struct payload_##name){ 0 };
#define U8(name, field) out->field = *take(&r, 1);
#define U16(name, field) out->field = get_u16le(take(&r, 2));
#define U32(name, field) out->field = get_u32le(take(&r, 4));
#define U64(name, field) out->field = get_u64le(take(&r, 8));
#define MAYBE8(name, field) out->field = r.len > 0 ? *take(&r, 1) : 0;
#define FLAGS(name, field) out->field = *take(&r, 1);
#define TEXT(name, field) out->field = take_text(&r);
#define FLAGGED(name, field, flag) \
	if (out->flags & (flag)) \
		out->field = take_text(&r);
#define REST(name, field) out->field = (struct payload_text){ r.p, r.len };
#define END(name) \
	return !r.cut; \
	}
#include "log/records.def"

#define RECORD(number, title, name, NAME, flags, summary) \
	bool payload_##name##_of(struct payload_##name *out, \
	    const struct record *rec) \
	{ \
		return rec->type == RECORD_##NAME && \
		    payload_##name##_decode(out, rec->payload, rec->len); \
	}
#include "log/records.def"

#define RECORD(number, title, name, NAME, flags, summary) \
	void payload_##name##_encode(const struct payload_##name *in, \
	    struct buf *b) \
	{ \
		size_t flags_at = b->len; \
		(void)flags_at;
#define U8(name, field) buf_putc(b, (char)in->field);
#define U16(name, field) put_u16(b, in->field);
#define U32(name, field) put_u32(b, in->field);
#define U64(name, field) put_u64(b, in->field);
#define MAYBE8(name, field) buf_putc(b, (char)in->field);
#define FLAGS(name, field) \
	flags_at = b->len; \
	buf_putc(b, (char)(in->field & ~FLAGGED_BITS));
#define TEXT(name, field) put_text(b, &in->field);
#define FLAGGED(name, field, flag) put_flagged(b, flags_at, flag, &in->field);
#define REST(name, field) put_rest(b, &in->field);
#define END(name) }
#include "log/records.def"

void
payload_put_offset(uint8_t out[PAYLOAD_OFFSET_SIZE], uint64_t offset)
{
	put_u64le(out, offset);
}

bool
payload_next_offset(const struct record *rec, uint64_t *next)
{
	struct payload_output output;
	struct payload_sync sync;
	struct payload_gap gap;

	if (payload_output_of(&output, rec))
		*next = output.offset + output.bytes.len;
	else if (payload_gap_of(&gap, rec))
		*next = gap.offset + gap.bytes;
	else if (payload_sync_of(&sync, rec))
		*next = sync.offset;
	else
		return false;
	return true;
}

#define NAME_OF(names, i) \
	((i) < sizeof(names) / sizeof(*(names)) && (names)[i] != NULL ? \
		(names)[i] : \
		"unknown")

const char *
payload_input_kind(unsigned kind)
{
	static const char *const names[] = { NULL, "text", "key", "paste",
		"bytes", "mouse", "focus" };

	return NAME_OF(names, kind);
}

const char *
payload_clock_why(unsigned why)
{
	static const char *const names[] = { "segment", "minute", "set" };

	return NAME_OF(names, why);
}

const char *
payload_gap_why(unsigned why)
{
	static const char *const names[] = { NULL, "disk", "host died" };

	return NAME_OF(names, why);
}

const char *
payload_exit_outcome(unsigned outcome)
{
	static const char *const names[] = { "exited", "stopped", "killed",
		"failed", "lost" };

	return NAME_OF(names, outcome);
}

#define TYPED_KIND_MAX 4 /* text, key, paste, bytes */

bool
payload_input_is_typed(const struct payload_input *in)
{
	return in->kind <= TYPED_KIND_MAX;
}
