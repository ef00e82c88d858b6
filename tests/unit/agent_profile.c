#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/profile.h"
#include "agent/profiles.h"
#include "agent/versions.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/ini.h"
#include "base/mem.h"

/* Add the text as a user's profile. */
static int
add_len(const char *name, const char *text, size_t len, struct error *err)
{
	struct agent_profiles *all = agent_profiles_create();
	size_t n = agent_profiles_count(all);
	int rc = agent_profiles_add(all, name, text, len, err);

	if (rc < 0)
		assert_int_equal(agent_profiles_count(all), n);
	agent_profiles_destroy(all);
	return rc;
}

static int
add(const char *text, struct error *err)
{
	return add_len("own", text, strlen(text), err);
}

#define LONG_NAME "a234567890123456789012345678901234"

static void
an_error_has_its_line_and_its_reason(void **state)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "title = x",
		    "line 1: there is no section []; give [agent], "
		    "[box], [title NAME] or [screen NAME]" },
		{ "[agent]\n\ntitle = x\n[keys]\na = b",
		    "line 5: there is no section [keys]; give [agent], [box], "
		    "[title NAME] or [screen NAME]" },
		{ "[agent]\nname = x",
		    "line 2: there is no key name in "
		    "[agent]" },
		{ "[box]\nmatch = x",
		    "line 2: there is no key match in "
		    "[box]" },
		{ "[title a]\nrows = 2",
		    "line 2: there is no key rows in "
		    "[title a]" },
		{ "[agent\n", "line 1: the section has no closing ]" },
		{ "[agent]\nnonsense\n",
		    "line 2: expected [section] or key = "
		    "value" },
		{ "[agent]\nprogram =", "line 2: the value is empty" },
		{ "[agent]\ntitle =", "line 2: the value is empty" },
		{ "[agent]\nseen = new",
		    "line 2: give versions, as in 1.2, "
		    "1.4.0-1.4.9, or any" },
		{ "[agent]\nversion = (",
		    "line 2: the pattern is invalid: at "
		    "character 1: missing closing "
		    "parenthesis" },
		{ "[box]\nbegin = [",
		    "line 2: the pattern is invalid: at "
		    "character 1: missing terminating ] for "
		    "character class" },
		{ "[box]\nbegin = a\nbegin = b",
		    "line 3: more than 1 pattern of this key" },
		{ "[box]\nrows = 0",
		    "line 2: give a number of rows from 1 to "
		    "60" },
		{ "[box]\nrows = 61",
		    "line 2: give a number of rows from 1 to "
		    "60" },
		{ "[box]\nrows = 5x",
		    "line 2: give a number of rows from 1 to "
		    "60" },
		{ "[box]\nfaint = maybe", "line 2: give yes or no" },
		{ "[title idle]\nmatch =", "line 2: the pattern is empty" },
		{ "[title idle]\nmatch = a\n[title x]\nmatch = *",
		    "line 4: the rule x has no activity" },
		{ "[title idle]\nmatch = a\n[screen idle]\nunless = a\n"
		  "match = *a",
		    "line 5: the pattern is invalid: at character 0: "
		    "quantifier does not follow a repeatable item" },
		{ "[title idle]\nactivity = idle",
		    "line 2: the rule idle has no match" },
		{ "[title x]\nmatch = a\nactivity = asleep",
		    "line 3: there is no activity asleep" },
		{ "[screen x]\nmatch = a\nbox = full",
		    "line 3: give any, none, shown, empty or draft" },
		{ "[screen idle]\nbox = empty",
		    "line 2: the rule idle needs a box, and [box] has no "
		    "begin" },
		{ "[screen ]\nmatch = a",
		    "line 2: name the rule: [screen NAME], with a-z, 0-9, - and _" },
		{ "[screen A]\nmatch = a",
		    "line 2: name the rule: [screen NAME], with a-z, 0-9, - "
		    "and _" },
		{ "[title " LONG_NAME "]\nmatch = a",
		    "line 2: name the rule: [title NAME], with a-z, 0-9, - "
		    "and _" },
		{ "[screen idle]\nmatch = a\n[agent]\ntitle = x\n"
		  "[screen idle]\nmatch = b",
		    "line 6: there are two rules idle" },
		{ "[agent]\ntitle = \xff", "it is not UTF-8" },
	};
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(add(bad[i].text, &err), -EINVAL);
		assert_string_equal(err.msg, bad[i].why);
	}
}

static void
a_profile_needs_nothing_but_a_name(void **state)
{
	struct agent_profile *p;
	struct error err;
	char seen[16];

	(void)state;
	p = agent_profile_parse("own", "", 0, &err);
	assert_non_null(p);
	assert_string_equal(agent_profile_name(p), "own");
	assert_string_equal(agent_profile_title(p), "own");
	assert_string_equal(agent_profile_text(p), "");
	agent_profile_seen(p, seen, sizeof(seen));
	assert_string_equal(seen, "");
	assert_false(agent_profile_is_own(p));
	agent_profile_destroy(p);
	agent_profile_destroy(NULL);
}

static void
a_profile_keeps_its_text(void **state)
{
	static const char text[] = "# mine\n[agent]\ntitle = My own\n"
				   "seen = 1.0-1.9\n";
	struct agent_profile *p;
	struct error err;
	char seen[16];

	(void)state;
	p = agent_profile_parse("own", text, strlen(text), &err);
	assert_non_null(p);
	assert_string_equal(agent_profile_title(p), "My own");
	assert_string_equal(agent_profile_text(p), text);
	agent_profile_seen(p, seen, sizeof(seen));
	assert_string_equal(seen, "1.0 to 1.9");
	agent_profile_destroy(p);
}

static void
a_name_is_a_word_of_small_letters(void **state)
{
	static const char *const bad[] = { "", "A", "1a", "a b", "a/b", "..",
		"-a", LONG_NAME };
	struct error err;

	(void)state;
	assert_int_equal(add_len("a-1_b", "", 0, &err), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(add_len(bad[i], "", 0, &err), -EINVAL);
		assert_non_null(strstr(err.msg, "is not a name for a profile"));
	}
}

/* Begin with `head`, and add the line n times, with its number. */
static int
add_lines(const char *head, const char *line, unsigned n, struct error *err)
{
	struct buf b;
	int rc;

	buf_init(&b, 1u << 20);
	buf_puts(&b, head);
	for (unsigned i = 0; i < n; i++) {
		const char *number = strchr(line, '#');

		buf_append(&b, line, (size_t)(number - line));
		buf_printf(&b, "%u%s\n", i, number + 1);
	}
	rc = add_len("own", (const char *)b.data, b.len, err);
	buf_finish(&b);
	return rc;
}

static void
each_limit_is_kept_and_none_is_crossed(void **state)
{
	static const struct {
		const char *head, *line, *why;
		unsigned most;
	} limits[] = {
		{ "", "[screen r#]\nactivity = idle\nmatch = a",
		    "line 194: more than 64 rules", AGENT_RULES_MAX },
		{ "[title idle]\n", "match = #",
		    "line 18: more than 16 patterns of this key",
		    AGENT_PATTERNS_MAX },
		{ "[title idle]\nmatch = a\n", "unless = #",
		    "line 18: more than 15 patterns of this key",
		    AGENT_PATTERNS_MAX - 1 },
		{ "[agent]\n", "program = #",
		    "line 18: more than 16 values of this key",
		    AGENT_NAMES_MAX },
		{ "[agent]\n", "app = #",
		    "line 18: more than 16 values of this key",
		    AGENT_NAMES_MAX },
		{ "[agent]\n", "seen = #",
		    "line 18: more than 16 ranges of versions",
		    AGENT_RANGES_MAX },
		{ "[box]\n", "fold = #",
		    "line 18: more than 16 patterns of this key",
		    AGENT_PATTERNS_MAX },
	};
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		assert_int_equal(add_lines(limits[i].head, limits[i].line,
				     limits[i].most, &err),
		    0);
		assert_int_equal(add_lines(limits[i].head, limits[i].line,
				     limits[i].most + 1, &err),
		    -EINVAL);
		assert_string_equal(err.msg, limits[i].why);
	}
}

static void
a_file_has_so_many_bytes_and_no_more(void **state)
{
	auto_free char *text = xmalloc(AGENT_FILE_MAX + 1);
	struct error err;

	(void)state;
	memset(text, '\n', AGENT_FILE_MAX + 1);
	assert_int_equal(add_len("own", text, AGENT_FILE_MAX, &err), 0);
	assert_int_equal(add_len("own", text, AGENT_FILE_MAX + 1, &err),
	    -EINVAL);
	assert_string_equal(err.msg, "it has more than 65536 bytes");
	memset(text, '#', INI_LINE_MAX + 1);
	assert_int_equal(add_len("own", text, INI_LINE_MAX, &err), 0);
	assert_int_equal(add_len("own", text, INI_LINE_MAX + 1, &err), -EINVAL);
	assert_string_equal(err.msg, "line 1: the line is too long");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_error_has_its_line_and_its_reason),
		cmocka_unit_test(a_profile_needs_nothing_but_a_name),
		cmocka_unit_test(a_profile_keeps_its_text),
		cmocka_unit_test(a_name_is_a_word_of_small_letters),
		cmocka_unit_test(each_limit_is_kept_and_none_is_crossed),
		cmocka_unit_test(a_file_has_so_many_bytes_and_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
