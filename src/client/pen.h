#ifndef TEND_CLIENT_PEN_H
#define TEND_CLIENT_PEN_H

#include <stdbool.h>
#include <stdint.h>

#include "vt/cell.h"

struct buf;
struct vt;

/*
 * How the user's terminal is told to draw text.  It is told only what changes.
 * Colours are written with semicolons, which every terminal reads.
 */
struct pen {
	bool known;      /* else the terminal's pen may be anything */
	struct cell now; /* style only; its extra is not looked at */
	uint32_t underline_colour;
	uint64_t link; /* digest of URI and id; 0: none */
};

/* A digest of a cell's link, 0 when it has none. */
uint64_t pen_link(const struct vt *vt, const struct cell *c);

/* Draw as the cell does from here on. */
void pen_set(struct pen *p, const struct vt *vt, const struct cell *c,
    struct buf *out);

/* Draw plainly: default colours, no link. */
void pen_plain(struct pen *p, struct buf *out);

#endif
