#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "op/pattern.h"

static struct pattern *
make(const char *text)
{
	struct error err = { 0 };
	struct pattern *p = pattern_create(text, strlen(text), &err);

	if (p == NULL)
		fail_msg("%s: %s", text, err.msg);
	return p;
}

static void
finds(const char *pattern, const char *text, const char *want)
{
	struct pattern *p = make(pattern);
	size_t from = 0, to = 0;
	int rc = pattern_find(p, text, strlen(text), &from, &to);

	pattern_destroy(p);
	assert_int_equal(rc, want != NULL);
	if (want != NULL) {
		assert_int_equal(to - from, strlen(want));
		assert_memory_equal(text + from, want, to - from);
	}
}

static void
refuses(const char *pattern, size_t len, const char *why)
{
	struct error err = { 0 };
	struct pattern *p = pattern_create(pattern, len, &err);

	assert_null(p);
	assert_int_equal(err.code, EINVAL);
	if (strstr(err.msg, why) == NULL)
		fail_msg("%s does not say %s", err.msg, why);
}

static void
the_first_match_is_found(void **state)
{
	(void)state;
	finds("b+", "aabbbab", "bbb");
	finds("b+", "aac", NULL);
	finds("x", "", NULL);
	finds("^", "", "");
	finds("(\\w+) \\1", "say it it again", "it it");
	finds("(?i)error: .*", "ok\nError: no such file\nend",
	    "Error: no such file");
}

static void
anchors_match_at_the_ends_of_lines(void **state)
{
	(void)state;
	finds("^two$", "one\ntwo\nthree", "two");
	finds("\\Aone", "one\none", "one");
	finds("one$\\n^two", "one\ntwo", "one\ntwo");
	finds("a.*c", "ab\nc", NULL);
}

static void
patterns_match_utf8_characters(void **state)
{
	(void)state;
	finds("^.ä.$", "xäy", "xäy");
	finds("[漢字]+", "a漢字b", "漢字");
	finds("\\X$", "ae\xcc\x81", "e\xcc\x81");
}

static void
an_invalid_pattern_is_reported(void **state)
{
	char long_one[PATTERN_MAX + 1];
	char nested[2 * 60];

	(void)state;
	refuses("(a", 2, "parenthesis");
	refuses("[a", 2, "at character 2");
	refuses("*", 1, "quantifier");
	refuses("", 0, "1 to");
	refuses("a\xff", 2, "UTF-8");
	refuses("\\C", 2, "\\C");
	memset(long_one, 'a', sizeof(long_one));
	refuses(long_one, sizeof(long_one), "4096");
	refuses("(((a{1,999}){1,999}){1,999}){1,999}", 34, "too large");
	memset(nested, '(', 60);
	memset(nested + 60, ')', 60);
	refuses(nested, sizeof(nested), "nested");
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Patterns that would take from seconds to practically for ever. */
static const char *const hostile[] = {
	"(a+)+[^a]{99}",
	"(a|aa)+[bc]",
	"(a*)*[bc]",
	"(.*)*[bc]",
	"((a+)+)+[bc]",
	"[^b]*[bc]",
	"(?:a?){60}a{60}[bc]",
	"(a+)\\1+[bc]",
	"(.+)(.+)(.+)\\3\\2\\1[bc]",
	"(?=(a+))a*\\1[bc]",
	"(a(?1)?a)+[bc]",
	"(?R)?a[bc]",
	"(?s)(.*)(.*)(.*)(.*)[bc]",
	"(?>a+a?)+[bc]",
	"(?<!(?:aaaaaaaa|aaaaaaab))a+[bc]",
	"(*LIMIT_MATCH=4000000000)(a+)+[bc]",
	"(*LIMIT_HEAP=4000000000)(a|b)*(a|b)*[bc]",
	"(a{0,99}){0,99}[bc]",
	"\\X*[bc]",
	"(?i)(A+)+[BC]",
};

/*
 * The limit allows for a sanitizer on a busy machine, and is far from a stall.
 */
#define SECONDS 2.0

static void
endure(size_t cols, size_t rows)
{
	size_t len = (cols + 1) * rows;
	char *text = malloc(len);
	size_t from, to;

	assert_non_null(text);
	memset(text, 'a', len);
	for (size_t i = cols; i < len; i += cols + 1)
		text[i] = '\n';
	for (size_t i = 0; i < sizeof(hostile) / sizeof(*hostile); i++) {
		struct pattern *p = make(hostile[i]);
		double begun = now(), took;
		int rc = pattern_find(p, text, len, &from, &to);

		took = now() - begun;
		pattern_destroy(p);
		if (rc == 1 || took > SECONDS)
			fail_msg("%s: %d after %.3f s", hostile[i], rc, took);
	}
	free(text);
}

static void
hostile_patterns_end(void **state)
{
	(void)state;
	endure(80, 24);
	endure(500, 200);
}

static void
giving_up_is_an_error_not_an_answer(void **state)
{
	char text[2000];
	struct pattern *p = make("(a+)+[bc]");
	size_t from, to;

	(void)state;
	memset(text, 'a', sizeof(text));
	assert_int_equal(pattern_find(p, text, sizeof(text), &from, &to),
	    -ELOOP);
	/* The pattern can be used again. */
	assert_int_equal(pattern_find(p, "aab", 3, &from, &to), 1);
	assert_int_equal(from, 0);
	assert_int_equal(to, 3);
	pattern_destroy(p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_match_is_found),
		cmocka_unit_test(anchors_match_at_the_ends_of_lines),
		cmocka_unit_test(patterns_match_utf8_characters),
		cmocka_unit_test(an_invalid_pattern_is_reported),
		cmocka_unit_test(hostile_patterns_end),
		cmocka_unit_test(giving_up_is_an_error_not_an_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
