#include "unit.h"

#include <string.h>

#include "base/hex.h"

static void
a_digit_is_its_place_among_the_sixteen(void **state)
{
	const char *lower = "0123456789abcdef", *upper = "0123456789ABCDEF";

	(void)state;
	for (int i = 0; i < 256; i++) {
		char c = (char)i;
		const char *l = c != '\0' ? strchr(lower, c) : NULL;
		const char *u = c != '\0' ? strchr(upper, c) : NULL;
		int want = -1;

		if (l != NULL)
			want = (int)(l - lower);
		else if (u != NULL)
			want = (int)(u - upper);
		assert_int_equal(hex_digit(c), want);
	}
}

static void
a_byte_is_two_digits_in_lower_case(void **state)
{
	(void)state;
	assert_int_equal(hex_byte("00"), 0);
	assert_int_equal(hex_byte("a5"), 0xa5);
	assert_int_equal(hex_byte("ff"), 0xff);
	assert_int_equal(hex_byte("Ff"), -1);
	assert_int_equal(hex_byte("fF"), -1);
	assert_int_equal(hex_byte("A5"), -1);
	assert_int_equal(hex_byte("0g"), -1);
	assert_int_equal(hex_byte(" 0"), -1);
	assert_int_equal(hex_byte("0"), -1);
}

static void
a_colour_is_six_digits_and_no_more(void **state)
{
	uint32_t colour = 7;

	(void)state;
	assert_false(hex_colour("", &colour));
	assert_false(hex_colour("12345", &colour));
	assert_false(hex_colour("1234567", &colour));
	assert_false(hex_colour("12345g", &colour));
	assert_false(hex_colour(" 12345", &colour));
	assert_false(hex_colour("0x1234", &colour));
	assert_int_equal(colour, 7);
	assert_true(hex_colour("12aBfF", &colour));
	assert_int_equal(colour, 0x12abff);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_digit_is_its_place_among_the_sixteen),
		cmocka_unit_test(a_byte_is_two_digits_in_lower_case),
		cmocka_unit_test(a_colour_is_six_digits_and_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
