#ifndef TEND_OP_DIFFER_H
#define TEND_OP_DIFFER_H

#include <stdbool.h>

struct vt;

/*
 * True if row y of two screens looks different: its text, styles or links.  A
 * row that only one of them has does.
 */
bool differ_row(const struct vt *a, const struct vt *b, unsigned y);

#endif
