/*
 * Writes the tables behind vt/uni.h as C, from the Unicode data in utf8proc.
 * It runs during the build; no installed program links utf8proc.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#include "vt/uni.h"

enum {
	ANY = -1,
	BLOCKS = UNI_END / UNI_BLOCK,
	MAX_STORED = 256, /* a block's number is one byte */
};

/*
 * Widths that differ from utf8proc's, because a terminal needs others.  The
 * last matching row decides.
 */
static const struct fix {
	uint32_t first, last;
	int category;   /* utf8proc's general category, or ANY */
	int boundclass; /* utf8proc's, or ANY */
	int from;       /* utf8proc's width, or ANY */
	int width;
} fixes[] = {
	/* Unassigned code points; fonts give private use one column. */
	{ 0, UNI_END - 1, UTF8PROC_CATEGORY_CN, ANY, ANY, 1 },
	{ 0, UNI_END - 1, UTF8PROC_CATEGORY_CO, ANY, ANY, 1 },

	/*
	 * Future assignments here will be ideographs, and wide by the defaults
	 * at the top of EastAsianWidth.txt.  The last two of each plane are
	 * noncharacters and stay narrow.
	 */
	{ 0xf900, 0xfaff, UTF8PROC_CATEGORY_CN, ANY, ANY, 2 },
	{ 0x20000, 0x2fffd, UTF8PROC_CATEGORY_CN, ANY, ANY, 2 },
	{ 0x30000, 0x3fffd, UTF8PROC_CATEGORY_CN, ANY, ANY, 2 },

	/*
	 * A spacing mark has ink beside its base, not over it.  Joined, it
	 * stays within the cluster's column; some (such as Myanmar vowels)
	 * never join, and would be printed over their neighbour.
	 */
	{ 0, UNI_END - 1, UTF8PROC_CATEGORY_MC, ANY, 0, 1 },

	/*
	 * A prepended sign, such as the Arabic number sign, is a format
	 * character by category, but it is visible and begins a cluster.
	 */
	{ 0, UNI_END - 1, ANY, UTF8PROC_BOUNDCLASS_PREPEND, 0, 1 },

	/* A terminal shows a soft hyphen as a hyphen. */
	{ 0xad, 0xad, ANY, ANY, ANY, 1 },
};

static bool
fix_fits(const struct fix *f, uint32_t cp, const utf8proc_property_t *p)
{
	if (cp < f->first || cp > f->last)
		return false;
	if (f->category != ANY && f->category != p->category)
		return false;
	if (f->boundclass != ANY && f->boundclass != (int)p->boundclass)
		return false;
	return f->from == ANY || f->from == (int)p->charwidth;
}

static unsigned
width_of(uint32_t cp, const utf8proc_property_t *p)
{
	unsigned width = p->charwidth;

	for (size_t i = 0; i < sizeof(fixes) / sizeof(fixes[0]); i++)
		if (fix_fits(&fixes[i], cp, p))
			width = (unsigned)fixes[i].width;
	return width;
}

static const uint8_t classes[] = {
	[UTF8PROC_BOUNDCLASS_OTHER] = UNI_OTHER,
	[UTF8PROC_BOUNDCLASS_CR] = UNI_CR,
	[UTF8PROC_BOUNDCLASS_LF] = UNI_LF,
	[UTF8PROC_BOUNDCLASS_CONTROL] = UNI_CONTROL,
	[UTF8PROC_BOUNDCLASS_EXTEND] = UNI_EXTEND,
	[UTF8PROC_BOUNDCLASS_ZWJ] = UNI_ZWJ,
	[UTF8PROC_BOUNDCLASS_REGIONAL_INDICATOR] = UNI_REGIONAL,
	[UTF8PROC_BOUNDCLASS_PREPEND] = UNI_PREPEND,
	[UTF8PROC_BOUNDCLASS_SPACINGMARK] = UNI_SPACING,
	[UTF8PROC_BOUNDCLASS_L] = UNI_L,
	[UTF8PROC_BOUNDCLASS_V] = UNI_V,
	[UTF8PROC_BOUNDCLASS_T] = UNI_T,
	[UTF8PROC_BOUNDCLASS_LV] = UNI_LV,
	[UTF8PROC_BOUNDCLASS_LVT] = UNI_LVT,
	[UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC] = UNI_PICTOGRAPH,
};

static unsigned
class_of(uint32_t cp, const utf8proc_property_t *p)
{
	/* UAX #29 treats surrogates as controls; utf8proc leaves them out. */
	if (p->category == UTF8PROC_CATEGORY_CS)
		return UNI_CONTROL;
	if (p->boundclass >= sizeof(classes) || !classes[p->boundclass]) {
		fprintf(stderr,
		    "gen_uni: U+%04X has boundclass %u, which is "
		    "unknown here\n",
		    (unsigned)cp, (unsigned)p->boundclass);
		exit(1);
	}
	return classes[p->boundclass];
}

static bool
is_keycap(uint32_t cp)
{
	return (cp >= '0' && cp <= '9') || cp == '#' || cp == '*';
}

static uint8_t
props_of(uint32_t cp)
{
	const utf8proc_property_t *p = utf8proc_get_property((int32_t)cp);
	unsigned width = width_of(cp, p);
	unsigned class = class_of(cp, p);
	bool varies = is_keycap(cp) || (class == UNI_PICTOGRAPH && width < 2);

	return (uint8_t)(width | class << UNI_CLASS_SHIFT |
	    (varies ? UNI_VARIES : 0));
}

/* The stored number of the block; adds a new block. */
static unsigned
store_block(uint8_t stored[][UNI_BLOCK], unsigned *count, const uint8_t *block)
{
	unsigned i;

	for (i = 0; i < *count; i++)
		if (memcmp(stored[i], block, UNI_BLOCK) == 0)
			return i;
	if (i == MAX_STORED) {
		fprintf(stderr, "gen_uni: more than %d different blocks\n",
		    MAX_STORED);
		exit(1);
	}
	memcpy(stored[i], block, UNI_BLOCK);
	*count = i + 1;
	return i;
}

static void
print_bytes(const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		printf("%u,%s", p[i], i % 16 == 15 ? "\n" : "");
}

int
main(void)
{
	static uint8_t block_of[BLOCKS], stored[MAX_STORED][UNI_BLOCK];
	unsigned count = 0;

	for (uint32_t b = 0; b < BLOCKS; b++) {
		uint8_t block[UNI_BLOCK];

		for (uint32_t i = 0; i < UNI_BLOCK; i++)
			block[i] = props_of(b * UNI_BLOCK + i);
		block_of[b] = (uint8_t)store_block(stored, &count, block);
	}
	printf("/* Made by gen_uni from Unicode %s; do not edit. */\n",
	    utf8proc_unicode_version());
	printf("const uint8_t uni_block_of[%d] = {\n", BLOCKS);
	print_bytes(block_of, BLOCKS);
	printf("};\nconst uint8_t uni_blocks[%u][%d] = {\n", count, UNI_BLOCK);
	for (unsigned b = 0; b < count; b++) {
		printf("{\n");
		print_bytes(stored[b], UNI_BLOCK);
		printf("},\n");
	}
	printf("};\n");
	return fflush(stdout) == 0 ? 0 : 1;
}
