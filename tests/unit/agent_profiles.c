#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/profile.h"
#include "agent/profiles.h"
#include "base/error.h"

static int
add(struct agent_profiles *all, const char *name, const char *text)
{
	struct error err;

	return agent_profiles_add(all, name, text, strlen(text), &err);
}

static void
the_built_in_profiles_are_sorted_and_found(void **state)
{
	static const char *const names[] = { "amp", "auggie", "claude", "codex",
		"cursor", "gemini", "generic", "opencode" };
	struct agent_profiles *all = agent_profiles_create();

	(void)state;
	assert_int_equal(agent_profiles_count(all),
	    sizeof(names) / sizeof(*names));
	for (size_t i = 0; i < agent_profiles_count(all); i++) {
		const struct agent_profile *p = agent_profiles_at(all, i);

		assert_string_equal(agent_profile_name(p), names[i]);
		assert_ptr_equal(agent_profiles_find(all, names[i]), p);
		assert_false(agent_profile_is_own(p));
	}
	assert_null(agent_profiles_find(all, "clau"));
	assert_null(agent_profiles_find(all, "zed"));
	agent_profiles_destroy(all);
	agent_profiles_destroy(NULL);
}

/* As a user's file, all of its patterns are checked. */
static void
the_text_of_a_built_in_profile_can_be_copied(void **state)
{
	struct agent_profiles *all = agent_profiles_create();

	(void)state;
	for (size_t i = 0; i < agent_profiles_count(all); i++) {
		const struct agent_profile *p = agent_profiles_at(all, i);
		struct agent_profiles *copy = agent_profiles_create();
		const char *text = agent_profile_text(p);
		struct error err = { 0 };

		if (agent_profiles_add(copy, agent_profile_name(p), text,
			strlen(text), &err) < 0)
			fail_msg("%s: %s", agent_profile_name(p), err.msg);
		assert_int_equal(agent_profiles_count(copy),
		    agent_profiles_count(all));
		agent_profiles_destroy(copy);
	}
	agent_profiles_destroy(all);
}

static void
a_file_adds_a_profile_or_replaces_one(void **state)
{
	struct agent_profiles *all = agent_profiles_create();
	const size_t n = agent_profiles_count(all);
	const struct agent_profile *p;

	(void)state;
	assert_int_equal(add(all, "bob", "[agent]\ntitle = Bob"), 0);
	assert_int_equal(agent_profiles_count(all), n + 1);
	p = agent_profiles_find(all, "bob");
	assert_string_equal(agent_profile_title(p), "Bob");
	assert_true(agent_profile_is_own(p));
	assert_ptr_equal(agent_profiles_at(all, 2), p);

	assert_int_equal(add(all, "claude", "[agent]\ntitle = Mine"), 0);
	assert_int_equal(agent_profiles_count(all), n + 1);
	p = agent_profiles_find(all, "claude");
	assert_string_equal(agent_profile_title(p), "Mine");
	agent_profiles_destroy(all);
}

static void
a_file_that_is_wrong_changes_nothing(void **state)
{
	struct agent_profiles *all = agent_profiles_create();
	const struct agent_profile *p = agent_profiles_find(all, "claude");

	(void)state;
	assert_int_equal(add(all, "claude", "[agent]\nfrob = 1"), -EINVAL);
	assert_int_equal(add(all, "claude", "[box]\nbegin = ("), -EINVAL);
	assert_ptr_equal(agent_profiles_find(all, "claude"), p);
	agent_profiles_destroy(all);
}

static void
there_are_so_many_profiles_and_no_more(void **state)
{
	struct agent_profiles *all = agent_profiles_create();
	struct error err;
	char name[16];

	(void)state;
	for (int i = 0; agent_profiles_count(all) < AGENT_PROFILES_MAX; i++) {
		snprintf(name, sizeof(name), "own%d", i);
		assert_int_equal(add(all, name, ""), 0);
	}
	assert_int_equal(agent_profiles_add(all, "more", "", 0, &err), -ENOSPC);
	assert_string_equal(err.msg, "there are 64 profiles, and no more fit");
	assert_int_equal(agent_profiles_count(all), AGENT_PROFILES_MAX);
	assert_int_equal(add(all, "own0", "[agent]\ntitle = again"), 0);
	agent_profiles_destroy(all);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_built_in_profiles_are_sorted_and_found),
		cmocka_unit_test(the_text_of_a_built_in_profile_can_be_copied),
		cmocka_unit_test(a_file_adds_a_profile_or_replaces_one),
		cmocka_unit_test(a_file_that_is_wrong_changes_nothing),
		cmocka_unit_test(there_are_so_many_profiles_and_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
