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

/*
 * A sequence passes or not by its status in seq.def.  The session answers
 * queries, so the user's terminal must not.
 */
enum { FULL = true, PART = true, QUERY = false, EVENT = true, IGNORED = false };

#define KEY(private, intermediate, final) \
	((unsigned)(private) << 16 | (unsigned)(intermediate) << 8 | \
	    (unsigned)(final))

static bool
esc_passes(unsigned intermediate, unsigned final)
{
	if (intermediate == '(' || intermediate == ')' || intermediate == '*' ||
	    intermediate == '+')
		return true;
	switch (KEY(0, intermediate, final)) {
#define C1(byte, handler, name, status, what) \
	case KEY(0, 0, (byte)-0x40): \
		return status;
#define ESC(intermediate, final, handler, name, status, what) \
	case KEY(0, intermediate, final): \
		return status;
#include "vt/seq.def"
	}
	return false;
}

static bool
csi_passes(unsigned key)
{
	switch (key) {
#define CSI(private, intermediate, final, handler, name, status, what) \
	case KEY(private, intermediate, final): \
		return status;
#include "vt/seq.def"
	}
	return false;
}

static bool
osc_passes(unsigned number)
{
	switch (number) {
#define OSC(number, handler, name, status, what) \
	case number: \
		return status;
#include "vt/seq.def"
	}
	return false;
}

/*
 * True for sequences that many terminals do not know and for the soft reset:
 * the screen is redrawn instead.
 */
static bool
csi_is_redrawn(unsigned key)
{
	switch (key) {
	case KEY(0, '$', 'v'):
	case KEY(0, '$', 'x'):
	case KEY(0, '$', 'z'):
	case KEY(0, '$', '{'):
	case KEY(0, '"', 'p'):
		return true;
	}
	return false;
}

/* The title's encoding is dropped: titles are passed on as text. */
static bool
csi_is_of_titles(unsigned key)
{
	return key == KEY('>', 0, 't') || key == KEY('>', 0, 'T');
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

static bool
is_alternate_screen(unsigned mode)
{
	return mode == 47 || mode == 1047 || mode == 1049;
}

/* The format of mouse positions is between the client and its terminal. */
static bool
is_mouse_format(unsigned mode)
{
	return mode == 1005 || mode == 1006 || mode == 1015;
}

/*
 * Only modes that the engine implements pass.  Those that it only reports
 * would change the user's terminal: its width, its keyboard, its echo.
 */
static bool
mode_may_pass(bool private, unsigned number)
{
	switch (mode_find(private, number)) {
	case MODE_COUNT:
	case MODE_KAM:
	case MODE_SRM:
	case MODE_DECCOLM:
	case MODE_DECSCLM:
	case MODE_DECPFF:
	case MODE_DECPEX:
	case MODE_ALLOW_132:
	case MODE_DECNRCM:
		return false;
	default:
		return !is_mouse_format(number);
	}
}

/* Set, reset, save and restore. */
static void
put_modes(struct filter *f, bool private, uint8_t final, struct buf *out)
{
	const uint8_t *p = f->held + private, *end = f->held + f->len;
	const char *before = private ? "\033[?" : "\033[";

	for (; p < end; p++) {
		unsigned mode = number(&p, end);

		if (is_alternate_screen(mode) &&
		    (f->flags & FILTER_ONE_SCREEN)) {
			f->redraw = true;
			return;
		}
		if (mode == 1016 && (final == 'h' || final == 'l'))
			f->pixels = final == 'h';
		if (!mode_may_pass(private, mode))
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
	unsigned key = csi_key(f, final);

	if (f->overflow || !csi_passes(key) || csi_is_of_titles(key))
		return;
	if (csi_is_redrawn(key)) {
		f->redraw = true;
		return;
	}
	switch (key) {
	case KEY('?', 0, 'h'):
	case KEY('?', 0, 'l'):
	case KEY('?', 0, 's'):
	case KEY('?', 0, 'r'):
		put_modes(f, true, final, out);
		return;
	case KEY(0, 0, 'h'):
	case KEY(0, 0, 'l'):
		put_modes(f, false, final, out);
		return;
	case KEY(0, 0, 't'):
		if (!is_title_stack(f))
			return;
		break;
	case KEY(0, 0, 'J'):
		if (is_scrollback(f))
			return;
		break;
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

	if (f->overflow || !esc_passes(intermediate, final))
		return;
	if (intermediate == 0 && final == 'c') {
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

	if (p == f->held || (p < end && *p != ';') || !osc_passes(n))
		return false;
	switch (n) {
	case 5: /* no cell has these colours, and no reply is due */
	case 52:
	case 105:
	case 7501: /* the host has replied and sends an event */
		return false;
	case 4:
	case 10:
	case 11:
	case 12:
		return !has_question(p, end);
	case 99:
		return memmem(p, (size_t)(end - p), "p=?", 3) == NULL;
	}
	return true;
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
