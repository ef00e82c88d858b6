#ifndef TEND_VT_CELL_H
#define TEND_VT_CELL_H

#include <stdbool.h>
#include <stdint.h>

/*
 * One cell of the grid: its character and style, in 16 bytes.  The all-zero
 * cell is a blank that was never written or was erased with the default
 * background, so clearing is memset(3) and a fresh screen is calloc(3).
 *
 * A cell without a character has at most a background, as erasing leaves it,
 * and no attributes.
 *
 * Styles are not interned: a pen is four words copied with the character, so a
 * change of colour costs nothing and there is no table to fill up.  Only rare
 * values are behind an index: clusters of several code points (clusters.h),
 * and pairs of underline colour and hyperlink (extras.h).
 */
struct cell {
	uint32_t ch; /* 0, a code point, or CELL_CLUSTER | cluster id */
	uint32_t fg; /* a colour, below */
	uint32_t bg;
	uint32_t attr; /* enum attr, the kind, and the extra's id on top */
};

#define CELL_CLUSTER 0x80000000u

/* A colour is its kind in the top byte and its value below it. */
#define COLOUR_DEFAULT 0u
#define COLOUR_PALETTE (1u << 24) /* | 0..255 */
#define COLOUR_RGB (2u << 24)     /* | 0xrrggbb */
#define COLOUR_KIND(c) ((c)&0xff000000u)
#define COLOUR_VALUE(c) ((c)&0x00ffffffu)

enum attr {
	ATTR_BOLD = 1 << 0,
	ATTR_FAINT = 1 << 1,
	ATTR_ITALIC = 1 << 2,
	ATTR_INVERSE = 1 << 3,
	ATTR_UNDERLINE = 7 << 4, /* enum underline, shifted by 4 */
	ATTR_BLINK = 1 << 7,
	ATTR_CONCEAL = 1 << 8,
	ATTR_STRIKE = 1 << 9,
	ATTR_OVERLINE = 1 << 10,
	ATTR_PROTECTED = 1 << 11, /* DECSCA: spared by DECSED and DECSEL */

	ATTR_KIND = 3 << 12, /* enum cell_kind, shifted by 12 */

	/* The style set by SGR. */
	ATTR_SGR = ATTR_BOLD | ATTR_FAINT | ATTR_ITALIC | ATTR_INVERSE |
	    ATTR_UNDERLINE | ATTR_BLINK | ATTR_CONCEAL | ATTR_STRIKE |
	    ATTR_OVERLINE,
};

#define ATTR_UNDERLINE_SHIFT 4
#define ATTR_KIND_SHIFT 12
#define ATTR_EXTRA_SHIFT 16
#define ATTR_EXTRA 0xffff0000u

enum underline {
	UNDERLINE_NONE,
	UNDERLINE_SINGLE,
	UNDERLINE_DOUBLE,
	UNDERLINE_CURLY,
	UNDERLINE_DOTTED,
	UNDERLINE_DASHED,
};

enum cell_kind {
	CELL_NARROW,
	CELL_WIDE, /* the left half, which holds the character */
	CELL_TAIL, /* the right half of the wide cell before it */
	CELL_PAD,  /* blank at the margin: the wide character went below */
};

static inline enum cell_kind
cell_kind(const struct cell *c)
{
	return (enum cell_kind)((c->attr & ATTR_KIND) >> ATTR_KIND_SHIFT);
}

static inline enum underline
cell_underline(const struct cell *c)
{
	return (enum underline)(
	    (c->attr & ATTR_UNDERLINE) >> ATTR_UNDERLINE_SHIFT);
}

/* Index into the extras: underline colour and link; 0 is neither. */
static inline uint16_t
cell_extra(const struct cell *c)
{
	return (uint16_t)(c->attr >> ATTR_EXTRA_SHIFT);
}

static inline bool
cell_same_style(const struct cell *a, const struct cell *b)
{
	return a->fg == b->fg && a->bg == b->bg &&
	    ((a->attr ^ b->attr) & ~(uint32_t)ATTR_KIND) == 0;
}

static inline bool
cell_is_zero(const struct cell *c)
{
	return (c->ch | c->fg | c->bg | c->attr) == 0;
}

#endif
