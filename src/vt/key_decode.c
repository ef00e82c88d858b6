#include "vt/key_decode.h"

#include <string.h>

#define ESC 0x1b
#define PASTE_END "\033[201~"
#define SS3_MAX 8 /* bytes of an SS3 with modifiers; more is noise */

enum state {
	GROUND,
	CHAR,         /* within a UTF-8 character, perhaps after ESC */
	ESCAPE,       /* after ESC, or two of them */
	CSI,          /* after ESC [ */
	LINUX,        /* after ESC [ [ */
	PACKED,       /* after ESC [ M: three values follow */
	SS3,          /* after ESC O */
	STRING_FIRST, /* after ESC ] P or _ */
	STRING,
	STRING_ESC, /* an ESC in a string: its end, or the next sequence */
	PASTE,
};

static void step(struct key_decoder *d, uint8_t b);

void
key_decoder_init(struct key_decoder *d, const struct key_decoder_ops *ops,
    void *arg)
{
	memset(d, 0, sizeof(*d));
	d->ops = ops;
	d->arg = arg;
}

/* Start again; the held bytes stay in place until the next is fed. */
static void
reset(struct key_decoder *d)
{
	d->state = GROUND;
	d->alt = false;
	d->overflow = false;
	d->len = 0;
	d->utf8 = (struct utf8){ 0 };
}

static void
tell_unknown(struct key_decoder *d)
{
	size_t len = d->len;

	reset(d);
	if (len > 0 && d->ops->unknown != NULL)
		d->ops->unknown(d->arg, d->held, len);
}

static void
tell_key(struct key_decoder *d, struct key *k)
{
	key_canonical(k);
	if (d->ops->key != NULL)
		d->ops->key(d->arg, k);
}

static void
tell_code(struct key_decoder *d, uint32_t code, uint8_t mods)
{
	struct key k = { .code = code, .mods = mods };

	tell_key(d, &k);
}

/* The key of an ASCII byte.  If several keys send it, the usual one. */
static void
tell_byte(struct key_decoder *d, uint8_t b, uint8_t mods)
{
	static const struct {
		uint8_t byte;
		uint32_t code;
		uint8_t mods;
	} special[] = {
		{ 0x00, ' ', KEY_MOD_CTRL },
		{ '\t', KEY_TAB, 0 },
		{ '\r', KEY_ENTER, 0 },
		{ ESC, KEY_ESCAPE, 0 },
		{ 0x7f, KEY_BACKSPACE, 0 },
	};

	for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++)
		if (special[i].byte == b) {
			tell_code(d, special[i].code, mods | special[i].mods);
			return;
		}
	if (b <= 0x1a)
		tell_code(d, b + 0x60u, mods | KEY_MOD_CTRL);
	else if (b < 0x20)
		tell_code(d, b + 0x40u, mods | KEY_MOD_CTRL);
	else
		tell_code(d, b, mods);
}

/*
 * Keep a byte.  A sequence that is too long is reported as unknown, in pieces.
 */
static void
hold(struct key_decoder *d, uint8_t b)
{
	if (d->len == KEY_DECODER_MAX) {
		if (d->ops->unknown != NULL)
			d->ops->unknown(d->arg, d->held, d->len);
		d->len = 0;
		d->overflow = true;
	}
	d->held[d->len++] = b;
}

/* True if only an ESC, or an introducer after one, is held. */
static bool
is_bare(const struct key_decoder *d)
{
	return !d->overflow && d->len <= (d->alt ? 3u : 2u);
}

/* Report a bare introducer as the keys that send it: M-[ and so on. */
static void
tell_held_keys(struct key_decoder *d)
{
	bool alt = d->alt;
	size_t len = d->len;

	reset(d);
	if (len == 1) {
		tell_code(d, KEY_ESCAPE, 0);
	} else if (!alt) {
		tell_byte(d, d->held[1], KEY_MOD_ALT);
	} else {
		tell_code(d, KEY_ESCAPE, KEY_MOD_ALT);
		if (len == 3)
			tell_byte(d, d->held[2], 0);
	}
}

/* The held bytes end here, without meaning; b begins something else. */
static void
give_up(struct key_decoder *d, uint8_t b)
{
	if (is_bare(d))
		tell_held_keys(d);
	else
		tell_unknown(d);
	step(d, b);
}

static void
tell_paste(struct key_decoder *d, enum key_paste what, const uint8_t *p,
    size_t len)
{
	if (d->ops->paste != NULL)
		d->ops->paste(d->arg, what, p, len);
}

static void
tell_reply(struct key_decoder *d, const struct key_reply *r)
{
	if (r->kind == KEY_REPLY_CPR && d->cpr_expected > 0)
		d->cpr_expected--;
	if (d->ops->reply != NULL)
		d->ops->reply(d->arg, r);
}

/* Report a complete sequence. */
static void
tell_seq(struct key_decoder *d, struct key_seq *seq)
{
	switch (seq->kind) {
	case KEY_SEQ_KEY:
		tell_key(d, &seq->u.key);
		break;
	case KEY_SEQ_MOUSE:
		if (d->ops->mouse != NULL)
			d->ops->mouse(d->arg, &seq->u.mouse);
		break;
	case KEY_SEQ_FOCUS_IN:
	case KEY_SEQ_FOCUS_OUT:
		if (d->ops->focus != NULL)
			d->ops->focus(d->arg, seq->kind == KEY_SEQ_FOCUS_IN);
		break;
	case KEY_SEQ_PASTE:
		d->state = PASTE;
		d->matched = 0;
		tell_paste(d, KEY_PASTE_BEGIN, NULL, 0);
		break;
	case KEY_SEQ_REPLY:
		tell_reply(d, &seq->u.reply);
		break;
	case KEY_SEQ_UNKNOWN:
		break;
	}
}

/*
 * A sequence is complete.  If it is a key, an ESC before it is Alt; otherwise
 * it is the Escape key, pressed just before.
 */
static void
finish(struct key_decoder *d)
{
	struct key_seq_hints hints = { d->mouse_format, d->cpr_expected > 0 };
	bool alt = d->alt;
	struct key_seq seq = { 0 };

	if (!d->overflow)
		key_seq_read(d->held + alt, d->len - alt, &hints, &seq);
	if (seq.kind == KEY_SEQ_UNKNOWN) {
		tell_unknown(d);
		return;
	}
	reset(d);
	if (alt && seq.kind == KEY_SEQ_KEY)
		seq.u.key.mods |= KEY_MOD_ALT;
	else if (alt)
		tell_code(d, KEY_ESCAPE, 0);
	tell_seq(d, &seq);
}

static void
on_ground(struct key_decoder *d, uint8_t b)
{
	if (b == ESC) {
		hold(d, b);
		d->state = ESCAPE;
	} else if (b < 0x80) {
		tell_byte(d, b, 0);
	} else {
		d->state = CHAR;
		step(d, b);
	}
}

static void
on_char(struct key_decoder *d, uint8_t b)
{
	uint8_t mods = d->len > 0 && d->held[0] == ESC ? KEY_MOD_ALT : 0;
	uint32_t cp = 0;
	enum utf8_step got = utf8_step(&d->utf8, b, &cp);

	if (got != UTF8_BAD_AGAIN)
		hold(d, b);
	if (got == UTF8_MORE)
		return;
	if (got == UTF8_DONE && key_is_char(cp)) {
		reset(d);
		tell_code(d, cp, mods);
		return;
	}
	tell_unknown(d);
	if (got == UTF8_BAD_AGAIN)
		step(d, b);
}

static enum state
introduces(uint8_t b)
{
	switch (b) {
	case '[':
		return CSI;
	case 'O':
		return SS3;
	case ']':
	case 'P':
	case '_':
		return STRING_FIRST;
	default:
		return GROUND;
	}
}

static void
on_escape(struct key_decoder *d, uint8_t b)
{
	enum state next = introduces(b);

	if (next != GROUND) {
		hold(d, b);
		d->state = next;
	} else if (d->alt) {
		give_up(d, b);
	} else if (b == ESC) {
		hold(d, b);
		d->alt = true;
	} else if (b >= 0x80) {
		d->state = CHAR;
		step(d, b);
	} else {
		reset(d);
		tell_byte(d, b, KEY_MOD_ALT);
	}
}

/* rxvt ends CSI number with a $, which is an intermediate byte elsewhere. */
static bool
ends_as_rxvt(const struct key_decoder *d, uint8_t b)
{
	if (b != '$' || d->overflow || is_bare(d))
		return false;
	for (size_t i = d->alt ? 3 : 2; i < d->len; i++)
		if (d->held[i] < '0' || d->held[i] > '9')
			return false;
	return true;
}

static void
on_csi(struct key_decoder *d, uint8_t b)
{
	bool first = is_bare(d);
	bool rxvt = ends_as_rxvt(d, b);

	if (b < 0x20 || b > 0x7e) {
		give_up(d, b);
		return;
	}
	hold(d, b);
	if (first && b == '[') {
		d->state = LINUX;
	} else if (first && b == 'M') {
		d->state = PACKED;
		d->missing = 3;
	} else if (b >= 0x40 || rxvt) {
		finish(d);
	}
}

static void
on_linux(struct key_decoder *d, uint8_t b)
{
	if (b < 0x20 || b > 0x7e) {
		give_up(d, b);
		return;
	}
	hold(d, b);
	finish(d);
}

static void
on_packed(struct key_decoder *d, uint8_t b)
{
	enum utf8_step got = UTF8_DONE;
	uint32_t cp;

	if (d->mouse_format == MOUSE_UTF8)
		got = utf8_step(&d->utf8, b, &cp);
	if (b < 0x20 || got == UTF8_BAD_AGAIN) {
		give_up(d, b);
		return;
	}
	hold(d, b);
	if (got == UTF8_BAD)
		tell_unknown(d);
	else if (got == UTF8_DONE && --d->missing == 0)
		finish(d);
}

static void
on_ss3(struct key_decoder *d, uint8_t b)
{
	struct key_seq_hints hints = { 0 };
	struct key_seq seq;

	if (b < 0x20 || b > 0x7e) {
		give_up(d, b);
		return;
	}
	hold(d, b);
	if (b >= '0' && b <= '9' && d->len < SS3_MAX)
		return;
	key_seq_read(d->held + d->alt, d->len - d->alt, &hints, &seq);
	if (seq.kind != KEY_SEQ_UNKNOWN) {
		finish(d);
		return;
	}
	/* Then it is M-O and another key; but with a number in it, noise. */
	d->len--;
	if (is_bare(d)) {
		give_up(d, b);
	} else {
		d->len++;
		tell_unknown(d);
	}
}

/*
 * Alt with ] P or _ looks like a string.  Every reply of a terminal begins
 * with one of these bytes.
 */
static bool
may_begin(uint8_t introducer, uint8_t b)
{
	if (b >= '0' && b <= '9')
		return introducer != '_';
	if (introducer == 'P')
		return b == '>' || b == '!';
	return introducer == '_' && b == 'G';
}

static void
on_string_first(struct key_decoder *d, uint8_t b)
{
	if (!may_begin(d->held[d->len - 1], b)) {
		give_up(d, b);
		return;
	}
	hold(d, b);
	d->state = STRING;
}

static void
on_string(struct key_decoder *d, uint8_t b)
{
	if (b == ESC) {
		hold(d, b);
		d->state = STRING_ESC;
	} else if (b == '\a') {
		hold(d, b);
		finish(d);
	} else if (b < 0x20 || b == 0x7f) {
		give_up(d, b);
	} else {
		hold(d, b);
	}
}

static void
on_string_esc(struct key_decoder *d, uint8_t b)
{
	if (b == '\\') {
		hold(d, b);
		finish(d);
		return;
	}
	d->len--;
	tell_unknown(d);
	step(d, ESC);
	step(d, b);
}

/*
 * Pass a paste on up to its end marker, and return how much was used.  Only
 * the marker's first byte is ESC, so after a false beginning no byte is read
 * twice.
 */
static size_t
feed_paste(struct key_decoder *d, const uint8_t *p, size_t len)
{
	static const uint8_t end[] = PASTE_END;
	const uint8_t *esc;
	size_t n = 0;

	if (d->matched == 0) {
		esc = memchr(p, ESC, len);
		n = esc == NULL ? len : (size_t)(esc - p);
		if (n > 0)
			tell_paste(d, KEY_PASTE_DATA, p, n);
	}
	while (n < len && p[n] == end[d->matched]) {
		n++;
		if (++d->matched == sizeof(end) - 1) {
			reset(d);
			tell_paste(d, KEY_PASTE_END, NULL, 0);
			return n;
		}
	}
	if (n < len) {
		tell_paste(d, KEY_PASTE_DATA, end, d->matched);
		d->matched = 0;
	}
	return n;
}

/* One byte, in any state except PASTE, which feed_paste handles. */
static void
step(struct key_decoder *d, uint8_t b)
{
	static void (*const on[])(struct key_decoder *, uint8_t) = {
		[GROUND] = on_ground,
		[CHAR] = on_char,
		[ESCAPE] = on_escape,
		[CSI] = on_csi,
		[LINUX] = on_linux,
		[PACKED] = on_packed,
		[SS3] = on_ss3,
		[STRING_FIRST] = on_string_first,
		[STRING] = on_string,
		[STRING_ESC] = on_string_esc,
	};

	on[d->state](d, b);
}

void
key_decoder_feed(struct key_decoder *d, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;

	while (len > 0) {
		size_t n = 1;

		if (d->state == PASTE)
			n = feed_paste(d, p, len);
		else
			step(d, *p);
		p += n;
		len -= n;
	}
}

enum key_pending
key_decoder_pending(const struct key_decoder *d)
{
	switch (d->state) {
	case GROUND:
	case PASTE:
		return KEY_PENDING_NOTHING;
	case CHAR:
		return KEY_PENDING_SEQUENCE;
	default:
		return is_bare(d) ? KEY_PENDING_KEY : KEY_PENDING_SEQUENCE;
	}
}

void
key_decoder_flush(struct key_decoder *d)
{
	enum key_pending what = key_decoder_pending(d);

	if (what == KEY_PENDING_KEY)
		tell_held_keys(d);
	else if (what == KEY_PENDING_SEQUENCE)
		tell_unknown(d);
}
