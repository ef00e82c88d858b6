#include "vt/slice.h"

#include <stdbool.h>
#include <stdint.h>

#include "vt/vt.h"

#define ROWS_SAFE 3 /* with fewer, a wrapped row may be lost at once */

/* C0, DEL, and the lead byte of C1 in UTF-8. */
static bool
may_act(uint8_t c)
{
	return c < 0x20 || c == 0x7f || c == 0xc2;
}

/* No character takes more cells than bytes. */
static size_t
room_in_row(const struct vt *vt)
{
	struct vt_cursor c;

	vt_cursor(vt, &c);
	return vt_rows(vt) < ROWS_SAFE ? 1 : vt_cols(vt) - c.col;
}

size_t
slice_len(const struct vt *vt, const void *p, size_t len)
{
	const uint8_t *bytes = p;
	size_t max = room_in_row(vt), n = 1;

	if (len == 0)
		return 0;
	if (max > len)
		max = len;
	while (n < max && !may_act(bytes[n]))
		n++;
	return n;
}
