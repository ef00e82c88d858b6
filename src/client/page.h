#ifndef TEND_CLIENT_PAGE_H
#define TEND_CLIENT_PAGE_H

#include <stddef.h>

#include "client/book.h"
#include "client/needle.h"
#include "client/paint.h"
#include "client/selection.h"

struct vt;

/*
 * A part of a book as a screen, with what stands out on it.  The screen is as
 * wide as its widest row; of more than PAGE_MARKS marks the rest is not shown.
 */
#define PAGE_MARKS 512

struct page {
	struct vt *vt; /* NULL: nothing was drawn */
	struct paint_mark marks[PAGE_MARKS];
	size_t n_marks;
};

struct page_view {
	unsigned cols, rows; /* of the terminal, of which the last is a bar's */
	struct place top, cursor;
	const struct selection *selection;
	const struct needle *needle; /* empty: none */
};

void page_draw(struct page *p, struct book *b, const struct page_view *view);
void page_finish(struct page *p); /* all zero is fine */

#endif
