#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "../rng.h"
#include "base/error.h"
#include "policy/glob.h"

/* B-38. */
static void
a_star_is_one_segment_and_two_are_any_number(void **state)
{
	static const struct {
		const char *pattern, *name;
		bool matches;
	} cases[] = {
		{ "a", "a", true },
		{ "a", "b", false },
		{ "a", "A", false },
		{ "a", "a/b", false },
		{ "a/b", "a", false },
		{ "*", "a", true },
		{ "*", "a/b", false },
		{ "*/b", "a/b", true },
		{ "a/*", "a", false },
		{ "a/*", "a/b", true },
		{ "a/*", "a/b/c", false },
		{ "a/*/c", "a/b/c", true },
		{ "a/*/c", "a/c", false },
		{ "**", "a", true },
		{ "**", "a/b/c", true },
		{ "a/**", "a", true },
		{ "a/**", "a/b/c", true },
		{ "a/**", "ab", false },
		{ "**/c", "c", true },
		{ "**/c", "a/b/c", true },
		{ "**/c", "a/b/cc", false },
		{ "a/**/c", "a/c", true },
		{ "a/**/c", "a/b/b/c", true },
		{ "a/**/c", "a/b/c/d", false },
		{ "**/b/**", "a/b/c", true },
		{ "**/b/**", "a/c", false },
		{ "**/**", "a", true },
		{ "**/*", "a", true },
		{ "**/*/*", "a", false },
		{ "**/a/*/a", "a/a/b/a", true },
		{ "iree/**", "iree/amd/pm", true },
		{ "iree/**", "ireex/amd", false },
		{ "user:ann", "user:ann", true },
		{ "user:ann", "user:anna", false },
		{ "agent:x/*", "agent:x/y", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (glob_match(cases[i].pattern, cases[i].name) !=
		    cases[i].matches)
			fail_msg("%s and %s", cases[i].pattern, cases[i].name);
	}
}

static void
a_segment_cannot_mix_text_and_stars(void **state)
{
	static const char *const wrong[] = { "", "/", "a//b", "a/", "/a", "a*",
		"*a", "***", "a/**b", "user:*" };
	char longest[GLOB_SIZE_MAX + 2];
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		if (glob_check(wrong[i], &err) == 0)
			fail_msg("\"%s\" is accepted", wrong[i]);
	}
	memset(longest, 'a', sizeof(longest));
	longest[GLOB_SIZE_MAX] = '\0';
	assert_int_equal(glob_check(longest, &err), 0);
	longest[GLOB_SIZE_MAX] = 'a';
	longest[GLOB_SIZE_MAX + 1] = '\0';
	assert_int_not_equal(glob_check(longest, &err), 0);
	assert_int_equal(glob_check("**/**/**/**/**/**/**/**/**/**/**/**/**/**/"
				    "**/**",
			     &err),
	    0);
	assert_int_not_equal(glob_check("a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a",
				 &err),
	    0);
}

/* ------------------------------------------------------------------- model */

/* Lists of segments; a name has neither * nor **. */
static bool
naive(const char *const *pattern, size_t n, const char *const *name, size_t len)
{
	if (n == 0)
		return len == 0;
	if (strcmp(pattern[0], "**") == 0)
		return naive(pattern + 1, n - 1, name, len) ||
		    (len > 0 && naive(pattern, n, name + 1, len - 1));
	return len > 0 &&
	    (strcmp(pattern[0], "*") == 0 ||
		strcmp(pattern[0], name[0]) == 0) &&
	    naive(pattern + 1, n - 1, name + 1, len - 1);
}

static void
join(const char *const *parts, size_t n, char out[64])
{
	out[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			strcat(out, "/");
		strcat(out, parts[i]);
	}
}

static void
matches_as_a_naive_matcher_does(void **state)
{
	static const char *const words[] = { "a", "b", "*", "**" };
	struct rng rng = { 7 };
	const char *pattern[6], *name[6];
	char p[64], s[64];
	unsigned matched = 0;

	(void)state;
	for (unsigned i = 0; i < 50000; i++) {
		size_t n = 1 + rng_below(&rng, 5), len = 1 + rng_below(&rng, 5);

		for (size_t k = 0; k < n; k++)
			pattern[k] = words[rng_below(&rng, 4)];
		for (size_t k = 0; k < len; k++)
			name[k] = words[rng_below(&rng, 2)];
		join(pattern, n, p);
		join(name, len, s);
		matched += glob_match(p, s);
		if (glob_match(p, s) != naive(pattern, n, name, len))
			fail_msg("%s and %s", p, s);
	}
	assert_true(matched > 5000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_star_is_one_segment_and_two_are_any_number),
		cmocka_unit_test(a_segment_cannot_mix_text_and_stars),
		cmocka_unit_test(matches_as_a_naive_matcher_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
