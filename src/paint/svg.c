#include "paint/svg.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "paint/box.h"
#include "paint/span.h"

#define W BOX_CELL_WIDTH
#define H BOX_CELL_HEIGHT
#define MARGIN 8
#define FONT_SIZE 15
#define BASELINE 13 /* from the top of a cell */

/*
 * A row is painted in two layers, grounds and then what stands on them: a
 * glyph may be a little larger than its cell and must not be cut off by the
 * ground of the next.  All ground is therefore painted before all text.
 */
struct sheet {
	const struct vt *vt;
	struct buf *out;
	uint32_t bg;
	uint32_t cursor;
	enum cursor_shape shape;
	bool ground; /* which layer */
};

/* A stretch of ground of one colour that has not been painted yet. */
struct ground {
	uint32_t colour;
	unsigned x, width; /* columns */
};

static void
put_rect(const struct sheet *s, double x, double y, double w, double h,
    uint32_t colour)
{
	buf_printf(s->out,
	    "<rect x=\"%.8g\" y=\"%.8g\" width=\"%.8g\" height=\"%.8g\" "
	    "fill=\"#%06x\"/>\n",
	    x, y, w, h, colour);
}

static void
put_ground(const struct sheet *s, struct ground *g, unsigned y)
{
	if (g->width > 0 && g->colour != s->bg)
		put_rect(s, MARGIN + g->x * W, y, g->width * W, H, g->colour);
	g->width = 0;
}

static void
ground_row(const struct sheet *s, struct spans *spans, unsigned y)
{
	struct ground g = { 0 };
	struct span span;

	while (spans_next(spans, &span)) {
		if (g.width > 0 && g.colour == span.look.bg) {
			g.width += span.cols;
			continue;
		}
		put_ground(s, &g, y);
		g = (struct ground){ span.look.bg, span.col, span.cols };
	}
	put_ground(s, &g, y);
}

static void
put_path(const struct sheet *s, const struct buf *path, const char *how,
    uint32_t colour)
{
	if (path->len == 0)
		return;
	buf_printf(s->out, "<path %s#%06x\" d=\"", how, colour);
	buf_append(s->out, path->data, path->len);
	buf_puts(s->out, "\"/>\n");
}

static void
put_box(const struct sheet *s, const struct span *span, unsigned x, unsigned y)
{
	struct utf8 u = { 0 };
	struct box box;
	uint32_t cp;

	box_init(&box);
	for (size_t i = 0; i < span->len; i++)
		if (utf8_step(&u, (uint8_t)span->text[i], &cp) == UTF8_DONE) {
			box_add(&box, cp, x, y);
			x += W;
		}
	put_path(s, &box.fill, "fill=\"", span->look.fg);
	put_path(s, &box.line, "fill=\"none\" stroke=\"", span->look.fg);
	put_path(s, &box.shade[0], "fill-opacity=\".25\" fill=\"",
	    span->look.fg);
	put_path(s, &box.shade[1], "fill-opacity=\".5\" fill=\"",
	    span->look.fg);
	put_path(s, &box.shade[2], "fill-opacity=\".75\" fill=\"",
	    span->look.fg);
	box_finish(&box);
}

/* Blanks at both ends are not drawn: they only move the place. */
static void
trim(const char **p, size_t *len, unsigned *x, unsigned *cols)
{
	while (*len > 0 && **p == ' ') {
		(*p)++;
		(*len)--;
		*x += W;
		(*cols)--;
	}
	while (*len > 0 && (*p)[*len - 1] == ' ') {
		(*len)--;
		(*cols)--;
	}
}

static void
put_text(const struct sheet *s, const struct span *span, unsigned x, unsigned y)
{
	const struct look *l = &span->look;
	const char *p = span->text;
	unsigned cols = span->cols;
	size_t len = span->len;

	trim(&p, &len, &x, &cols);
	if (len == 0)
		return;
	buf_printf(s->out,
	    "<text x=\"%u\" y=\"%u\" textLength=\"%u\" "
	    "lengthAdjust=\"spacingAndGlyphs\" fill=\"#%06x\"",
	    x, y + BASELINE, cols * W, l->fg);
	if (l->bold)
		buf_puts(s->out, " font-weight=\"bold\"");
	if (l->italic)
		buf_puts(s->out, " font-style=\"italic\"");
	buf_puts(s->out, ">");
	paint_escape(s->out, p, len);
	buf_puts(s->out, "</text>\n");
}

static void
put_line(const struct sheet *s, unsigned x, double y, unsigned width,
    uint32_t colour, const char *dashes)
{
	buf_printf(s->out,
	    "<path fill=\"none\" stroke=\"#%06x\"%s "
	    "d=\"M%u %.8gh%u\"/>\n",
	    colour, dashes, x, y, width);
}

/* A wave of one period a column. */
static void
put_wave(const struct sheet *s, unsigned x, double y, unsigned cols,
    uint32_t colour)
{
	buf_printf(s->out, "<path fill=\"none\" stroke=\"#%06x\" d=\"M%u %.8g",
	    colour, x, y);
	for (unsigned i = 0; i < cols; i++)
		buf_printf(s->out, "q%.8g -3 %.8g 0t%.8g 0", W / 4.0, W / 2.0,
		    W / 2.0);
	buf_puts(s->out, "\"/>\n");
}

static void
put_underline(const struct sheet *s, const struct span *span, unsigned x,
    unsigned y)
{
	unsigned width = span->cols * W;
	uint32_t colour = span->look.line;

	switch (span->look.underline) {
	case UNDERLINE_NONE:
		break;
	case UNDERLINE_SINGLE:
		put_line(s, x, y + 14.5, width, colour, "");
		break;
	case UNDERLINE_DOUBLE:
		put_line(s, x, y + 14.5, width, colour, "");
		put_line(s, x, y + 16.5, width, colour, "");
		break;
	case UNDERLINE_CURLY:
		put_wave(s, x, y + 15, span->cols, colour);
		break;
	case UNDERLINE_DOTTED:
		put_line(s, x, y + 14.5, width, colour,
		    " stroke-dasharray=\"1 2\"");
		break;
	case UNDERLINE_DASHED:
		put_line(s, x, y + 14.5, width, colour,
		    " stroke-dasharray=\"6 3\"");
		break;
	}
}

static void
put_cursor(const struct sheet *s, const struct span *span, unsigned x,
    unsigned y)
{
	if (s->shape == CURSOR_BAR)
		put_rect(s, x, y, 2, H, s->cursor);
	else if (s->shape == CURSOR_UNDERLINE)
		put_rect(s, x, y + H - 2, span->cols * W, 2, s->cursor);
}

static void
put_span(const struct sheet *s, const struct span *span, unsigned y)
{
	const struct look *l = &span->look;
	unsigned x = MARGIN + span->col * W;

	if (span->kind == SPAN_BOX)
		put_box(s, span, x, y);
	else
		put_text(s, span, x, y);
	put_underline(s, span, x, y);
	if (l->strike)
		put_line(s, x, y + 8.5, span->cols * W, l->fg, "");
	if (l->overline)
		put_line(s, x, y + .5, span->cols * W, l->fg, "");
}

static void
open_link(const struct sheet *s, const char *link)
{
	if (paint_link_is_safe(link)) {
		buf_puts(s->out, "<a rel=\"noopener noreferrer\" href=\"");
		paint_escape(s->out, link, strlen(link));
		buf_puts(s->out, "\">");
	} else {
		buf_puts(s->out, "<g><title>");
		paint_escape(s->out, link, strlen(link));
		buf_puts(s->out, "</title>");
	}
}

static void
text_row(const struct sheet *s, struct spans *spans, unsigned y)
{
	struct span span;

	while (!s->out->full && spans_next(spans, &span)) {
		const char *link = span.look.link;

		if (link[0] != '\0')
			open_link(s, link);
		if (span.look.blink)
			buf_puts(s->out, "<g class=\"l\">");
		if (!span.look.conceal)
			put_span(s, &span, y);
		if (span.look.blink)
			buf_puts(s->out, "</g>\n");
		if (link[0] != '\0')
			buf_puts(s->out,
			    paint_link_is_safe(link) ? "</a>\n" : "</g>\n");
		if (span.cursor)
			put_cursor(s, &span, MARGIN + span.col * W, y);
	}
}

static void
put_row(const struct sheet *s, const struct vt_row *row, int y, unsigned n)
{
	struct spans spans;

	spans_begin(&spans, s->vt, row, y);
	if (s->ground)
		ground_row(s, &spans, MARGIN + n * H);
	else
		text_row(s, &spans, MARGIN + n * H);
	spans_end(&spans);
}

static void
put_rows(const struct sheet *s, unsigned flags)
{
	struct vt_history_iter *it;
	struct vt_row row;
	unsigned n = 0;

	if (flags & PAINT_SCROLLBACK) {
		it = vt_history_begin(s->vt);
		while (!s->out->full && vt_history_next(it, &row))
			put_row(s, &row, -1, n++);
		vt_history_end(it);
	}
	for (unsigned y = 0; !s->out->full && y < vt_rows(s->vt); y++) {
		vt_screen_row(s->vt, y, &row);
		put_row(s, &row, (int)y, n++);
	}
}

static unsigned
count_rows(const struct vt *vt, unsigned flags)
{
	unsigned n = vt_rows(vt);
	struct vt_history_iter *it;
	struct vt_row row;

	if (flags & PAINT_SCROLLBACK) {
		it = vt_history_begin(vt);
		while (vt_history_next(it, &row))
			n++;
		vt_history_end(it);
	}
	return n;
}

static void
put_head(const struct sheet *s, unsigned rows)
{
	unsigned w = vt_cols(s->vt) * W + 2 * MARGIN, h = rows * H + 2 * MARGIN;
	const char *title = vt_title(s->vt);

	if (title[0] == '\0')
		title = "terminal";
	buf_printf(s->out,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" "
	    "width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" "
	    "xml:space=\"preserve\" font-size=\"%d\" "
	    "font-family=\"'DejaVu Sans Mono',Menlo,Consolas,"
	    "'Liberation Mono',monospace\">\n<title>",
	    w, h, w, h, FONT_SIZE);
	paint_escape(s->out, title, strlen(title));
	buf_puts(s->out,
	    "</title>\n<style>\n"
	    "text{white-space:pre;direction:ltr;unicode-bidi:bidi-override;"
	    "font-variant-ligatures:none}\n"
	    "@keyframes l{50%{opacity:0}}\n"
	    ".l{animation:l 1s steps(1) infinite}\n</style>\n");
	put_rect(s, 0, 0, w, h, s->bg);
}

int
paint_svg(const struct vt *vt, unsigned flags, struct buf *out)
{
	struct vt_cursor cursor;
	struct sheet s = {
		.vt = vt,
		.out = out,
		.bg = paint_background(vt),
		.cursor = vt_colour(vt, COLOUR_DEFAULT, VT_CURSOR_COLOUR),
	};

	vt_cursor(vt, &cursor);
	s.shape = cursor.shape;
	put_head(&s, count_rows(vt, flags));
	buf_puts(out, "<g shape-rendering=\"crispEdges\">\n");
	s.ground = true;
	put_rows(&s, flags);
	buf_puts(out, "</g>\n");
	s.ground = false;
	put_rows(&s, flags);
	buf_puts(out, "</svg>\n");
	return out->full ? -ENOBUFS : 0;
}
