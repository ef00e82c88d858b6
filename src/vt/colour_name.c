#include "vt/colour_name.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/hex.h"

#define NAME_MAX_LEN 20

/* Arrays instead of pointers, which every process would have to relocate. */
static const struct named {
	char name[NAME_MAX_LEN + 1];
	uint32_t rgb;
} table[] = {
#define COLOUR(name, rgb) { name, rgb },
#include "vt/colour_names.def"
#undef COLOUR
};

/*
 * One to four hex digits as 0..255; -1 if invalid.  In rgb: they are a
 * fraction of their largest value, after # the most significant bits.
 */
static int
hex_channel(const char *p, size_t len, bool fraction)
{
	unsigned value = 0, max = 0;

	if (len < 1 || len > 4)
		return -1;
	for (size_t i = 0; i < len; i++) {
		int d = hex_digit(p[i]);
		if (d < 0)
			return -1;
		value = value << 4 | (unsigned)d;
		max = max << 4 | 15;
	}
	if (fraction)
		return (int)((value * 255 + max / 2) / max);
	return (int)(value << 12 >> (4 * len - 4) >> 8);
}

/* One channel as 0..255, or -1. */
typedef int channel_fn(const char *p, size_t len, bool fraction);

/* Three channels, with slashes between them. */
static bool
parse_three(const char *p, size_t len, channel_fn *channel, uint32_t *out)
{
	uint32_t colour = 0;

	for (int i = 0; i < 3; i++) {
		const char *slash = i < 2 ? memchr(p, '/', len) : p + len;
		if (slash == NULL)
			return false;
		int v = channel(p, (size_t)(slash - p), true);
		if (v < 0)
			return false;
		colour = colour << 8 | (uint32_t)v;
		len -= (size_t)(slash - p) + (i < 2);
		p = slash + (i < 2);
	}
	*out = colour;
	return true;
}

/* #rgb, #rrggbb, #rrrgggbbb, #rrrrggggbbbb. */
static bool
parse_hash(const char *p, size_t len, uint32_t *out)
{
	size_t each = len / 3;
	uint32_t colour = 0;

	if (len % 3 != 0 || each < 1 || each > 4)
		return false;
	for (int i = 0; i < 3; i++) {
		int v = hex_channel(p + (size_t)i * each, each, false);
		if (v < 0)
			return false;
		colour = colour << 8 | (uint32_t)v;
	}
	*out = colour;
	return true;
}

/* A decimal number from 0 to 1, without an exponent; negative if invalid. */
static double
intensity(const char *p, size_t len)
{
	double value = 0, unit = 1;
	bool fraction = false;

	for (size_t i = 0; i < len; i++) {
		if (p[i] == '.' && !fraction) {
			fraction = true;
		} else if (p[i] >= '0' && p[i] <= '9') {
			unit = fraction ? unit / 10 : unit;
			value = fraction ? value + unit * (p[i] - '0') :
					   value * 10 + (p[i] - '0');
		} else {
			return -1;
		}
	}
	return len > 0 && value <= 1 ? value : -1;
}

/*
 * The twelfth root of a number above 0 and at most 1, by Newton's method.
 * pow(3) would load a library into every process, for one kind of colour.
 */
static double
root_12(double x)
{
	double y = 1;

	for (int i = 0; i < 64; i++) {
		double y2 = y * y, y4 = y2 * y2, y11 = y4 * y4 * y2 * y;

		y -= (y11 * y - x) / (12 * y11);
	}
	return y;
}

/* The intensity of one channel, encoded as sRGB. */
static int
light_channel(const char *p, size_t len, bool fraction)
{
	double v = intensity(p, len);

	(void)fraction;
	if (v < 0)
		return -1;
	v = v <= 0.0031308 ? 12.92 * v :
			     1.055 * root_12(v * v * v * v * v) - 0.055;
	return (int)(v * 255 + 0.5);
}

static int
compare(const void *key, const void *entry)
{
	return strcmp(key, ((const struct named *)entry)->name);
}

/* A name in the table's spelling, cut if it is too long for any. */
static void
spell(const char *p, size_t len, char name[NAME_MAX_LEN + 2])
{
	size_t n = 0;

	for (size_t i = 0; i < len && n <= NAME_MAX_LEN; i++)
		if (p[i] != ' ')
			name[n++] = (char)(p[i] >= 'A' && p[i] <= 'Z' ?
				p[i] - 'A' + 'a' :
				p[i]);
	name[n] = '\0';
	char *grey = strstr(name, "grey");
	if (grey != NULL)
		grey[2] = 'a';
}

static bool
parse_name(const char *p, size_t len, uint32_t *out)
{
	char name[NAME_MAX_LEN + 2];
	const struct named *found;

	spell(p, len, name);
	found = bsearch(name, table, sizeof(table) / sizeof(table[0]),
	    sizeof(table[0]), compare);
	if (found == NULL)
		return false;
	*out = found->rgb;
	return true;
}

bool
colour_name_parse(const char *p, size_t len, uint32_t *out)
{
	if (len > 4 && strncasecmp(p, "rgb:", 4) == 0)
		return parse_three(p + 4, len - 4, hex_channel, out);
	if (len > 5 && strncasecmp(p, "rgbi:", 5) == 0)
		return parse_three(p + 5, len - 5, light_channel, out);
	if (len > 1 && p[0] == '#')
		return parse_hash(p + 1, len - 1, out);
	return parse_name(p, len, out);
}
