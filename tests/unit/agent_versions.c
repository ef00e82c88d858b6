#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/versions.h"
#include "base/error.h"

static bool
have(const char *list, const char *version)
{
	struct agent_versions v = { 0 };
	struct error err;

	assert_int_equal(agent_versions_add(&v, list, &err), 0);
	return agent_versions_have(&v, version);
}

static void
a_range_has_its_ends_and_all_between(void **state)
{
	(void)state;
	assert_true(have("2.1.197-2.1.325", "2.1.197"));
	assert_true(have("2.1.197-2.1.325", "2.1.200"));
	assert_true(have("2.1.197-2.1.325", "2.1.325"));
	assert_true(have("2.1.197 - 2.1.325", "2.1.299.7"));
	assert_false(have("2.1.197-2.1.325", "2.1.196"));
	assert_false(have("2.1.197-2.1.325", "2.1.326"));
	assert_false(have("2.1.197-2.1.325", "2.1.1970"));
	assert_false(have("2.1.197-2.1.325", "2.10.200"));
	assert_false(have("2.1.197-2.1.325", "2.1.325.1"));
	assert_false(have("2.1.197-2.1.325", "2.1"));
	assert_true(have("2-3", "2.99.99"));
}

static void
a_single_version_has_only_itself(void **state)
{
	(void)state;
	assert_true(have("0.166.0", "0.166.0"));
	assert_true(have("0.166.0", "0.166"));
	assert_true(have("1, 3.5 ,7-8", "3.5"));
	assert_true(have("1, 3.5 ,7-8", "7.1"));
	assert_false(have("1, 3.5 ,7-8", "2"));
	assert_false(have("0.166.0", "0.166.1"));
}

static void
a_version_that_is_no_number_was_never_seen(void **state)
{
	(void)state;
	assert_false(have("1-9", "2.0-beta"));
	assert_false(have("1-9", "2.0a"));
	assert_false(have("1-9", "2..0"));
	assert_false(have("1-9", "2."));
	assert_false(have("1-9", ".2"));
	assert_false(have("1-9", ""));
	assert_false(have("1-9", NULL));
	assert_false(have("1-9", "99999999999999999999"));
	assert_false(have("1-9", "2.00000000000000000000000000000000"));
}

static void
any_has_also_a_version_that_is_not_known(void **state)
{
	(void)state;
	assert_true(have("any", NULL));
	assert_true(have("any", ""));
	assert_true(have("any", "2.0-beta"));
}

static void
a_malformed_list_is_refused_and_changes_nothing(void **state)
{
	static const char *const bad[] = { "", "x", "1-", "-1", "1,", "1,,2",
		"2-1", "1.2-beta", "1 2", "1.", "any, 1",
		"1.00000000000000000000000000000000" };
	struct agent_versions v = { 0 };
	struct error err;

	(void)state;
	assert_int_equal(agent_versions_add(&v, "4", &err), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(agent_versions_add(&v, bad[i], &err), -EINVAL);
		assert_string_equal(err.msg,
		    "give versions, as in 1.2, 1.4.0-1.4.9, or any");
	}
	assert_int_equal(v.n, 1);
	assert_false(v.any);
}

static void
a_list_takes_so_many_ranges_and_no_more(void **state)
{
	struct agent_versions v = { 0 };
	struct error err;

	(void)state;
	for (int i = 0; i < AGENT_RANGES_MAX; i++)
		assert_int_equal(agent_versions_add(&v, "1", &err), 0);
	assert_int_equal(agent_versions_add(&v, "1", &err), -EINVAL);
	assert_string_equal(err.msg, "more than 16 ranges of versions");
	assert_int_equal(v.n, AGENT_RANGES_MAX);
}

static void
a_list_is_written_as_words(void **state)
{
	struct agent_versions v = { 0 };
	struct error err;
	char text[64], cut[12];

	(void)state;
	agent_versions_list(&v, text, sizeof(text));
	assert_string_equal(text, "");
	agent_versions_add(&v, "2.1.197-2.1.325", &err);
	agent_versions_list(&v, text, sizeof(text));
	assert_string_equal(text, "2.1.197 to 2.1.325");
	agent_versions_add(&v, "3.0,4", &err);
	agent_versions_list(&v, text, sizeof(text));
	assert_string_equal(text, "2.1.197 to 2.1.325, 3.0 and 4");
	agent_versions_list(&v, cut, sizeof(cut));
	assert_string_equal(cut, "2.1.197 to ");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_range_has_its_ends_and_all_between),
		cmocka_unit_test(a_single_version_has_only_itself),
		cmocka_unit_test(a_version_that_is_no_number_was_never_seen),
		cmocka_unit_test(any_has_also_a_version_that_is_not_known),
		cmocka_unit_test(
		    a_malformed_list_is_refused_and_changes_nothing),
		cmocka_unit_test(a_list_takes_so_many_ranges_and_no_more),
		cmocka_unit_test(a_list_is_written_as_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
