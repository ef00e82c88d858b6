#ifndef TEND_HOST_ASK_CURSOR_LINE_H
#define TEND_HOST_ASK_CURSOR_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "vt/vt.h"

/*
 * Where a cursor is, and what stands in its row: so that it can be told later
 * whether something has happened there.  In the last row it may be where it
 * was after the screen has scrolled: the row above tells.
 *
 * A program that hides the cursor may have it anywhere.  Then a row can be
 * looked at in its place.
 */
struct cursor_line {
	bool is_row; /* cursor.row is a row, and no cursor counts */
	struct vt_cursor cursor;
	bool alt;
	uint64_t scrolled;
	struct buf lines;
};

void cursor_line_init(struct cursor_line *at);
void cursor_line_finish(struct cursor_line *at);

void cursor_line_look(struct cursor_line *at, const struct vt *vt);
void cursor_line_look_row(struct cursor_line *at, const struct vt *vt,
    unsigned y);
bool cursor_line_has_changed(const struct cursor_line *before,
    const struct vt *vt);

/* Append the text that stands in the cursor's row before the cursor. */
#define CURSOR_LINE_ROW_BYTES ((size_t)VT_COLS_MAX * VT_TEXT_MAX)
void cursor_line_before_cursor(const struct vt *vt, struct buf *out);

#endif
