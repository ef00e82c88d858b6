#include "op/screen.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/json_out.h"
#include "op/hidden.h"
#include "vt/text.h"
#include "vt/vt.h"

#define ROW_BYTES ((size_t)VT_COLS_MAX * VT_TEXT_MAX)

static const struct cell blank;

static const char *const underlines[] = { "none", "single", "double", "curly",
	"dotted", "dashed" };

static const struct {
	uint32_t attr;
	const char *name;
} attrs[] = {
	{ ATTR_BOLD, "bold" },
	{ ATTR_FAINT, "faint" },
	{ ATTR_ITALIC, "italic" },
	{ ATTR_INVERSE, "inverse" },
	{ ATTR_BLINK, "blink" },
	{ ATTR_CONCEAL, "conceal" },
	{ ATTR_STRIKE, "strike" },
	{ ATTR_OVERLINE, "overline" },
	{ ATTR_PROTECTED, "protected" },
};

static void
put_text(struct json_out *j, const struct vt_row *row, struct buf *scratch)
{
	buf_clear(scratch);
	vt_row_text(row, scratch);
	json_out_string(j, (const char *)scratch->data, scratch->len);
}

void
screen_lines(const struct vt *vt, struct json_out *j)
{
	struct vt_row row;
	struct buf text;

	buf_init(&text, ROW_BYTES);
	json_out_open(j, '[');
	for (unsigned y = 0; y < vt_rows(vt); y++) {
		vt_screen_row(vt, y, &row);
		put_text(j, &row, &text);
	}
	json_out_close(j, ']');
	buf_finish(&text);
}

static void
put_scrollback(const struct vt *vt, struct json_out *j)
{
	struct vt_history_iter *it = vt_history_begin(vt);
	struct vt_row row;
	struct buf text;

	buf_init(&text, ROW_BYTES);
	json_put_open(j, "scrollback", '[');
	while (vt_history_next(it, &row))
		put_text(j, &row, &text);
	json_out_close(j, ']');
	buf_finish(&text);
	vt_history_end(it);
}

static void
put_cursor(const struct vt *vt, struct json_out *j)
{
	static const char *const shapes[] = { "block", "underline", "bar" };
	struct vt_cursor c;

	vt_cursor(vt, &c);
	json_put_open(j, "cursor", '{');
	json_put_number(j, "row", c.row);
	json_put_number(j, "col", c.col);
	json_put_bool(j, "visible", c.visible);
	json_put_text(j, "shape", shapes[c.shape]);
	json_out_close(j, '}');
}

static void
put_wrapped(const struct vt *vt, struct json_out *j)
{
	struct vt_row row;

	json_put_open(j, "wrapped", '[');
	for (unsigned y = 0; y < vt_rows(vt); y++) {
		vt_screen_row(vt, y, &row);
		json_out_bool(j, row.flags & ROW_CONTINUES);
	}
	json_out_close(j, ']');
}

/* A palette colour as its number, any other as #rrggbb; no default colour. */
static void
put_colour(struct json_out *j, const char *key, uint32_t colour)
{
	char text[8];

	if (COLOUR_KIND(colour) == COLOUR_DEFAULT)
		return;
	json_out_key(j, key);
	if (COLOUR_KIND(colour) == COLOUR_PALETTE) {
		json_out_number(j, COLOUR_VALUE(colour));
		return;
	}
	snprintf(text, sizeof(text), "#%06x", COLOUR_VALUE(colour));
	json_out_text(j, text);
}

static void
put_attrs(struct json_out *j, uint32_t attr)
{
	bool any = false;

	for (size_t i = 0; i < sizeof(attrs) / sizeof(*attrs); i++) {
		if (!(attr & attrs[i].attr))
			continue;
		if (!any) {
			json_put_open(j, "attrs", '[');
		}
		any = true;
		json_out_text(j, attrs[i].name);
	}
	if (any)
		json_out_close(j, ']');
}

static void
put_style(const struct vt *vt, struct json_out *j, const struct cell *c)
{
	const char *link = vt_cell_link(vt, c);

	put_colour(j, "fg", c->fg);
	put_colour(j, "bg", c->bg);
	put_attrs(j, c->attr);
	if (cell_underline(c) != UNDERLINE_NONE) {
		json_put_text(j, "underline", underlines[cell_underline(c)]);
	}
	put_colour(j, "underline_colour", vt_cell_underline_colour(vt, c));
	if (link[0] != '\0') {
		json_put_text(j, "link", link);
	}
}

static const struct cell *
cell_at(const struct vt_row *row, unsigned x)
{
	return x < row->used ? &row->cells[x] : &blank;
}

/* True if the cell has at most one code point and one column. */
static bool
is_simple(const struct cell *c)
{
	return (c->ch & CELL_CLUSTER) == 0 && cell_kind(c) == CELL_NARROW;
}

/* The end of the run that begins at x: cells of the same style and kind. */
static unsigned
run_end(const struct vt_row *row, unsigned x)
{
	const struct cell *first = cell_at(row, x);

	if (cell_kind(first) == CELL_WIDE)
		return x + 2;
	if (!is_simple(first))
		return x + 1;
	for (x++; x < row->used; x++)
		if (!is_simple(cell_at(row, x)) ||
		    !cell_same_style(cell_at(row, x), first))
			break;
	return x;
}

static void
add_text(const struct vt_row *row, unsigned from, unsigned to, struct buf *out)
{
	char text[VT_TEXT_MAX];

	for (unsigned x = from; x < to; x++) {
		size_t len = vt_cell_text(row, x, text);

		if (len > 0)
			buf_append(out, text, len);
		else if (cell_kind(cell_at(row, x)) != CELL_TAIL)
			buf_putc(out, ' ');
	}
}

static void
put_run(const struct vt *vt, struct json_out *j, const struct vt_row *row,
    unsigned from, unsigned to)
{
	struct buf text;

	buf_init(&text, ROW_BYTES);
	add_text(row, from, to, &text);
	json_out_open(j, '{');
	json_put_number(j, "col", from);
	json_put_string(j, "text", (const char *)text.data, text.len);
	json_put_number(j, "width", to - from);
	put_style(vt, j, cell_at(row, from));
	json_out_close(j, '}');
	buf_finish(&text);
}

/* The number of cells up to the last that is not blank. */
static unsigned
row_end(const struct vt_row *row)
{
	unsigned end = row->used;

	while (end > 0 && cell_is_zero(&row->cells[end - 1]))
		end--;
	return end;
}

static void
put_cells(const struct vt *vt, struct json_out *j)
{
	struct vt_row row;

	json_put_open(j, "cells", '[');
	for (unsigned y = 0; !j->buf->full && y < vt_rows(vt); y++) {
		vt_screen_row(vt, y, &row);
		row.used = row_end(&row);
		json_out_open(j, '[');
		for (unsigned x = 0, to; x < row.used; x = to) {
			to = run_end(&row, x);
			put_run(vt, j, &row, x, to);
		}
		json_out_close(j, ']');
	}
	json_out_close(j, ']');
}

/* The end of the run of cells with the same link as the cell at x. */
static unsigned
link_end(const struct vt *vt, const struct vt_row *row, unsigned x)
{
	const struct cell *first = &row->cells[x];

	for (x++; x < row->used; x++) {
		const struct cell *c = &row->cells[x];

		if (cell_extra(c) == cell_extra(first))
			continue;
		if (strcmp(vt_cell_link(vt, c), vt_cell_link(vt, first)) != 0)
			break;
		if (strcmp(vt_cell_link_id(vt, c),
			vt_cell_link_id(vt, first)) != 0)
			break;
	}
	return x;
}

static void
put_link(const struct vt *vt, struct json_out *j, const struct cell *c,
    unsigned y, unsigned x, unsigned width)
{
	json_out_open(j, '{');
	json_put_number(j, "row", y);
	json_put_number(j, "col", x);
	json_put_number(j, "width", width);
	json_put_text(j, "uri", vt_cell_link(vt, c));
	json_put_text(j, "id", vt_cell_link_id(vt, c));
	json_out_close(j, '}');
}

static void
put_links(const struct vt *vt, struct json_out *j)
{
	struct vt_row row;

	json_put_open(j, "links", '[');
	for (unsigned y = 0; !j->buf->full && y < vt_rows(vt); y++) {
		vt_screen_row(vt, y, &row);
		for (unsigned x = 0, to; x < row.used; x = to) {
			const struct cell *c = &row.cells[x];

			to = x + 1;
			if (cell_extra(c) == 0 ||
			    vt_cell_link(vt, c)[0] == '\0')
				continue;
			to = link_end(vt, &row, x);
			put_link(vt, j, c, y, x, to - x);
		}
	}
	json_out_close(j, ']');
}

static void
put_modes(const struct vt *vt, struct json_out *j)
{
	static const char *const mouse[] = { "off", "x10", "normal", "button",
		"any" };
	static const char *const formats[] = { "legacy", "utf8", "sgr", "urxvt",
		"sgr_pixels" };
	struct input_modes m;

	vt_input_modes(vt, &m);
	json_put_open(j, "modes", '{');
	json_put_bool(j, "app_cursor", m.app_cursor);
	json_put_bool(j, "app_keypad", m.app_keypad);
	json_put_bool(j, "bracketed_paste", m.bracketed_paste);
	json_put_bool(j, "focus_events", m.focus_events);
	json_put_bool(j, "reverse_video", vt_reverse_video(vt));
	json_put_bool(j, "synchronized", vt_in_sync(vt));
	json_put_text(j, "mouse", mouse[m.mouse]);
	json_put_text(j, "mouse_format", formats[m.mouse_format]);
	json_put_number(j, "kitty_flags", m.kitty_flags);
	json_put_number(j, "modify_other_keys", m.modify_other_keys);
	json_out_close(j, '}');
}

void
screen_put(const struct vt *vt, const struct screen_look *look,
    struct json_out *j)
{
	unsigned flags = look->flags;
	char hash[65];

	vt_hash(vt, hash);
	json_out_open(j, '{');
	json_put_number(j, "cols", vt_cols(vt));
	json_put_number(j, "rows", vt_rows(vt));
	put_cursor(vt, j);
	json_put_bool(j, "alt_screen", vt_alt_screen(vt));
	json_put_text(j, "title", vt_title(vt));
	if (look->lines != NULL) {
		look->lines(look->arg, vt, j);
	} else {
		json_out_key(j, "lines");
		screen_lines(vt, j);
	}
	json_put_text(j, "hash", hash);
	json_put_number(j, "seq", look->seq);
	json_put_number(j, "offset", look->offset);
	if (flags & SCREEN_SCROLLBACK)
		put_scrollback(vt, j);
	if (flags & SCREEN_HIDDEN) {
		json_out_key(j, "hidden");
		hidden_json(vt, j);
	}
	if (flags & SCREEN_CELLS) {
		put_wrapped(vt, j);
		put_cells(vt, j);
		put_links(vt, j);
		put_modes(vt, j);
	}
	json_out_close(j, '}');
}

void
screen_json(const struct vt *vt, unsigned flags, uint64_t seq, uint64_t offset,
    struct json_out *j)
{
	const struct screen_look look = { .flags = flags,
		.seq = seq,
		.offset = offset };

	screen_put(vt, &look, j);
}
