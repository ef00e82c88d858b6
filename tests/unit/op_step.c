#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "op/step.h"
#include "op/type.h"

static int
read(const char *json, struct step *s, struct error *err)
{
	json_t *object = json_loads(json, JSON_DECODE_ANY, NULL);
	int rc;

	assert_non_null(object);
	memset(err, 0, sizeof(*err));
	rc = step_read(s, object, err);
	json_decref(object);
	return rc;
}

static void
expect(const char *json, const char *op, const char *args, int64_t limit_ms)
{
	json_t *wanted = json_loads(args, 0, NULL);
	struct error err;
	struct step s;

	if (read(json, &s, &err) < 0)
		fail_msg("%s: %s", json, err.msg);
	assert_string_equal(s.op, op);
	if (!json_equal(s.args, wanted))
		fail_msg("%s: %s", json, json_dumps(s.args, JSON_COMPACT));
	assert_int_equal(s.limit_ms, limit_ms);
	json_decref(wanted);
	step_finish(&s);
}

static void
a_step_is_an_operation_and_its_arguments(void **state)
{
	(void)state;
	expect("{\"text\":\"ls\"}", "session.send",
	    "{\"input\":[{\"text\":\"ls\"}]}", 0);
	expect("{\"prompt\":\"hi\"}", "session.prompt",
	    "{\"text\":\"hi\",\"timeout_ms\":10000}", 10000);
	expect("{\"exec\":\"make\"}", "session.exec", "{\"command\":\"make\"}",
	    STEP_FOREVER_MS);
	expect("{\"exec\":{\"command\":\"a\",\"timeout\":\"2s\"}}",
	    "session.exec", "{\"command\":\"a\",\"timeout_ms\":2000}", 2000);
	expect("{\"wait\":\"x\"}", "session.wait",
	    "{\"text\":\"x\",\"timeout_ms\":30000}", 30000);
	expect("{\"wait\":{\"stable\":\"50ms\",\"timeout_ms\":7}}",
	    "session.wait", "{\"stable_ms\":50,\"timeout_ms\":7}", 7);
	expect("{\"wait\":{\"idle\":50,\"timeout\":\"7\"}}", "session.wait",
	    "{\"idle_ms\":50,\"timeout_ms\":7}", 7);
	expect("{\"snapshot\":{}}", "session.snapshot", "{}", 0);
}

static void
each_kind_of_step_has_its_flags(void **state)
{
	static const struct {
		const char *json;
		unsigned flags;
	} kinds[] = {
		{ "{\"hex\":\"1b\"}", STEP_TYPES | STEP_ANCHORS },
		{ "{\"prompt\":\"a\"}", STEP_ANCHORS },
		{ "{\"wait\":\"a\"}", STEP_WAITS },
		{ "{\"exec\":\"a\"}", 0 },
		{ "{\"snapshot\":{}}", 0 },
	};
	struct error err;
	struct step s;

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		assert_int_equal(read(kinds[i].json, &s, &err), 0);
		assert_int_equal(s.flags, kinds[i].flags);
		step_finish(&s);
	}
}

/* The code of the failure, or "" for a success. */
static void
judges(const char *step, const char *result, const char *wanted)
{
	json_t *tree = json_loads(result, 0, NULL);
	char code[STEP_CODE_SIZE] = "";
	struct error err;
	struct step s;
	bool good;

	assert_int_equal(read(step, &s, &err), 0);
	good = step_judge(&s, tree, code, &err);
	assert_int_equal(good, wanted[0] == '\0');
	assert_string_equal(code, wanted);
	assert_true(good || err.msg[0] != '\0');
	json_decref(tree);
	step_finish(&s);
}

static void
results_are_judged_by_their_kind(void **state)
{
	(void)state;
	judges("{\"wait\":\"a\"}", "{\"matched\":true,\"timed_out\":false}",
	    "");
	judges("{\"wait\":\"a\"}", "{\"matched\":false,\"timed_out\":true}",
	    "timed_out");
	judges("{\"wait\":\"a\"}", "{\"matched\":false,\"timed_out\":false}",
	    "not_running");
	judges("{\"exec\":\"a\"}", "{\"exit_code\":0}", "");
	judges("{\"exec\":\"a\"}", "{\"exit_code\":7}", "exit_status");
	judges("{\"exec\":\"a\"}", "{\"exit_code\":null}", "exit_status");
	judges("{\"exec\":\"a\",\"ok\":[0,7]}", "{\"exit_code\":7}", "");
	judges("{\"exec\":{\"command\":\"a\",\"ok\":[7]}}", "{\"exit_code\":7}",
	    "");
	judges("{\"exec\":{\"command\":\"a\",\"ok\":[7]}}", "{\"exit_code\":0}",
	    "exit_status");
	judges("{\"exec\":\"a\"}", "{\"timed_out\":true}", "timed_out");
	judges("{\"exec\":\"a\"}", "{\"outcome\":\"interrupted\"}",
	    "not_running");
	judges("{\"prompt\":\"a\"}", "{\"result\":\"delivered\"}", "");
	judges("{\"prompt\":\"a\"}",
	    "{\"result\":\"refused\",\"reason\":\"no\"}", "refused");
	judges("{\"prompt\":\"a\"}", "{}", "protocol");
	judges("{\"text\":\"a\"}", "{}", "");
}

static void
an_invalid_step_is_refused(void **state)
{
	static const char *const wrong[][2] = {
		{ "{}", "must be an object" },
		{ "7", "must be an object" },
		{ "{\"ok\":[0]}", "must be an object" },
		{ "{\"text\":\"a\",\"keys\":[\"Enter\"]}", "nothing beside" },
		{ "{\"text\":\"a\",\"ok\":[0]}", "nothing beside" },
		{ "{\"exec\":\"a\",\"nose\":1}", "\"nose\" is not one of" },
		{ "{\"exec\":\"a\",\"ok\":[]}", "'ok' must be" },
		{ "{\"exec\":\"a\",\"ok\":0}", "'ok' must be" },
		{ "{\"exec\":\"a\",\"ok\":[256]}", "'ok' must be" },
		{ "{\"exec\":\"a\",\"ok\":[-1]}", "'ok' must be" },
		{ "{\"exec\":{\"command\":\"a\",\"ok\":[\"0\"]}}",
		    "'ok' must be" },
		{ "{\"exec\":{\"command\":\"a\",\"ok\":[0]},\"ok\":[1]}",
		    "'ok' is given twice" },
		{ "{\"wait\":{\"text\":\"a\",\"ok\":[0]}}", "'ok'" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct error err;
		struct step s;

		if (read(wrong[i][0], &s, &err) != -EINVAL ||
		    strstr(err.msg, wrong[i][1]) == NULL)
			fail_msg("%s: %s", wrong[i][0], err.msg);
	}
}

/* A value that no kind of step takes: its reader names the key. */
static void
every_declared_kind_is_read(void **state)
{
	const char *at = type_find("batch_step")->body;
	const char *kinds = type_find("step_kind")->body;
	char json[80], named[TYPE_NAME_SIZE + 16];
	struct type_field f;
	struct error err;
	struct step s;

	(void)state;
	while (type_next_field(&at, &f)) {
		if (f.optional)
			continue;
		assert_non_null(strstr(kinds, f.name));
		snprintf(json, sizeof(json), "{\"%s\":7}", f.name);
		snprintf(named, sizeof(named), "'%s' must be", f.name);
		if (read(json, &s, &err) == 0 || strstr(err.msg, named) == NULL)
			fail_msg("%s: %s", json, err.msg);
	}
}

static void
steps_are_read_as_they_are_declared(void **state)
{
	static const struct {
		const char *json;
		bool good;
	} steps[] = {
		{ "{\"text\":\"a\"}", true },
		{ "{\"keys\":[\"Enter\"]}", true },
		{ "{\"mouse\":\"click 1,2\"}", true },
		{ "{\"exec\":\"a\",\"ok\":[0,255]}", true },
		{ "{\"exec\":{\"command\":\"a\",\"ok\":[1]}}", true },
		{ "{\"prompt\":{\"text\":\"a\",\"key\":\"k\"}}", true },
		{ "{\"wait\":{\"idle\":\"1s\",\"timeout\":5}}", true },
		{ "{\"snapshot\":{\"format\":\"ansi\"}}", true },
		{ "{}", false },
		{ "7", false },
		{ "{\"text\":7}", false },
		{ "{\"keys\":[7]}", false },
		{ "{\"text\":\"a\",\"hex\":\"1b\"}", false },
		{ "{\"exec\":\"a\",\"ok\":[256]}", false },
		{ "{\"exec\":{}}", false },
		{ "{\"prompt\":{\"text\":\"a\",\"nose\":1}}", false },
		{ "{\"wait\":{\"timeout\":\"soon\"}}", false },
		{ "{\"snapshot\":\"ansi\"}", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		json_t *v = json_loads(steps[i].json, JSON_DECODE_ANY, NULL);
		struct error err, why;
		struct step s = { 0 };
		bool read_it = read(steps[i].json, &s, &why) == 0;

		if (read_it != steps[i].good ||
		    (type_check("batch_step", v, "step", &err) == 0) != read_it)
			fail_msg("%s: %s %s", steps[i].json, why.msg, err.msg);
		json_decref(v);
		step_finish(&s);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_step_is_an_operation_and_its_arguments),
		cmocka_unit_test(each_kind_of_step_has_its_flags),
		cmocka_unit_test(results_are_judged_by_their_kind),
		cmocka_unit_test(an_invalid_step_is_refused),
		cmocka_unit_test(every_declared_kind_is_read),
		cmocka_unit_test(steps_are_read_as_they_are_declared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
