#ifndef TEND_CLIENT_PAGE_H
#define TEND_CLIENT_PAGE_H

#include <stddef.h>

#include "client/book.h"
#include "client/needle.h"
#include "client/paint.h"
#include "client/selection.h"

struct vt;

/*
 * A part of a book as a screen, with its highlights.  The screen is as wide as
 * its widest row.  At most PAGE_MARKS highlights are shown.
 */
#define PAGE_MARKS 512

struct page {
	struct vt *vt; /* NULL: nothing was drawn */
	struct paint_mark marks[PAGE_MARKS];
	size_t n_marks;
};

struct page_view {
	unsigned cols, rows; /* of the terminal; the last row is the bar */
	struct place top, cursor;
	const struct selection *selection;
	const struct needle *needle; /* empty: none */
};

void page_draw(struct page *p, struct book *b, const struct page_view *view);
void page_finish(struct page *p); /* all zero is fine */

#endif
