#ifndef TEND_OP_DIFFER_H
#define TEND_OP_DIFFER_H

#include <stdbool.h>

struct vt;

/*
 * True if row y looks different on the two screens: its text, styles or links.
 * A row that only one screen has is different.
 */
bool differ_row(const struct vt *a, const struct vt *b, unsigned y);

#endif
