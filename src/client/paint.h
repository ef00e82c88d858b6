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
 * columns differently.  It remembers what the terminal shows, a digest for each
 * cell, and sends only what differs.
 *
 * A session that is larger is clipped to a window that follows the cursor; of
 * a wide character at its edge the half that fits is blank.  One that is
 * smaller stands in the upper left corner, with a line around it.
 *
 * Pure: a screen in, bytes out.  The terminal must be in its usual modes, but
 * for those that follow.h sets: no margins, no origin mode, no insert mode.
 */
struct painter {
	/* The caller may set these at any time. */
	bool sync;          /* the terminal knows mode 2026 */
	bool widths_differ; /* it counts some characters' columns differently */

	/* The rest is the painter's. */
	unsigned cols, rows;
	uint64_t *shown;      /* what each cell shows; 0: a plain blank */
	struct glyph *glyphs; /* the row being drawn */
	bool known;           /* else the terminal shows we do not know what */
	bool begun;           /* something of this update was sent */
	unsigned left, top;   /* of the window in the session's screen */
	unsigned vt_cols, vt_rows; /* of what was drawn last */
	uint64_t generation;       /* all before it was drawn */
	bool noticed;              /* the last row was a notice */
	unsigned x, y; /* where the terminal's cursor is; x ~0u: unknown */
	struct brush brush;
	bool cursor_visible, reverse;
	unsigned cursor_style; /* of DECSCUSR; 0: not told */
	char *title;           /* NULL: not told */
	struct buf colours;    /* what set them; empty: they are its own */
};

/* Columns [from, to) of a row that are to stand out. */
struct paint_mark {
	unsigned y, from, to;
	bool found; /* as what was looked for, else as what is selected */
};

/* What is to be seen. */
struct scene {
	const struct vt *vt;
	const struct paint_mark *marks; /* or NULL */
	size_t n_marks;
	const char *notice;  /* a line over the last row, or NULL */
	bool asking;         /* the cursor is in the notice, */
	unsigned ask_column; /* here */
};

void painter_init(struct painter *p);
void painter_finish(struct painter *p);

/* The terminal has this size; what it shows is unknown. */
void painter_resize(struct painter *p, unsigned cols, unsigned rows);

/* Something else was drawn on the terminal: the next update draws it all. */
void painter_forget(struct painter *p);

/* The next scene is of another `struct vt`: look at every row of it. */
void painter_look_again(struct painter *p);

/*
 * Append what makes the terminal show the scene; nothing when it does.  A
 * buffer that was too small leaves a painter that has forgotten: -ENOBUFS.
 */
int painter_draw(struct painter *p, const struct scene *s, struct buf *out);

#endif
