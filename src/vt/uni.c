#include "vt/uni.h"

#include "vt/uni_tables.h" /* made by gen_uni.c: uni_block_of, uni_blocks */

/* Sets of classes, one bit each. */
#define SET(class) (1u << UNI_##class)
#define CONTROLS (SET(CR) | SET(LF) | SET(CONTROL))
#define TAIL (SET(EXTEND) | SET(ZWJ) | SET(SPACING)) /* GB9, GB9a */

const uint16_t uni_goes_on[UNI_STATES] = {
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
	[UNI_EMOJI_EXTEND] = TAIL,
	[UNI_EMOJI_ZWJ] = TAIL | SET(PICTOGRAPH),
	[UNI_REGIONAL_PAIR] = TAIL,
};
