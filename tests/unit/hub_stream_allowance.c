#include "unit.h"

#include "hub/stream_allowance.h"

static void
without_limits_everything_may_be_sent(void **state)
{
	struct stream_allowance a;

	(void)state;
	stream_allowance_init(&a, false, 0, 0, 1000);
	stream_allowance_spend(&a, UINT32_MAX);
	assert_int_equal(stream_allowance_wait(&a, 1000), 0);
}

static void
credit_is_granted_spent_and_owed(void **state)
{
	struct stream_allowance a;

	(void)state;
	stream_allowance_init(&a, true, 100, 0, 1000);
	stream_allowance_spend(&a, 99);
	assert_int_equal(stream_allowance_wait(&a, 1000), 0);
	stream_allowance_spend(&a, 51);
	assert_true(stream_allowance_wait(&a, 999999) < 0);
	stream_allowance_grant(&a, 50);
	assert_true(stream_allowance_wait(&a, 1000) < 0);
	stream_allowance_grant(&a, 1);
	assert_int_equal(stream_allowance_wait(&a, 1000), 0);
	/* A client cannot make it overflow. */
	for (int i = 0; i < 100; i++)
		stream_allowance_grant(&a, UINT64_MAX);
	assert_int_equal(stream_allowance_wait(&a, 1000), 0);
}

static void
a_rate_allows_a_burst_of_a_second(void **state)
{
	struct stream_allowance a;
	int64_t wait;

	(void)state;
	stream_allowance_init(&a, false, 0, 1000, 5000);
	stream_allowance_spend(&a, 999);
	assert_int_equal(stream_allowance_wait(&a, 5000), 0);
	stream_allowance_spend(&a, 501);
	wait = stream_allowance_wait(&a, 5000);
	assert_in_range(wait, 501, 503);
	assert_true(stream_allowance_wait(&a, 5499) > 0);
	assert_int_equal(stream_allowance_wait(&a, 5000 + wait), 0);
	/* After a day there is a second's worth, not more. */
	assert_int_equal(stream_allowance_wait(&a, 86400000), 0);
	stream_allowance_spend(&a, 1001);
	assert_true(stream_allowance_wait(&a, 86400000) > 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_limits_everything_may_be_sent),
		cmocka_unit_test(credit_is_granted_spent_and_owed),
		cmocka_unit_test(a_rate_allows_a_burst_of_a_second),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
