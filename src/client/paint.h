#ifndef TEND_CLIENT_PAINT_H
#define TEND_CLIENT_PAINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "client/brush.h"

struct vt;

/*
 * Draws a session's screen on a terminal of another size, or one that counts
 * columns differently.  It remembers a digest of each cell on the terminal and
 * sends only changes.
 *
 * A larger session is clipped to a window that follows the cursor; half of a
 * wide character at its edge is blank.  A smaller one is in the upper left
 * corner, with a line around it.
 *
 * Pure: a screen in, bytes out.  The terminal must be in its default modes,
 * except for those that follow.h sets: no margins, no origin mode, no insert
 * mode.
 */
struct painter {
	/* The caller may set these at any time. */
	bool sync;          /* the terminal has mode 2026 */
	bool widths_differ; /* it counts some characters' columns differently */

	/* The rest is private. */
	unsigned cols, rows;
	uint64_t *shown;      /* digest of each cell; 0: a plain blank */
	struct glyph *glyphs; /* the row being drawn */
	bool known;           /* false: the terminal's content is unknown */
	bool begun;           /* some of this update was sent */
	unsigned left, top;   /* of the window in the session's screen */
	unsigned vt_cols, vt_rows; /* of the last drawn screen */
	uint64_t generation;       /* everything before it was drawn */
	bool noticed;              /* the last row was a notice */
	unsigned x, y;             /* the terminal's cursor; x ~0u: unknown */
	struct brush brush;
	bool cursor_visible, reverse;
	unsigned cursor_style; /* of DECSCUSR; 0: not set */
	char *title;           /* NULL: not set */
	struct buf colours;    /* the sequences that set them; empty: its own */
};

/* Columns [from, to) of a row to highlight. */
struct paint_mark {
	unsigned y, from, to;
	bool found; /* as a match; false: as selected */
};

/* The content to show. */
struct scene {
	const struct vt *vt;
	const struct paint_mark *marks; /* or NULL */
	size_t n_marks;
	const char *notice;  /* a line over the last row, or NULL */
	bool asking;         /* the cursor is in the notice, */
	unsigned ask_column; /* in this column */
};

void painter_init(struct painter *p);
void painter_finish(struct painter *p);

/* The terminal has this size; its content is unknown. */
void painter_resize(struct painter *p, unsigned cols, unsigned rows);

/* The terminal was drawn on by others: the next update redraws everything. */
void painter_forget(struct painter *p);

/* The next scene has another `struct vt`: check every row of it. */
void painter_look_again(struct painter *p);

/*
 * Append the bytes that make the terminal show the scene; none if it does
 * already.  -ENOBUFS: the buffer was too small; the next update redraws
 * everything.
 */
int painter_draw(struct painter *p, const struct scene *s, struct buf *out);

#endif
