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

/* B-48, O-20: each side by itself. */
static void
smallest_takes_the_least_of_each(void **state)
{
	(void)state;
	expect(SIZE_SMALLEST, three, 3, 80, 24);
	expect(SIZE_SMALLEST, three, 1, 80, 50);
}

static void
largest_takes_the_most_of_each(void **state)
{
	(void)state;
	expect(SIZE_LARGEST, three, 3, 120, 50);
}

static void
latest_takes_the_last_whole(void **state)
{
	(void)state;
	expect(SIZE_LATEST, three, 3, 120, 24);
	expect(SIZE_LATEST, three + 2, 1, 100, 30);
}

static void
nobody_and_fixed_leave_it_alone(void **state)
{
	unsigned cols = 7, rows = 8;

	(void)state;
	assert_false(size_decide(SIZE_SMALLEST, three, 0, &cols, &rows));
	assert_false(size_decide(SIZE_FIXED, three, 3, &cols, &rows));
	assert_int_equal(cols, 7);
	assert_int_equal(rows, 8);
}

/* Whatever viewers say, a screen of that size can be made. */
static void
every_result_is_a_size_for_a_screen(void **state)
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
		cmocka_unit_test(smallest_takes_the_least_of_each),
		cmocka_unit_test(largest_takes_the_most_of_each),
		cmocka_unit_test(latest_takes_the_last_whole),
		cmocka_unit_test(nobody_and_fixed_leave_it_alone),
		cmocka_unit_test(every_result_is_a_size_for_a_screen),
	};

	return cmocka_run_group_tests_name("host_size", tests, NULL, NULL);
}
