#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "cast/json_in.h"

/* The error of reading the text as one value of any kind, or "". */
static const char *
mistake(const char *text)
{
	struct json_in j;

	json_in_init(&j, text, strlen(text));
	json_in_skip(&j);
	json_in_end(&j);
	return j.why != NULL ? j.why : "";
}

static void
json_in_takes_every_kind_of_value(void **state)
{
	static const char *const good[] = { "null", "true", " false ", "0",
		"-0", "-1.25e+3", "1E5", "\"\"", "\"\\u00e9\\n\"", "[]", "{}",
		"[1,[2,{\"a\":[]}],null]", "{\"a\":1,\"b\":{\"c\":\"d\"}}",
		"\t[ 1 ,\r\n2 ]" };

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		if (mistake(good[i])[0] != '\0')
			fail_msg("%s: %s", good[i], mistake(good[i]));
}

static void
json_in_refuses_anything_outside_the_grammar(void **state)
{
	static const char *const bad[] = { "", " ", "nul", "True", "NaN",
		"Infinity", "-", "+1", "01", "1.", ".5", "1e", "0x10", "'a'",
		"\"a", "\"\\x\"", "\"\\u12g4\"", "\"\\u12", "\"a\nb\"", "[",
		"[1", "[1,", "[1,]", "[,1]", "[1 2]", "{", "{\"a\"",
		"{\"a\":", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{1:1}",
		"{\"a\" 1}", "]", "[}", "1 2", "[] []", "// c" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (mistake(bad[i])[0] == '\0')
			fail_msg("taken although it is wrong: %s", bad[i]);
}

static void
json_in_stops_at_its_depth(void **state)
{
	char text[2 * JSON_IN_DEPTH + 3];

	(void)state;
	memset(text, '[', JSON_IN_DEPTH);
	memset(text + JSON_IN_DEPTH, ']', JSON_IN_DEPTH);
	text[2 * JSON_IN_DEPTH] = '\0';
	assert_string_equal(mistake(text), "");
	memset(text, '[', JSON_IN_DEPTH + 1);
	memset(text + JSON_IN_DEPTH + 1, ']', JSON_IN_DEPTH + 1);
	text[2 * JSON_IN_DEPTH + 2] = '\0';
	assert_string_equal(mistake(text), "values are nested too deeply");
}

static void
decodes(const char *text, const char *want, size_t len)
{
	struct json_in j;
	struct buf b;

	buf_init(&b, 100);
	json_in_init(&j, text, strlen(text));
	json_in_string(&j, &b);
	if (j.why != NULL)
		fail_msg("%s: %s", text, j.why);
	assert_int_equal(b.len, len);
	assert_memory_equal(b.data, want, len);
	buf_finish(&b);
}

static void
json_in_decodes_escapes(void **state)
{
	(void)state;
	decodes("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", 8);
	decodes("\"\\u0041\\u00e9\\u20AC\"", "A\xC3\xA9\xE2\x82\xAC", 6);
	decodes("\"\\ud83d\\ude00\"", "\xF0\x9F\x98\x80", 4);
	decodes("\"a\\u0000b\"", "a\0b", 3);
	decodes("\"\\u001b[1m\"", "\033[1m", 4);
}

static void
json_in_replaces_lone_surrogates(void **state)
{
	(void)state;
	decodes("\"\\ud83dx\"", "\xEF\xBF\xBDx", 4);
	decodes("\"\\ude00\"", "\xEF\xBF\xBD", 3);
	decodes("\"\\ud83d\\u0041\"",
	    "\xEF\xBF\xBD"
	    "A",
	    4);
	decodes("\"\\ud83d\\ud83d\\ude00\"", "\xEF\xBF\xBD\xF0\x9F\x98\x80", 7);
}

static void
json_in_refuses_a_string_longer_than_its_buffer(void **state)
{
	struct json_in j;
	struct buf b;

	(void)state;
	buf_init(&b, 3);
	json_in_init(&j, "\"abc\"", 5);
	json_in_string(&j, &b);
	assert_null(j.why);
	json_in_init(&j, "\"abcd\"", 6);
	json_in_string(&j, &b);
	assert_string_equal(j.why, "a string is too long");
	buf_finish(&b);
}

static void
json_in_returns_an_empty_key_if_it_does_not_fit(void **state)
{
	const char *text = "{\"abc\":1,\"abcd\":2,\"a\\u0000b\":3}";
	const char *const want[] = { "abc", "", "" };
	struct json_in j;
	char key[4];
	int n = 0;

	(void)state;
	json_in_init(&j, text, strlen(text));
	json_in_enter(&j, '{');
	while (json_in_more(&j)) {
		json_in_key(&j, key, sizeof(key));
		assert_in_range(n, 0, 2);
		assert_string_equal(key, want[n]);
		n++;
		assert_true(json_in_number(&j) == n);
	}
	assert_null(j.why);
	assert_int_equal(n, 3);
}

static void
json_in_number_can_be_infinite_but_not_endless(void **state)
{
	const char *longer = "1111111111111111111111111111111111111111"
			     "1111111111111111111111111111111111111111";
	struct json_in j;

	(void)state;
	json_in_init(&j, "1e999", 5);
	assert_true(isinf(json_in_number(&j)));
	assert_null(j.why);
	assert_string_equal(mistake(longer), "a number is too long");
}

static void
json_in_distinguishes_an_early_end_from_an_error(void **state)
{
	const char *text = "{\"a\":[1,{\"b\":\"c\\u0041\"}]}";
	struct json_in j;

	(void)state;
	for (size_t len = 0; len < strlen(text); len++) {
		auto_free char *cut = xmemdup(text, len + 1);

		json_in_init(&j, cut, len);
		json_in_skip(&j);
		if (j.why == NULL || !j.ended)
			fail_msg("at %zu: %s", len, j.why);
	}
	json_in_init(&j, "[1,x", 4);
	json_in_skip(&j);
	assert_non_null(j.why);
	assert_false(j.ended);
	assert_int_equal(j.p - j.start, 3);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_in_takes_every_kind_of_value),
		cmocka_unit_test(json_in_refuses_anything_outside_the_grammar),
		cmocka_unit_test(json_in_stops_at_its_depth),
		cmocka_unit_test(json_in_decodes_escapes),
		cmocka_unit_test(json_in_replaces_lone_surrogates),
		cmocka_unit_test(
		    json_in_refuses_a_string_longer_than_its_buffer),
		cmocka_unit_test(
		    json_in_returns_an_empty_key_if_it_does_not_fit),
		cmocka_unit_test(
		    json_in_number_can_be_infinite_but_not_endless),
		cmocka_unit_test(
		    json_in_distinguishes_an_early_end_from_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
