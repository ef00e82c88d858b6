#include "host/place.h"

#include "vt/text.h"

void
place_init(struct place *at)
{
	*at = (struct place){ 0 };
	buf_init(&at->lines, 2 * PLACE_ROW_BYTES + 1);
}

void
place_finish(struct place *at)
{
	buf_finish(&at->lines);
}

void
place_look(struct place *at, const struct vt *vt)
{
	struct vt_row row;
	unsigned y;

	vt_cursor(vt, &at->cursor);
	at->alt = vt_alt_screen(vt);
	at->scrolled = vt_history_lines(vt);
	buf_clear(&at->lines);
	y = at->cursor.row;
	if (!at->alt && y > 0 && y + 1 == vt_rows(vt)) {
		vt_screen_row(vt, y - 1, &row);
		vt_row_text(&row, &at->lines);
		buf_putc(&at->lines, '\n');
	}
	vt_screen_row(vt, y, &row);
	vt_row_text(&row, &at->lines);
}

bool
place_has_changed(const struct place *before, const struct vt *vt)
{
	struct place now;
	bool changed;

	place_init(&now);
	place_look(&now, vt);
	changed = now.alt != before->alt || now.scrolled != before->scrolled ||
	    now.cursor.row != before->cursor.row ||
	    now.cursor.col != before->cursor.col ||
	    !buf_equals(&now.lines, &before->lines);
	place_finish(&now);
	return changed;
}

void
place_before_cursor(const struct vt *vt, struct buf *out)
{
	struct vt_cursor cursor;
	struct vt_row row;

	vt_cursor(vt, &cursor);
	vt_screen_row(vt, cursor.row, &row);
	if (row.used > cursor.col && !cursor.pending_wrap)
		row.used = cursor.col;
	vt_row_text(&row, out);
}
