/* Columns and bytes of a row's text. */
#include <string.h>

#include "unit.h"

#include "client/ruler.h"

static void
wide_and_joined_characters_are_measured(void **state)
{
	/* a, a wide one of 3 bytes, e with an accent, z */
	static const char text[] = "a\u754ce\u0301 z";
	struct ruler r;

	(void)state;
	ruler_init(&r);
	ruler_lay(&r, text, strlen(text));
	assert_int_equal(ruler_cols(&r), 6);
	assert_int_equal(ruler_col(&r, 0), 0);
	assert_int_equal(ruler_col(&r, 1), 1);
	assert_int_equal(ruler_col(&r, 3), 1);
	assert_int_equal(ruler_col(&r, 4), 3);
	assert_int_equal(ruler_col(&r, 7), 4);
	assert_int_equal(ruler_col(&r, 8), 5);
	assert_int_equal(ruler_col(&r, 100), 6);
	assert_int_equal(ruler_byte(&r, 1), 1);
	assert_int_equal(ruler_byte(&r, 2), 1); /* its right half */
	assert_int_equal(ruler_byte(&r, 3), 4);
	assert_int_equal(ruler_byte(&r, 4), 7);
	assert_int_equal(ruler_byte(&r, 100), strlen(text));
	ruler_lay(&r, "", 0); /* nothing is left of the previous character */
	assert_int_equal(ruler_cols(&r), 0);
	ruler_finish(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wide_and_joined_characters_are_measured),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
