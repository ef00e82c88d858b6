/* The palette, and the default colours. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "vt/state.h"
#include "vt/vt.h"

/* clang-format off */
static const uint32_t first_sixteen[16] = {
	0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd,
	0xe5e5e5, 0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff,
	0x00ffff, 0xffffff,
};
/* clang-format on */

/* xterm's 256: sixteen named, a cube of 6 x 6 x 6, 24 greys. */
static uint32_t
standard(unsigned i)
{
	static const uint8_t level[6] = { 0, 95, 135, 175, 215, 255 };

	if (i < 16)
		return first_sixteen[i];
	if (i >= 232)
		return (8 + 10 * (i - 232)) * 0x010101u;
	i -= 16;
	return (uint32_t)level[i / 36] << 16 | (uint32_t)level[i / 6 % 6] << 8 |
	    level[i % 6];
}

void
colours_init(struct colours *c)
{
	memset(c, 0, sizeof(*c));
	c->own[VT_FOREGROUND] = 0xffffff;
	c->own[VT_BACKGROUND] = 0x000000;
	c->own[VT_CURSOR_COLOUR] = 0xffffff;
}

void
colours_finish(struct colours *c)
{
	free(c->palette);
	c->palette = NULL;
}

void
colours_reset(struct colours *c)
{
	colours_finish(c);
	memset(c->is_set, 0, sizeof(c->is_set));
	memset(c->special_is_set, 0, sizeof(c->special_is_set));
}

uint32_t
colours_palette(const struct colours *c, unsigned i)
{
	return c->palette != NULL ? c->palette[i] : standard(i);
}

void
colours_set_palette(struct colours *c, unsigned i, uint32_t rgb)
{
	if (c->palette == NULL) {
		c->palette = xcalloc(PALETTE_SIZE, sizeof(*c->palette));
		for (unsigned n = 0; n < PALETTE_SIZE; n++)
			c->palette[n] = standard(n);
	}
	c->palette[i] = rgb;
}

uint32_t
colours_role(const struct colours *c, enum vt_colour_role role)
{
	return c->is_set[role] ? c->set[role] : c->own[role];
}

uint32_t
colours_special(const struct colours *c, unsigned i)
{
	return c->special_is_set[i] ? c->special[i] :
				      colours_role(c, VT_FOREGROUND);
}

bool
colours_dark(const struct colours *c)
{
	uint32_t bg = colours_role(c, VT_BACKGROUND);
	unsigned r = bg >> 16, g = bg >> 8 & 0xff, b = bg & 0xff;

	return 299 * r + 587 * g + 114 * b < 128 * 1000;
}

uint32_t
vt_colour(const struct vt *vt, uint32_t colour, enum vt_colour_role role)
{
	switch (COLOUR_KIND(colour)) {
	case COLOUR_PALETTE:
		return colours_palette(&vt->colours, COLOUR_VALUE(colour));
	case COLOUR_RGB:
		return COLOUR_VALUE(colour);
	}
	return colours_role(&vt->colours, role);
}

void
vt_set_default_colours(struct vt *vt, uint32_t fg, uint32_t bg)
{
	bool was_dark = colours_dark(&vt->colours);

	vt->colours.own[VT_FOREGROUND] = fg & 0xffffff;
	vt->colours.own[VT_CURSOR_COLOUR] = fg & 0xffffff;
	vt->colours.own[VT_BACKGROUND] = bg & 0xffffff;
	vt->now++;
	vt_touch(vt);
	if (!vt_in_sync(vt))
		vt_publish(vt);
	if (vt_mode(vt, MODE_SCHEME) && colours_dark(&vt->colours) != was_dark)
		vt_reply(vt, "\033[?997;%dn", was_dark ? 2 : 1);
}
