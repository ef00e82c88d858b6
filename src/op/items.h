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

/* The terminal that receives the items. */
struct items_for {
	struct input_modes modes;
	unsigned rows, cols; /* 0: unknown, any place is valid */
};

/*
 * Append the bytes that a terminal in these modes sends.  Returns 0, or -EINVAL
 * or -ENOBUFS and an error that names the wrong item and what would be right.
 * Mouse input that the program did not enable is -EINVAL, since it would be
 * lost.
 */
int items_encode(const json_t *items, const struct items_for *to,
    struct buf *out, struct error *err);

/* Check that the items are well formed, for any terminal. */
int items_check(const json_t *items, struct error *err);

#endif
