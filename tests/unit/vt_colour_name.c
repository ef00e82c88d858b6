#include "unit.h"

#include <string.h>

#include "vt/colour_name.h"

static void
is_colour(const char *text, uint32_t want)
{
	uint32_t got = 0xffffffff;

	if (!colour_name_parse(text, strlen(text), &got) || got != want)
		fail_msg("%s is %06x, not %06x", text, got, want);
}

static void
is_none(const char *text)
{
	uint32_t got = 0x123456;

	if (colour_name_parse(text, strlen(text), &got) || got != 0x123456)
		fail_msg("%s is %06x", text, got);
}

static void
rgb_digits_are_fractions_and_hash_digits_high_bits(void **state)
{
	(void)state;
	is_colour("rgb:ff/80/0", 0xff8000);
	is_colour("RGB:f/8/0", 0xff8800);
	is_colour("rgb:ffff/8000/0000", 0xff8000);
	is_colour("#f80", 0xf08000);
	is_colour("#123456", 0x123456);
	is_colour("#111222333", 0x112233);
	is_none("rgb:ff/80");
	is_none("rgb:fffff/0/0");
	is_none("#12345");
	is_none("#");
}

static void
rgbi_intensities_are_read(void **state)
{
	(void)state;
	is_colour("rgbi:1/1/1", 0xffffff);
	is_colour("rgbi:0/0.5/1.0", 0x00bcff);
	is_colour("RGBI:.001/0/0", 0x030000);
	is_none("rgbi:1.5/0/0");
	is_none("rgbi:1/1");
	is_none("rgbi:1e-1/0/0");
	is_none("rgbi://");
}

static void
colour_names_of_x11_are_read(void **state)
{
	(void)state;
	is_colour("red", 0xff0000);
	is_colour("AliceBlue", 0xf0f8ff);
	is_colour("alice blue", 0xf0f8ff);
	is_colour("Dark Slate Grey", 0x2f4f4f);
	is_colour("yellowgreen", 0x9acd32);
	is_colour("red3", 0xcd0000);
	is_colour("gray", 0xbebebe);
	is_colour("grey50", 0x7f7f7f);
	is_colour("gray100", 0xffffff);
	is_colour("gray0", 0x000000);
	is_none("gray101");
	is_none("gray5x");
	is_none("reddish");
	is_none("lightgoldenrodyellowandmore");
	is_none("");
	is_none("CIEXYZ:1/1/1");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    rgb_digits_are_fractions_and_hash_digits_high_bits),
		cmocka_unit_test(rgbi_intensities_are_read),
		cmocka_unit_test(colour_names_of_x11_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
