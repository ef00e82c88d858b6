#ifndef TEND_CLIENT_BRUSH_H
#define TEND_CLIENT_BRUSH_H

#include <stdbool.h>
#include <stdint.h>

#include "vt/cell.h"

struct buf;
struct vt;

/*
 * The text style of the user's terminal.  Only changes are sent.  Colours are
 * written with semicolons, which every terminal understands.
 */
struct brush {
	bool known;      /* false: the terminal's style is unknown */
	struct cell now; /* style only; ignore its extra */
	uint32_t underline_colour;
	uint64_t link; /* digest of URI and id; 0: none */
};

/* A digest of a cell's link; 0: none. */
uint64_t brush_link(const struct vt *vt, const struct cell *c);

/* Draw in the style of this cell from here on. */
void brush_set(struct brush *b, const struct vt *vt, const struct cell *c,
    struct buf *out);

/* Draw plainly: default colours, no link. */
void brush_plain(struct brush *b, struct buf *out);

#endif
