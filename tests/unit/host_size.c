#include "unit.h"

#include "host/serve/size.h"
#include "vt/vt.h"

static const struct size_vote three[] = {
	{ 80, 50, 3 },
	{ 120, 24, 9 },
	{ 100, 30, 5 },
};

static void
expect(enum size_policy policy, const struct size_vote *v, size_t n,
    unsigned cols, unsigned rows)
{
	unsigned c = 0, r = 0;

	assert_true(size_decide(policy, v, n, &c, &r));
	assert_int_equal(c, cols);
	assert_int_equal(r, rows);
}

/* B-48, O-20: columns and rows are chosen separately. */
static void
smallest_takes_the_fewest_columns_and_rows(void **state)
{
	(void)state;
	expect(SIZE_SMALLEST, three, 3, 80, 24);
	expect(SIZE_SMALLEST, three, 1, 80, 50);
}

static void
largest_takes_the_most_columns_and_rows(void **state)
{
	(void)state;
	expect(SIZE_LARGEST, three, 3, 120, 50);
}

static void
latest_takes_the_last_vote(void **state)
{
	(void)state;
	expect(SIZE_LATEST, three, 3, 120, 24);
	expect(SIZE_LATEST, three + 2, 1, 100, 30);
}

static void
no_vote_and_fixed_keep_the_size(void **state)
{
	unsigned cols = 7, rows = 8;

	(void)state;
	assert_false(size_decide(SIZE_SMALLEST, three, 0, &cols, &rows));
	assert_false(size_decide(SIZE_FIXED, three, 3, &cols, &rows));
	assert_int_equal(cols, 7);
	assert_int_equal(rows, 8);
}

/* For any votes, the result is a valid size of a screen. */
static void
every_result_is_a_valid_size(void **state)
{
	static const unsigned sides[] = { 0, 1, 2, 80, 1024, 1999, 2000, 2001,
		65535 };
	const size_t n = sizeof(sides) / sizeof(sides[0]);

	(void)state;
	for (size_t i = 0; i < n * n; i++) {
		struct size_vote v = { sides[i / n], sides[i % n], 1 };
		unsigned cols, rows;

		assert_true(size_decide(SIZE_LATEST, &v, 1, &cols, &rows));
		assert_int_equal(vt_check_size(cols, rows, NULL), 0);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(smallest_takes_the_fewest_columns_and_rows),
		cmocka_unit_test(largest_takes_the_most_columns_and_rows),
		cmocka_unit_test(latest_takes_the_last_vote),
		cmocka_unit_test(no_vote_and_fixed_keep_the_size),
		cmocka_unit_test(every_result_is_a_valid_size),
	};

	return cmocka_run_group_tests_name("host_size", tests, NULL, NULL);
}
