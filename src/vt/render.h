#ifndef TEND_VT_RENDER_H
#define TEND_VT_RENDER_H

struct buf;
struct vt;

enum render_flags {
	RENDER_HISTORY = 1 << 0, /* the scrollback first, as scrolled text */
	RENDER_SHOWN = 1 << 1,   /* only the screen that is shown, drawn on the
				    one the terminal is on, never switching */
};

/*
 * The bytes that make any fresh terminal of the same size show this screen:
 * both screens, modes, pen, cursor and saved cursors, colours, links, titles,
 * tab stops, margins.  Fed to a fresh `struct vt`, they give the same state,
 * as far as a byte stream can say it; what it cannot say is listed in
 * docs/terminal.md.  0, or -ENOBUFS when out is full.
 */
int vt_render(const struct vt *vt, unsigned flags, struct buf *out);

#endif
