#include "client/brush.h"

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
brush_link(const struct vt *vt, const struct cell *c)
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
put_link(struct brush *b, const struct vt *vt, const struct cell *c,
    struct buf *out)
{
	uint64_t link = brush_link(vt, c);
	const char *id;

	if (b->known && link == b->link)
		return;
	b->link = link;
	if (link == 0) {
		buf_puts(out, "\033]8;;\033\\");
		return;
	}
	id = vt_cell_link_id(vt, c);
	buf_printf(out, "\033]8;%s%s;%s\033\\", *id != '\0' ? "id=" : "", id,
	    vt_cell_link(vt, c));
}

void
brush_set(struct brush *b, const struct vt *vt, const struct cell *c,
    struct buf *out)
{
	uint32_t ul = vt_cell_underline_colour(vt, c);

	put_link(b, vt, c, out);
	if (!b->known || c->fg != b->now.fg || c->bg != b->now.bg ||
	    ((c->attr ^ b->now.attr) & ATTR_SGR) != 0 ||
	    ul != b->underline_colour) {
		buf_puts(out, "\033[");
		vt_put_sgr(out, c, ul, SGR_SEMICOLONS);
		buf_putc(out, 'm');
		b->now = *c;
		b->underline_colour = ul;
	}
	b->known = true;
}

void
brush_plain(struct brush *b, struct buf *out)
{
	const struct cell plain = { 0 };

	if (!b->known || b->link != 0)
		buf_puts(out, "\033]8;;\033\\");
	if (!b->known || b->now.fg != 0 || b->now.bg != 0 ||
	    (b->now.attr & ATTR_SGR) != 0 || b->underline_colour != 0)
		buf_puts(out, "\033[0m");
	*b = (struct brush){ .known = true, .now = plain };
}
