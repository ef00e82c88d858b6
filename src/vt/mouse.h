#ifndef TEND_VT_MOUSE_H
#define TEND_VT_MOUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "vt/input_modes.h"

struct buf;

enum mouse_type { MOUSE_PRESS, MOUSE_RELEASE, MOUSE_MOVE, MOUSE_SCROLL };

/* Numbered as X does. */
enum mouse_button {
	MOUSE_NONE, /* a move with no button held, a release that names none */
	MOUSE_LEFT,
	MOUSE_MIDDLE,
	MOUSE_RIGHT,
	MOUSE_WHEEL_UP,
	MOUSE_WHEEL_DOWN,
	MOUSE_WHEEL_LEFT,
	MOUSE_WHEEL_RIGHT,
	MOUSE_BACK,
	MOUSE_FORWARD,
	MOUSE_EXTRA_1,
	MOUSE_EXTRA_2,
	MOUSE_BUTTONS, /* how many */
};

/*
 * Something the mouse did.  A scroll's button is the wheel's direction, a
 * move's the button that is held.  Cells and pixels count from 0; in a pixel
 * format only px and py are known, else only row and col.
 */
struct mouse_event {
	enum mouse_type type;
	enum mouse_button button;
	uint8_t mods; /* KEY_MOD_SHIFT, _ALT, _CTRL; others are not sent */
	uint32_t row, col;
	uint32_t px, py;
};

/*
 * Append what a terminal in these modes sends for the event: nothing when the
 * program did not ask for it, or when the place is beyond what the format can
 * say (223 cells in the legacy one, 2015 in UTF-8).  Without a mouse mode the
 * wheel becomes MOUSE_ALT_SCROLL_LINES arrow keys where 1007 says so.  0, or
 * -ENOBUFS with nothing appended.
 */
#define MOUSE_ALT_SCROLL_LINES 3
int mouse_encode(const struct mouse_event *ev, const struct input_modes *m,
    struct buf *out);

/*
 * Read a report back: `code` is its first number without the 32 that the older
 * formats add, `up` that SGR's final was m.  Sets type, button and mods; false
 * for what no terminal sends.
 */
bool mouse_decode(uint32_t code, bool sgr, bool up, struct mouse_event *ev);

#endif
