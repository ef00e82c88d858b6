#include "vt/charset.h"

#include <string.h>

/* From '`' to '~'. */
/* clang-format off */
static const uint16_t line_drawing[] = {
	0x25c6, 0x2592, 0x2409, 0x240c, 0x240d, 0x240a, 0x00b0, 0x00b1,
	0x2424, 0x240b, 0x2518, 0x2510, 0x250c, 0x2514, 0x253c, 0x23ba,
	0x23bb, 0x2500, 0x23bc, 0x23bd, 0x251c, 0x2524, 0x2534, 0x252c,
	0x2502, 0x2264, 0x2265, 0x03c0, 0x2260, 0x00a3, 0x00b7,
};
/* clang-format on */

void
charsets_init(struct charsets *c)
{
	memset(c->set, 'B', sizeof(c->set));
	c->current = 0;
	c->single = 0;
}

bool
charsets_name(struct charsets *c, unsigned n, uint8_t final)
{
	if (final != 'B' && final != 'A' && final != '0')
		return false;
	c->set[n] = final;
	return true;
}

uint32_t
charsets_map(struct charsets *c, uint8_t ch)
{
	uint8_t set = c->set[c->single != 0 ? c->single : c->current];

	c->single = 0;
	if (set == '0' && ch >= '`' && ch <= '~')
		return line_drawing[ch - '`'];
	if (set == 'A' && ch == '#')
		return 0x00a3;
	return ch;
}
