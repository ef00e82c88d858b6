#ifndef TEND_VT_RENDER_H
#define TEND_VT_RENDER_H

#include <stdint.h>

struct buf;
struct cell;
struct vt;
struct vt_row;

enum render_flags {
	RENDER_HISTORY = 1 << 0, /* the scrollback first, as scrolled text */
	RENDER_SHOWN = 1 << 1,   /* only the screen that is shown, drawn on the
				    one the terminal is on, never switching */
};

/*
 * The bytes that make a fresh terminal of the same size show this screen: both
 * screens, modes, pen, cursor and saved cursors, colours, links, titles, tab
 * stops, margins.  Fed to a fresh `struct vt`, they give the same state, as
 * far as a byte stream can express it; docs/terminal.md lists the exceptions.
 * 0, or -ENOBUFS if out is full.
 */
int vt_render(const struct vt *vt, unsigned flags, struct buf *out);

/*
 * One row as text with its style, for a terminal with a plain pen, which is
 * plain again afterwards.
 */
void vt_put_row(const struct vt *vt, const struct vt_row *row, struct buf *out);

/* The part that sets the program's colours (OSC 4, 10 to 12). */
void vt_put_colours(const struct vt *vt, struct buf *out);

/*
 * The SGR parameters that change a fresh pen to the cell's.  Colours with
 * colons are standard and unambiguous; with semicolons every terminal knows
 * them.
 */
enum sgr_form { SGR_COLONS, SGR_SEMICOLONS };
void vt_put_sgr(struct buf *out, const struct cell *c,
    uint32_t underline_colour, enum sgr_form form);

#endif
