#include "unit.h"

#include <stdio.h>

#include "hub/throttle.h"

static void
fail_times(struct throttle *t, const char *peer, unsigned n, int64_t now)
{
	for (unsigned i = 0; i < n; i++)
		throttle_failed(t, peer, now);
}

/* S4: ten failures of one address in a minute. */
static void
the_eleventh_try_of_an_address_waits(void **state)
{
	static struct throttle t;

	(void)state;
	fail_times(&t, "10.0.0.1", THROTTLE_PEER - 1, 1000);
	assert_int_equal(throttle_wait(&t, "10.0.0.1", 1000), 0);
	throttle_failed(&t, "10.0.0.1", 31000);
	assert_int_equal(throttle_wait(&t, "10.0.0.1", 31000), 30000);
	assert_int_equal(throttle_wait(&t, "10.0.0.2", 31000), 0);
	assert_int_equal(throttle_wait(&t, "10.0.0.1", 61000), 0);
	/* A new minute begins with its first failure. */
	fail_times(&t, "10.0.0.1", THROTTLE_PEER - 1, 62000);
	assert_int_equal(throttle_wait(&t, "10.0.0.1", 62000), 0);
	throttle_failed(&t, "10.0.0.1", 62000);
	assert_int_equal(throttle_wait(&t, "10.0.0.1", 62000), THROTTLE_MS);
}

static void
a_hundred_failures_of_all_addresses_stop_everybody(void **state)
{
	static struct throttle t;
	char peer[32];

	(void)state;
	for (unsigned i = 0; i < THROTTLE_ALL; i++) {
		assert_int_equal(throttle_wait(&t, "10.1.1.1", 5), 0);
		snprintf(peer, sizeof(peer), "10.0.0.%u", i);
		throttle_failed(&t, peer, 5);
	}
	assert_int_equal(throttle_wait(&t, "10.1.1.1", 6), THROTTLE_MS - 1);
	assert_int_equal(throttle_wait(&t, "10.1.1.1", 5 + THROTTLE_MS), 0);
}

/* Many addresses push out the oldest ones, not those that fail now. */
static void
an_address_that_fails_now_is_not_forgotten(void **state)
{
	static struct throttle t;
	char peer[32];

	(void)state;
	fail_times(&t, "10.9.9.9", 1, 1);
	for (unsigned i = 0; i < 3 * THROTTLE_PEERS; i++) {
		int64_t now = 10 + (int64_t)i * THROTTLE_MS / 1000;

		snprintf(peer, sizeof(peer), "10.0.%u.%u", i / 256, i % 256);
		throttle_failed(&t, peer, now);
		if (i % (THROTTLE_PEERS / 2) == 0)
			fail_times(&t, "10.9.9.9", 2, now);
	}
	/* 13 failures in 46 seconds; the limit of all is another one. */
	t.failures = 0;
	assert_true(throttle_wait(&t, "10.9.9.9", 46100) > 0);
	assert_int_equal(throttle_wait(&t, "10.0.0.1", 46100), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_eleventh_try_of_an_address_waits),
		cmocka_unit_test(
		    a_hundred_failures_of_all_addresses_stop_everybody),
		cmocka_unit_test(an_address_that_fails_now_is_not_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
