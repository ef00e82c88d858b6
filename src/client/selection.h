#ifndef TEND_CLIENT_SELECTION_H
#define TEND_CLIENT_SELECTION_H

#include <stdbool.h>
#include <stddef.h>

#include "client/book.h"

struct buf;

/*
 * What the user has selected in a book: from one place to another, both
 * included, in whatever order; by characters or by whole rows.
 */
struct selection {
	bool on, by_row;
	struct place from, to;
};

/* The columns of a row that are in it: [*from, *to); false for none. */
bool selection_columns(const struct selection *s, const struct place *row,
    unsigned *from, unsigned *to);

/*
 * Append its text as far as the buffer takes it, in whole characters; rows that
 * the margin broke are one line.  False when that is not all.
 */
bool selection_copy(const struct selection *s, struct book *b, struct buf *out);

#endif
