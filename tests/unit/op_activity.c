#include "unit.h"

#include <errno.h>

#include "op/activity.h"

static void
an_activity_has_a_name_that_reads_back(void **state)
{
	enum activity a;

	(void)state;
	for (int i = 0; i < ACTIVITIES; i++) {
		a = ACTIVITIES;
		assert_int_equal(activity_parse(activity_name((enum activity)i),
				     &a),
		    0);
		assert_int_equal(a, i);
	}
	assert_string_equal(activity_name(ACTIVITY_WAITING_PERMISSION),
	    "waiting_permission");
}

static void
another_name_is_no_activity(void **state)
{
	enum activity a = ACTIVITY_DONE;

	(void)state;
	assert_int_equal(activity_parse("", &a), -EINVAL);
	assert_int_equal(activity_parse("Idle", &a), -EINVAL);
	assert_int_equal(activity_parse("waiting", &a), -EINVAL);
	assert_int_equal(a, ACTIVITY_DONE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_activity_has_a_name_that_reads_back),
		cmocka_unit_test(another_name_is_no_activity),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
