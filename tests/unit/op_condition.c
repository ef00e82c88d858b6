#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "op/condition.h"
#include "op/ops.h"

#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* Read arguments, given as JSON with ' for ". */
static int
read(const char *args, struct condition *c, struct error *err)
{
	char json[512];
	json_t *tree;
	int rc;

	snprintf(json, sizeof(json), "%s", args);
	for (char *p = json; *p != '\0'; p++)
		if (*p == '\'')
			*p = '"';
	tree = json_loads(json, 0, NULL);
	assert_non_null(tree);
	memset(err, 0, sizeof(*err));
	rc = op_take_arguments(op_find("session.wait"), tree, err);
	if (rc == 0)
		rc = condition_read(c, tree, CONDITION_ARGUMENTS, err);
	json_decref(tree);
	return rc;
}

static void
reads(const char *args, struct condition *c)
{
	struct error err;

	if (read(args, c, &err) < 0)
		fail_msg("%s: %s", args, err.msg);
}

static void
refuses(const char *args, const char *why)
{
	struct condition c;
	struct error err;

	assert_int_equal(read(args, &c, &err), -EINVAL);
	if (strstr(err.msg, why) == NULL)
		fail_msg("%s: %s does not say %s", args, err.msg, why);
}

#define NO_FLAG(NAME, field, ...)
#define FLAG(NAME, field, ...) "'" #field "':true,"
#define STRING(NAME, field, ...) "'" #field "':'" #field "',"
#define MS(NAME, field, ...) "'" #field "_ms':5,"
#define ARGUMENTS CONDITIONS(STRING, NO_FLAG, MS, FLAG, FLAG)

static void
every_argument_is_read(void **state)
{
	struct condition c;

	(void)state;
	reads("{" ARGUMENTS "'regex':'b+','cursor':'3,*',"
	      "'activity':'idle,error','changed_since':'" HASH
	      "','after':7,'timeout_ms':8}",
	    &c);
	assert_int_equal(c.wanted, (1u << CONDITION_KINDS) - 1);
	assert_string_equal(c.text, "text");
	assert_string_equal(c.absent, "absent");
	assert_non_null(c.regex);
	assert_int_equal(c.row, 3);
	assert_int_equal(c.col, CONDITION_ANY);
	assert_string_equal(c.changed_since, HASH);
	assert_int_equal(c.activity,
	    1u << ACTIVITY_IDLE | 1u << ACTIVITY_ERROR);
	assert_int_equal(c.stable_ms, 5);
	assert_int_equal(c.idle_ms, 5);
	assert_true(c.has_after && c.after == 7 && c.timeout_ms == 8);
	assert_false(c.seen);
	condition_finish(&c);
	reads("{'stable':'50ms','idle':60,'timeout':'1.5m'}", &c);
	assert_int_equal(c.stable_ms, 50);
	assert_int_equal(c.idle_ms, 60);
	assert_int_equal(c.timeout_ms, 90000);
	condition_finish(&c);
}

static void
omitted_conditions_are_not_checked(void **state)
{
	struct condition c;

	(void)state;
	reads("{'cursor':'*,12','exit':false,'text':null,'after':null}", &c);
	assert_int_equal(c.wanted, 1u << CONDITION_CURSOR);
	assert_int_equal(c.row, CONDITION_ANY);
	assert_int_equal(c.col, 12);
	assert_false(c.has_after);
	assert_int_equal(c.timeout_ms, CONDITION_TIMEOUT_MS);
	condition_finish(&c);
	reads("{'text':'x','seen':true,'after':0,'timeout_ms':0}", &c);
	assert_true(c.seen && c.has_after && c.timeout_ms == 0);
	condition_finish(&c);
}

static void
wrong_arguments_are_named(void **state)
{
	static const struct {
		const char *args, *why;
	} wrong[] = {
		{ "{}", "text, regex, absent" },
		{ "{'timeout_ms':5}", "no condition; give" },
		{ "{'exit':false}", "no condition; give" },
		{ "{'text':''}", "'text' must be a string of 1 to 4096" },
		{ "{'absent':''}", "'absent'" },
		{ "{'text':5}", "'text' must be a string" },
		{ "{'regex':'('}", "'regex' must be a regular expression" },
		{ "{'cursor':''}", "ROW,COL" },
		{ "{'cursor':'5'}", "ROW,COL" },
		{ "{'cursor':'1,2,3'}", "ROW,COL" },
		{ "{'cursor':'-1,2'}", "ROW,COL" },
		{ "{'cursor':'1, 2'}", "ROW,COL" },
		{ "{'cursor':'99999999999999999999,2'}", "ROW,COL" },
		{ "{'cursor':'**,2'}", "ROW,COL" },
		{ "{'activity':'idle,busy'}", "\"busy\" is none of them" },
		{ "{'activity':'idle,'}", "\"\" is none of them" },
		{ "{'activity':',idle'}", "'activity' must be a list" },
		{ "{'activity':''}", "'activity'" },
		{ "{'changed_since':'abc'}", "64 hexadecimal" },
		{ "{'stable_ms':0}", "'stable_ms' must be a duration" },
		{ "{'stable':'0.5ms'}", "'stable' must be a duration" },
		{ "{'stable':'soon'}", "'stable' must be a duration" },
		{ "{'stable':'5s','stable_ms':5000}",
		    "'stable' and 'stable_ms' are the same" },
		{ "{'idle_ms':604800001}", "'idle_ms'" },
		{ "{'text':'a','timeout_ms':604800001}", "'timeout_ms'" },
		{ "{'text':'a','seen':true,'exit':true}", "'seen'" },
		{ "{'absent':'a','seen':true}", "'seen'" },
		{ "{'txt':'a'}", "no argument 'txt'" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		refuses(wrong[i].args, wrong[i].why);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_argument_is_read),
		cmocka_unit_test(omitted_conditions_are_not_checked),
		cmocka_unit_test(wrong_arguments_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
