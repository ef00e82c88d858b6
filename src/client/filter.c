#include "client/filter.h"

#include <string.h>

#include "base/buf.h"
#include "vt/mode.h"

enum state {
	GROUND,
	LEAD_C2, /* of a C1 control, or of a character */
	ESC,     /* and its intermediates */
	CSI,
	STRING, /* OSC, which is held; DCS, SOS, PM and APC, which are not */
};

enum {
	ENQ = 0x05,
	BEL = 0x07,
	CAN = 0x18,
	SUB = 0x1a,
	ESCAPE = 0x1b,
	DEL = 0x7f,
	C1_DCS = 0x90,
	C1_SOS = 0x98,
	C1_CSI = 0x9b,
	C1_ST = 0x9c,
	C1_OSC = 0x9d,
	C1_PM = 0x9e,
	C1_APC = 0x9f,
	C2 = 0xc2,
};

/* How a sequence passes: a column of seq.def and mode.def. */
enum way {
	DROP,
	PASS,
	ASKS,
	ASKS_P,
	REDRAW,
	MODES,
	TITLES,
	ERASE,
	SCREEN,
};

#define KEY(private, intermediate, final) \
	((unsigned)(private) << 16 | (unsigned)(intermediate) << 8 | \
	    (unsigned)(final))

static enum way
esc_key_way(unsigned key)
{
	switch (key) {
#define C1(byte, handler, name, status, way, what) \
	case KEY(0, 0, (byte)-0x40): \
		return way;
#define ESC(intermediate, final, handler, name, status, way, what) \
	case KEY(0, intermediate, final): \
		return way;
#include "vt/seq.def"
	}
	return DROP;
}

/* In seq.def a final byte of 0 stands for all without a row of their own. */
static enum way
esc_way(unsigned intermediate, unsigned final)
{
	enum way way = esc_key_way(KEY(0, intermediate, final));

	return way != DROP ? way : esc_key_way(KEY(0, intermediate, 0));
}

static enum way
csi_way(unsigned key)
{
	switch (key) {
#define CSI(private, intermediate, final, handler, name, status, way, what) \
	case KEY(private, intermediate, final): \
		return way;
#include "vt/seq.def"
	}
	return DROP;
}

static enum way
osc_way(unsigned number)
{
	switch (number) {
#define OSC(number, handler, name, status, way, what) \
	case number: \
		return way;
#include "vt/seq.def"
	}
	return DROP;
}

static enum way
mode_way(enum mode_id id)
{
	switch (id) {
#define MODE(id, private, number, initially, on_change, way, what) \
	case MODE_##id: \
		return way;
#include "vt/mode.def"
#undef MODE
	case MODE_COUNT:
		break;
	}
	return DROP;
}

/* Read the number at *p and move behind it. */
static unsigned
number(const uint8_t **p, const uint8_t *end)
{
	unsigned n = 0;

	for (; *p < end && **p >= '0' && **p <= '9'; (*p)++)
		if (n < 100000)
			n = n * 10 + (unsigned)(**p - '0');
	return n;
}

/* Set, reset, save and restore. */
static void
put_modes(struct filter *f, bool private, uint8_t final, struct buf *out)
{
	const uint8_t *p = f->held + private, *end = f->held + f->len;
	const char *before = private ? "\033[?" : "\033[";

	for (; p < end; p++) {
		unsigned mode = number(&p, end);
		enum mode_id id = mode_find(private, mode);

		if (mode_way(id) == SCREEN && (f->flags & FILTER_ONE_SCREEN)) {
			f->redraw = true;
			return;
		}
		if (id == MODE_MOUSE_PIXELS && (final == 'h' || final == 'l'))
			f->pixels = final == 'h';
		if (mode_way(id) == DROP)
			continue;
		buf_printf(out, "%s%u", before, mode);
		before = ";";
	}
	if (*before == ';')
		buf_putc(out, (char) final);
}

/* Of the window operations, only those of the title pass. */
static bool
is_title_stack(const struct filter *f)
{
	const uint8_t *p = f->held;
	unsigned n = number(&p, f->held + f->len);

	return n == 22 || n == 23;
}

/*
 * Erasing the scrollback, which is the user's own while we share the terminal.
 */
static bool
is_scrollback(const struct filter *f)
{
	const uint8_t *p = f->held;

	return (f->flags & FILTER_ONE_SCREEN) &&
	    number(&p, f->held + f->len) == 3;
}

static unsigned
csi_key(const struct filter *f, uint8_t final)
{
	unsigned private = 0, intermediate = 0;

	if (f->len > 0 && f->held[0] >= 0x3c && f->held[0] <= 0x3f)
	private = f->held[0];
	if (f->len > 0 && f->held[f->len - 1] < 0x30)
		intermediate = f->held[f->len - 1];
	if (f->len > 1 && intermediate != 0 && f->held[f->len - 2] < 0x30)
		intermediate = 0xff;
	return KEY(private, intermediate, final);
}

static void
end_csi(struct filter *f, uint8_t final, struct buf *out)
{
	enum way way = f->overflow ? DROP : csi_way(csi_key(f, final));

	if (way == DROP || (way == TITLES && !is_title_stack(f)) ||
	    (way == ERASE && is_scrollback(f)))
		return;
	if (way == REDRAW) {
		f->redraw = true;
		return;
	}
	if (way == MODES) {
		put_modes(f, f->len > 0 && f->held[0] == '?', final, out);
		return;
	}
	buf_puts(out, "\033[");
	buf_append(out, f->held, f->len);
	buf_putc(out, (char) final);
}

static void
end_esc(struct filter *f, uint8_t final, struct buf *out)
{
	unsigned intermediate = f->len > 1 ? 0xff :
	    f->len == 1                    ? f->held[0] :
					     0;
	enum way way = f->overflow ? DROP : esc_way(intermediate, final);

	if (way == DROP)
		return;
	if (way == REDRAW) {
		f->redraw = true;
		return;
	}
	buf_putc(out, ESCAPE);
	buf_append(out, f->held, f->len);
	buf_putc(out, (char) final);
}

/* True if one of the string's fields, after its number, is "?". */
static bool
has_question(const uint8_t *p, const uint8_t *end)
{
	for (; p < end; p++)
		if (p[0] == ';' && p + 1 < end && p[1] == '?' &&
		    (p + 2 == end || p[2] == ';'))
			return true;
	return false;
}

static bool
osc_may_pass(const struct filter *f)
{
	const uint8_t *p = f->held, *end = f->held + f->len;
	unsigned n = number(&p, end);

	if (p == f->held || (p < end && *p != ';'))
		return false;
	switch (osc_way(n)) {
	case DROP:
		return false;
	case ASKS:
		return !has_question(p, end);
	case ASKS_P:
		return memmem(p, (size_t)(end - p), "p=?", 3) == NULL;
	default:
		return true;
	}
}

static void
end_string(struct filter *f, bool bel, struct buf *out)
{
	if (f->string != C1_OSC || f->overflow || !osc_may_pass(f))
		return;
	buf_puts(out, "\033]");
	buf_append(out, f->held, f->len);
	buf_puts(out, bel ? "\a" : "\033\\");
}

static void
hold(struct filter *f, uint8_t c)
{
	if (f->len < sizeof(f->held))
		f->held[f->len++] = c;
	else
		f->overflow = true;
}

static void
begin(struct filter *f, enum state state)
{
	f->state = (uint8_t)state;
	f->len = 0;
	f->overflow = false;
	f->half = 0;
}

/* A C1 control: one byte, or ESC and a letter. */
static void
on_c1(struct filter *f, uint8_t c1, struct buf *out)
{
	switch (c1) {
	case C1_CSI:
		begin(f, CSI);
		return;
	case C1_DCS:
	case C1_SOS:
	case C1_OSC:
	case C1_PM:
	case C1_APC:
		begin(f, STRING);
		f->string = c1;
		return;
	}
	begin(f, GROUND);
	end_esc(f, c1 - 0x40, out);
}

static bool
is_abort(uint8_t c)
{
	return c == CAN || c == SUB;
}

/*
 * Each returns true if it consumed the byte; otherwise the byte is processed
 * again in the new state.
 */
static bool
in_lead(struct filter *f, uint8_t c, struct buf *out)
{
	if (c >= 0x80 && c <= 0x9f) {
		on_c1(f, c, out);
		return true;
	}
	buf_putc(out, (char)C2);
	begin(f, GROUND);
	return false;
}

/* Controls within a sequence act at once. */
static bool
on_control(struct filter *f, uint8_t c, struct buf *out)
{
	if (c == ESCAPE)
		begin(f, ESC);
	else if (is_abort(c))
		begin(f, GROUND);
	else if (c != ENQ)
		buf_putc(out, (char)c);
	return true;
}

static bool
in_esc(struct filter *f, uint8_t c, struct buf *out)
{
	if (c < 0x20)
		return on_control(f, c, out);
	if (c >= 0x80) {
		begin(f, GROUND);
		return false;
	}
	if (c < 0x30) {
		hold(f, c);
	} else if (f->len == 0 && c >= 0x40 && c <= 0x5f && c != '\\') {
		on_c1(f, c + 0x40, out);
	} else if (c != DEL) {
		end_esc(f, c, out);
		begin(f, GROUND);
	}
	return true;
}

static bool
in_csi(struct filter *f, uint8_t c, struct buf *out)
{
	if (c < 0x20)
		return on_control(f, c, out);
	if (c >= 0x80) {
		begin(f, GROUND);
		return false;
	}
	if (c < 0x40) {
		hold(f, c);
	} else if (c != DEL) {
		end_csi(f, c, out);
		begin(f, GROUND);
	}
	return true;
}

/* The byte after ESC or C2, either of which may begin the end of a string. */
static bool
after_half(struct filter *f, uint8_t c, struct buf *out)
{
	uint8_t half = f->half;

	f->half = 0;
	if (c == (half == ESCAPE ? '\\' : C1_ST)) {
		end_string(f, false, out);
		begin(f, GROUND);
		return true;
	}
	if (half == ESCAPE)
		begin(f, ESC); /* the string was cut off */
	else if (f->string == C1_OSC)
		hold(f, half);
	return false;
}

static bool
in_string(struct filter *f, uint8_t c, struct buf *out)
{
	if (f->half != 0)
		return after_half(f, c, out);
	if (c == ESCAPE || c == C2) {
		f->half = c;
	} else if (is_abort(c)) {
		begin(f, GROUND);
	} else if (f->string == C1_OSC && c == BEL) {
		end_string(f, true, out);
		begin(f, GROUND);
	} else if (f->string == C1_OSC && c >= 0x20) {
		hold(f, c);
	}
	return true;
}

/* True if one of the word's bytes is c. */
static bool
has_byte(uint64_t word, uint8_t c)
{
	const uint64_t ones = 0x0101010101010101u;
	uint64_t x = word ^ (ones * c);

	return ((x - ones) & ~x & (ones << 7)) != 0;
}

/*
 * The number of bytes without special meaning: no ESC, ENQ or lead byte of C1.
 */
static size_t
plain_run(const uint8_t *p, size_t len)
{
	size_t n = 0;
	uint64_t word;

	for (; n + sizeof(word) <= len; n += sizeof(word)) {
		memcpy(&word, p + n, sizeof(word));
		if (has_byte(word, ESCAPE) || has_byte(word, ENQ) ||
		    has_byte(word, C2))
			break;
	}
	while (n < len && p[n] != ESCAPE && p[n] != ENQ && p[n] != C2)
		n++;
	return n;
}

static size_t
in_ground(struct filter *f, const uint8_t *p, size_t len, struct buf *out)
{
	size_t n = plain_run(p, len);

	buf_append(out, p, n);
	if (n == len)
		return n;
	if (p[n] == ESCAPE)
		begin(f, ESC);
	else if (p[n] == C2)
		begin(f, LEAD_C2);
	return n + 1;
}

/* Process one byte of a sequence; true if it was consumed. */
static bool
step(struct filter *f, uint8_t c, struct buf *out)
{
	switch ((enum state)f->state) {
	case LEAD_C2:
		return in_lead(f, c, out);
	case ESC:
		return in_esc(f, c, out);
	case CSI:
		return in_csi(f, c, out);
	case STRING:
		return in_string(f, c, out);
	case GROUND:
		break;
	}
	return false;
}

void
filter_init(struct filter *f, unsigned flags)
{
	f->redraw = false;
	f->pixels = false;
	f->flags = flags;
	f->string = 0;
	begin(f, GROUND);
}

size_t
filter_feed(struct filter *f, const void *bytes, size_t len, struct buf *out)
{
	const uint8_t *p = bytes;
	size_t i = 0;

	while (i < len && !f->redraw)
		if (f->state == GROUND)
			i += in_ground(f, p + i, len - i, out);
		else
			i += step(f, p[i], out);
	return i;
}
