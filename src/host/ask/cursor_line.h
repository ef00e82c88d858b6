#ifndef TEND_HOST_ASK_CURSOR_LINE_H
#define TEND_HOST_ASK_CURSOR_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "vt/vt.h"

/*
 * The position of the cursor and the text of its row, kept to find out later
 * whether something has happened there.  After a scroll, a cursor in the last
 * row is in the same place again; so the row above is kept too.
 *
 * A program that hides the cursor may leave it anywhere.  For such programs a
 * row can be watched instead.
 */
struct cursor_line {
	bool is_row; /* watch cursor.row; ignore the cursor */
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

/* Append the text of the cursor's row that is left of the cursor. */
#define CURSOR_LINE_ROW_BYTES ((size_t)VT_COLS_MAX * VT_TEXT_MAX)
void cursor_line_before_cursor(const struct vt *vt, struct buf *out);

#endif
