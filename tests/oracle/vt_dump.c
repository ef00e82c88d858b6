/*
 * Our engine behind the protocol of the oracle: README.md defines the requests
 * on standard input and the normal form of the output.  An invalid request
 * ends the program with a message.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "vt/state.h"
#include "vt/vt.h"

#define HISTORY_BYTES (256u << 20) /* the oracle counts rows only */
#define OUT_MAX (512u << 20)
#define WHITE (COLOUR_RGB | 0xffffff)

static void
die(const char *what, const char *why)
{
	fprintf(stderr, "vt_dump: %s: %s\n", what, why);
	exit(2);
}

/* JSON */

static void
put_string(struct buf *out, const char *s, size_t len)
{
	static const char names[] = "\b\t\n\f\r\"\\", letters[] = "btnfr\"\\";

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];
		const char *at = c != 0 ? strchr(names, c) : NULL;
		if (at != NULL)
			buf_printf(out, "\\%c", letters[at - names]);
		else if (c < 0x20)
			buf_printf(out, "\\u%04x", c);
		else
			buf_putc(out, (char)c);
	}
}

static void
put_bool(struct buf *out, const char *name, bool yes)
{
	buf_printf(out, "\"%s\":%s", name, yes ? "true" : "false");
}

/* Styles */

static void
put_colour(struct buf *out, uint32_t colour)
{
	if (COLOUR_KIND(colour) == COLOUR_PALETTE)
		buf_printf(out, "p%u", COLOUR_VALUE(colour));
	else if (COLOUR_KIND(colour) == COLOUR_RGB)
		buf_printf(out, "#%06x", COLOUR_VALUE(colour));
}

/* Attributes are joined by commas; `start` is where they begin. */
static void
next_attribute(struct buf *out, size_t start)
{
	if (out->len > start)
		buf_putc(out, ',');
}

static void
put_flag(struct buf *out, size_t start, bool yes, const char *name)
{
	if (!yes)
		return;
	next_attribute(out, start);
	buf_puts(out, name);
}

static void
put_underline(struct buf *out, size_t start, const struct vt *vt,
    const struct cell *c)
{
	static const char *const styles[] = { "", "single", "double", "curly",
		"dotted", "dashed" };
	uint32_t colour = vt_cell_underline_colour(vt, c);

	if (cell_underline(c) == UNDERLINE_NONE)
		return;
	next_attribute(out, start);
	buf_printf(out, "ul=%s", styles[cell_underline(c)]);
	if (colour == COLOUR_DEFAULT || colour == WHITE)
		return;
	buf_puts(out, ",ulc=");
	put_colour(out, colour);
}

static void
put_attributes(struct buf *out, const struct vt *vt, const struct cell *c)
{
	const char *link = vt_cell_link(vt, c);
	size_t start = out->len;

	put_flag(out, start, c->attr & ATTR_BLINK, "blink");
	put_flag(out, start, c->attr & ATTR_BOLD, "bold");
	put_flag(out, start, c->attr & ATTR_FAINT, "faint");
	put_flag(out, start, c->attr & ATTR_CONCEAL, "hidden");
	put_flag(out, start, c->attr & ATTR_INVERSE, "inverse");
	put_flag(out, start, c->attr & ATTR_ITALIC, "italic");
	if (*link != '\0') {
		next_attribute(out, start);
		buf_puts(out, "link=");
		put_string(out, link, strlen(link));
	}
	put_flag(out, start, c->attr & ATTR_OVERLINE, "overline");
	put_flag(out, start, c->attr & ATTR_PROTECTED, "protected");
	put_flag(out, start, c->attr & ATTR_STRIKE, "strike");
	put_underline(out, start, vt, c);
}

/* A style as the middle of a JSON array: "fg","bg","attributes". */
static void
put_style(struct buf *out, const struct vt *vt, const struct cell *c)
{
	buf_putc(out, '"');
	put_colour(out, c->fg);
	buf_puts(out, "\",\"");
	put_colour(out, c->bg);
	buf_puts(out, "\",\"");
	put_attributes(out, vt, c);
	buf_putc(out, '"');
}

#define DEFAULT_STYLE "\"\",\"\",\"\""

/* Rows */

/* Erased, or never written. */
static bool
is_empty(const struct cell *c)
{
	return c->ch == 0 && cell_kind(c) != CELL_TAIL;
}

/* The end of the row; see "A line" in README.md. */
static unsigned
row_end(const struct vt *vt, const struct vt_row *row)
{
	struct buf style;
	unsigned end = row->used;

	buf_init(&style, OUT_MAX);
	for (; end > 0; end--) {
		const struct cell *c = &row->cells[end - 1];
		buf_clear(&style);
		put_style(&style, vt, c);
		if (!is_empty(c) || style.len != strlen(DEFAULT_STYLE))
			break;
	}
	buf_finish(&style);
	return end;
}

static void
put_text(struct buf *out, const struct vt_row *row, unsigned end)
{
	char text[VT_TEXT_MAX];

	for (unsigned x = 0; x < end; x++) {
		size_t len = vt_cell_text(row, x, text);
		if (cell_kind(&row->cells[x]) == CELL_TAIL)
			continue;
		if (len == 0)
			buf_putc(out, ' ');
		else
			put_string(out, text, len);
	}
}

static unsigned
count_points(const char *text, size_t len)
{
	unsigned n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n > 0 ? n : 1;
}

/* The cells that are not one column with one code point. */
static void
put_odd_cells(struct buf *out, const struct vt_row *row, unsigned end)
{
	char text[VT_TEXT_MAX];
	const char *comma = "";

	for (unsigned x = 0; x < end; x++) {
		enum cell_kind kind = cell_kind(&row->cells[x]);
		unsigned points = count_points(text,
		    vt_cell_text(row, x, text));
		if (kind == CELL_TAIL || (kind != CELL_WIDE && points == 1))
			continue;
		buf_printf(out, "%s[%u,%u,%u]", comma, x,
		    kind == CELL_WIDE ? 2 : 1, points);
		comma = ",";
	}
}

static void
put_empty_cells(struct buf *out, const struct vt_row *row, unsigned end)
{
	const char *comma = "";

	for (unsigned x = 0; x < end; x++) {
		unsigned from = x;
		while (x < end && is_empty(&row->cells[x]))
			x++;
		if (x == from)
			continue;
		buf_printf(out, "%s[%u,%u]", comma, from, x);
		comma = ",";
	}
}

static void
put_run(struct buf *out, unsigned from, unsigned to, const struct buf *style)
{
	buf_printf(out, "[%u,%u,", from, to);
	buf_append(out, style->data, style->len);
	buf_puts(out, "],");
}

/* The runs of one style other than the default. */
static void
put_runs(struct buf *out, const struct vt *vt, const struct vt_row *row,
    unsigned end)
{
	struct buf style, next;
	unsigned from = 0;
	size_t start = out->len;

	buf_init(&style, OUT_MAX);
	buf_init(&next, OUT_MAX);
	buf_puts(&style, DEFAULT_STYLE);
	for (unsigned x = 0; x <= end; x++) {
		buf_clear(&next);
		if (x < end)
			put_style(&next, vt, &row->cells[x]);
		if (next.len == style.len &&
		    memcmp(next.data, style.data, next.len) == 0)
			continue;
		if (style.len != strlen(DEFAULT_STYLE))
			put_run(out, from, x, &style);
		struct buf swap = style;
		style = next;
		next = swap;
		from = x;
	}
	if (out->len > start)
		out->len--; /* the last comma */
	buf_finish(&style);
	buf_finish(&next);
}

static void
put_line(struct buf *out, const struct vt *vt, const struct vt_row *row)
{
	unsigned end = row_end(vt, row);

	buf_printf(out, "{\"w\":%d,\"t\":\"",
	    (row->flags & ROW_CONTINUES) != 0);
	put_text(out, row, end);
	buf_puts(out, "\",\"c\":[");
	put_odd_cells(out, row, end);
	buf_puts(out, "],\"e\":[");
	put_empty_cells(out, row, end);
	buf_puts(out, "],\"s\":[");
	put_runs(out, vt, row, end);
	buf_puts(out, "]}");
}

/* The state */

static void
put_cursor(struct buf *out, const struct vt *vt)
{
	struct vt_cursor c;

	vt_cursor(vt, &c);
	buf_printf(out, "\"cursor\":{\"row\":%u,\"col\":%u,", c.row, c.col);
	put_bool(out, "visible", c.visible);
	buf_putc(out, ',');
	put_bool(out, "pending_wrap", c.pending_wrap);
	buf_printf(out, "},\"saved\":[[%u,%u],[%u,%u]],", vt->saved[0].y,
	    vt->saved[0].x + vt->saved[0].pending, vt->saved[1].y,
	    vt->saved[1].x + vt->saved[1].pending);
}

static void
put_modes(struct buf *out, const struct vt *vt)
{
	static const char *const mice[] = { "none", "x10", "vt200", "drag",
		"any" };
	struct input_modes m;

	vt_input_modes(vt, &m);
	const struct {
		const char *name;
		bool on;
	} modes[] = {
		{ "app_cursor", m.app_cursor },
		{ "app_keypad", m.app_keypad },
		{ "bracketed_paste", m.bracketed_paste },
		{ "insert", vt_mode(vt, MODE_IRM) },
		{ "origin", vt_mode(vt, MODE_DECOM) },
		{ "wraparound", vt_mode(vt, MODE_DECAWM) },
	};
	buf_puts(out, "\"modes\":{");
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		put_bool(out, modes[i].name, modes[i].on);
		buf_putc(out, ',');
	}
	buf_printf(out, "\"mouse\":\"%s\",", mice[m.mouse]);
	put_bool(out, "focus", m.focus_events);
	buf_puts(out, "},");
}

static void
put_history(struct buf *out, const struct vt *vt)
{
	struct vt_history_iter *it = vt_history_begin(vt);
	struct vt_row row;
	const char *comma = "";

	while (vt_history_next(it, &row)) {
		buf_puts(out, comma);
		put_line(out, vt, &row);
		comma = ",";
	}
	vt_history_end(it);
}

static void
put_screen(struct buf *out, const struct vt *vt, const struct screen *s)
{
	for (unsigned y = 0; y < s->rows; y++) {
		const struct row *row = screen_row(s, y);
		buf_puts(out, y > 0 ? "," : "");
		put_line(out, vt,
		    &(struct vt_row){
			.cells = row->cells,
			.used = row->used,
			.flags = row->flags,
			.clusters = &vt->clusters,
		    });
	}
}

/* The rows that come back if the screen becomes larger now. */
static unsigned
kept_rows(const struct vt *vt)
{
	bool drawn = vt->stash.generation != vt->screens[0].changed;

	return drawn ? 0 : vt->stash.rows;
}

/* All rows: the history, and both screens where there are two. */
static void
put_rows(struct buf *out, const struct vt *vt)
{
	buf_puts(out, "\"scrollback\":[");
	put_history(out, vt);
	buf_puts(out, "],\"hidden\":[");
	if (vt_alt_screen(vt))
		put_screen(out, vt, &vt->screens[0]);
	buf_puts(out, "],\"lines\":[");
	put_screen(out, vt, vt->screen);
	buf_printf(out, "],\"kept\":%u", kept_rows(vt));
}

static void
dump(const struct vt *vt)
{
	struct buf out;

	buf_init(&out, OUT_MAX);
	buf_printf(&out, "{\"cols\":%u,\"rows\":%u,", vt_cols(vt), vt_rows(vt));
	put_cursor(&out, vt);
	put_bool(&out, "alt", vt_alt_screen(vt));
	buf_puts(&out, ",\"title\":\"");
	put_string(&out, vt_title(vt), strlen(vt_title(vt)));
	buf_puts(&out, "\",");
	put_modes(&out, vt);
	put_rows(&out, vt);
	buf_puts(&out, "}\n");
	if (out.full)
		die("dump", "too long");
	fwrite(out.data, 1, out.len, stdout);
	fflush(stdout);
	buf_finish(&out);
}

/* Requests */

static int
base64_value(char c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c != '\0' ? strchr(digits, c) : NULL;

	return at != NULL ? (int)(at - digits) : -1;
}

static void
feed_base64(struct vt *vt, const char *s)
{
	size_t len = strcspn(s, "="), n = 0;
	auto_free uint8_t *bytes = xmalloc(len + 1);
	uint32_t bits = 0;

	for (size_t i = 0; i < len; i++) {
		int value = base64_value(s[i]);
		if (value < 0)
			die("data", "not base64");
		bits = bits << 6 | (uint32_t)value;
		if (i % 4 > 0)
			bytes[n++] = (uint8_t)(bits >> (6 - 2 * (i % 4)));
	}
	vt_feed(vt, bytes, n);
}

static void
resize(struct vt *vt, const json_t *size)
{
	struct error err;
	json_int_t cols = json_integer_value(json_array_get(size, 0));
	json_int_t rows = json_integer_value(json_array_get(size, 1));

	if (vt_resize(vt, (unsigned)cols, (unsigned)rows, &err) < 0)
		die("resize", err.msg);
}

static void
do_chunk(struct vt *vt, const json_t *chunk)
{
	const json_t *data = json_object_get(chunk, "data");
	const json_t *size = json_object_get(chunk, "resize");

	if (data != NULL)
		feed_base64(vt, json_string_value(data));
	else if (size != NULL)
		resize(vt, size);
	else if (json_is_true(json_object_get(chunk, "dump")))
		dump(vt);
	else
		die("chunk", "neither data, resize nor dump");
}

static unsigned
number(const json_t *request, const char *name)
{
	return (unsigned)json_integer_value(json_object_get(request, name));
}

static void
serve(const json_t *request)
{
	struct error err;
	size_t i;
	json_t *chunk;
	struct vt *vt = vt_create(
	    &(struct vt_config){
		.cols = (uint16_t)number(request, "cols"),
		.rows = (uint16_t)number(request, "rows"),
		.history_lines = number(request, "scrollback"),
		.history_bytes = HISTORY_BYTES,
	    },
	    &err);

	if (vt == NULL)
		die("request", err.msg);
	if (!json_is_true(json_object_get(request, "graphemes")))
		vt_feed(vt, "\033[?2027l", 8);
	json_array_foreach(json_object_get(request, "chunks"), i, chunk)
	    do_chunk(vt, chunk);
	vt_destroy(vt);
}

int
main(void)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;

	while ((len = getline(&line, &cap, stdin)) > 0) {
		json_error_t why;
		json_t *request = json_loadb(line, (size_t)len, 0, &why);
		if (request == NULL)
			die("request", why.text);
		serve(request);
		json_decref(request);
	}
	free(line);
	return 0;
}
