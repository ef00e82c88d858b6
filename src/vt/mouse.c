#include "vt/mouse.h"

#include <stddef.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "vt/key.h"
#include "vt/key_encode.h"

/*
 * The report's code: two bits of button, then modifiers and motion, then two
 * bits that select the group of buttons.
 */
#define CODE_RELEASE 3u /* and, with CODE_MOTION, no button at all */
#define CODE_MOTION 32u
#define CODE_BUTTON 0xc3u

static const uint8_t codes[MOUSE_BUTTONS] = {
	[MOUSE_NONE] = CODE_RELEASE,
	[MOUSE_LEFT] = 0,
	[MOUSE_MIDDLE] = 1,
	[MOUSE_RIGHT] = 2,
	[MOUSE_WHEEL_UP] = 64,
	[MOUSE_WHEEL_DOWN] = 65,
	[MOUSE_WHEEL_LEFT] = 66,
	[MOUSE_WHEEL_RIGHT] = 67,
	[MOUSE_BACK] = 128,
	[MOUSE_FORWARD] = 129,
	[MOUSE_EXTRA_1] = 130,
	[MOUSE_EXTRA_2] = 131,
};

static const struct {
	uint8_t mod;
	uint8_t code;
} mods[] = {
	{ KEY_MOD_SHIFT, 4 },
	{ KEY_MOD_ALT, 8 },
	{ KEY_MOD_CTRL, 16 },
};

#define MODS (sizeof(mods) / sizeof(mods[0]))

static bool
is_wheel(enum mouse_button b)
{
	return b >= MOUSE_WHEEL_UP && b <= MOUSE_WHEEL_RIGHT;
}

/* True if the event is possible at all. */
static bool
is_possible(const struct mouse_event *ev)
{
	if ((unsigned)ev->type > MOUSE_SCROLL ||
	    (unsigned)ev->button >= MOUSE_BUTTONS)
		return false;
	if (is_wheel(ev->button) != (ev->type == MOUSE_SCROLL))
		return false;
	return ev->type != MOUSE_PRESS || ev->button != MOUSE_NONE;
}

static bool
is_wanted(const struct mouse_event *ev, enum mouse_mode mode)
{
	if (mode == MOUSE_X10)
		return ev->type == MOUSE_PRESS && ev->button <= MOUSE_RIGHT;
	if (ev->type != MOUSE_MOVE)
		return mode >= MOUSE_NORMAL;
	return mode == MOUSE_ANY ||
	    (mode == MOUSE_BUTTON && ev->button != MOUSE_NONE);
}

static bool
is_sgr(const struct input_modes *m)
{
	return m->mouse_format == MOUSE_SGR ||
	    m->mouse_format == MOUSE_SGR_PIXELS;
}

static uint32_t
code_of(const struct mouse_event *ev, const struct input_modes *m)
{
	uint32_t code = codes[ev->button];

	if (ev->type == MOUSE_RELEASE && !is_sgr(m))
		code = CODE_RELEASE;
	if (ev->type == MOUSE_MOVE)
		code += CODE_MOTION;
	for (size_t i = 0; m->mouse != MOUSE_X10 && i < MODS; i++)
		if (ev->mods & mods[i].mod)
			code += mods[i].code;
	return code;
}

/* One value of the two oldest formats: as a byte, or as a character. */
static size_t
put_value(char out[4], uint32_t value, enum mouse_format format)
{
	if (format == MOUSE_UTF8)
		return utf8_encode(out, value);
	out[0] = (char)value;
	return 1;
}

static int
encode_packed(uint32_t code, uint32_t x, uint32_t y, enum mouse_format format,
    struct buf *out)
{
	uint32_t limit = format == MOUSE_UTF8 ? 2015 : 223;
	char p[3 + 3 * 4] = "\033[M";
	size_t n = 3;

	if (x > limit || y > limit)
		return 0;
	n += put_value(p + n, code + 32, format);
	n += put_value(p + n, x + 32, format);
	n += put_value(p + n, y + 32, format);
	return buf_append(out, p, n);
}

static int
encode_arrows(const struct mouse_event *ev, const struct input_modes *m,
    struct buf *out)
{
	struct key k = { .code = KEY_DOWN };
	struct buf one;
	int err;

	if (ev->button == MOUSE_WHEEL_UP)
		k.code = KEY_UP;
	else if (ev->button != MOUSE_WHEEL_DOWN)
		return 0;
	buf_init(&one, 128);
	for (int i = 0; i < MOUSE_ALT_SCROLL_LINES; i++)
		key_encode(&k, m, &one);
	err = buf_append(out, one.data, one.len);
	buf_finish(&one);
	return err;
}

int
mouse_encode(const struct mouse_event *ev, const struct input_modes *m,
    struct buf *out)
{
	bool pixels = m->mouse_format == MOUSE_SGR_PIXELS;
	uint32_t x, y, code;

	if (!is_possible(ev))
		return 0;
	if (m->mouse == MOUSE_OFF && m->alt_scroll && m->alt_screen)
		return encode_arrows(ev, m, out);
	if (!is_wanted(ev, m->mouse))
		return 0;
	x = pixels ? ev->px : ev->col;
	y = pixels ? ev->py : ev->row;
	if (x >= INT32_MAX || y >= INT32_MAX)
		return 0;
	x++;
	y++;
	code = code_of(ev, m);
	if (is_sgr(m))
		return buf_printf(out, "\033[<%u;%u;%u%c", code, x, y,
		    ev->type == MOUSE_RELEASE ? 'm' : 'M');
	if (m->mouse_format == MOUSE_URXVT)
		return buf_printf(out, "\033[%u;%u;%uM", code + 32, x, y);
	return encode_packed(code, x, y, m->mouse_format, out);
}

bool
mouse_decode(uint32_t code, bool sgr, bool up, struct mouse_event *ev)
{
	enum mouse_button b = MOUSE_NONE;

	if (code > 255)
		return false;
	while (b < MOUSE_BUTTONS && codes[b] != (code & CODE_BUTTON))
		b++;
	ev->button = b;
	ev->mods = 0;
	for (size_t i = 0; i < MODS; i++)
		if (code & mods[i].code)
			ev->mods |= mods[i].mod;
	if (code & CODE_MOTION)
		ev->type = MOUSE_MOVE;
	else if (up || (!sgr && b == MOUSE_NONE))
		ev->type = MOUSE_RELEASE;
	else
		ev->type = is_wheel(b) ? MOUSE_SCROLL : MOUSE_PRESS;
	return !(up && ev->type == MOUSE_MOVE) && is_possible(ev);
}
