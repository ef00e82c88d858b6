#include "unit.h"

#include <string.h>

#include "base/json_tree.h"
#include "home/fault.h"
#include "home/pairs.h"

typedef int pairs_fn(const json_t *args, const char *name, char ***out,
    struct fault *f);

static json_t *
arguments(const char *json)
{
	json_t *args = json_tree_read(json, strlen(json), NULL);

	assert_non_null(args);
	return args;
}

/* The member "x" of the arguments becomes these strings. */
static void
gives(pairs_fn *convert, const char *json, const char *const *want)
{
	auto_json json_t *args = arguments(json);
	struct fault f;
	char **out;
	size_t n = 0;

	assert_int_equal(convert(args, "x", &out, &f), 0);
	assert_non_null(out);
	for (; want[n] != NULL; n++)
		assert_string_equal(out[n], want[n]);
	assert_null(out[n]);
	pairs_free(out);
}

static void
gives_nothing(pairs_fn *convert, const char *json)
{
	auto_json json_t *args = arguments(json);
	char *before = NULL, **out = &before;
	struct fault f;

	assert_int_equal(convert(args, "x", &out, &f), 0);
	assert_null(out);
	pairs_free(out);
}

static void
refuses(pairs_fn *convert, const char *json, const char *why)
{
	auto_json json_t *args = arguments(json);
	char *before = NULL, **out = &before;
	struct fault f;

	if (convert(args, "x", &out, &f) != -1)
		fail_msg("%s is accepted", json);
	assert_null(out);
	assert_int_equal(f.failure, FAIL_USAGE);
	assert_string_equal(f.argument, "x");
	assert_string_equal(f.msg, why);
}

#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define NO_WORDS ((const char *const[]){ NULL })

static void
an_object_becomes_keys_with_values(void **state)
{
	(void)state;
	gives(pairs_of_object, "{\"x\":{\"A\":\"1\",\"é\":\"漢\"}}",
	    WORDS("A=1", "é=漢"));
	gives(pairs_of_object, "{\"x\":{\"A\":\"\",\"B\":\"b=c\"}}",
	    WORDS("A=", "B=b=c"));
	gives(pairs_of_object, "{\"x\":{}}", NO_WORDS);
}

static void
an_array_keeps_its_strings_in_order(void **state)
{
	(void)state;
	gives(pairs_of_array, "{\"x\":[\"b\",\"\",\"a=1\"]}",
	    WORDS("b", "", "a=1"));
	gives(pairs_of_array, "{\"x\":[]}", NO_WORDS);
}

static void
a_missing_argument_gives_null(void **state)
{
	(void)state;
	gives_nothing(pairs_of_object, "{}");
	gives_nothing(pairs_of_object, "{\"x\":null}");
	gives_nothing(pairs_of_array, "{\"y\":[\"a\"]}");
	gives_nothing(pairs_of_array, "{\"x\":null}");
}

static void
a_member_that_is_no_string_is_refused(void **state)
{
	(void)state;
	refuses(pairs_of_object, "{\"x\":{\"A\":\"1\",\"B\":2}}",
	    " must be an object of strings");
	refuses(pairs_of_object, "{\"x\":{\"A\":null}}",
	    " must be an object of strings");
	refuses(pairs_of_array, "{\"x\":[\"a\",[]]}",
	    " must be an array of strings");
}

static void
a_key_that_changes_the_pair_is_refused(void **state)
{
	(void)state;
	refuses(pairs_of_object, "{\"x\":{\"\":\"1\"}}",
	    " must have keys that are not empty and have no =, not ''");
	refuses(pairs_of_object, "{\"x\":{\"A=B\":\"1\"}}",
	    " must have keys that are not empty and have no =, not 'A=B'");
}

static void
a_value_of_another_type_is_refused(void **state)
{
	static const char *const others[] = { "{\"x\":\"A=1\"}", "{\"x\":1}",
		"{\"x\":true}" };

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		refuses(pairs_of_object, others[i],
		    " must be an object of strings");
		refuses(pairs_of_array, others[i],
		    " must be an array of strings");
	}
	refuses(pairs_of_object, "{\"x\":[\"A=1\"]}",
	    " must be an object of strings");
	refuses(pairs_of_array, "{\"x\":{\"A\":\"1\"}}",
	    " must be an array of strings");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_object_becomes_keys_with_values),
		cmocka_unit_test(an_array_keeps_its_strings_in_order),
		cmocka_unit_test(a_missing_argument_gives_null),
		cmocka_unit_test(a_member_that_is_no_string_is_refused),
		cmocka_unit_test(a_key_that_changes_the_pair_is_refused),
		cmocka_unit_test(a_value_of_another_type_is_refused),
	};

	return cmocka_run_group_tests_name("home_pairs", tests, NULL, NULL);
}
