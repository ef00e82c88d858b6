#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"

static void
error_set_returns_the_negative_errno_and_keeps_the_reason(void **state)
{
	struct error err = { 0 };

	(void)state;
	assert_int_equal(error_set(&err, ENOENT, "cannot run %s", "/x"),
	    -ENOENT);
	assert_int_equal(err.code, ENOENT);
	assert_string_equal(err.msg, "cannot run /x");
}

static void
error_set_without_an_error_only_returns(void **state)
{
	(void)state;
	assert_int_equal(error_set(NULL, EIO, "nobody reads this"), -EIO);
}

static void
error_set_cuts_a_message_that_is_too_long(void **state)
{
	struct error err;
	char text[1000];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(error_set(&err, E2BIG, "%s", text), -E2BIG);
	assert_int_equal(strlen(err.msg), sizeof(err.msg) - 1);
	assert_memory_equal(err.msg, text, sizeof(err.msg) - 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    error_set_returns_the_negative_errno_and_keeps_the_reason),
		cmocka_unit_test(error_set_without_an_error_only_returns),
		cmocka_unit_test(error_set_cuts_a_message_that_is_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
