#ifndef TEND_VT_UNI_H
#define TEND_VT_UNI_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Two properties of a code point: the number of columns, and whether it joins
 * the character before it.  Both come from one
 * byte per code point, made at build time by gen_uni.c, whose tables also say
 * where our widths are not those of the Unicode data, and why.
 *
 *	bits 0-1	width: 0, 1 or 2 columns
 *	bits 2-5	enum uni_class
 *	bit 6		UNI_VARIES: text or emoji, as a variation selector asks
 *
 * Width 0 is found only with the classes CR, LF, CONTROL, EXTEND and ZWJ: all
 * that may begin a cluster and can be seen has a column to stand in.
 */
enum uni_class {       /* Grapheme_Cluster_Break of UAX #29 */
	UNI_OTHER = 1, /* 0 is free to mean "no cluster" in a state */
	UNI_CR,
	UNI_LF,
	UNI_CONTROL,
	UNI_EXTEND,
	UNI_ZWJ,
	UNI_REGIONAL,
	UNI_PREPEND,
	UNI_SPACING,
	UNI_L,
	UNI_V,
	UNI_T,
	UNI_LV,
	UNI_LVT,
	UNI_PICTOGRAPH,
};

enum uni_bits {
	UNI_WIDTH_MASK = 3,
	UNI_CLASS_SHIFT = 2,
	UNI_CLASS_MASK = 15 << UNI_CLASS_SHIFT,
	UNI_VARIES = 1 << 6, /* narrow alone, two columns with U+FE0F */
	UNI_PLAIN = 1 | UNI_OTHER << UNI_CLASS_SHIFT, /* like a letter */
};

enum uni_sizes {
	UNI_END = 0x110000, /* first number that is not a code point */
	UNI_BLOCK_SHIFT = 7,
	UNI_BLOCK = 1 << UNI_BLOCK_SHIFT,
};

/* For uni_props alone: equal blocks of the table are stored once. */
extern const uint8_t uni_block_of[UNI_END >> UNI_BLOCK_SHIFT];
extern const uint8_t uni_blocks[][UNI_BLOCK];

/* A number that is not a code point is as plain as a letter. */
static inline uint8_t
uni_props(uint32_t cp)
{
	if (cp >= UNI_END)
		return UNI_PLAIN;
	return uni_blocks[uni_block_of[cp >> UNI_BLOCK_SHIFT]]
			 [cp & (UNI_BLOCK - 1)];
}

static inline unsigned
uni_width(uint32_t cp)
{
	return uni_props(cp) & UNI_WIDTH_MASK;
}

static inline enum uni_class
uni_class(uint32_t cp)
{
	return (enum uni_class)(uni_props(cp) >> UNI_CLASS_SHIFT & 15);
}

/*
 * A state is the class of the last code point, except where what came before
 * that one matters too: an emoji stays open through its extenders until a ZWJ
 * binds the next (GB11), and regional indicators go in pairs (GB12, GB13).
 */
enum uni_state {
	UNI_EMOJI_EXTEND = UNI_PICTOGRAPH + 1, /* emoji, extenders */
	UNI_EMOJI_ZWJ,                         /* emoji, extenders, one ZWJ */
	UNI_REGIONAL_PAIR,                     /* a whole flag */
	UNI_STATES,
};

/* The classes that go on with the cluster in each state; none in state 0. */
extern const uint16_t uni_goes_on[UNI_STATES];

static inline uint8_t
uni_next_state(uint8_t st, enum uni_class class)
{
	bool emoji = st == UNI_PICTOGRAPH || st == UNI_EMOJI_EXTEND;

	if (emoji && class == UNI_EXTEND)
		return UNI_EMOJI_EXTEND;
	if (emoji && class == UNI_ZWJ)
		return UNI_EMOJI_ZWJ;
	if (st == UNI_REGIONAL && class == UNI_REGIONAL)
		return UNI_REGIONAL_PAIR;
	return (uint8_t) class;
}

/*
 * True if the cluster that *st has seen goes on with cp: rules GB3 to GB13 of
 * UAX #29 as of Unicode 15.0, so an Indic conjunct breaks after its virama.
 * *st is updated either way; when the answer is no, cp begins a new cluster.
 * In state 0 there is no cluster and nothing joins; a caller sets it when the
 * cursor has moved away.
 *
 * One policy of ours: no ASCII joins a prepended sign such as U+0600, so that
 * a stray one cannot swallow what a program lays out after it.
 */
static inline bool
uni_joins(uint8_t *st, uint32_t cp)
{
	enum uni_class class = uni_class(cp);
	uint8_t before = *st < UNI_STATES ? *st : 0;
	bool joins = uni_goes_on[before] >> class & 1;

	*st = uni_next_state(before, class);
	return joins && (before != UNI_PREPEND || cp >= 0x80);
}

#endif
