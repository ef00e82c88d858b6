#include "client/pen.h"

#include <stddef.h>

#include "base/buf.h"
#include "vt/vt.h"

static uint64_t
digest(uint64_t h, const char *s)
{
	for (; *s != '\0'; s++)
		h = (h ^ (uint8_t)*s) * 0x100000001b3u;
	return h * 31 + 1;
}

uint64_t
pen_link(const struct vt *vt, const struct cell *c)
{
	const char *uri;

	if (cell_extra(c) == 0)
		return 0;
	uri = vt_cell_link(vt, c);
	if (*uri == '\0')
		return 0;
	return digest(digest(0xcbf29ce484222325u, uri), vt_cell_link_id(vt, c));
}

/* base is 30 for text, 40 for what is behind it, 50 for its underline. */
static void
put_colour(struct buf *out, uint32_t c, unsigned base)
{
	unsigned v = COLOUR_VALUE(c);

	if (COLOUR_KIND(c) == COLOUR_RGB)
		buf_printf(out, ";%u;2;%u;%u;%u", base + 8, v >> 16,
		    v >> 8 & 0xff, v & 0xff);
	else if (COLOUR_KIND(c) != COLOUR_PALETTE)
		return;
	else if (base == 50 || v >= 16)
		buf_printf(out, ";%u;5;%u", base + 8, v);
	else
		buf_printf(out, ";%u", v < 8 ? base + v : base + 52 + v);
}

static void
put_sgr(struct buf *out, const struct cell *c, uint32_t underline_colour)
{
	static const struct {
		uint16_t attr;
		uint8_t code;
	} simple[] = { { ATTR_BOLD, 1 }, { ATTR_FAINT, 2 }, { ATTR_ITALIC, 3 },
		{ ATTR_BLINK, 5 }, { ATTR_INVERSE, 7 }, { ATTR_CONCEAL, 8 },
		{ ATTR_STRIKE, 9 }, { ATTR_OVERLINE, 53 } };

	buf_puts(out, "\033[0");
	for (size_t i = 0; i < sizeof(simple) / sizeof(simple[0]); i++)
		if (c->attr & simple[i].attr)
			buf_printf(out, ";%u", simple[i].code);
	if (cell_underline(c) == UNDERLINE_SINGLE)
		buf_puts(out, ";4");
	else if (cell_underline(c) != UNDERLINE_NONE)
		buf_printf(out, ";4:%u", cell_underline(c));
	put_colour(out, c->fg, 30);
	put_colour(out, c->bg, 40);
	put_colour(out, underline_colour, 50);
	buf_putc(out, 'm');
}

static void
put_link(struct pen *p, const struct vt *vt, const struct cell *c,
    struct buf *out)
{
	uint64_t link = pen_link(vt, c);
	const char *id;

	if (p->known && link == p->link)
		return;
	p->link = link;
	if (link == 0) {
		buf_puts(out, "\033]8;;\033\\");
		return;
	}
	id = vt_cell_link_id(vt, c);
	buf_printf(out, "\033]8;%s%s;%s\033\\", *id != '\0' ? "id=" : "", id,
	    vt_cell_link(vt, c));
}

void
pen_set(struct pen *p, const struct vt *vt, const struct cell *c,
    struct buf *out)
{
	uint32_t ul = vt_cell_underline_colour(vt, c);

	put_link(p, vt, c, out);
	if (!p->known || c->fg != p->now.fg || c->bg != p->now.bg ||
	    ((c->attr ^ p->now.attr) & ATTR_SGR) != 0 ||
	    ul != p->underline_colour) {
		put_sgr(out, c, ul);
		p->now = *c;
		p->underline_colour = ul;
	}
	p->known = true;
}

void
pen_plain(struct pen *p, struct buf *out)
{
	const struct cell plain = { 0 };

	if (!p->known || p->link != 0)
		buf_puts(out, "\033]8;;\033\\");
	if (!p->known || p->now.fg != 0 || p->now.bg != 0 ||
	    (p->now.attr & ATTR_SGR) != 0 || p->underline_colour != 0)
		buf_puts(out, "\033[0m");
	*p = (struct pen){ .known = true, .now = plain };
}
