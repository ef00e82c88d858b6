/* The poison rule: how deaths in the engine change the next host. */

#include "unit.h"

#include <signal.h>

#include "host/life/poison.h"
#include "keep/control.h"
#include "keep/ring.h"

#define LEN(a) (sizeof(a) / sizeof((a)[0]))

static struct control_death
death(uint64_t engine_at, uint64_t head, uint32_t signal)
{
	return (struct control_death){
		.engine_at = engine_at,
		.head = head,
		.signal = signal,
	};
}

static void
one_death_changes_nothing(void **state)
{
	struct control_death d[] = { death(1000, 2000, SIGSEGV) };

	(void)state;
	assert_int_equal(poison_judge(NULL, 0).mode, POISON_NONE);
	assert_int_equal(poison_judge(d, LEN(d)).mode, POISON_NONE);
}

static void
two_deaths_close_together_skip_the_suspect_bytes(void **state)
{
	struct control_death d[] = {
		death(5000, 9000, SIGSEGV),
		death(1000, 3000, SIGABRT),
	};
	struct poison p = poison_judge(d, LEN(d));

	(void)state;
	assert_int_equal(p.mode, POISON_SKIP);
	assert_int_equal(p.from, 1000);
	assert_int_equal(p.to, 9000);
	assert_int_equal(p.deaths, 2);
}

static void
two_deaths_far_apart_skip_nothing(void **state)
{
	struct control_death d[] = {
		death(0, 100, SIGSEGV),
		death(POISON_NEAR + 1, POISON_NEAR + 100, SIGSEGV),
	};

	(void)state;
	assert_int_equal(poison_judge(d, LEN(d)).mode, POISON_NONE);
	d[1].engine_at = POISON_NEAR;
	assert_int_equal(poison_judge(d, LEN(d)).mode, POISON_SKIP);
}

static void
a_later_death_elsewhere_ends_a_skip(void **state)
{
	struct control_death d[] = {
		death(100, 200, SIGSEGV),
		death(100, 200, SIGSEGV),
		death(10000000, 10000100, SIGSEGV),
	};

	(void)state;
	assert_int_equal(poison_judge(d, LEN(d)).mode, POISON_NONE);
	assert_int_equal(poison_judge(d, 2).mode, POISON_SKIP);
}

static void
four_deaths_turn_the_engine_off(void **state)
{
	struct control_death d[] = {
		death(100, 200, SIGSEGV),
		death(150, 200, SIGBUS),
		death(200, 300, SIGABRT),
		death(250, 300, 0),
	};

	(void)state;
	assert_int_equal(poison_judge(d, 3).mode, POISON_SKIP);
	assert_int_equal(poison_judge(d, 4).mode, POISON_RAW);
}

static void
kills_and_deaths_outside_the_engine_do_not_count(void **state)
{
	struct control_death d[] = {
		death(100, 200, SIGKILL),
		death(100, 200, SIGTERM),
		death(RING_IDLE, 200, SIGSEGV),
		death(RING_IDLE, 200, SIGSEGV),
		death(100, 200, SIGSEGV),
		death(100, 200, SIGKILL),
	};

	(void)state;
	assert_int_equal(poison_judge(d, LEN(d)).mode, POISON_NONE);
	assert_int_equal(poison_judge(d, LEN(d)).deaths, 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_death_changes_nothing),
		cmocka_unit_test(
		    two_deaths_close_together_skip_the_suspect_bytes),
		cmocka_unit_test(two_deaths_far_apart_skip_nothing),
		cmocka_unit_test(a_later_death_elsewhere_ends_a_skip),
		cmocka_unit_test(four_deaths_turn_the_engine_off),
		cmocka_unit_test(
		    kills_and_deaths_outside_the_engine_do_not_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
