#ifndef TEND_CLIENT_SELECTION_H
#define TEND_CLIENT_SELECTION_H

#include <stdbool.h>
#include <stddef.h>

#include "client/scrollback.h"

struct buf;

/*
 * The user's selection in the scrollback: from one place to another, both
 * included, in either order; by characters or by whole rows.
 */
struct selection {
	bool on, by_row;
	struct scrollback_place from, to;
};

/* The selected columns of a row: [*from, *to); false: none. */
bool selection_columns(const struct selection *s,
    const struct scrollback_place *row, unsigned *from, unsigned *to);

/*
 * Append the selected text as far as the buffer allows, in whole characters;
 * rows that the margin broke become one line.  False if it was cut.
 */
bool selection_copy(const struct selection *s, struct scrollback *b,
    struct buf *out);

#endif
