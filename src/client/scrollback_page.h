#ifndef TEND_CLIENT_SCROLLBACK_PAGE_H
#define TEND_CLIENT_SCROLLBACK_PAGE_H

#include <stddef.h>

#include "client/needle.h"
#include "client/paint.h"
#include "client/scrollback.h"
#include "client/selection.h"

struct vt;

/*
 * A window on the scrollback as a screen, with its highlights.  The screen is as
 * wide as its widest row.  At most SCROLLBACK_PAGE_MARKS highlights are shown.
 */
#define SCROLLBACK_PAGE_MARKS 512

struct scrollback_page {
	struct vt *vt; /* NULL: nothing was drawn */
	struct paint_mark marks[SCROLLBACK_PAGE_MARKS];
	size_t n_marks;
};

struct scrollback_page_view {
	unsigned cols, rows; /* of the terminal; the last row is the bar */
	struct scrollback_place top, cursor;
	const struct selection *selection;
	const struct needle *needle; /* empty: none */
};

void scrollback_page_draw(struct scrollback_page *p, struct scrollback *b,
    const struct scrollback_page_view *view);
void scrollback_page_finish(struct scrollback_page *p); /* all zero is fine */

#endif
