#include "paint/span.h"

#include <string.h>
#include <strings.h>

#include "base/utf8.h"

static const struct cell blank;

static uint32_t
default_colour(const struct vt *vt, enum vt_colour_role role)
{
	if (vt_reverse_video(vt))
		role = role == VT_FOREGROUND ? VT_BACKGROUND : VT_FOREGROUND;
	return vt_colour(vt, COLOUR_DEFAULT, role);
}

uint32_t
paint_foreground(const struct vt *vt)
{
	return default_colour(vt, VT_FOREGROUND);
}

uint32_t
paint_background(const struct vt *vt)
{
	return default_colour(vt, VT_BACKGROUND);
}

static uint32_t
colour(const struct vt *vt, uint32_t c, enum vt_colour_role role)
{
	if (COLOUR_KIND(c) == COLOUR_DEFAULT)
		return default_colour(vt, role);
	return vt_colour(vt, c, role);
}

/* Half of each, which is how faint text is drawn. */
static uint32_t
mix(uint32_t a, uint32_t b)
{
	return ((a >> 1) & 0x7f7f7f) + ((b >> 1) & 0x7f7f7f) +
	    (a & b & 0x010101);
}

static void
swap(uint32_t *a, uint32_t *b)
{
	uint32_t was = *a;

	*a = *b;
	*b = was;
}

/* A block cursor takes the cell's place; one that would not show inverts. */
static void
put_under_cursor(const struct vt *vt, struct look *l)
{
	uint32_t c = vt_colour(vt, COLOUR_DEFAULT, VT_CURSOR_COLOUR);

	if (c == l->bg) {
		swap(&l->fg, &l->bg);
	} else {
		l->fg = l->bg;
		l->bg = c;
	}
}

static void
look_of(const struct vt *vt, const struct cell *c, struct look *l)
{
	uint32_t line = vt_cell_underline_colour(vt, c);

	*l = (struct look){
		.fg = colour(vt, c->fg, VT_FOREGROUND),
		.bg = colour(vt, c->bg, VT_BACKGROUND),
		.underline = cell_underline(c),
		.bold = c->attr & ATTR_BOLD,
		.italic = c->attr & ATTR_ITALIC,
		.blink = c->attr & ATTR_BLINK,
		.conceal = c->attr & ATTR_CONCEAL,
		.strike = c->attr & ATTR_STRIKE,
		.overline = c->attr & ATTR_OVERLINE,
		.link = vt_cell_link(vt, c),
	};
	if (c->attr & ATTR_INVERSE)
		swap(&l->fg, &l->bg);
	if (c->attr & ATTR_FAINT)
		l->fg = mix(l->fg, l->bg);
	l->line = l->fg;
	if (COLOUR_KIND(line) != COLOUR_DEFAULT)
		l->line = vt_colour(vt, line, VT_FOREGROUND);
}

static const struct cell *
cell_at(const struct spans *s, unsigned x)
{
	return x < s->row.used ? &s->row.cells[x] : &blank;
}

static bool
shows_nothing(const struct cell *c)
{
	const uint32_t seen = ATTR_INVERSE | ATTR_UNDERLINE | ATTR_STRIKE |
	    ATTR_OVERLINE | ATTR_KIND;

	return (c->ch == 0 || c->ch == ' ') && c->bg == COLOUR_DEFAULT &&
	    (c->attr & seen) == 0;
}

void
spans_begin(struct spans *s, const struct vt *vt, const struct vt_row *row,
    int y)
{
	*s = (struct spans){ .vt = vt, .row = *row, .end = row->used };
	vt_cursor(vt, &s->cursor);
	if (y != s->cursor.row)
		s->cursor.visible = false;
	while (s->end > 0 && shows_nothing(&row->cells[s->end - 1]))
		s->end--;
	if (s->cursor.visible && s->cursor.col > 0 &&
	    cell_kind(cell_at(s, s->cursor.col)) == CELL_TAIL)
		s->cursor.col--;
	if (s->cursor.visible && s->end <= s->cursor.col)
		s->end = s->cursor.col + 1;
	buf_init(&s->text, (size_t)VT_COLS_MAX * VT_TEXT_MAX);
}

void
spans_end(struct spans *s)
{
	buf_finish(&s->text);
}

static bool
is_cursor(const struct spans *s, unsigned x)
{
	return s->cursor.visible && s->cursor.col == x;
}

static enum span_kind
kind_of(const struct cell *c)
{
	if (c->ch >= 0x2500 && c->ch <= 0x259F && cell_kind(c) == CELL_NARROW)
		return SPAN_BOX;
	if (cell_kind(c) == CELL_WIDE || (c->ch & CELL_CLUSTER) ||
	    (c->ch >= 0x7F && c->ch < 0xA1) || c->ch == 0xAD || c->ch > 0x17F)
		return SPAN_ALONE;
	return SPAN_TEXT;
}

/* True if the cell at x may stand in the span that begins with `first`. */
static bool
joins(const struct spans *s, unsigned x, const struct cell *first,
    enum span_kind kind)
{
	const struct cell *c = cell_at(s, x);

	return x < s->end && kind != SPAN_ALONE && kind_of(c) == kind &&
	    !is_cursor(s, x) && cell_same_style(c, first);
}

static void
add_text(struct spans *s, unsigned x)
{
	char text[VT_TEXT_MAX];
	size_t len = x < s->row.used ? vt_cell_text(&s->row, x, text) : 0;

	if (len == 0)
		buf_putc(&s->text, ' ');
	else
		buf_append(&s->text, text, len);
}

bool
spans_next(struct spans *s, struct span *out)
{
	const struct cell *first = cell_at(s, s->at);
	unsigned x = s->at;

	if (x >= s->end)
		return false;
	*out = (struct span){ .kind = kind_of(first), .col = x };
	out->cursor = is_cursor(s, x);
	look_of(s->vt, first, &out->look);
	if (out->cursor && s->cursor.shape == CURSOR_BLOCK)
		put_under_cursor(s->vt, &out->look);
	buf_clear(&s->text);
	add_text(s, x++);
	if (cell_kind(first) == CELL_WIDE)
		x++;
	while (!out->cursor && joins(s, x, first, out->kind))
		add_text(s, x++);
	out->cols = x - s->at;
	out->text = (const char *)s->text.data;
	out->len = s->text.len;
	s->at = x;
	return true;
}

bool
paint_link_is_safe(const char *uri)
{
	static const char *const safe[] = { "http://", "https://", "ftp://",
		"mailto:" };

	for (size_t i = 0; i < sizeof(safe) / sizeof(*safe); i++)
		if (strncasecmp(uri, safe[i], strlen(safe[i])) == 0)
			return true;
	return false;
}

static void
escape_char(struct buf *out, uint32_t cp)
{
	char utf8[4];

	switch (cp) {
	case '&':
		buf_puts(out, "&amp;");
		break;
	case '<':
		buf_puts(out, "&lt;");
		break;
	case '>':
		buf_puts(out, "&gt;");
		break;
	case '"':
		buf_puts(out, "&quot;");
		break;
	case '\'':
		buf_puts(out, "&#39;");
		break;
	default:
		if (cp < 0x20 || (cp >= 0x7F && cp < 0xA0) ||
		    (cp & 0xFFFE) == 0xFFFE)
			cp = UTF8_REPLACEMENT;
		buf_append(out, utf8, utf8_encode(utf8, cp));
	}
}

void
paint_escape(struct buf *out, const char *p, size_t len)
{
	struct utf8 u = { 0 };
	uint32_t cp;

	for (size_t i = 0; i < len; i++) {
		enum utf8_step step = utf8_step(&u, (uint8_t)p[i], &cp);

		if (step != UTF8_MORE)
			escape_char(out, cp);
		if (step == UTF8_BAD_AGAIN)
			i--;
	}
	if (u.need > 0)
		escape_char(out, UTF8_REPLACEMENT);
}
