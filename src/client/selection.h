#ifndef TEND_CLIENT_SELECTION_H
#define TEND_CLIENT_SELECTION_H

#include <stdbool.h>
#include <stddef.h>

#include "client/book.h"

struct buf;

/*
 * The user's selection in a book: from one place to another, both included, in
 * either order; by characters or by whole rows.
 */
struct selection {
	bool on, by_row;
	struct place from, to;
};

/* The selected columns of a row: [*from, *to); false: none. */
bool selection_columns(const struct selection *s, const struct place *row,
    unsigned *from, unsigned *to);

/*
 * Append the selected text as far as the buffer allows, in whole characters;
 * rows that the margin broke become one line.  False if it was cut.
 */
bool selection_copy(const struct selection *s, struct book *b, struct buf *out);

#endif
