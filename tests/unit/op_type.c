#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json_out.h"
#include "base/json_tree.h"
#include "op/ops.h"
#include "op/type.h"

static int
check(const char *type, const char *json, struct error *err)
{
	json_t *v = json_loads(json, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
	int rc;

	assert_non_null(v);
	memset(err, 0, sizeof(*err));
	rc = type_check_result(type, v, err);
	json_decref(v);
	return rc;
}

static void
a_field_is_parsed(void **state)
{
	const char
	    *at = " a:string[1-255]? b:x|null c:bool?@home d:x@home@admin";
	struct type_field f;

	(void)state;
	assert_int_equal(type_next_field(&at, &f), 1);
	assert_string_equal(f.name, "a");
	assert_string_equal(f.type, "string[1-255]");
	assert_true(f.optional && !f.home);
	assert_int_equal(type_next_field(&at, &f), 1);
	assert_string_equal(f.type, "x|null");
	assert_false(f.optional || f.home);
	assert_int_equal(type_next_field(&at, &f), 1);
	assert_string_equal(f.type, "bool");
	assert_true(f.optional && f.home);
	assert_string_equal(f.permission, "");
	assert_int_equal(type_next_field(&at, &f), 1);
	assert_string_equal(f.type, "x");
	assert_true(!f.optional && f.home);
	assert_string_equal(f.permission, "admin");
	assert_int_equal(type_next_field(&at, &f), 0);
}

static void
a_type_is_parsed(void **state)
{
	const char *at = "string[1-255][][2-]|number{}|run[][]|null";
	struct type_term t;

	(void)state;
	assert_int_equal(type_next_term(&at, &t), 1);
	assert_string_equal(t.name, "string");
	assert_int_equal(t.range.least, 1);
	assert_int_equal(t.range.most, 255);
	assert_int_equal(t.arrays, 1);
	assert_int_equal(t.items.least, 2);
	assert_true(t.items.most == UINT64_MAX);
	assert_int_equal(type_next_term(&at, &t), 1);
	assert_true(t.map && t.arrays == 0);
	assert_int_equal(type_next_term(&at, &t), 1);
	assert_int_equal(t.arrays, 2);
	assert_int_equal(type_next_term(&at, &t), 1);
	assert_string_equal(t.name, "null");
	assert_int_equal(type_next_term(&at, &t), 0);
}

static void
a_result_as_declared_passes(void **state)
{
	static const char *const good[][2] = {
		{ "", "{}" },
		{ "nothing", "{}" },
		{ "a:number b:string?", "{\"a\":1}" },
		{ "a:number|null", "{\"a\":null}" },
		{ "a:int", "{\"a\":-3}" },
		{ "a:real", "{\"a\":1.5}" },
		{ "a:any", "{\"a\":[1,{}]}" },
		{ "a:string", "{\"a\":\"x\\u0000y\"}" },
		{ "a:string{}", "{\"a\":{\"k\":\"v\"}}" },
		{ "a:text_or_null{}", "{\"a\":{\"k\":null}}" },
		{ "a:number[][]", "{\"a\":[[1],[]]}" },
		{ "a:outcome|null", "{\"a\":\"lost\"}" },
		{ "a:colour", "{\"a\":255}" },
		{ "a:colour", "{\"a\":\"#0a0b0c\"}" },
		{ "sent|mark[]", "[]" },
		{ "input_item", "{\"keys\":[\"Enter\"]}" },
		{ "batch_step", "{\"exec\":\"true\",\"ok\":[0,1]}" },
		{ "batch_step", "{\"wait\":{\"text\":\"x\"}}" },
		{ "sent|mark[]", "{\"seq\":1,\"offset\":2}" },
		{ "cursor",
		    "{\"row\":1,\"col\":2,\"visible\":true,"
		    "\"shape\":\"bar\"}" },
	};
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		if (check(good[i][0], good[i][1], &err) != 0)
			fail_msg("%s %s: %s", good[i][0], good[i][1], err.msg);
}

static void
a_result_that_differs_is_refused_and_named(void **state)
{
	static const char *const bad[][3] = {
		{ "", "{\"a\":1}", "'result.a' is not declared" },
		{ "", "[]", "must be an object" },
		{ "a:number", "{}", "'result.a' is missing" },
		{ "a:number", "{\"a\":null}", "'result.a' must be a whole" },
		{ "a:number", "{\"a\":-1}", "'result.a'" },
		{ "a:number", "{\"a\":1.5}", "'result.a'" },
		{ "a:number?", "{\"a\":null}", "'result.a'" },
		{ "a:number[2-3]", "{\"a\":4}", "from 2 to 3" },
		{ "a:string", "{\"a\":1}", "must be a string" },
		{ "a:bool", "{\"a\":1}", "true or false" },
		{ "a:string{}", "{\"a\":{\"k\":1}}", "'result.a.k'" },
		{ "a:number[]", "{\"a\":[1,\"2\"]}", "'result.a[1]'" },
		{ "a:number[][1-]", "{\"a\":[]}", "not empty" },
		{ "a:outcome|null", "{\"a\":\"los\"}",
		    "one of exited, stopped, killed, failed, lost or null" },
		{ "a:outcome", "{\"a\":\"\"}", "'result.a'" },
		{ "a:outcome", "{\"a\":\"exited stopped\"}", "'result.a'" },
		{ "a:colour", "{\"a\":256}", "'result.a'" },
		{ "a:hash", "{\"a\":\"abc\"}", "64 bytes" },
		{ "a:no_such_type", "{\"a\":1}", "'result.a'" },
		{ "sent", "{\"seq\":1}", "'result.offset' is missing" },
		{ "sent|mark[]", "{\"seq\":1}", "'result.offset' is missing" },
		{ "sent|mark[]", "[{\"seq\":1}]", "'result[0]." },
		{ "sent|mark[]", "7", "or" },
		{ "a:input_item[]", "{\"a\":[{}]}",
		    "'result.a[0]' must be an object with one of text, keys" },
		{ "a:input_item", "{\"a\":{\"text\":\"x\",\"hex\":\"\"}}",
		    "one of" },
		{ "a:input_item", "{\"a\":{\"text\":1}}", "'result.a.text'" },
		{ "a:input_item", "{\"a\":{\"tex\":\"\"}}", "not declared" },
		{ "a:input_item", "{\"a\":7}", "one of text" },
		{ "a:batch_step", "{\"a\":{\"ok\":[0]}}", "one of text" },
		{ "steps:step[]", "{\"steps\":[{\"index\":0}]}",
		    "'result.steps[0]." },
	};
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(check(bad[i][0], bad[i][1], &err), -EINVAL);
		if (strstr(err.msg, bad[i][2]) == NULL)
			fail_msg("%s %s: %s", bad[i][0], bad[i][1], err.msg);
	}
}

/* ------------------------------------------------------------- the tables */

static bool
is_known(const char *name)
{
	static const char *const own[] = { "string", "number", "int", "real",
		"duration", "bool", "object", "array", "any", "null" };

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (strcmp(own[i], name) == 0)
			return true;
	return type_find(name) != NULL;
}

static void
expect_known(const char *where, const char *type)
{
	struct type_term t;
	const char *at = type;

	if (*type == '\0' || strlen(type) + 1 >= TYPE_SIZE)
		fail_msg("%s: '%s'", where, type);
	while (type_next_term(&at, &t))
		if (!is_known(t.name))
			fail_msg("%s: no type is called %s", where, t.name);
	if (*at != '\0')
		fail_msg("%s: '%s' is behind the type", where, at);
}

static void
expect_known_fields(const char *where, const char *fields)
{
	struct type_field f;

	while (type_next_field(&fields, &f))
		expect_known(where, f.type);
}

static void
expect_known_result(const char *where, const char *result)
{
	if (strchr(result, ':') != NULL)
		expect_known_fields(where, result);
	else if (result[0] != '\0')
		expect_known(where, result);
}

static void
every_type_that_a_table_names_exists(void **state)
{
	(void)state;
	for (size_t i = 0; i < OP_COUNT; i++) {
		expect_known_fields(ops[i].name, ops[i].arguments);
		expect_known_result(ops[i].name, ops[i].result);
	}
	for (const struct op_command *c = op_commands; c->name != NULL; c++)
		expect_known_result(c->name, c->result);
	for (size_t i = 0; i < type_count(); i++) {
		const struct type *t = &type_table[i];

		assert_ptr_equal(type_find(t->name), t);
		assert_true(strlen(t->text) > 0);
		if (type_is_object(t))
			expect_known_fields(t->name, t->body);
		else if (t->kind == TYPE_ALIAS)
			expect_known(t->name, t->body);
	}
}

static void
every_operation_of_a_command_exists(void **state)
{
	char name[64];

	(void)state;
	for (const struct op_command *c = op_commands; c->name != NULL; c++) {
		const char *at = c->operations;

		assert_true(*at != '\0' || c->note != NULL);
		while (type_next_word(c->operations, &at, name, sizeof(name)))
			if (op_find(name) == NULL)
				fail_msg("%s: %s", c->name, name);
	}
}

/* --------------------------------------------------------------- examples */

static json_t *example_of(const char *type, unsigned variant);

static json_t *
example_of_fields(const char *fields, unsigned variant)
{
	json_t *o = json_object();
	struct type_field f;

	while (type_next_field(&fields, &f))
		if (!f.optional || variant % 2 == 0)
			json_object_set_new(o, f.name,
			    example_of(f.type, variant));
	return o;
}

/* One of the fields, and with an even variant all that may stand beside it. */
static json_t *
example_of_one(const char *fields, unsigned variant)
{
	const char *at = fields;
	json_t *o = json_object();
	struct type_field f;
	unsigned n = 0;

	while (type_next_field(&at, &f))
		n += !f.optional;
	for (unsigned i = 0; type_next_field(&fields, &f);)
		if (f.optional ? variant % 2 == 0 : i++ == variant % n)
			json_object_set_new(o, f.name,
			    example_of(f.type, variant));
	return o;
}

static json_t *
example_of_scalar(const struct type_term *t)
{
	char text[300];

	memset(text, 'x', sizeof(text));
	text[t->range.least < sizeof(text) ? t->range.least : 1] = '\0';
	if (strcmp(t->name, "string") == 0)
		return json_string(text);
	if (strcmp(t->name, "bool") == 0)
		return json_true();
	if (strcmp(t->name, "object") == 0)
		return json_object();
	if (strcmp(t->name, "array") == 0)
		return json_array();
	if (strcmp(t->name, "null") == 0)
		return json_null();
	return json_integer((json_int_t)t->range.least);
}

static json_t *
example_of_name(const struct type_term *t, unsigned variant)
{
	const struct type *named = type_find(t->name);
	const char *at = named != NULL ? named->body : NULL;
	char word[TYPE_NAME_SIZE];

	if (named == NULL)
		return example_of_scalar(t);
	if (named->kind == TYPE_OBJECT)
		return example_of_fields(named->body, variant);
	if (named->kind == TYPE_ONE_OF)
		return example_of_one(named->body, variant);
	if (named->kind == TYPE_ALIAS)
		return example_of(named->body, variant);
	assert_int_equal(type_next_word(named->body, &at, word, sizeof(word)),
	    1);
	return json_string(word);
}

/* The variant chooses among alternatives, and leaves out optional fields. */
static json_t *
example_of(const char *type, unsigned variant)
{
	const char *at = type;
	struct type_term t, chosen;
	unsigned n = 0;
	json_t *v;

	while (type_next_term(&at, &t))
		if (n++ == 0 || n == variant % 4 + 1)
			chosen = t;
	v = example_of_name(&chosen, variant);
	for (unsigned i = 0; i < chosen.arrays; i++)
		v = json_pack("[o]", v);
	return chosen.map ? json_pack("{s:o}", "k", v) : v;
}

/* One member less, one more, or one of another kind. */
static void
expect_refused_when_changed(const struct op *op, json_t *v)
{
	struct error err;
	const char *name;
	json_t *member;
	void *next;

	if (!json_is_object(v))
		return;
	json_object_foreach_safe(v, next, name, member)
	{
		char key[TYPE_NAME_SIZE];
		json_t *was = json_incref(member);

		snprintf(key, sizeof(key), "%s", name);
		json_object_set_new(v, key, json_pack("[[[f]]]", 0.5));
		if (op_check_result(op, v, &err) == 0)
			fail_msg("%s: %s may be anything", op->name, key);
		json_object_set_new(v, key, was);
	}
	json_object_set_new(v, "undeclared", json_true());
	assert_int_equal(op_check_result(op, v, &err), -EPROTO);
	assert_non_null(strstr(err.msg, op->name));
	json_object_del(v, "undeclared");
}

static void
examples_of_every_result_pass_and_changed_ones_do_not(void **state)
{
	struct error err;

	(void)state;
	for (size_t i = 0; i < OP_COUNT; i++)
		for (unsigned variant = 0; variant < 8; variant++) {
			const char *r = ops[i].result;
			json_t *v = strchr(r, ':') != NULL || *r == '\0' ?
			    example_of_fields(r, variant) :
			    example_of(r, variant);

			if (op_check_result(&ops[i], v, &err) != 0)
				fail_msg("%s: %s", ops[i].name, err.msg);
			expect_refused_when_changed(&ops[i], v);
			json_decref(v);
		}
}

static void
expect_refs(const char *where, char *schema, const json_t *defs)
{
	for (char *p = schema; (p = strstr(p, "\"$ref\":\"#")) != NULL; p++) {
		char name[TYPE_NAME_SIZE];

		sscanf(p, "\"$ref\":\"#%31[a-z_]", name);
		if (json_object_get(defs, name) == NULL)
			fail_msg("%s: %s", where, name);
	}
}

/* Every schema is JSON, and every reference in it resolves. */
static void
every_reference_in_a_schema_resolves(void **state)
{
	struct json_out j;
	struct buf b;
	json_t *defs;

	(void)state;
	buf_init(&b, 4u << 20);
	json_out_init(&j, &b);
	type_put_definitions("#", &j);
	defs = json_tree_object((char *)b.data, b.len, NULL);
	assert_non_null(defs);
	for (size_t i = 0; i < 2 * OP_COUNT; i++) {
		buf_clear(&b);
		json_out_init(&j, &b);
		op_put_schema(&ops[i / 2],
		    i % 2 == 0 ? OP_RESULT : OP_ARGUMENTS, "#", &j);
		buf_putc(&b, '\0');
		expect_refs(ops[i / 2].name, (char *)b.data, defs);
	}
	json_decref(defs);
	buf_finish(&b);
}

/* The readers of such items give better reasons: op/items.h, op/step.h. */
static void
an_item_of_an_argument_is_left_to_its_reader(void **state)
{
	json_t *items = json_loads("[{\"nose\":1},7]", 0, NULL);
	struct error err;

	(void)state;
	assert_int_equal(type_check_argument("input_item[][1-]", items, "input",
			     &err),
	    0);
	assert_int_equal(type_check_argument("input_item[][3-]", items, "input",
			     &err),
	    -EINVAL);
	assert_non_null(
	    strstr(err.msg, "an array of objects with one of text"));
	json_decref(items);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_field_is_parsed),
		cmocka_unit_test(a_type_is_parsed),
		cmocka_unit_test(a_result_as_declared_passes),
		cmocka_unit_test(a_result_that_differs_is_refused_and_named),
		cmocka_unit_test(every_type_that_a_table_names_exists),
		cmocka_unit_test(every_operation_of_a_command_exists),
		cmocka_unit_test(
		    examples_of_every_result_pass_and_changed_ones_do_not),
		cmocka_unit_test(every_reference_in_a_schema_resolves),
		cmocka_unit_test(an_item_of_an_argument_is_left_to_its_reader),
	};

	return cmocka_run_group_tests_name("op_type", tests, NULL, NULL);
}
