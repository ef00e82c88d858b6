#include "unit.h"

#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json_tree.h"

static void
refuses(const char *text, const char *why)
{
	struct error err = { 0 };

	assert_null(json_tree_read(text, strlen(text), &err));
	if (strstr(err.msg, why) == NULL)
		fail_msg("%s: \"%s\" does not say \"%s\"", text, err.msg, why);
}

static void
json_is_read_strictly(void **state)
{
	auto_json json_t *tree = NULL;

	(void)state;
	tree = json_tree_read("{\"a\":[1,\"]\\\"\"]} \n", 17, NULL);
	assert_true(json_is_object(tree));
	refuses("", "empty");
	refuses("{", "no JSON");
	refuses("{} {}", "no JSON");
	refuses("{\"a\":1,\"a\":2}", "duplicate");
	refuses("\"\\u0000\"", "a string with \\u0000 in it");
	refuses("\"\xff\"", "no JSON");
	assert_null(json_tree_object("[]", 2, NULL));
}

static void
depth_is_bounded_and_strings_do_not_count(void **state)
{
	char deep[200] = "";
	json_t *tree;

	(void)state;
	memset(deep, '[', JSON_TREE_DEPTH);
	memset(deep + JSON_TREE_DEPTH, ']', JSON_TREE_DEPTH);
	tree = json_tree_read(deep, strlen(deep), NULL);
	assert_non_null(tree);
	json_decref(tree);
	memset(deep, '[', JSON_TREE_DEPTH + 1);
	memset(deep + JSON_TREE_DEPTH + 1, ']', JSON_TREE_DEPTH + 1);
	refuses(deep, "nested");
	memset(deep, '[', sizeof(deep) - 1);
	refuses(deep, "nested");
	deep[0] = deep[sizeof(deep) - 2] = '"';
	tree = json_tree_read(deep, strlen(deep), NULL);
	assert_non_null(tree);
	json_decref(tree);
}

static void
a_tree_is_written_without_characters_that_act(void **state)
{
	static const struct {
		const char *json, *written;
	} cases[] = {
		{ "{\"a\":[1,true,null,\"x\"]}",
		    "{\"a\":[1,true,null,\"x\"]}" },
		{ "\"\xc2\x9b[31m\"", "\"\\u009b[31m\"" },
		{ "{\"\xc2\x85\":\"\x7f\"}", "{\"\\u0085\":\"\\u007f\"}" },
		{ "\"a\xe2\x80\xae\xe2\x80\xa8z\"", "\"a\\u202e\\u2028z\"" },
		{ "\"\xc3\xbc\xe6\x96\x87\xf0\x9f\x99\x82\"",
		    "\"\xc3\xbc\xe6\x96\x87\xf0\x9f\x99\x82\"" },
		{ "\"\\n\\u001b\"", "\"\\n\\u001B\"" },
		{ "\"\"", "\"\"" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		json_t *tree = json_tree_read(cases[i].json,
		    strlen(cases[i].json), NULL);
		struct buf b;

		buf_init(&b, SIZE_MAX);
		assert_non_null(tree);
		json_tree_write(tree, &b);
		assert_int_equal(b.len, strlen(cases[i].written));
		assert_memory_equal(b.data, cases[i].written, b.len);
		json_decref(tree);
		buf_finish(&b);
	}
}

static void
any_text_becomes_a_string(void **state)
{
	static const char *const cases[][2] = {
		{ "", "" },
		{ "\xc3\xbc", "\xc3\xbc" },
		{ "a\xff"
		  "b",
		    "a\xef\xbf\xbd"
		    "b" },
		{ "a\xc3\"", "a\xef\xbf\xbd\"" },
		{ "a\xe2\x82", "a\xef\xbf\xbd" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		json_t *v = json_tree_text(cases[i][0]);

		assert_string_equal(json_string_value(v), cases[i][1]);
		json_decref(v);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_is_read_strictly),
		cmocka_unit_test(depth_is_bounded_and_strings_do_not_count),
		cmocka_unit_test(any_text_becomes_a_string),
		cmocka_unit_test(a_tree_is_written_without_characters_that_act),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
