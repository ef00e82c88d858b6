#include "client/pen.h"

#include <stddef.h>

#include "base/buf.h"
#include "vt/render.h"
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
		buf_puts(out, "\033[");
		vt_put_sgr(out, c, ul, SGR_SEMICOLONS);
		buf_putc(out, 'm');
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
