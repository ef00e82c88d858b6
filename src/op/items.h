#ifndef TEND_OP_ITEMS_H
#define TEND_OP_ITEMS_H

#include <jansson.h>

#include "vt/input_modes.h"

struct buf;
struct error;

/*
 * The input of `session.send`: an array of items, each an object of one
 * key.  Pure.
 *
 *	{"text":"ls"}             typed unchanged
 *	{"keys":["C-c","Enter"]}  by their names (vt/key.h)
 *	{"paste":"…"}             bracketed when the program enabled that
 *	{"hex":"1b 5b 41"}        any bytes
 *	{"mouse":"click 3,4"}     WHAT ROW,COL [BUTTON], counted from 0
 *
 * WHAT is press, release, click, drag (a move with the button down), scroll-up
 * or scroll-down; BUTTON is left, middle or right.
 */

/* The terminal that the items are for. */
struct items_for {
	struct input_modes modes;
	unsigned rows, cols; /* 0: not known, any place will do */
};

/*
 * Append the bytes that a terminal in these modes sends.  0, or -EINVAL,
 * -ENOBUFS, and which item was wrong and what would be right.  A mouse that
 * the program did not ask for is -EINVAL: its click would be lost.
 */
int items_encode(const json_t *items, const struct items_for *to,
    struct buf *out, struct error *err);

/* True if the items are well formed, for any terminal. */
int items_check(const json_t *items, struct error *err);

#endif
