/*
 * The table of failures: codes, exit statuses, and the errno values of a host.
 */
#include "unit.h"

#include <errno.h>

#include "op/failure.h"

/* Scripts rely on these numbers and names: they never change. */
static void
codes_and_statuses_are_stable(void **state)
{
	static const struct {
		const char *code;
		int status;
	} known[] = { { "internal", 1 }, { "usage", 2 }, { "bad_input", 2 },
		{ "exists", 2 }, { "not_found", 3 }, { "not_running", 4 },
		{ "timeout", 5 }, { "unreachable", 6 }, { "storage", 8 },
		{ "protocol", 9 }, { "replay", 10 }, { "denied", 12 },
		{ "busy", 12 }, { "cancelled", 1 } };

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		enum failure f = failure_called(known[i].code);

		assert_string_equal(failure_code(f), known[i].code);
		assert_int_equal(failure_status(f), known[i].status);
	}
}

/* A code gives its usual row, not the one that must not be retried. */
static void
a_code_gives_its_first_row(void **state)
{
	(void)state;
	assert_int_equal(failure_called("busy"), FAIL_BUSY);
	assert_int_equal(failure_called("unreachable"), FAIL_UNREACHABLE);
	assert_int_equal(failure_called("no such code"), FAIL_INTERNAL);
}

static void
every_row_is_complete(void **state)
{
	(void)state;
	for (unsigned f = 0; f < FAIL_COUNT; f++) {
		assert_true(failure_code(f)[0] != '\0');
		assert_true(failure_text(f)[0] != '\0');
		assert_in_range(failure_status(f), 1, 12);
	}
}

static void
only_some_failures_may_be_retried(void **state)
{
	(void)state;
	assert_true(failure_is_retryable(FAIL_BUSY));
	assert_true(failure_is_retryable(FAIL_TIMEOUT));
	assert_false(failure_is_retryable(FAIL_STALE));
	assert_false(failure_is_retryable(FAIL_CUT_OFF));
	assert_false(failure_is_retryable(FAIL_USAGE));
}

static void
errno_values_have_a_failure(void **state)
{
	(void)state;
	assert_int_equal(failure_of_errno(EINVAL), FAIL_USAGE);
	assert_int_equal(failure_of_errno(EEXIST), FAIL_EXISTS);
	assert_int_equal(failure_of_errno(ESTALE), FAIL_STALE);
	assert_int_equal(failure_of_errno(ENOSPC), FAIL_STORAGE);
	assert_int_equal(failure_of_errno(ESRCH), FAIL_NOT_RUNNING);
	assert_int_equal(failure_of_errno(EXDEV), FAIL_INTERNAL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(codes_and_statuses_are_stable),
		cmocka_unit_test(a_code_gives_its_first_row),
		cmocka_unit_test(every_row_is_complete),
		cmocka_unit_test(only_some_failures_may_be_retried),
		cmocka_unit_test(errno_values_have_a_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
