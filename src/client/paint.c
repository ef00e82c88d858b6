/*
 * An update goes row by row.  First the row is composed: every cell of the
 * terminal gets a glyph, from the session, the line around it or the notice.
 * Then the glyphs with a changed digest are sent.
 *
 * A cell's digest covers its whole appearance, so that it can be compared with
 * that of another `struct vt`: ids of clusters and links are valid only within
 * one.  Both halves of a wide character change together, since the right
 * half's digest comes from the left one's.
 */
#include "client/paint.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "vt/render.h"
#include "vt/uni.h"
#include "vt/vt.h"

#define UNKNOWN (~0u)
#define COLOURS_MAX (32u << 10) /* enough to set a whole palette */
#define OWN_COLOURS "\033]104\033\\\033]110\033\\\033]111\033\\\033]112\033\\"
#define NOT_SHOWN (~(uint64_t)0) /* a digest that no drawn cell has */

struct glyph {
	uint64_t digest;
	struct cell cell;
	unsigned from; /* column of the session's row; UNKNOWN: use ch */
};

/* A composed row and the source of its cells' texts. */
struct line {
	const struct vt *vt;
	struct vt_row row;
	struct glyph *glyphs;
};

static uint64_t
mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

static uint64_t
style_digest(const struct vt *vt, const struct cell *c)
{
	uint64_t h = mix(c->fg, c->bg);

	h = mix(h, c->attr & (ATTR_SGR | ATTR_KIND));
	if (cell_extra(c) == 0)
		return h;
	h = mix(h, vt_cell_underline_colour(vt, c));
	return mix(h, brush_link(vt, c));
}

static uint64_t
text_digest(const struct vt_row *row, unsigned x)
{
	char text[VT_TEXT_MAX];
	uint64_t h = 0;

	if (!(row->cells[x].ch & CELL_CLUSTER))
		return row->cells[x].ch;
	for (size_t i = 0, n = vt_cell_text(row, x, text); i < n; i++)
		h = mix(h, (uint8_t)text[i]);
	return h;
}

/* Never 0, which is the plain blank, nor NOT_SHOWN. */
static uint64_t
finish(uint64_t h)
{
	return h == 0 || h == NOT_SHOWN ? 1 : h;
}

static struct glyph
blank(uint32_t bg)
{
	struct glyph g = { .cell = { .bg = bg }, .from = UNKNOWN };

	if (bg != 0)
		g.digest = finish(mix(mix(0, bg), 1));
	return g;
}

static struct glyph
symbol(uint32_t ch, uint32_t attr)
{
	struct glyph g = { .cell = { .ch = ch, .attr = attr },
		.from = UNKNOWN };

	g.digest = finish(mix(mix(ch, attr), 2));
	return g;
}

/* Composing. */

/* The session's cell x in a window up to `right`. */
static struct glyph
session_glyph(const struct line *l, unsigned x, unsigned left, unsigned right)
{
	struct glyph g = { .from = x };
	enum cell_kind kind;

	if (x >= l->row.used)
		return blank(0);
	g.cell = l->row.cells[x];
	kind = cell_kind(&g.cell);
	if ((kind == CELL_WIDE && x + 1 == right) ||
	    (kind == CELL_TAIL && x == left) || kind == CELL_PAD)
		return blank(g.cell.bg);
	if (kind == CELL_TAIL)
		x--;
	else if (g.cell.ch == 0)
		return blank(g.cell.bg);
	g.digest = mix(style_digest(l->vt, &l->row.cells[x]),
	    text_digest(&l->row, x));
	g.digest = finish(kind == CELL_TAIL ? ~g.digest : g.digest);
	return g;
}

/* The line around a smaller session: right, below, and the corner. */
static struct glyph
border_glyph(unsigned x, unsigned y, unsigned cols, unsigned rows)
{
	if (x == cols && y < rows)
		return symbol(0x2502, ATTR_FAINT);
	if (y == rows && x < cols)
		return symbol(0x2500, ATTR_FAINT);
	if (y == rows && x == cols)
		return symbol(0x2518, ATTR_FAINT);
	return blank(0);
}

static void
compose(const struct painter *p, struct line *l, unsigned y)
{
	unsigned cols = vt_cols(l->vt), rows = vt_rows(l->vt);
	unsigned width = p->cols < cols ? p->cols : cols;

	for (unsigned x = 0; x < width && y < rows; x++)
		l->glyphs[x] = session_glyph(l, p->left + x, p->left,
		    p->left + width);
	for (unsigned x = y < rows ? width : 0; x < p->cols; x++)
		l->glyphs[x] = border_glyph(x, y, cols, rows);
}

/* Highlights: matches on yellow, selections inverted. */
static void
stand_out(struct glyph *g, bool found)
{
	if (found) {
		g->cell.fg = COLOUR_PALETTE | 0;
		g->cell.bg = COLOUR_PALETTE | 3;
		g->cell.attr &= ~(uint32_t)ATTR_INVERSE;
	} else {
		g->cell.attr ^= ATTR_INVERSE;
	}
	g->digest = finish(mix(g->digest, found ? 3 : 4));
}

static void
compose_marks(const struct painter *p, struct line *l, const struct scene *s,
    unsigned y)
{
	for (size_t i = 0; i < s->n_marks; i++) {
		const struct paint_mark *m = &s->marks[i];

		for (unsigned x = 0; m->y == y && x < p->cols; x++)
			if (p->left + x >= m->from && p->left + x < m->to)
				stand_out(&l->glyphs[x], m->found);
	}
}

/* Combining characters are left out: notices are plain. */
static void
compose_notice(const struct painter *p, struct line *l, const char *text)
{
	static const uint32_t kinds[] = { CELL_TAIL << ATTR_KIND_SHIFT,
		CELL_NARROW << ATTR_KIND_SHIFT, CELL_WIDE << ATTR_KIND_SHIFT };
	struct utf8 utf8 = { 0 };
	unsigned x = 0;
	uint32_t cp;

	for (; *text != '\0'; text++) {
		unsigned width;

		if (utf8_step(&utf8, (uint8_t)*text, &cp) == UTF8_MORE)
			continue;
		width = uni_width(cp);
		if (width == 0)
			continue;
		if (x + width > p->cols)
			break;
		l->glyphs[x] = symbol(cp, ATTR_INVERSE | kinds[width]);
		if (width == 2) {
			l->glyphs[x + 1] = symbol(cp, kinds[0]);
			l->glyphs[x + 1].from = x; /* it is drawn already */
		}
		x += width;
	}
	while (x < p->cols)
		l->glyphs[x++] = symbol(' ', ATTR_INVERSE);
}

/* Sending. */

/* Called before the first byte of an update. */
static void
begin(struct painter *p, struct buf *out)
{
	if (p->begun)
		return;
	p->begun = true;
	if (p->sync)
		buf_puts(out, "\033[?2026h");
	if (p->cursor_visible || !p->known)
		buf_puts(out, "\033[?25l");
	p->cursor_visible = false;
}

static void
move(struct painter *p, unsigned x, unsigned y, struct buf *out)
{
	if (p->x == x && p->y == y)
		return;
	if (x == 0 && p->y != UNKNOWN && p->y + 1 == y && p->x != UNKNOWN)
		buf_puts(out, "\r\n");
	else if (p->y == y && p->x != UNKNOWN && p->x < x)
		buf_printf(out, "\033[%uC", x - p->x);
	else
		buf_printf(out, "\033[%u;%uH", y + 1, x + 1);
	p->x = x;
	p->y = y;
}

/* True if all terminals agree on this character's width. */
static bool
width_is_sure(uint32_t ch)
{
	return ch < 0x300 || (ch >= 0x2500 && ch < 0x25a0) ||
	    (ch >= 0x3041 && ch < 0xa000) || (ch >= 0xac00 && ch < 0xd7a4);
}

/*
 * A character that the terminal may draw wider or narrower than we count it:
 * blank its place first, and send the cells after it again.
 */
static void
mistrust(struct painter *p, struct line *l, unsigned x, unsigned y,
    struct buf *out)
{
	uint64_t *shown = p->shown + (size_t)y * p->cols;
	bool wide = cell_kind(&l->glyphs[x].cell) == CELL_WIDE;

	buf_puts(out, wide ? "  " : " ");
	p->x = UNKNOWN;
	move(p, x, y, out);
	for (unsigned i = x + 1 + wide; i < p->cols && i < x + 20; i++)
		shown[i] = NOT_SHOWN;
}

static void
put_glyph(struct painter *p, struct line *l, unsigned x, unsigned y,
    struct buf *out)
{
	const struct glyph *g = &l->glyphs[x];
	unsigned width = cell_kind(&g->cell) == CELL_WIDE ? 2 : 1;
	bool sure = width_is_sure(g->cell.ch);
	char text[VT_TEXT_MAX] = " ";
	size_t len = 1;

	if (!sure) /* it might combine with the character before */
		p->x = UNKNOWN;
	move(p, x, y, out);
	brush_set(&p->brush, l->vt, &g->cell, out);
	if (!sure && p->widths_differ)
		mistrust(p, l, x, y, out);
	if (g->from != UNKNOWN)
		len = vt_cell_text(&l->row, g->from, text);
	else if (g->cell.ch != 0)
		len = utf8_encode(text, g->cell.ch);
	buf_append(out, text, len);
	p->x = sure && x + width < p->cols ? x + width : UNKNOWN;
}

/* True if the rest of the row is plain and blank. */
static bool
rest_is_blank(const struct painter *p, const struct line *l, unsigned x)
{
	for (; x < p->cols; x++)
		if (l->glyphs[x].digest != 0)
			return false;
	return true;
}

static void
send_row(struct painter *p, struct line *l, unsigned y, struct buf *out)
{
	uint64_t *shown = p->shown + (size_t)y * p->cols;

	for (unsigned x = 0; x < p->cols; x++) {
		const struct glyph *g = &l->glyphs[x];

		if (g->digest == shown[x])
			continue;
		begin(p, out);
		if (g->digest == 0 && rest_is_blank(p, l, x)) {
			move(p, x, y, out);
			brush_plain(&p->brush, out);
			buf_puts(out, "\033[K");
			memset(shown + x, 0, (p->cols - x) * sizeof(*shown));
			return;
		}
		if (cell_kind(&g->cell) != CELL_TAIL || g->from == UNKNOWN)
			put_glyph(p, l, x, y, out);
		shown[x] = g->digest;
	}
}

/* Move the window as little as needed to show the cursor. */
static unsigned
window(unsigned at, unsigned size, unsigned cursor, unsigned whole)
{
	if (size >= whole)
		return 0;
	if (cursor < at)
		at = cursor;
	if (cursor >= at + size)
		at = cursor - size + 1;
	return at > whole - size ? whole - size : at;
}

/* True if row y of the window may differ from the last drawing. */
static bool
row_is_due(const struct painter *p, const struct scene *s, bool moved,
    unsigned y)
{
	if (moved)
		return true;
	if (y + 1 == p->rows && (s->notice != NULL || p->noticed))
		return true;
	return p->top + y < vt_rows(s->vt) &&
	    vt_row_generation(s->vt, p->top + y) > p->generation;
}

static void
draw_rows(struct painter *p, const struct scene *s, bool moved, struct buf *out)
{
	struct line l = { .vt = s->vt, .glyphs = p->glyphs };

	for (unsigned y = 0; y < p->rows; y++) {
		if (!row_is_due(p, s, moved, y))
			continue;
		l.row = (struct vt_row){ 0 };
		if (p->top + y < vt_rows(s->vt))
			vt_screen_row(s->vt, p->top + y, &l.row);
		if (s->notice != NULL && y + 1 == p->rows)
			compose_notice(p, &l, s->notice);
		else
			compose(p, &l, y);
		compose_marks(p, &l, s, p->top + y);
		send_row(p, &l, y, out);
	}
}

/* True if the cursor is visible, with its position on the terminal. */
static bool
place_cursor(const struct painter *p, const struct scene *s,
    const struct vt_cursor *c, unsigned *x, unsigned *y)
{
	*x = s->asking ? s->ask_column : c->col - p->left;
	*y = s->asking ? p->rows - 1 : c->row - p->top;
	if (s->asking)
		return *x < p->cols;
	return c->visible && c->col >= p->left && c->row >= p->top &&
	    *x < p->cols && *y < p->rows &&
	    !(s->notice != NULL && *y + 1 == p->rows);
}

static void
draw_cursor(struct painter *p, const struct scene *s, const struct vt_cursor *c,
    struct buf *out)
{
	unsigned x, y, style = 2 + 2 * (unsigned)c->shape - c->blink;
	bool visible = place_cursor(p, s, c, &x, &y);

	if (style != p->cursor_style)
		buf_printf(out, "\033[%u q", style);
	p->cursor_style = style;
	if (visible)
		move(p, x, y, out);
	if (visible != p->cursor_visible)
		buf_puts(out, visible ? "\033[?25h" : "\033[?25l");
	p->cursor_visible = visible;
}

static void
draw_title(struct painter *p, const struct vt *vt, struct buf *out)
{
	const char *title = vt_title(vt);

	if (p->title == NULL ? *title == '\0' : strcmp(p->title, title) == 0)
		return;
	buf_printf(out, "\033]2;%s\033\\", title);
	free(p->title);
	p->title = xstrdup(title);
}

/*
 * The program's palette and default colours.  A reset colour cannot be seen in
 * the set ones, so any change resets all and sets them again.
 */
static void
draw_colours(struct painter *p, const struct vt *vt, struct buf *out)
{
	struct buf want;

	buf_init(&want, COLOURS_MAX);
	vt_put_colours(vt, &want);
	if (buf_equals(&want, &p->colours)) {
		buf_finish(&want);
		return;
	}
	if (p->colours.len > 0)
		buf_puts(out, OWN_COLOURS);
	buf_append(out, want.data, want.len);
	buf_finish(&p->colours);
	p->colours = want;
}

static void
draw_reverse(struct painter *p, const struct vt *vt, struct buf *out)
{
	if (vt_reverse_video(vt) == p->reverse)
		return;
	p->reverse = !p->reverse;
	buf_puts(out, p->reverse ? "\033[?5h" : "\033[?5l");
}

/* From an unknown state: no wrapping, blank screen. */
static void
clear(struct painter *p, struct buf *out)
{
	begin(p, out);
	buf_puts(out, "\033[?7l");
	p->brush.known = false;
	brush_plain(&p->brush, out);
	buf_puts(out, "\033[?5l\033[H\033[2J");
	if (p->colours.len > 0)
		buf_puts(out, OWN_COLOURS);
	buf_clear(&p->colours);
	p->reverse = false;
	p->cursor_style = 0;
	p->x = p->y = 0;
	memset(p->shown, 0, (size_t)p->cols * p->rows * sizeof(*p->shown));
	p->known = true;
}

void
painter_init(struct painter *p)
{
	memset(p, 0, sizeof(*p));
	buf_init(&p->colours, COLOURS_MAX);
}

void
painter_finish(struct painter *p)
{
	free(p->shown);
	free(p->glyphs);
	free(p->title);
	buf_finish(&p->colours);
	painter_init(p);
}

void
painter_resize(struct painter *p, unsigned cols, unsigned rows)
{
	p->shown = xrealloc(p->shown, (size_t)cols * rows, sizeof(*p->shown));
	p->glyphs = xrealloc(p->glyphs, cols, sizeof(*p->glyphs));
	p->cols = cols;
	p->rows = rows;
	painter_forget(p);
}

void
painter_forget(struct painter *p)
{
	p->known = false;
	painter_look_again(p);
}

void
painter_look_again(struct painter *p)
{
	p->vt_cols = 0;
}

/* Move the window; true if every row must be checked. */
static bool
aim(struct painter *p, const struct scene *s, const struct vt_cursor *c)
{
	unsigned cols = vt_cols(s->vt), rows = vt_rows(s->vt);
	unsigned left = window(p->left, p->cols, c->col, cols);
	unsigned top = window(p->top, p->rows, c->row, rows);
	bool moved = left != p->left || top != p->top || cols != p->vt_cols ||
	    rows != p->vt_rows;

	p->left = left;
	p->top = top;
	p->vt_cols = cols;
	p->vt_rows = rows;
	return moved;
}

int
painter_draw(struct painter *p, const struct scene *s, struct buf *out)
{
	struct vt_cursor c;
	bool moved;

	vt_cursor(s->vt, &c);
	moved = aim(p, s, &c);
	p->begun = false;
	if (!p->known)
		clear(p, out);
	draw_reverse(p, s->vt, out);
	draw_colours(p, s->vt, out);
	draw_rows(p, s, moved, out);
	draw_cursor(p, s, &c, out);
	draw_title(p, s->vt, out);
	if (p->begun && p->sync)
		buf_puts(out, "\033[?2026l");
	p->generation = vt_generation(s->vt);
	p->noticed = s->notice != NULL;
	if (out->full)
		painter_forget(p);
	return out->full ? -ENOBUFS : 0;
}
