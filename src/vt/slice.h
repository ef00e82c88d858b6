#ifndef TEND_VT_SLICE_H
#define TEND_VT_SLICE_H

#include <stddef.h>

struct vt;

/*
 * The number of these bytes that a terminal may be fed without erasing
 * anything that they show: up to the next control character, which may erase
 * or scroll, or the end of the row.  At least one, if there is one.  A caller
 * that reads the new rows after each slice (vt_row_is_new) sees everything
 * that was ever on the screen.
 */
size_t slice_len(const struct vt *vt, const void *p, size_t len);

#endif
