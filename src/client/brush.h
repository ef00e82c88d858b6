#ifndef TEND_CLIENT_BRUSH_H
#define TEND_CLIENT_BRUSH_H

#include <stdbool.h>
#include <stdint.h>

#include "vt/cell.h"

struct buf;
struct vt;

/*
 * How the user's terminal is told to draw text.  It is told only what changes.
 * Colours are written with semicolons, which every terminal reads.
 */
struct brush {
	bool known;      /* else the terminal's style may be anything */
	struct cell now; /* style only; its extra is not looked at */
	uint32_t underline_colour;
	uint64_t link; /* digest of URI and id; 0: none */
};

/* A digest of a cell's link, 0 when it has none. */
uint64_t brush_link(const struct vt *vt, const struct cell *c);

/* Draw as the cell does from here on. */
void brush_set(struct brush *b, const struct vt *vt, const struct cell *c,
    struct buf *out);

/* Draw plainly: default colours, no link. */
void brush_plain(struct brush *b, struct buf *out);

#endif
