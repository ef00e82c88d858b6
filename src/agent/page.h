#ifndef TEND_AGENT_PAGE_H
#define TEND_AGENT_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct vt;

/*
 * The bottom of a screen as text: the last AGENT_PAGE_ROWS rows, counted from
 * the last one with text, joined by '\n'.  Trailing blanks are trimmed, and a
 * no-break space is a space, since programs use both.  Rows beyond
 * AGENT_PAGE_BYTES, counted from the bottom, are left out.
 */
#define AGENT_PAGE_ROWS 60
#define AGENT_PAGE_BYTES (64u << 10)

struct agent_page {
	const struct vt *vt;
	struct buf text;
	unsigned first;                 /* row of the screen */
	unsigned n;                     /* rows */
	size_t at[AGENT_PAGE_ROWS + 1]; /* where each begins; the end */
};

void agent_page_init(struct agent_page *page, const struct vt *vt);
void agent_page_finish(struct agent_page *page);

/* Where the last `rows` rows begin. */
size_t agent_page_tail(const struct agent_page *page, unsigned rows);

/* The row of the page, from 0, that has this byte. */
unsigned agent_page_row(const struct agent_page *page, size_t at);

/*
 * True if all text in the bytes [from, to) is faint, but for one cell that a
 * cursor may be drawn on.
 */
bool agent_page_faint(const struct agent_page *page, size_t from, size_t to);

#endif
