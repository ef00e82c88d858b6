#include "host/ask/cursor_line.h"

#include "vt/text.h"

void
cursor_line_init(struct cursor_line *at)
{
	*at = (struct cursor_line){ 0 };
	buf_init(&at->lines, 2 * CURSOR_LINE_ROW_BYTES + 1);
}

void
cursor_line_finish(struct cursor_line *at)
{
	buf_finish(&at->lines);
}

static void
look(struct cursor_line *at, const struct vt *vt)
{
	struct vt_row row;
	unsigned y = at->cursor.row;

	at->alt = vt_alt_screen(vt);
	at->scrolled = vt_scrolled(vt);
	buf_clear(&at->lines);
	if (!at->alt && y > 0 && y + 1 == vt_rows(vt)) {
		vt_screen_row(vt, y - 1, &row);
		vt_row_text(&row, &at->lines);
		buf_putc(&at->lines, '\n');
	}
	vt_screen_row(vt, y, &row);
	vt_row_text(&row, &at->lines);
}

void
cursor_line_look(struct cursor_line *at, const struct vt *vt)
{
	at->is_row = false;
	vt_cursor(vt, &at->cursor);
	look(at, vt);
}

void
cursor_line_look_row(struct cursor_line *at, const struct vt *vt, unsigned y)
{
	at->is_row = true;
	at->cursor = (struct vt_cursor){ .row = (uint16_t)y };
	look(at, vt);
}

static bool
differs(const struct cursor_line *a, const struct cursor_line *b)
{
	return a->alt != b->alt || a->scrolled != b->scrolled ||
	    a->cursor.row != b->cursor.row || a->cursor.col != b->cursor.col ||
	    !buf_equals(&a->lines, &b->lines);
}

bool
cursor_line_has_changed(const struct cursor_line *before, const struct vt *vt)
{
	struct cursor_line now;
	bool changed;

	if (before->is_row && before->cursor.row >= vt_rows(vt))
		return true;
	cursor_line_init(&now);
	if (before->is_row)
		cursor_line_look_row(&now, vt, before->cursor.row);
	else
		cursor_line_look(&now, vt);
	changed = differs(&now, before);
	cursor_line_finish(&now);
	return changed;
}

void
cursor_line_before_cursor(const struct vt *vt, struct buf *out)
{
	struct vt_cursor cursor;
	struct vt_row row;

	vt_cursor(vt, &cursor);
	vt_screen_row(vt, cursor.row, &row);
	if (row.used > cursor.col && !cursor.pending_wrap)
		row.used = cursor.col;
	vt_row_text(&row, out);
}
