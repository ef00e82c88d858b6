#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "session/grant.h"

static struct grant
grant(const char *text)
{
	struct error err = { 0 };
	struct grant g;

	if (grant_parse(text, &g, &err) < 0)
		fail_msg("%s: %s", text, err.msg);
	return g;
}

static void
refuses(const char *text, const char *why)
{
	struct grant g = { .glob = "as it was" };
	struct error err = { 0 };

	if (grant_parse(text, &g, &err) != -EINVAL)
		fail_msg("taken: %s", text);
	if (strstr(err.msg, why) == NULL)
		fail_msg("%s: %s", text, err.msg);
	assert_string_equal(g.glob, "as it was");
}

static bool
drives(const char *glob, const char *name)
{
	char text[GRANT_TEXT_SIZE];
	struct grant g;

	snprintf(text, sizeof(text), "drive:%s", glob);
	g = grant(text);
	return grant_allows(&g, OP_DRIVE, name);
}

static void
a_star_stands_for_a_part_of_one_segment(void **state)
{
	(void)state;
	assert_true(drives("team/*", "team/a"));
	assert_false(drives("team/*", "team"));
	assert_false(drives("team/*", "team/a/b"));
	assert_false(drives("team/*", "other/a"));
	assert_true(drives("*", "build"));
	assert_false(drives("*", "team/build"));
	assert_true(drives("worker-*", "worker-12"));
	assert_true(drives("worker-*", "worker-"));
	assert_false(drives("worker-*", "worker"));
	assert_true(drives("a*b*c", "a-bb-c"));
	assert_false(drives("a*b*c", "a-bb-cd"));
	assert_true(drives("*/x", "team/x"));
}

static void
two_stars_stand_for_any_depth(void **state)
{
	(void)state;
	assert_true(drives("**", "a"));
	assert_true(drives("**", "a/b/c/d/e/f/g/h"));
	assert_true(drives("team/**", "team/a/b"));
	assert_true(drives("team/**", "team"));
	assert_false(drives("team/**", "teams/a"));
	assert_true(drives("**/log", "log"));
	assert_true(drives("**/log", "a/b/log"));
	assert_false(drives("**/log", "a/b/logs"));
	assert_true(drives("a/**/z", "a/z"));
	assert_true(drives("a/**/z", "a/b/c/z"));
	assert_false(drives("a/**/z", "a/b/c"));
}

static void
a_name_without_stars_is_that_session_alone(void **state)
{
	(void)state;
	assert_true(drives("build", "build"));
	assert_false(drives("build", "build-2"));
	assert_false(drives("build", "Build"));
}

static void
drive_and_control_include_observe_and_nothing_else(void **state)
{
	static const struct {
		const char *text;
		bool allowed[OP_PERMISSIONS];
	} cases[] = {
		{ "observe:x", { [OP_OBSERVE] = true } },
		{ "drive:x", { [OP_OBSERVE] = true, [OP_DRIVE] = true } },
		{ "control:x", { [OP_OBSERVE] = true, [OP_CONTROL] = true } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct grant g = grant(cases[i].text);

		for (int p = 0; p < OP_PERMISSIONS; p++)
			assert_int_equal(grant_allows(&g, (enum op_permission)p,
					     "x"),
			    cases[i].allowed[p]);
	}
}

static void
an_invalid_grant_is_refused_with_a_reason(void **state)
{
	char text[400] = "drive:";

	(void)state;
	refuses("", "PERMISSION:NAMES");
	refuses("drive", "PERMISSION:NAMES");
	refuses("read:x", "PERMISSION:NAMES");
	refuses("observe-everything-there-is:x", "PERMISSION:NAMES");
	refuses("approve:*", "cannot be granted");
	refuses("admin:**", "cannot be granted");
	refuses("create:*", "cannot be granted");
	refuses("drive:", "not a pattern");
	refuses("drive:/a", "not a pattern");
	refuses("drive:a/", "not a pattern");
	refuses("drive:a//b", "not a pattern");
	refuses("drive:a b", "not a pattern");
	refuses("drive:a\n", "not a pattern");
	refuses("drive:a**", "not a pattern");
	refuses("drive:***", "not a pattern");
	refuses("drive:[ab]", "not a pattern");
	refuses("drive:1/2/3/4/5/6/7/8/9", "at most 8 segments");
	memset(text + 6, 'a', 256);
	refuses(text, "at most 255 bytes");
	text[6 + 255] = '\0';
	grant(text);
}

static void
a_grant_comes_back_as_it_was_written(void **state)
{
	static const char *const texts[] = { "drive:team/*", "observe:**",
		"control:a/**/b-*.c" };
	char out[GRANT_TEXT_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct grant g = grant(texts[i]);

		grant_format(&g, out);
		assert_string_equal(out, texts[i]);
	}
}

static bool
covers(const char *wide, const char *narrow)
{
	struct grant w = grant(wide), n = grant(narrow);

	return grant_covers(&w, &n);
}

static void
a_wider_grant_covers_a_narrower_one(void **state)
{
	(void)state;
	assert_true(covers("drive:team/*", "drive:team/*"));
	assert_true(covers("drive:team/*", "observe:team/*"));
	assert_true(covers("drive:team/*", "drive:team/a"));
	assert_true(covers("drive:team/*", "drive:team/a*"));
	assert_true(covers("drive:team/**", "drive:team/*"));
	assert_true(covers("drive:team/**", "drive:team/a/**"));
	assert_true(covers("drive:**", "drive:*/x"));
	assert_false(covers("observe:team/*", "drive:team/*"));
	assert_false(covers("control:team/*", "drive:team/*"));
	assert_false(covers("drive:team/*", "drive:team/**"));
	assert_false(covers("drive:team/*", "drive:*/a"));
	assert_false(covers("drive:team/a*", "drive:team/*"));
	assert_false(covers("drive:*", "drive:**"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_star_stands_for_a_part_of_one_segment),
		cmocka_unit_test(two_stars_stand_for_any_depth),
		cmocka_unit_test(a_name_without_stars_is_that_session_alone),
		cmocka_unit_test(
		    drive_and_control_include_observe_and_nothing_else),
		cmocka_unit_test(an_invalid_grant_is_refused_with_a_reason),
		cmocka_unit_test(a_grant_comes_back_as_it_was_written),
		cmocka_unit_test(a_wider_grant_covers_a_narrower_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
