#include "op/hidden.h"

#include <string.h>

#include "base/buf.h"
#include "base/json_out.h"
#include "vt/text.h"
#include "vt/vt.h"

/* Colours that differ less than this in each component look the same. */
#define NEARLY 24
#define ROW_BYTES ((size_t)VT_COLS_MAX * VT_TEXT_MAX)

static bool
is_near(uint32_t a, uint32_t b)
{
	for (unsigned shift = 0; shift < 24; shift += 8) {
		int one = (int)(a >> shift & 0xff),
		    two = (int)(b >> shift & 0xff);

		if (one - two > NEARLY || two - one > NEARLY)
			return false;
	}
	return true;
}

/* Blanks, and the lines, blocks and dots of drawings, carry no text. */
static bool
is_blank(const struct cell *c)
{
	return c->ch == 0 || c->ch == ' ' ||
	    (c->ch >= 0x2500 && c->ch <= 0x25FF) ||
	    (c->ch >= 0x2800 && c->ch <= 0x28FF);
}

/* The reason why a cell's character is invisible, or NULL. */
static const char *
why_hidden(const struct vt *vt, const struct cell *c)
{
	if (is_blank(c))
		return NULL;
	if (c->attr & ATTR_CONCEAL)
		return "concealed";
	if (is_near(vt_colour(vt, c->fg, VT_FOREGROUND),
		vt_colour(vt, c->bg, VT_BACKGROUND)))
		return "colour";
	return NULL;
}

/* Blanks between hidden words belong to them; those after them do not. */
static unsigned
run_end(const struct vt *vt, const struct vt_row *row, unsigned x,
    const char *why)
{
	unsigned end = x + 1;

	for (x++; x < row->used; x++) {
		const struct cell *c = &row->cells[x];
		bool is_tail = cell_kind(c) == CELL_TAIL;

		if (is_tail || why_hidden(vt, c) == why)
			end = x + 1;
		else if (!is_blank(c))
			break;
	}
	return end;
}

static void
put_text(const struct vt_row *row, unsigned from, unsigned to,
    struct json_out *j)
{
	char text[VT_TEXT_MAX];
	struct buf b;

	buf_init(&b, ROW_BYTES);
	for (unsigned x = from; x < to; x++) {
		size_t len = vt_cell_text(row, x, text);

		if (len > 0)
			buf_append(&b, text, len);
		else if (cell_kind(&row->cells[x]) != CELL_TAIL)
			buf_putc(&b, ' ');
	}
	json_out_string(j, (const char *)b.data, b.len);
	buf_finish(&b);
}

static void
put_run(const struct vt_row *row, unsigned y, unsigned from, unsigned to,
    const char *why, struct json_out *j)
{
	json_out_open(j, '{');
	json_out_key(j, "row");
	json_out_number(j, y);
	json_out_key(j, "col");
	json_out_number(j, from);
	json_out_key(j, "width");
	json_out_number(j, to - from);
	json_out_key(j, "why");
	json_out_text(j, why);
	json_out_key(j, "text");
	put_text(row, from, to, j);
	json_out_close(j, '}');
}

unsigned
hidden_put_row(const struct vt *vt, const struct vt_row *row, unsigned y,
    unsigned left, struct json_out *j)
{
	unsigned n = 0, end;

	for (unsigned x = 0; n < left && x < row->used; x = end) {
		const char *why = why_hidden(vt, &row->cells[x]);

		end = x + 1;
		if (why == NULL)
			continue;
		end = run_end(vt, row, x, why);
		put_run(row, y, x, end, why, j);
		n++;
	}
	return n;
}

void
hidden_json(const struct vt *vt, struct json_out *j)
{
	struct vt_row row;
	unsigned n = 0;

	json_out_open(j, '[');
	for (unsigned y = 0; n < HIDDEN_MAX && y < vt_rows(vt); y++) {
		vt_screen_row(vt, y, &row);
		n += hidden_put_row(vt, &row, y, HIDDEN_MAX - n, j);
	}
	json_out_close(j, ']');
}
