#include "unit.h"

#include "base/clock.h"

static void
a_clock_is_read_in_nanoseconds_and_in_milliseconds(void **state)
{
	struct timespec before, after;
	int64_t ns, ms;

	(void)state;
	clock_gettime(CLOCK_MONOTONIC, &before);
	ns = clock_ns(CLOCK_MONOTONIC);
	ms = clock_ms(CLOCK_MONOTONIC);
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert_in_range(ns / 1000000000, before.tv_sec, after.tv_sec);
	assert_true(ns >= before.tv_sec * INT64_C(1000000000) + before.tv_nsec);
	assert_true(ms >= ns / 1000000);
	assert_true(ms <= after.tv_sec * 1000 + after.tv_nsec / 1000000);
}

static void
clocks_are_distinguished(void **state)
{
	(void)state;
	/* 2020 is long after any machine started. */
	assert_true(clock_ms(CLOCK_REALTIME) > INT64_C(1577836800000));
	assert_true(clock_ms(CLOCK_BOOTTIME) < INT64_C(1577836800000));
}

static void
milliseconds_become_a_deadline_for_condition_variables(void **state)
{
	struct timespec ts = clock_timespec(61002);

	(void)state;
	assert_int_equal(ts.tv_sec, 61);
	assert_int_equal(ts.tv_nsec, 2000000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    a_clock_is_read_in_nanoseconds_and_in_milliseconds),
		cmocka_unit_test(clocks_are_distinguished),
		cmocka_unit_test(
		    milliseconds_become_a_deadline_for_condition_variables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
