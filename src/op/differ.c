#include "op/differ.h"

#include <string.h>

#include "vt/vt.h"

static const struct cell blank;

static const struct cell *
cell_at(const struct vt_row *row, unsigned x)
{
	return x < row->used ? &row->cells[x] : &blank;
}

/* Indices in cells differ between terminals, so compare their targets. */
static bool
differ_style(const struct vt *a, const struct cell *ca, const struct vt *b,
    const struct cell *cb)
{
	const uint32_t own = (1u << ATTR_EXTRA_SHIFT) - 1;

	return ca->fg != cb->fg || ca->bg != cb->bg ||
	    ((ca->attr ^ cb->attr) & own) != 0 ||
	    vt_cell_underline_colour(a, ca) !=
	    vt_cell_underline_colour(b, cb) ||
	    strcmp(vt_cell_link(a, ca), vt_cell_link(b, cb)) != 0;
}

/* A blank looks like a space. */
static size_t
text_at(const struct vt_row *row, unsigned x, char out[VT_TEXT_MAX])
{
	size_t len = x < row->used ? vt_cell_text(row, x, out) : 0;

	if (len > 0)
		return len;
	out[0] = ' ';
	return 1;
}

static bool
differ_text(const struct vt_row *a, const struct vt_row *b, unsigned x)
{
	char ta[VT_TEXT_MAX], tb[VT_TEXT_MAX];
	size_t na = text_at(a, x, ta), nb = text_at(b, x, tb);

	return na != nb || memcmp(ta, tb, na) != 0;
}

bool
differ_row(const struct vt *a, const struct vt *b, unsigned y)
{
	struct vt_row ra, rb;
	unsigned used;

	if (y >= vt_rows(a) || y >= vt_rows(b))
		return true;
	vt_screen_row(a, y, &ra);
	vt_screen_row(b, y, &rb);
	used = ra.used > rb.used ? ra.used : rb.used;
	for (unsigned x = 0; x < used; x++) {
		if (differ_text(&ra, &rb, x) ||
		    differ_style(a, cell_at(&ra, x), b, cell_at(&rb, x)))
			return true;
	}
	return false;
}
