#include "session/quota.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define RATE 50
#define SECOND 1000000000ll
#define NOW (1700000000 * SECOND)

/* The number of sessions allowed at this moment, after the recorded time. */
static unsigned
come(int64_t *kept, int64_t now, unsigned rate)
{
	unsigned n = 0;
	int64_t next;

	while ((next = quota_next_ns(*kept, now, rate)) >= 0) {
		*kept = next;
		n++;
	}
	return n;
}

static void
a_burst_may_come_at_once(void **state)
{
	int64_t kept = 0;

	(void)state;
	assert_int_equal(come(&kept, NOW, RATE), QUOTA_BURST);
}

static void
after_the_burst_the_rate_applies(void **state)
{
	int64_t kept = 0;

	(void)state;
	come(&kept, NOW, RATE);
	for (int s = 1; s <= 5; s++)
		assert_int_equal(come(&kept, NOW + s * SECOND, RATE), RATE);
	/* After a pause there may be a burst again, and no more. */
	assert_int_equal(come(&kept, NOW + 3600 * SECOND, RATE), QUOTA_BURST);
}

static void
a_thousand_sessions_in_ten_seconds_are_allowed(void **state)
{
	int64_t kept = 0;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		kept = quota_next_ns(kept, NOW + i * SECOND / 100, RATE);
		assert_true(kept > 0);
	}
}

static void
a_clock_that_is_set_back_refuses_nothing(void **state)
{
	int64_t kept = NOW + 86400 * SECOND;

	(void)state;
	assert_true(quota_next_ns(kept, NOW, RATE) > NOW);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_burst_may_come_at_once),
		cmocka_unit_test(after_the_burst_the_rate_applies),
		cmocka_unit_test(
		    a_thousand_sessions_in_ten_seconds_are_allowed),
		cmocka_unit_test(a_clock_that_is_set_back_refuses_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
