#ifndef TEND_PAINT_BOX_H
#define TEND_PAINT_BOX_H

#include <stdint.h>

#include "base/buf.h"

/*
 * The characters U+2500 to U+259F (box drawing and block elements) as shapes,
 * so that they meet their neighbours in every font, or in none.  A stretch of
 * them is gathered into a few SVG paths, by how they are painted.
 */
#define BOX_CELL_WIDTH 9 /* odd, as is the height: a line has a middle */
#define BOX_CELL_HEIGHT 17

struct box {
	struct buf fill;     /* to be filled */
	struct buf line;     /* to be drawn with a line one wide */
	struct buf shade[3]; /* to be filled a quarter, half, three quarters */
};

void box_init(struct box *b);
void box_finish(struct box *b);

/* Add the shape of cp for the cell whose upper left corner is x, y. */
void box_add(struct box *b, uint32_t cp, unsigned x, unsigned y);

#endif
