#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/json_tree.h"
#include "op/condition.h"
#include "op/ops.h"
#include "op/pattern.h"
#include "vt/vt.h"

/* Check the arguments of an operation, given as JSON. */
static int
check(const char *name, const char *args, struct error *err)
{
	const struct op *op = op_find(name);
	json_t *tree = args == NULL ? NULL :
				      json_loads(args, JSON_DECODE_ANY, NULL);
	int rc;

	assert_non_null(op);
	assert_true(args == NULL || tree != NULL);
	memset(err, 0, sizeof(*err));
	rc = op_take_arguments(op, tree, err);
	json_decref(tree);
	return rc;
}

static void
every_name_is_found_and_unique(void **state)
{
	(void)state;
	for (size_t i = 0; i < OP_COUNT; i++)
		assert_ptr_equal(op_find(ops[i].name), &ops[i]);
	assert_string_equal(ops[OP_ID_session_send].name, "session.send");
	assert_null(op_find("session"));
	assert_null(op_find("session_send"));
}

static void
every_permission_has_a_name_and_a_line(void **state)
{
	(void)state;
	for (unsigned p = 0; p < OP_PERMISSIONS; p++) {
		assert_int_equal(op_permission_find(op_permission_name(p)), p);
		assert_true(strlen(op_permission_text(p)) > 0);
	}
	assert_string_equal(op_permission_name(OP_OBSERVE), "observe");
	assert_int_equal(op_permission_find("read"), OP_PERMISSIONS);
	assert_int_equal(ops[OP_ID_session_create].permission, OP_CREATE);
}

static unsigned
needs(const char *op, const char *args)
{
	json_t *tree = json_loads(args, 0, NULL);
	unsigned found;

	assert_non_null(tree);
	found = op_needs(op_find(op), tree);
	json_decref(tree);
	return found;
}

/* peer_check_any relies on this. */
static void
every_grant_gives_itself_and_observe(void **state)
{
	unsigned granted = 0;

	(void)state;
	for (unsigned p = 0; p < OP_PERMISSIONS; p++) {
		unsigned gives = op_permission_gives(p);

		if (gives == 0)
			continue;
		granted++;
		assert_true(op_permission_is_confined(p));
		assert_int_equal(gives, 1u << p | 1u << OP_OBSERVE);
	}
	assert_int_equal(granted, 3);
	assert_true(op_permission_is_confined(OP_CREATE));
	assert_false(op_permission_is_confined(OP_APPROVE));
	assert_false(op_permission_is_confined(OP_ADMIN));
}

/* Its steps wait and take snapshots. */
static void
a_batch_needs_to_observe(void **state)
{
	auto_json json_t *args = json_loads("{\"steps\":[{\"wait\":\"x\"}]}", 0,
	    NULL);

	(void)state;
	assert_int_equal(op_needs(&ops[OP_ID_session_batch], args),
	    1u << OP_DRIVE | 1u << OP_OBSERVE);
}

static void
an_argument_may_need_another_permission(void **state)
{
	const unsigned control = 1u << OP_CONTROL, admin = 1u << OP_ADMIN;

	(void)state;
	assert_int_equal(op_needs(op_find("session.destroy"), NULL), control);
	assert_int_equal(needs("session.destroy", "{\"grace\":5}"), control);
	assert_int_equal(needs("session.destroy", "{\"purge\":false}"),
	    control);
	assert_int_equal(needs("session.destroy", "{\"purge\":true}"),
	    control | admin);
	assert_int_equal(needs("home.gc", "{\"all\":true}"), admin);
	assert_int_equal(needs("home.check", "{}"), admin);
}

static void
every_permission_of_an_argument_exists(void **state)
{
	struct type_field f;
	unsigned n = 0;

	(void)state;
	for (size_t i = 0; i < OP_COUNT; i++) {
		const char *at = ops[i].arguments;

		while (type_next_field(&at, &f)) {
			if (f.permission[0] == '\0')
				continue;
			n++;
			if (op_permission_find(f.permission) == OP_PERMISSIONS)
				fail_msg("%s: no permission %s", ops[i].name,
				    f.permission);
		}
	}
	assert_true(n > 0);
}

static bool
has_words(const char *text)
{
	return text == NULL || strlen(text) > 0;
}

static void
every_row_of_the_table_has_its_texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < OP_COUNT; i++) {
		assert_true(strlen(ops[i].summary) > 0);
		assert_int_equal(ops[i].runner == OP_BY_HOST,
		    op_has(&ops[i], OP_SOCKET));
		for (unsigned s = 0; s < OP_SURFACES; s++)
			if (!has_words(ops[i].left_out[s]))
				fail_msg("%s: no reason", ops[i].name);
	}
}

static void
arguments_of_the_right_kind_pass(void **state)
{
	static const char *const good[][2] = {
		{ "session.get", NULL },
		{ "session.get", "null" },
		{ "session.get", "{}" },
		{ "session.resize", "{\"cols\":80,\"rows\":24}" },
		{ "session.snapshot", "{}" },
		{ "session.snapshot", "{\"format\":null,\"cells\":true}" },
		{ "session.send", "{\"input\":[{}],\"secret\":false}" },
		{ "session.label", "{\"labels\":{}}" },
	};
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		if (check(good[i][0], good[i][1], &err) != 0)
			fail_msg("%s %s: %s", good[i][0], good[i][1], err.msg);
	}
}

static void
wrong_arguments_are_named(void **state)
{
	static const char *const bad[][3] = {
		{ "session.get", "{\"x\":1}", "'x'" },
		{ "session.get", "[]", "object" },
		{ "session.get", "7", "object" },
		{ "session.resize", "{\"cols\":80}", "'rows'" },
		{ "session.resize", "{\"cols\":80,\"rows\":null}", "'rows'" },
		{ "session.resize", "{\"cols\":\"80\",\"rows\":24}", "'cols'" },
		{ "session.resize", "{\"cols\":-1,\"rows\":24}", "'cols'" },
		{ "session.resize", "{\"cols\":8.5,\"rows\":24}", "'cols'" },
		{ "session.send", "{\"input\":\"a\"}", "'input'" },
		{ "session.send", "{\"input\":[{}],\"secret\":1}", "'secret'" },
		{ "session.label", "{\"labels\":[]}", "'labels'" },
		{ "session.mark", "{\"name\":7}", "'name'" },
	};
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(check(bad[i][0], bad[i][1], &err), -EINVAL);
		if (strstr(err.msg, bad[i][2]) == NULL)
			fail_msg("%s %s: %s", bad[i][0], bad[i][1], err.msg);
	}
}

static void
expect_range(enum op_id op, const char *name, uint64_t least, uint64_t most)
{
	struct type_field f;
	struct type_term t;
	const char *at = f.type;

	assert_true(op_find_argument(&ops[op], name, &f));
	assert_true(type_next_term(&at, &t));
	if (t.arrays > 0)
		t.range = t.items;
	assert_int_equal(t.range.least, least);
	assert_int_equal(t.range.most, most);
}

static void
argument_ranges_equal_the_limits_of_the_code(void **state)
{
	(void)state;
	expect_range(OP_ID_session_resize, "cols", VT_COLS_MIN, VT_COLS_MAX);
	expect_range(OP_ID_session_resize, "rows", 1, VT_ROWS_MAX);
	expect_range(OP_ID_session_create, "cols", VT_COLS_MIN, VT_COLS_MAX);
	expect_range(OP_ID_session_create, "rows", 1, VT_ROWS_MAX);
	expect_range(OP_ID_session_wait, "regex", 1, PATTERN_MAX);
	expect_range(OP_ID_session_wait, "text", 1, CONDITION_TEXT_MAX);
	expect_range(OP_ID_session_wait, "stable", 1, CONDITION_MS_MAX);
	expect_range(OP_ID_session_wait, "timeout", 0, CONDITION_MS_MAX);
	expect_range(OP_ID_session_send, "input", 1, UINT64_MAX);
	expect_range(OP_ID_session_batch, "steps", 1, 1000);
	expect_range(OP_ID_session_wait, "after", 0, UINT64_MAX);
}

static void
getters_give_the_value_or_the_default(void **state)
{
	json_t *args = json_loads("{\"n\":7,\"s\":\"x\",\"b\":true,\"z\":null}",
	    0, NULL);

	(void)state;
	assert_int_equal(op_number(args, "n", 1), 7);
	assert_int_equal(op_number(args, "z", 1), 1);
	assert_int_equal(op_number(NULL, "n", 1), 1);
	assert_string_equal(op_string(args, "s", "d"), "x");
	assert_string_equal(op_string(args, "none", "d"), "d");
	assert_true(op_bool(args, "b", false));
	assert_true(op_bool(args, "z", true));
	json_decref(args);
}

static int
parse(struct op_request *r, const char *text, struct error *err)
{
	memset(err, 0, sizeof(*err));
	return op_request_parse(r, text, strlen(text), err);
}

static void
a_request_is_taken_apart(void **state)
{
	struct op_request r;
	struct error err;

	(void)state;
	assert_int_equal(parse(&r,
			     "{\"id\":3,\"op\":\"session.mark\","
			     "\"args\":{\"name\":\"here\"}}",
			     &err),
	    0);
	assert_int_equal(r.id, 3);
	assert_ptr_equal(r.op, &ops[OP_ID_session_mark]);
	assert_string_equal(op_string(r.args, "name", ""), "here");
	op_request_finish(&r);
	assert_int_equal(parse(&r, "{\"id\":3,\"op\":\"no.such\"}", &err), 0);
	assert_null(r.op);
	assert_string_equal(r.name, "no.such");
	op_request_finish(&r);
}

static void
an_invalid_request_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"nonsense",
		"[]",
		"{}",
		"{\"id\":1}",
		"{\"op\":\"session.get\"}",
		"{\"id\":\"1\",\"op\":\"session.get\"}",
		"{\"id\":-1,\"op\":\"session.get\"}",
		"{\"id\":1,\"op\":7}",
		"{\"id\":1,\"id\":2,\"op\":\"session.get\"}",
		"{\"id\":1,\"op\":\"session.get\"} more",
	};
	struct op_request r;
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (parse(&r, bad[i], &err) != -EINVAL)
			fail_msg("taken: %s", bad[i]);
		assert_true(strlen(err.msg) > 0);
		assert_null(r.tree);
	}
}

static void
a_range_is_that_of_the_argument(void **state)
{
	struct type_range r = op_range("session.mark", "name");

	(void)state;
	assert_true(r.least == 1 && r.most == 255);
	r = op_range("session.prompt", "timeout");
	assert_true(r.least == 1 && r.most == 3600000);
	r = op_range("session.signal", "signal");
	assert_true(r.least == 1 && r.most == 64);
}

/* 33 brackets, and as many inside a string, where they do not count. */
static void
nesting_is_bounded(void **state)
{
	char text[400];
	struct op_request r;
	struct error err;

	(void)state;
	memset(text, '[', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(parse(&r, text, &err), -EINVAL);
	snprintf(text, sizeof(text), "{\"id\":1,\"op\":\"a\\\"%.*s\"}", 100,
	    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[");
	assert_int_equal(parse(&r, text, &err), 0);
	op_request_finish(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_name_is_found_and_unique),
		cmocka_unit_test(every_permission_has_a_name_and_a_line),
		cmocka_unit_test(every_grant_gives_itself_and_observe),
		cmocka_unit_test(a_batch_needs_to_observe),
		cmocka_unit_test(an_argument_may_need_another_permission),
		cmocka_unit_test(every_permission_of_an_argument_exists),
		cmocka_unit_test(every_row_of_the_table_has_its_texts),
		cmocka_unit_test(arguments_of_the_right_kind_pass),
		cmocka_unit_test(wrong_arguments_are_named),
		cmocka_unit_test(argument_ranges_equal_the_limits_of_the_code),
		cmocka_unit_test(a_range_is_that_of_the_argument),
		cmocka_unit_test(getters_give_the_value_or_the_default),
		cmocka_unit_test(a_request_is_taken_apart),
		cmocka_unit_test(an_invalid_request_is_refused),
		cmocka_unit_test(nesting_is_bounded),
	};

	return cmocka_run_group_tests_name("op_ops", tests, NULL, NULL);
}
