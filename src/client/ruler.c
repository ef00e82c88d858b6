#include "client/ruler.h"

#include <stdint.h>

#include "vt/vt.h"

void
ruler_init(struct ruler *r)
{
	struct vt_config config = { .cols = VT_COLS_MAX, .rows = 1 };

	r->vt = vt_create(&config, NULL);
}

void
ruler_finish(struct ruler *r)
{
	vt_destroy(r->vt);
	r->vt = NULL;
}

void
ruler_lay(struct ruler *r, const char *text, size_t len)
{
	static const char fresh[] = "\033c\033[?7l";

	vt_feed(r->vt, fresh, sizeof(fresh) - 1);
	vt_feed(r->vt, text, len);
}

/* The bytes of the cells before `col`; *cols is their number. */
static size_t
walk(const struct ruler *r, unsigned col, size_t byte, unsigned *cols)
{
	char text[VT_TEXT_MAX];
	struct vt_row row;
	size_t at = 0;
	unsigned x = 0;

	vt_screen_row(r->vt, 0, &row);
	while (x < row.used && x < col) {
		bool wide = cell_kind(&row.cells[x]) == CELL_WIDE;
		size_t n = vt_cell_text(&row, x, text);

		n = n > 0 ? n : 1;
		if (byte < at + n || (wide && col == x + 1))
			break;
		at += n;
		x += wide ? 2 : 1;
	}
	*cols = x;
	return at;
}

unsigned
ruler_col(const struct ruler *r, size_t byte)
{
	unsigned cols;

	(void)walk(r, VT_COLS_MAX, byte, &cols);
	return cols;
}

size_t
ruler_byte(const struct ruler *r, unsigned col)
{
	unsigned cols;

	return walk(r, col, SIZE_MAX, &cols);
}

unsigned
ruler_cols(const struct ruler *r)
{
	return ruler_col(r, SIZE_MAX);
}
