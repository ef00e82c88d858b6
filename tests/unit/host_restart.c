#include "host/life/restart.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void
the_delay_doubles_up_to_a_minute(void **state)
{
	static const int64_t want[] = { 1000, 2000, 4000, 8000, 16000, 32000,
		60000, 60000 };

	(void)state;
	for (unsigned i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		assert_int_equal(restart_delay_ms(i + 1, false), want[i]);
	assert_int_equal(restart_delay_ms(UINT32_MAX, false), 60000);
}

static void
the_fifth_failure_in_a_row_is_the_last(void **state)
{
	(void)state;
	assert_int_equal(restart_delay_ms(4, true), 8000);
	assert_int_equal(restart_delay_ms(5, true), -1);
	assert_int_equal(restart_delay_ms(6, true), -1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_delay_doubles_up_to_a_minute),
		cmocka_unit_test(the_fifth_failure_in_a_row_is_the_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
