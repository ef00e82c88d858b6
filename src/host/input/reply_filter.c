#include "host/input/reply_filter.h"

#include <string.h>

#include "base/buf.h"
#include "vt/key_seq.h"

#define ESC 0x1b
#define BEL 0x07

enum state {
	GROUND,
	ESCAPE,       /* after ESC */
	CSI,          /* after ESC [ */
	STRING_FIRST, /* after ESC ] P or _ */
	STRING,
	STRING_ESC, /* an ESC in a string: its end or a new sequence */
};

static void
begin(struct reply_filter *f, enum state state)
{
	f->state = state;
	f->dropping = false;
	f->len = 0;
}

/*
 * The held bytes are not an answer: let them pass.  Bytes beyond the limit are
 * lost.
 */
static void
pass(struct reply_filter *f, struct buf *out)
{
	if (!f->dropping)
		buf_append(out, f->held, f->len);
	begin(f, GROUND);
}

/* A whole sequence is held: drop it if it is an answer. */
static void
judge(struct reply_filter *f, struct buf *out)
{
	const struct key_seq_hints hints = { .cpr = f->cpr };
	struct key_seq seq;

	if (!f->dropping) {
		key_seq_read(f->held, f->len, &hints, &seq);
		if (seq.kind != KEY_SEQ_REPLY) {
			pass(f, out);
			return;
		}
	}
	begin(f, GROUND);
}

/* Hold one more byte of a sequence. */
static void
hold(struct reply_filter *f, uint8_t b, struct buf *out)
{
	if (f->dropping)
		return;
	if (f->len == sizeof(f->held)) {
		if (f->state != STRING && f->state != STRING_ESC) {
			pass(f, out);
			buf_putc(out, (char)b);
			return;
		}
		f->dropping = true;
		return;
	}
	f->held[f->len++] = b;
}

static void
step_ground(struct reply_filter *f, uint8_t b, struct buf *out)
{
	if (b == ESC) {
		begin(f, ESCAPE);
		hold(f, b, out);
	} else {
		buf_putc(out, (char)b);
	}
}

static void
step_escape(struct reply_filter *f, uint8_t b, struct buf *out)
{
	if (b == ESC) {
		pass(f, out);
		step_ground(f, b, out);
		return;
	}
	hold(f, b, out);
	if (b == '[')
		f->state = CSI;
	else if (b == ']' || b == 'P' || b == '_')
		f->state = STRING_FIRST;
	else
		pass(f, out);
}

static void
step_csi(struct reply_filter *f, uint8_t b, struct buf *out)
{
	if (b < 0x20 || b > 0x7e) {
		pass(f, out);
		step_ground(f, b, out);
		return;
	}
	hold(f, b, out);
	if (f->state == CSI && b >= 0x40)
		judge(f, out);
}

/* Alt-P and then a letter is not an answer: answers begin with few letters. */
static void
step_string_first(struct reply_filter *f, uint8_t b, struct buf *out)
{
	if ((b < '0' || b > '9') && b != '!' && b != '>' && b != 'G') {
		pass(f, out);
		step_ground(f, b, out);
		return;
	}
	f->state = STRING;
	hold(f, b, out);
}

static void
step_string(struct reply_filter *f, uint8_t b, struct buf *out)
{
	hold(f, b, out);
	if (b == BEL)
		judge(f, out);
	else if (b == ESC)
		f->state = STRING_ESC;
	else if (b == 0x18 || b == 0x1a)
		pass(f, out);
}

static void
step_string_esc(struct reply_filter *f, uint8_t b, struct buf *out)
{
	if (b == '\\') {
		hold(f, b, out);
		judge(f, out);
		return;
	}
	/* The next sequence, whose ESC is held, has cut the string off. */
	f->len -= !f->dropping;
	pass(f, out);
	step_ground(f, ESC, out);
	step_escape(f, b, out);
}

static void
step(struct reply_filter *f, uint8_t b, struct buf *out)
{
	static void (*const steps[])(struct reply_filter *, uint8_t,
	    struct buf *) = {
		[GROUND] = step_ground,
		[ESCAPE] = step_escape,
		[CSI] = step_csi,
		[STRING_FIRST] = step_string_first,
		[STRING] = step_string,
		[STRING_ESC] = step_string_esc,
	};

	steps[f->state](f, b, out);
}

void
reply_filter(struct reply_filter *f, const uint8_t *p, size_t len,
    struct buf *out)
{
	while (len > 0) {
		const uint8_t *esc = memchr(p, ESC, len);
		size_t plain = esc != NULL ? (size_t)(esc - p) : len;

		if (f->state != GROUND)
			plain = 0;
		buf_append(out, p, plain);
		p += plain;
		len -= plain;
		if (len > 0) {
			step(f, *p++, out);
			len--;
		}
	}
}

bool
reply_filter_holds(const struct reply_filter *f)
{
	return f->state != GROUND;
}

void
reply_filter_flush(struct reply_filter *f, struct buf *out)
{
	pass(f, out);
}
