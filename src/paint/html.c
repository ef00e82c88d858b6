#include "paint/html.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "paint/span.h"

/*
 * Every stretch that is more than plain text is a box of as many `ch` as it
 * has columns: columns then stay in line whatever fonts the reader has, and
 * the ground fills the row's whole height.  Strike and overline are drawn by
 * an element of their own inside, since one element has only one style and
 * colour of lines, and the underline has taken it.
 */
/* clang-format off */
static const char stylesheet[] =
    "body{margin:0;padding:8px}\n"
    "pre{margin:0;font:15px/17px 'DejaVu Sans Mono',Menlo,Consolas,"
    "'Liberation Mono',monospace;font-variant-ligatures:none}\n"
    "pre,pre *{direction:ltr;unicode-bidi:bidi-override;white-space:pre}\n"
    "span{display:inline-block;height:17px;vertical-align:top}\n"
    ".w{text-align:center}\n"
    "a{color:inherit;text-decoration:none}\n"
    "a:hover{text-decoration:underline}\n"
    ".b{font-weight:bold}\n"
    ".i{font-style:italic}\n"
    ".h,.h *{color:transparent!important;"
    "text-decoration-color:transparent!important}\n"
    ".u1,.u2,.u3,.u4,.u5{text-decoration:underline;"
    "text-decoration-skip-ink:none}\n"
    ".u2{text-decoration-style:double}\n"
    ".u3{text-decoration-style:wavy}\n"
    ".u4{text-decoration-style:dotted}\n"
    ".u5{text-decoration-style:dashed}\n"
    "s{text-decoration:none}\n"
    ".k{text-decoration:line-through}\n"
    ".o{text-decoration:overline}\n"
    ".k.o{text-decoration:line-through overline}\n"
    "@keyframes l{50%{opacity:0}}\n"
    ".l{animation:l 1s steps(1) infinite}\n";
/* clang-format on */

/* The part that is the same on every page. */
struct page {
	const struct vt *vt;
	struct buf *out;
	uint32_t fg, bg;
	uint32_t cursor;
	enum cursor_shape shape;
};

static bool
is_plain(const struct page *p, const struct span *s)
{
	const struct look *l = &s->look;

	return s->kind == SPAN_TEXT && !s->cursor && l->fg == p->fg &&
	    l->bg == p->bg && l->underline == UNDERLINE_NONE && !l->bold &&
	    !l->italic && !l->blink && !l->conceal && !l->strike &&
	    !l->overline && l->link[0] == '\0';
}

static void
put_classes(const struct page *p, const struct span *s)
{
	const struct look *l = &s->look;
	bool wide = s->kind == SPAN_ALONE && s->cols == 2;
	char names[32], line[16] = "";

	if (l->underline != UNDERLINE_NONE)
		snprintf(line, sizeof(line), " u%u", (unsigned)l->underline);
	snprintf(names, sizeof(names), "%s%s%s%s%s%s", wide ? " w" : "",
	    l->bold ? " b" : "", l->italic ? " i" : "", l->conceal ? " h" : "",
	    l->blink ? " l" : "", line);
	if (names[0] != '\0')
		buf_printf(p->out, " class=\"%s\"", names + 1);
}

static void
put_style(const struct page *p, const struct span *s)
{
	const struct look *l = &s->look;

	buf_printf(p->out, " style=\"width:%uch", s->cols);
	if (l->fg != p->fg)
		buf_printf(p->out, ";color:#%06x", l->fg);
	if (l->bg != p->bg)
		buf_printf(p->out, ";background:#%06x", l->bg);
	if (l->underline != UNDERLINE_NONE && l->line != l->fg)
		buf_printf(p->out, ";text-decoration-color:#%06x", l->line);
	if (s->cursor && p->shape != CURSOR_BLOCK)
		buf_printf(p->out, ";box-shadow:inset %s #%06x",
		    p->shape == CURSOR_BAR ? "2px 0" : "0 -2px", p->cursor);
	buf_puts(p->out, "\"");
}

/* The class for lines through and above the text, or NULL. */
static const char *
line_class(const struct look *l)
{
	if (l->strike && l->overline)
		return "k o";
	if (l->strike)
		return "k";
	return l->overline ? "o" : NULL;
}

static void
put_text(const struct page *p, const struct span *s)
{
	const char *names = line_class(&s->look);

	if (names != NULL)
		buf_printf(p->out, "<s class=\"%s\">", names);
	paint_escape(p->out, s->text, s->len);
	if (names != NULL)
		buf_puts(p->out, "</s>");
}

static void
put_linked_text(const struct page *p, const struct span *s)
{
	const char *link = s->look.link;

	if (link[0] == '\0' || !paint_link_is_safe(link)) {
		put_text(p, s);
		return;
	}
	buf_puts(p->out, "<a rel=\"noopener noreferrer\" href=\"");
	paint_escape(p->out, link, strlen(link));
	buf_puts(p->out, "\">");
	put_text(p, s);
	buf_puts(p->out, "</a>");
}

static void
put_span(const struct page *p, const struct span *s)
{
	const char *link = s->look.link;

	if (is_plain(p, s)) {
		paint_escape(p->out, s->text, s->len);
		return;
	}
	buf_puts(p->out, "<span");
	if (s->cursor)
		buf_puts(p->out, " id=\"cursor\"");
	put_classes(p, s);
	put_style(p, s);
	if (link[0] != '\0' && !paint_link_is_safe(link)) {
		buf_puts(p->out, " title=\"");
		paint_escape(p->out, link, strlen(link));
		buf_puts(p->out, "\"");
	}
	buf_puts(p->out, ">");
	put_linked_text(p, s);
	buf_puts(p->out, "</span>");
}

static void
put_row(const struct page *p, const struct vt_row *row, int y)
{
	struct spans spans;
	struct span s;

	spans_begin(&spans, p->vt, row, y);
	while (!p->out->full && spans_next(&spans, &s))
		put_span(p, &s);
	spans_end(&spans);
	buf_puts(p->out, "\n");
}

/* A newline right after <pre> is not part of the text, so one is given. */
static void
put_scrollback(const struct page *p)
{
	struct vt_history_iter *it = vt_history_begin(p->vt);
	struct vt_row row;

	buf_puts(p->out, "<pre id=\"scrollback\">\n");
	while (!p->out->full && vt_history_next(it, &row))
		put_row(p, &row, -1);
	vt_history_end(it);
	buf_puts(p->out, "</pre>\n");
}

static void
put_screen(const struct page *p)
{
	struct vt_row row;

	buf_printf(p->out, "<pre id=\"screen\" style=\"width:%uch\">\n",
	    vt_cols(p->vt));
	for (unsigned y = 0; !p->out->full && y < vt_rows(p->vt); y++) {
		vt_screen_row(p->vt, y, &row);
		put_row(p, &row, (int)y);
	}
	buf_puts(p->out, "</pre>\n");
}

static void
put_head(const struct page *p)
{
	const char *title = vt_title(p->vt);

	if (title[0] == '\0')
		title = "terminal";
	buf_puts(p->out,
	    "<!doctype html>\n<html>\n<head>\n"
	    "<meta charset=\"utf-8\">\n"
	    "<meta http-equiv=\"Content-Security-Policy\" content=\""
	    "default-src 'none'; style-src 'unsafe-inline'; "
	    "base-uri 'none'; form-action 'none'\">\n"
	    "<meta name=\"viewport\" content=\"width=device-width\">\n"
	    "<title>");
	paint_escape(p->out, title, strlen(title));
	buf_puts(p->out, "</title>\n<style>\n");
	buf_puts(p->out, stylesheet);
	buf_printf(p->out, "body{color:#%06x;background:#%06x}\n", p->fg,
	    p->bg);
	buf_puts(p->out, "</style>\n</head>\n<body>\n");
}

int
paint_html(const struct vt *vt, unsigned flags, struct buf *out)
{
	struct vt_cursor cursor;
	struct page p = {
		.vt = vt,
		.out = out,
		.fg = paint_foreground(vt),
		.bg = paint_background(vt),
		.cursor = vt_colour(vt, COLOUR_DEFAULT, VT_CURSOR_COLOUR),
	};

	vt_cursor(vt, &cursor);
	p.shape = cursor.shape;
	put_head(&p);
	if (flags & PAINT_SCROLLBACK)
		put_scrollback(&p);
	put_screen(&p);
	buf_puts(out, "</body>\n</html>\n");
	return out->full ? -ENOBUFS : 0;
}
