/* Searching a text: case and position. */
#include <string.h>

#include "unit.h"

#include "client/needle.h"

/* Check the first match from `from` on, and the last before `to`. */
static size_t
find(const char *needle, const char *text, size_t from, size_t to)
{
	char folded[256];
	size_t len = strlen(text);
	struct needle n;

	assert_true(len < sizeof(folded));
	memcpy(folded, text, len + 1);
	needle_set(&n, needle);
	needle_fold(&n, folded, len);
	assert_int_equal(strlen(folded), len);
	return to == 0 ? needle_find(&n, folded, len, from) :
			 needle_find_last(&n, folded, len, to);
}

static void
case_counts_when_a_capital_is_given(void **state)
{
	(void)state;
	assert_int_equal(find("error", "an Error, an error", 0, 0), 3);
	assert_int_equal(find("Error", "an error, an Error", 0, 0), 13);
	assert_int_equal(find("Error", "an error", 0, 0), NEEDLE_NONE);
	assert_int_equal(find("größe", "GRÖSSE, GRÖßE", 0, 0), 9);
	assert_int_equal(find("ошибка", "Ошибка ОШИБКА", 1, 0), 13);
	assert_int_equal(find("ωμέγα", "ΩΜέΓΑ", 0, 0), 0);
}

static void
a_needle_is_found_in_both_directions(void **state)
{
	(void)state;
	assert_int_equal(find("aa", "aaa aaa", 1, 0), 1);
	assert_int_equal(find("aa", "aaa aaa", 2, 0), 4);
	assert_int_equal(find("aa", "aaa aaa", 0, 5), 4);
	assert_int_equal(find("aa", "aaa aaa", 0, 4), 1);
	assert_int_equal(find("aa", "aaa aaa", 7, 0), NEEDLE_NONE);
	assert_int_equal(find("", "aaa", 0, 0), NEEDLE_NONE);
	assert_int_equal(find("a", "", 0, 0), NEEDLE_NONE);
}

static void
a_needle_that_is_too_long_is_cut_off(void **state)
{
	char text[2 * NEEDLE_MAX];
	struct needle n;

	(void)state;
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	needle_set(&n, text);
	assert_int_equal(n.len, NEEDLE_MAX - 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(case_counts_when_a_capital_is_given),
		cmocka_unit_test(a_needle_is_found_in_both_directions),
		cmocka_unit_test(a_needle_that_is_too_long_is_cut_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
