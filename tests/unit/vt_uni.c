#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <uchar.h>

#include <cmocka.h>
#include <utf8proc.h>

#include "vt/uni.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void
widths_are_those_of_a_terminal(void **state)
{
	static const struct {
		uint32_t first, last;
		unsigned width;
	} cases[] = {
		{ 0x00, 0x1f, 0 },
		{ 0x20, 0x7e, 1 },
		{ 0x7f, 0x9f, 0 },
		{ 0xa0, 0xff, 1 },     /* soft hyphen and ambiguous too */
		{ 0x300, 0x36f, 0 },   /* combining */
		{ 0x600, 0x605, 1 },   /* prepended signs */
		{ 0x93e, 0x940, 1 },   /* spacing marks */
		{ 0x94d, 0x94d, 0 },   /* virama */
		{ 0x102b, 0x102c, 1 }, /* spacing marks that never join */
		{ 0x1100, 0x115f, 2 }, /* Hangul L and its filler */
		{ 0x1160, 0x11ff, 1 }, /* Hangul V and T */
		{ 0x200b, 0x200f, 0 }, /* zero width, ZWJ, directions */
		{ 0x2028, 0x202e, 0 },
		{ 0x2060, 0x2064, 0 },
		{ 0x2018, 0x201d, 1 }, /* ambiguous: quotation marks */
		{ 0x231a, 0x231b, 2 }, /* emoji by default */
		{ 0x2500, 0x257f, 1 }, /* ambiguous: box drawing */
		{ 0x2764, 0x2764, 1 }, /* emoji only with U+FE0F */
		{ 0x3000, 0x3029, 2 },
		{ 0x302a, 0x302d, 0 }, /* ideographic tone marks */
		{ 0x302e, 0x302f, 2 }, /* Hangul tone marks */
		{ 0x3099, 0x309a, 0 }, /* voiced sound marks */
		{ 0x3164, 0x3164, 2 }, /* Hangul filler */
		{ 0x4e00, 0x9fff, 2 },
		{ 0xac00, 0xd7a3, 2 },
		{ 0xd7b0, 0xd7c6, 1 },
		{ 0xe000, 0xf8ff, 1 }, /* private use */
		{ 0xf900, 0xfaff, 2 }, /* ideographs to come included */
		{ 0xfdd0, 0xfdef, 1 }, /* noncharacters */
		{ 0xfe00, 0xfe0f, 0 }, /* variation selectors */
		{ 0xfeff, 0xfeff, 0 },
		{ 0xff01, 0xff60, 2 }, /* fullwidth */
		{ 0xff61, 0xffa0, 1 }, /* halfwidth, its Hangul filler */
		{ 0xfffd, 0xffff, 1 },
		{ 0x1f1e6, 0x1f1ff, 1 }, /* half a flag */
		{ 0x1f3fb, 0x1f3ff, 2 }, /* skin tones */
		{ 0x1f600, 0x1f64f, 2 },
		{ 0x20000, 0x2fffd, 2 },
		{ 0x2fffe, 0x2ffff, 1 },
		{ 0x30000, 0x3fffd, 2 },
		{ 0x3fffe, 0x4ffff, 1 },
		{ 0xe0001, 0xe0001, 0 },
		{ 0xe0020, 0xe007f, 0 }, /* tags */
		{ 0xe0100, 0xe01ef, 0 }, /* more variation selectors */
		{ 0xf0000, 0x10ffff, 1 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		for (uint32_t cp = cases[i].first; cp <= cases[i].last; cp++)
			if (uni_width(cp) != cases[i].width)
				fail_msg("U+%04X is %u wide, not %u",
				    (unsigned)cp, uni_width(cp),
				    cases[i].width);
}

static void
an_invalid_code_point_has_no_properties(void **state)
{
	static const uint32_t beyond[] = { 0x110000, 0x110001, 0x11007f,
		0x200000, 0x7fffffff, 0x80000000, 0xffffffff };

	(void)state;
	for (size_t i = 0; i < COUNT(beyond); i++) {
		uint8_t st = UNI_OTHER;

		assert_int_equal(uni_props(beyond[i]), UNI_PLAIN);
		assert_int_equal(uni_width(beyond[i]), 1);
		assert_false(uni_joins(&st, beyond[i]));
	}
}

static void
only_joining_or_invisible_characters_have_no_width(void **state)
{
	const unsigned allowed = 1u << UNI_CR | 1u << UNI_LF |
	    1u << UNI_CONTROL | 1u << UNI_EXTEND | 1u << UNI_ZWJ;

	(void)state;
	for (uint32_t cp = 0; cp < UNI_END; cp++) {
		unsigned width = uni_width(cp), class = uni_class(cp);

		if (width > 2 || class == 0)
			fail_msg("U+%04X has width %u and class %u",
			    (unsigned)cp, width, class);
		if (width == 0 && !(allowed >> class & 1))
			fail_msg("U+%04X has no width, but class %u",
			    (unsigned)cp, class);
	}
}

static void
narrow_emoji_and_keycaps_vary_in_width(void **state)
{
	static const uint32_t yes[] = { '0', '9', '#', '*', 0xa9, 0x203c,
		0x2600, 0x2764, 0x1f321, 0x1f3f3, 0x1f570 };
	static const uint32_t no[] = { ' ', 'a', '+', '/', ':', 0x300, 0x231a,
		0x4e00, 0x1f1e6, 0x1f3fb, 0x1f600, 0x110000 };

	(void)state;
	for (size_t i = 0; i < COUNT(yes); i++)
		if (!(uni_props(yes[i]) & UNI_VARIES))
			fail_msg("U+%04X does not vary", (unsigned)yes[i]);
	for (size_t i = 0; i < COUNT(no); i++)
		if (uni_props(no[i]) & UNI_VARIES)
			fail_msg("U+%04X varies", (unsigned)no[i]);
}

static void
nothing_joins_an_empty_cluster(void **state)
{
	(void)state;
	for (uint32_t cp = 0; cp < UNI_END; cp++) {
		uint8_t st = 0;

		if (uni_joins(&st, cp) || st == 0)
			fail_msg("U+%04X: state is %u", (unsigned)cp, st);
	}
}

/* Text in which '|' stands for each break. */
static const struct {
	const char *what;
	const char32_t *text;
} clusters[] = {
	{ "letters", U"a|b|c" },
	{ "GB3, CR LF is one", U"a|\r\n|b" },
	{ "GB3, LF CR is two", U"\n|\r|a" },
	{ "GB3, two CR LF", U"\r\n|\r\n" },
	{ "GB4, a mark after LF stands alone", U"\n|\u0301" },
	{ "GB4, a mark after CR stands alone", U"\r|\u0301" },
	{ "GB4, a mark after a control stands alone", U"\t|\u0301|a" },
	{ "GB4, a mark after a zero width space", U"\u200B|\u0301" },
	{ "GB5, a control after a letter", U"a|\u200B|a|\u200E|\u2028" },
	{ "GB5, a soft hyphen", U"a|\u00AD|\u0301" },
	{ "GB6, L L V T", U"\u1100\u1100\u1161\u11A8|\u1100" },
	{ "GB6, L LV", U"\u1100\uAC00" },
	{ "GB6, L LVT", U"\u1100\uAC01" },
	{ "GB6, L T", U"\u1100|\u11A8" },
	{ "GB7, LV T", U"\uAC00\u11A8|\uAC00" },
	{ "GB7, LV V T", U"\uAC00\u1161\u11A8" },
	{ "GB7, V V T", U"\u1161\u1161\u11A8|\u1161" },
	{ "GB8, LVT T", U"\uAC01\u11A8\u11A8" },
	{ "GB8, LVT V", U"\uAC01|\u1161" },
	{ "GB8, T V", U"\u11A8|\u1161" },
	{ "Hangul syllables", U"\uD55C|\uAE00" },
	{ "Hangul with a mark between", U"\u1100\u0301|\u1161" },
	{ "GB9, marks", U"e\u0301\u0323|o\u0308" },
	{ "GB9, ZWJ and ZWNJ after a letter", U"a\u200D|b\u200C|c" },
	{ "GB9, enclosing", U"a\u20DD" },
	{ "GB9, variation selectors", U"\u2764\uFE0E|\u4E00\U000E0100|a" },
	{ "GB9, Thai", U"\u0E01\u0E34\u0E48|\u0E19\u0E49|\u0E01" },
	{ "GB9a, Thai am, a letter that is a spacing mark",
	    U"\u0E19\u0E49\u0E33|\u0E19" },
	{ "GB9, Arabic with marks and tatweel",
	    U"\u0628\u064E|\u0640\u0651\u064E|\u062A\u0652" },
	{ "GB9, kana with a voiced sound mark", U"\u304B\u3099|\u304D" },
	{ "GB9a, Devanagari vowels", U"\u0915\u093E|\u0915\u093F|\u0915" },
	{ "GB9a, virama and spacing mark, no conjunct as in 15.0",
	    U"\u0915\u094D|\u0937\u093F|\u0928\u0947" },
	{ "GB9a, virama with ZWJ", U"\u0915\u094D\u200D|\u0937" },
	{ "GB9a, Tamil", U"\u0BA8\u0BBF|\u0BB2\u0BCB" },
	{ "GB9a, a Myanmar vowel breaks", U"\u1000|\u102C|\u1000" },
	{ "GB9b, prepended before a digit", U"\u0600\u0661|\u0662" },
	{ "GB9b, two prepended before a letter", U"\u0600\u0605\u0628|a" },
	{ "GB9b, prepended before an emoji",
	    U"\u0600\U0001F600\u200D\U0001F600" },
	{ "GB9b, prepended before a flag",
	    U"\u0600\U0001F1E9\U0001F1EA|\U0001F1E9" },
	{ "GB9b, prepended before a mark", U"\u0600\u0301|\u0661" },
	{ "GB9b, prepended before a control", U"\u0600|\n|\u0600|\u200B" },
	{ "GB9b, prepended before ASCII is our policy",
	    U"\u0600|1|2|\u0600|a" },
	{ "GB11, a family",
	    U"\U0001F468\u200D\U0001F469\u200D\U0001F467\u200D\U0001F466|"
	    U"\U0001F468" },
	{ "GB11, a heart with U+FE0F in between",
	    U"\U0001F469\u200D\u2764\uFE0F\u200D\U0001F468|a" },
	{ "GB11, skin tones",
	    U"\U0001F44D\U0001F3FD|\U0001F44D|"
	    U"\U0001F469\U0001F3FE\u200D\U0001F680" },
	{ "GB11, a skin tone alone, then after a letter",
	    U"\U0001F3FB|a\U0001F3FB" },
	{ "GB11, ZWJ after a letter binds no emoji", U"a\u200D|\U0001F600" },
	{ "GB11, two ZWJ bind no emoji", U"\U0001F600\u200D\u200D|\U0001F600" },
	{ "GB11, a mark after ZWJ binds no emoji",
	    U"\U0001F600\u200D\u0301|\U0001F600" },
	{ "GB11, ZWJ binds no letter", U"\U0001F600\u200D|a" },
	{ "GB11, a spacing mark closes the emoji",
	    U"\U0001F600\u0903\u200D|\U0001F600" },
	{ "GB11, a flag is no pictograph",
	    U"\U0001F3F3\uFE0F\u200D\U0001F308|"
	    U"\U0001F3F3\uFE0F\u200D|\U0001F1E9" },
	{ "emoji side by side", U"\U0001F600|\U0001F600\uFE0F|\U0001F600" },
	{ "keycaps", U"1\uFE0F\u20E3|#\uFE0F\u20E3|*\u20E3|1" },
	{ "a flag of tags",
	    U"\U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074"
	    U"\U000E007F|\U0001F3F4" },
	{ "GB12, three flags",
	    U"\U0001F1E9\U0001F1EA|\U0001F1EB\U0001F1F7|"
	    U"\U0001F1EF\U0001F1F5" },
	{ "GB12, one and a half flags", U"\U0001F1E9\U0001F1EA|\U0001F1EB|a" },
	{ "GB13, flags after a letter",
	    U"a|\U0001F1E9\U0001F1EA|\U0001F1EB\U0001F1F7|\U0001F1EF|b" },
	{ "GB13, a mark parts a flag",
	    U"\U0001F1E9\u0301|\U0001F1EA\U0001F1EB" },
	{ "GB13, ZWJ parts a flag", U"\U0001F1E9\u200D|\U0001F1EA" },
	{ "GB13, a mark after a whole flag",
	    U"\U0001F1E9\U0001F1EA\u0301|\U0001F1EB" },
	{ "GB999, ideographs", U"\u4E2D|\u6587|a|\u4E2D" },
};

static void
clusters_break_where_they_should(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(clusters); i++) {
		bool wanted = true;
		uint8_t st = 0;

		for (const char32_t *c = clusters[i].text; *c; c++) {
			if (*c == U'|') {
				wanted = true;
				continue;
			}
			if (uni_joins(&st, *c) == wanted)
				fail_msg("%s: %s break before U+%04X, at %td",
				    clusters[i].what, wanted ? "no" : "a",
				    (unsigned)*c, c - clusters[i].text);
			wanted = false;
		}
	}
}

/*
 * Consonants of Indic conjuncts are left out: later Unicode joins them over a
 * virama (GB9c), which a newer utf8proc does and we do not.
 */
static const uint32_t samples[] = { 'a', '1', '#', '\r', '\n', '\t', 0xa9, 0xad,
	0x300, 0x308, 0x600, 0x661, 0x6dd, 0x8e2, 0x903, 0x93e, 0x94d, 0xe33,
	0x1100, 0x1161, 0x11a8, 0xac00, 0xac01, 0x200b, 0x200c, 0x200d, 0x200d,
	0x2028, 0x2764, 0x231a, 0x3099, 0x4e00, 0xfe0e, 0xfe0f, 0x110bd,
	0x1f1e6, 0x1f1ff, 0x1f3fb, 0x1f468, 0x1f600, 0x1f600, 0xe0067 };

static uint32_t
random_next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33);
}

static void
random_text_breaks_as_in_utf8proc(void **state)
{
	uint64_t seed = 1;
	uint32_t before = 'a';
	int32_t theirs = 0;
	uint8_t ours = UNI_OTHER;

	(void)state;
	for (unsigned step = 0; step < 1000000; step++) {
		uint32_t cp = samples[random_next(&seed) % COUNT(samples)];
		bool want = !utf8proc_grapheme_break_stateful((int32_t)before,
		    (int32_t)cp, &theirs);
		bool policy = uni_class(before) == UNI_PREPEND && cp < 0x80;

		if (uni_joins(&ours, cp) != (want && !policy))
			fail_msg("step %u: U+%04X, U+%04X %s in utf8proc", step,
			    (unsigned)before, (unsigned)cp,
			    want ? "join" : "break");
		before = cp;
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(widths_are_those_of_a_terminal),
		cmocka_unit_test(an_invalid_code_point_has_no_properties),
		cmocka_unit_test(
		    only_joining_or_invisible_characters_have_no_width),
		cmocka_unit_test(narrow_emoji_and_keycaps_vary_in_width),
		cmocka_unit_test(nothing_joins_an_empty_cluster),
		cmocka_unit_test(clusters_break_where_they_should),
		cmocka_unit_test(random_text_breaks_as_in_utf8proc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
