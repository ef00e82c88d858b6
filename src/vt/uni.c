#include "vt/uni.h"

#include "vt/uni_tables.h" /* made by gen_uni.c: uni_block_of, uni_blocks */

/*
 * A state is the class of the last code point, except where what came before
 * that one matters too: an emoji stays open through its extenders until a ZWJ
 * binds the next (GB11), and regional indicators go in pairs (GB12, GB13).
 */
enum state {
	EMOJI_EXTEND = UNI_PICTOGRAPH + 1, /* emoji, extenders */
	EMOJI_ZWJ,                         /* emoji, extenders, one ZWJ */
	REGIONAL_PAIR,                     /* a whole flag */
	STATES,
};

/* Sets of classes, one bit each. */
#define SET(class) (1u << UNI_##class)
#define CONTROLS (SET(CR) | SET(LF) | SET(CONTROL))
#define TAIL (SET(EXTEND) | SET(ZWJ) | SET(SPACING)) /* GB9, GB9a */

/* The classes that go on with the cluster in each state; none in state 0. */
static const uint16_t goes_on[STATES] = {
	[UNI_OTHER] = TAIL,
	[UNI_CR] = SET(LF),
	[UNI_EXTEND] = TAIL,
	[UNI_ZWJ] = TAIL,
	[UNI_REGIONAL] = TAIL | SET(REGIONAL),
	[UNI_PREPEND] = (uint16_t)~CONTROLS,
	[UNI_SPACING] = TAIL,
	[UNI_L] = TAIL | SET(L) | SET(V) | SET(LV) | SET(LVT),
	[UNI_V] = TAIL | SET(V) | SET(T),
	[UNI_T] = TAIL | SET(T),
	[UNI_LV] = TAIL | SET(V) | SET(T),
	[UNI_LVT] = TAIL | SET(T),
	[UNI_PICTOGRAPH] = TAIL,
	[EMOJI_EXTEND] = TAIL,
	[EMOJI_ZWJ] = TAIL | SET(PICTOGRAPH),
	[REGIONAL_PAIR] = TAIL,
};

static uint8_t
next_state(uint8_t st, enum uni_class class)
{
	bool emoji = st == UNI_PICTOGRAPH || st == EMOJI_EXTEND;

	if (emoji && class == UNI_EXTEND)
		return EMOJI_EXTEND;
	if (emoji && class == UNI_ZWJ)
		return EMOJI_ZWJ;
	if (st == UNI_REGIONAL && class == UNI_REGIONAL)
		return REGIONAL_PAIR;
	return (uint8_t) class;
}

bool
uni_joins_by_rule(uint8_t *st, uint32_t cp)
{
	enum uni_class class = uni_class(cp);
	uint8_t before = *st < STATES ? *st : 0;
	bool joins = goes_on[before] >> class & 1;

	if (before == UNI_PREPEND && cp < 0x80)
		joins = false;
	*st = next_state(before, class);
	return joins;
}
