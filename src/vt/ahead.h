#ifndef TEND_VT_AHEAD_H
#define TEND_VT_AHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "vt/cell.h"
#include "vt/line.h"
#include "vt/screen.h"

/*
 * Rows packed while they are printed, for the history that they will go to.
 *
 * Most rows that scroll off were printed from left to right and never changed
 * again.  line_pack() turns such a row into the printed bytes, and its styles
 * where they change.  Storing these bytes while they are available costs less
 * than making them from cells again.
 *
 * Only the row begun last grows, and only by text at its end.  Every other
 * change of a row goes through screen_touch(), which drops its packed bytes;
 * its cells are then packed when it leaves the screen.  The same happens if
 * the packed bytes were overwritten: they are in a ring, whose size depends on
 * the screen's height.
 */
#define AHEAD_ROW_MAX 1024 /* bytes of a row; it is never split */

struct ahead {
	uint8_t *ring; /* NULL until rows go to the history */
	size_t size;   /* of it, a power of two */

	/* Counted from the first byte ever; modulo its size, in the ring. */
	uint64_t start, end; /* of the row begun last */
	uint64_t last;       /* where the last cell of it begins */
	struct cell style;   /* its style at the end so far */
	bool styled;         /* and that is not the default */
};

void ahead_finish(struct ahead *a);

/* Create a ring with room for so many rows with some colour. */
void ahead_start(struct ahead *a, unsigned rows);

static inline uint8_t *
ahead_at(const struct ahead *a, uint64_t place)
{
	return a->ring + (place & (a->size - 1));
}

static inline void
ahead_begin(struct ahead *a)
{
	/* Past the default style that the row before may end in. */
	a->end += LINE_PLAIN_LEN;
	size_t at = a->end & (a->size - 1);
	if (at > a->size - AHEAD_ROW_MAX)
		a->end += a->size - at;
	a->start = a->end;
	if (a->styled)
		a->style = (struct cell){ 0 };
	a->styled = false;
}

/*
 * Text is about to be printed at x, where the used part of the row ends.
 * True if it can be added: to an empty row, or to the row begun last.
 */
static inline bool
ahead_open(struct ahead *a, const struct row *row, unsigned x)
{
	if (x == 0)
		ahead_begin(a);
	return x == 0 || (row->packed_len > 0 && row->packed == a->start);
}

/* True if len bytes may still be added, in a style that may be another. */
static inline bool
ahead_fits(const struct ahead *a, size_t len)
{
	return a->end - a->start + len + 2 * LINE_STYLE_MAX <= AHEAD_ROW_MAX;
}

void ahead_set_style(struct ahead *a, const struct cell *style);

/*
 * UTF-8 of characters alone in their cells, which are in the style of *style;
 * `last` bytes are the last one's.
 */
static inline void
ahead_add(struct ahead *a, const struct cell *style, const void *utf8,
    size_t len, size_t last)
{
	if (!cell_same_style(style, &a->style))
		ahead_set_style(a, style);
	memcpy(ahead_at(a, a->end), utf8, len);
	a->end += len;
	a->last = a->end - last;
}

void ahead_add_char(struct ahead *a, const struct cell *style, uint32_t cp);
void ahead_add_pad(struct ahead *a, const struct cell *style);

/* A code point is about to join the last cell, *c. */
void ahead_join(struct ahead *a, const struct cell *c, uint32_t cp);

/* Write the default style to where the row ends; how many bytes it was. */
uint16_t ahead_end_style(const struct ahead *a);

/*
 * The row was touched, but all its content was added here.  It now ends in the
 * default style; later text overwrites that.
 */
static inline void
ahead_keep(const struct ahead *a, struct row *row)
{
	row->packed = a->start;
	row->packed_len = (uint16_t)(a->end - a->start);
	if (a->styled)
		row->packed_len += ahead_end_style(a);
}

/* The row->packed_len bytes that line_pack() would make, or NULL. */
const uint8_t *ahead_find(const struct ahead *a, const struct row *row);

size_t ahead_memory(const struct ahead *a);

#endif
