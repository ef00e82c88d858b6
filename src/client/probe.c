#include "client/probe.h"

#include <string.h>

#include "base/buf.h"
#include "base/hex.h"
#include "vt/key_seq.h"

void
probe_ask(struct buf *out)
{
	buf_puts(out, "\r\U0001f469\u200d\U0001f680\033[6n\r\033[K");
	buf_puts(out, "\u2764\ufe0f\033[6n\r\033[K");
	buf_puts(out, "\033]10;?\033\\\033]11;?\033\\");
	buf_puts(out, "\033[?u\033[?2026$p\033[c");
}

static void
on_position(struct probe *p, const struct key_reply *r)
{
	if (p->measured >= PROBE_REPORTS || r->nparams < 2)
		return;
	p->measured++;
	if (r->params[1] != 3)
		p->widths = true;
}

/* A number of 1 to 4 hexadecimal digits as 8 bits; -1 if invalid. */
static int
channel(const char **s, const char *end)
{
	unsigned value = 0, digits = 0;

	for (; *s < end && digits < 4; (*s)++, digits++) {
		int digit = hex_digit(**s);

		if (digit < 0)
			break;
		value = value * 16 + (unsigned)digit;
	}
	if (digits == 0)
		return -1;
	return (int)(value * 255 / ((1u << 4 * digits) - 1));
}

/* rgb:R/G/B within a reply. */
static bool
read_colour(const struct key_reply *r, uint32_t *out)
{
	const char *end = (const char *)r->raw + r->len;
	const char *s = memmem(r->raw, r->len, "rgb:", 4);
	uint32_t rgb = 0;

	if (s == NULL)
		return false;
	s += 4;
	for (unsigned i = 0; i < 3; i++) {
		int value = channel(&s, end);

		if (value < 0)
			return false;
		rgb = rgb << 8 | (uint32_t)value;
		if (i < 2 && (s == end || *s++ != '/'))
			return false;
	}
	*out = rgb;
	return true;
}

static void
on_colour(struct probe *p, const struct key_reply *r)
{
	if (r->len < 5)
		return;
	if (memcmp(r->raw, "\033]10;", 5) == 0)
		p->has_fg = read_colour(r, &p->fg);
	else if (memcmp(r->raw, "\033]11;", 5) == 0)
		p->has_bg = read_colour(r, &p->bg);
}

/* DECRPM: 1 to 4 mean that the terminal has the mode. */
static void
on_mode(struct probe *p, const struct key_reply *r)
{
	if (r->nparams >= 2 && r->params[0] == 2026)
		p->sync = r->params[1] == 1 || r->params[1] == 2;
}

void
probe_answer(struct probe *p, const struct key_reply *r)
{
	switch (r->kind) {
	case KEY_REPLY_CPR:
		on_position(p, r);
		break;
	case KEY_REPLY_COLOR:
		on_colour(p, r);
		break;
	case KEY_REPLY_KITTY_FLAGS:
		p->kitty = true;
		break;
	case KEY_REPLY_DECRPM:
		on_mode(p, r);
		break;
	case KEY_REPLY_DA1:
		p->done = true;
		break;
	default:
		break;
	}
}
