#include "mcp/shown.h"

#include <string.h>

#include "base/buf.h"
#include "base/json_out.h"
#include "op/hidden.h"
#include "vt/text.h"
#include "vt/vt.h"

#define ROWS 50
#define HISTORY_LINES (1u << 20)
#define HISTORY_BYTES (32u << 20)
#define LINE_FEED_RETURNS "\033[20h" /* there is no line discipline here */

bool
shown_is_needed(const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)p[i];

		if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7F)
			return true;
	}
	return false;
}

/* Collects rows into lines. */
struct walk {
	const struct vt *vt;
	struct vt_lines lines;
	unsigned n_lines;
	struct json_out *hidden;
	unsigned n_hidden;
};

static void
put_row(struct walk *w, const struct vt_row *row)
{
	if (!vt_lines_add(&w->lines, row))
		w->n_lines++;
	w->n_hidden += hidden_put_row(w->vt, row, w->n_lines - 1,
	    HIDDEN_MAX - w->n_hidden, w->hidden);
}

static void
put_history(struct walk *w)
{
	struct vt_history_iter *it = vt_history_begin(w->vt);
	struct vt_row row;

	while (vt_history_next(it, &row))
		put_row(w, &row);
	vt_history_end(it);
}

/* Up to the row of the cursor or the last row with text. */
static void
put_screen(struct walk *w)
{
	struct vt_cursor cursor;
	unsigned end = 0;
	struct vt_row row;

	vt_cursor(w->vt, &cursor);
	for (unsigned y = 0; y < vt_rows(w->vt); y++) {
		vt_screen_row(w->vt, y, &row);
		if (row.used > 0 || y <= cursor.row)
			end = y + 1;
	}
	for (unsigned y = 0; y < end; y++) {
		vt_screen_row(w->vt, y, &row);
		put_row(w, &row);
	}
}

void
shown_text(const char *p, size_t len, struct buf *out, struct json_out *hidden)
{
	const struct vt_config config = {
		.cols = SHOWN_COLS,
		.rows = ROWS,
		.history_lines = HISTORY_LINES,
		.history_bytes = HISTORY_BYTES,
	};
	struct vt *vt = vt_create(&config, NULL);
	struct walk w = { .vt = vt, .hidden = hidden };

	vt_lines_begin(&w.lines, vt, out);
	vt_feed(vt, LINE_FEED_RETURNS, strlen(LINE_FEED_RETURNS));
	vt_feed(vt, p, len);
	json_out_open(hidden, '[');
	put_history(&w);
	put_screen(&w);
	json_out_close(hidden, ']');
	vt_destroy(vt);
}
