#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/json_tree.h"
#include "op/profile.h"
#include "vt/key.h"

static const struct profile *
profile_for(const char *json, struct error *err)
{
	auto_json json_t *args = json_tree_read(json, strlen(json), NULL);

	assert_non_null(args);
	*err = (struct error){ 0 };
	return profile_of(args, err);
}

static const char *const names[] = {
#define PROFILE(name, ...) name,
#include "op/profile.def"
};
#define PROFILES (sizeof(names) / sizeof(*names))

static void
every_profile_is_found_by_its_name(void **state)
{
	(void)state;
	assert_true(PROFILES > 1);
	for (unsigned i = 0; i < PROFILES; i++)
		assert_string_equal(profile_find(names[i], NULL)->name,
		    names[i]);
}

static void
an_unknown_name_gets_the_list_of_names(void **state)
{
	struct error err = { 0 };

	(void)state;
	assert_null(profile_find("Line", &err));
	assert_int_equal(err.code, EINVAL);
	assert_string_equal(err.msg,
	    "session.prompt: 'profile' must be shell, line or nudge, "
	    "not 'Line'");
	assert_null(profile_find("", &err));
	assert_null(profile_find("a name of more than twenty bytes", &err));
	assert_non_null(strstr(err.msg, "not 'a name of more than '"));
	assert_null(profile_find("frob", NULL));
}

static void
arguments_without_a_profile_get_the_default(void **state)
{
	struct error err;

	(void)state;
	assert_string_equal(profile_for("{\"text\":\"hi\"}", &err)->name,
	    PROFILE_DEFAULT);
	assert_string_equal(profile_for("{}", &err)->name, PROFILE_DEFAULT);
	assert_int_equal(err.code, 0);
}

static void
arguments_select_a_profile_by_name(void **state)
{
	struct error err;

	(void)state;
	assert_string_equal(
	    profile_for("{\"text\":\"hi\",\"profile\":\"shell\"}", &err)->name,
	    "shell");
	assert_null(profile_for("{\"text\":\"hi\",\"profile\":\"\"}", &err));
	assert_int_equal(err.code, EINVAL);
}

static void
a_message_of_one_newline_is_refused_as_empty(void **state)
{
	struct error err;

	(void)state;
	assert_null(profile_for("{\"text\":\"\\n\"}", &err));
	assert_int_equal(err.code, EINVAL);
	assert_string_equal(err.msg,
	    "session.prompt: 'text' must not be empty");
	assert_non_null(profile_for("{\"text\":\"\\n\\n\"}", &err));
	assert_non_null(profile_for("{\"text\":\"a\\n\"}", &err));
}

static void
every_profile_presses_keys_that_exist(void **state)
{
	struct key key;

	(void)state;
	for (unsigned i = 0; i < PROFILES; i++) {
		const struct profile *p = profile_find(names[i], NULL);

		assert_int_equal(key_parse(p->submit, &key, NULL), 0);
		if (p->before != NULL)
			assert_int_equal(key_parse(p->before, &key, NULL), 0);
		assert_true(p->tries > 0 && p->each_ms > 0);
		assert_true(p->settle_ms <= p->settle_most_ms);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_profile_is_found_by_its_name),
		cmocka_unit_test(an_unknown_name_gets_the_list_of_names),
		cmocka_unit_test(arguments_without_a_profile_get_the_default),
		cmocka_unit_test(arguments_select_a_profile_by_name),
		cmocka_unit_test(a_message_of_one_newline_is_refused_as_empty),
		cmocka_unit_test(every_profile_presses_keys_that_exist),
	};

	return cmocka_run_group_tests_name("op_profile", tests, NULL, NULL);
}
