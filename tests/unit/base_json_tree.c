#include "unit.h"

#include <string.h>

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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_is_read_strictly),
		cmocka_unit_test(depth_is_bounded_and_strings_do_not_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
