#ifndef TEND_BASE_HEX_H
#define TEND_BASE_HEX_H

#include <stdbool.h>
#include <stdint.h>

/* The value of a hexadecimal digit of either case, or -1. */
static inline int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/*
 * The byte that two digits stand for, in lower case as we write them; -1 when
 * they are none.
 */
static inline int
hex_byte(const char p[2])
{
	int high = hex_digit(p[0]), low = hex_digit(p[1]);
	bool upper = (p[0] >= 'A' && p[0] <= 'F') ||
	    (p[1] >= 'A' && p[1] <= 'F');

	return high < 0 || low < 0 || upper ? -1 : high << 4 | low;
}

/* Exactly six digits, rrggbb; *out is untouched when it is something else. */
static inline bool
hex_colour(const char *s, uint32_t *out)
{
	uint32_t colour = 0;
	unsigned digits = 0;

	for (; hex_digit(*s) >= 0; s++, digits++)
		colour = colour << 4 | (uint32_t)hex_digit(*s);
	if (digits != 6 || *s != '\0')
		return false;
	*out = colour;
	return true;
}

#endif
