#include "unit.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "op/ops.h"
#include "op/visible.h"

#define OBSERVE (1u << OP_OBSERVE)
#define CONTROL (1u << OP_CONTROL)
#define ADMIN (1u << OP_ADMIN)

/* The permissions on a session are in its name: "o" is observe, "a" admin. */
static unsigned
rights(void *arg, const char *id, const char *name)
{
	unsigned granted = CONTROL;

	(void)arg;
	assert_string_equal(id, "1");
	if (strchr(name, 'o') != NULL)
		granted |= OBSERVE;
	if (strchr(name, 'a') != NULL)
		granted |= ADMIN;
	return granted;
}

/* JSON with ' for ". */
static json_t *
json_of(const char *text)
{
	char copy[512];
	json_t *v;

	snprintf(copy, sizeof(copy), "%s", text);
	for (char *p = copy; (p = strchr(p, '\'')) != NULL;)
		*p = '"';
	v = json_loads(copy, 0, NULL);
	assert_non_null(v);
	return v;
}

/* A value of a type, and its visible part. */
static void
expect(unsigned granted, const char *type, const char *value, const char *want)
{
	const struct visible by = { .granted = granted, .rights = rights };
	json_t *v = json_of(value), *w = json_of(want);

	visible_limit(&by, type, v);
	if (!json_equal(v, w))
		fail_msg("%s: %s", type, json_dumps(v, JSON_SORT_KEYS));
	json_decref(v);
	json_decref(w);
}

#define STATUS "hub_status"
#define HUB "'url': 'u', 'version': '1', 'fingerprint': null"
#define REMOVED "removed@observe|named_session"
#define GONE "'status': 'exited 0', 'ended_at': 't', 'bytes': 1"

static void
a_field_without_the_permission_is_null(void **state)
{
	(void)state;
	expect(OBSERVE, STATUS,
	    "{'pid': 1, 'socket': 's', 'home': 'h', " HUB "}",
	    "{'pid': null, 'socket': null, 'home': null, " HUB "}");
	expect(ADMIN, STATUS, "{'pid': 1, 'socket': 's', 'home': 'h', " HUB "}",
	    "{'pid': 1, 'socket': 's', 'home': 'h', " HUB "}");
	expect(CONTROL, "n:number? m:number|null@observe", "{'n': 1, 'm': 2}",
	    "{'n': 1, 'm': null}");
	expect(CONTROL, "n:number? m:number|null?@observe", "{'n': 1}",
	    "{'n': 1}");
}

static void
an_object_without_the_permission_is_the_next_alternative(void **state)
{
	(void)state;
	expect(0, REMOVED, "{'id': '1', 'name': 'o', " GONE "}",
	    "{'id': '1', 'name': 'o', " GONE "}");
	expect(OBSERVE, REMOVED, "{'id': '1', 'name': 'x', " GONE "}",
	    "{'id': '1', 'name': 'x'}");
	expect(OBSERVE, "removed@observe|nothing",
	    "{'id': '1', 'name': 'x', " GONE "}", "{}");
	expect(OBSERVE, "removed@observe", "{'id': '1', 'name': 'x', " GONE "}",
	    "{}");
	/* It was another alternative from the beginning. */
	expect(0, "removed@observe|successor", "{'pid': 3}", "{'pid': 3}");
	expect(0, "removed@observe|nothing", "{}", "{}");
}

static void
a_list_has_only_visible_sessions(void **state)
{
	(void)state;
	expect(OBSERVE, "sessions:removed[]@observe n:number",
	    "{'n': 3, 'sessions': [{'id': '1', 'name': 'x'}, "
	    "{'id': '1', 'name': 'o'}, {'id': '1', 'name': 'y'}]}",
	    "{'n': 3, 'sessions': [{'id': '1', 'name': 'o'}]}");
	expect(CONTROL, "texts:string[]@observe", "{'texts': ['a', 'b']}",
	    "{'texts': []}");
}

/* The permissions on a session count inside its object. */
static void
fields_inside_are_limited_too(void **state)
{
	(void)state;
	expect(0, "sessions:next_host[]@observe",
	    "{'sessions': [{'id': '1', 'name': 'o', 'host_pid': 7}]}",
	    "{'sessions': [{'id': '1', 'name': 'o', 'host_pid': 7}]}");
	expect(OBSERVE, "next:next_host",
	    "{'next': {'id': '1', 'name': 'x', 'from': null, 'to': null, "
	    "'host_pid': 7, 'ms': 1, 'error': null}}",
	    "{'next': {'id': '1', 'name': 'x', 'from': null, 'to': null, "
	    "'host_pid': null, 'ms': 1, 'error': null}}");
	expect(OBSERVE, "map:hub_status{}",
	    "{'map': {'k': {'pid': 1, 'socket': 's', 'home': 'h', " HUB "}}}",
	    "{'map': {'k': {'pid': null, 'socket': null, 'home': null, " HUB
	    "}}}");
}

/* ------------------------------------------------------------- the tables */

static bool
has_all_fields(const char *fields, const char *other)
{
	struct type_field f, in;

	while (type_next_field(&other, &f)) {
		if (!type_find_field(fields, f.name, &in))
			return false;
	}
	return true;
}

/* The alternatives after a marked one have some of its fields. */
static void
expect_alternatives(const struct op *op)
{
	const char *at = op->result;
	struct type_term t, next;

	while (type_next_term(&at, &t)) {
		const char *rest = at;

		if (t.permission[0] == '\0')
			continue;
		assert_int_not_equal(op_permission_find(t.permission),
		    OP_PERMISSIONS);
		if (!type_next_term(&rest, &next) ||
		    !has_all_fields(type_find(t.name)->body,
			type_find(next.name)->body))
			fail_msg("%s: no alternative to %s", op->name, t.name);
	}
}

/* A value with the mark is replaced by null, or leaves its list. */
static void
expect_marked_fields_may_be_null(const char *where, const char *fields)
{
	struct type_field f;

	while (type_next_field(&fields, &f)) {
		const char *at = f.type;
		struct type_term t;
		bool null = false;

		if (f.permission[0] == '\0')
			continue;
		if (op_permission_find(f.permission) == OP_PERMISSIONS)
			fail_msg("%s: %s", where, f.permission);
		while (type_next_term(&at, &t))
			null = null || t.arrays > 0 ||
			    strcmp(t.name, "null") == 0;
		if (!null)
			fail_msg("%s: %s cannot be null", where, f.name);
	}
}

/* Steps that are asked for are arguments: their marks are those of requests. */
static bool
is_argument(const char *type)
{
	return strstr(type, "_step") != NULL;
}

static void
everything_with_a_permission_has_a_replacement(void **state)
{
	(void)state;
	for (size_t i = 0; i < OP_COUNT; i++) {
		if (strchr(ops[i].result, ':') != NULL)
			expect_marked_fields_may_be_null(ops[i].name,
			    ops[i].result);
		else
			expect_alternatives(&ops[i]);
	}
	for (size_t i = 0; i < type_count(); i++) {
		if (type_is_object(&type_table[i]) &&
		    !is_argument(type_table[i].name))
			expect_marked_fields_may_be_null(type_table[i].name,
			    type_table[i].body);
	}
}

/* The details of a session are for those who may observe it. */
static void
expect_no_bare_session(const struct op *op)
{
	const char *at = op->result;
	struct type_field f;
	struct type_term t;

	if (strchr(op->result, ':') != NULL) {
		while (type_next_field(&at, &f)) {
			if (strncmp(f.type, "session[", 8) == 0 &&
			    strcmp(f.permission, "observe") != 0)
				fail_msg("%s: %s", op->name, f.name);
		}
		return;
	}
	while (type_next_term(&at, &t)) {
		if (strcmp(t.name, "session") == 0 &&
		    strcmp(t.permission, "observe") != 0)
			fail_msg("%s shows a session", op->name);
	}
}

static void
no_other_permission_shows_a_session(void **state)
{
	json_t *args = json_pack("{s:s}", "command", "x");

	(void)state;
	for (size_t i = 0; i < OP_COUNT; i++) {
		if (i != OP_ID_session_get)
			expect_no_bare_session(&ops[i]);
	}
	/* Its result has output. */
	assert_true(op_needs(&ops[OP_ID_session_exec], args) & OBSERVE);
	json_decref(args);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_field_without_the_permission_is_null),
		cmocka_unit_test(
		    an_object_without_the_permission_is_the_next_alternative),
		cmocka_unit_test(a_list_has_only_visible_sessions),
		cmocka_unit_test(fields_inside_are_limited_too),
		cmocka_unit_test(
		    everything_with_a_permission_has_a_replacement),
		cmocka_unit_test(no_other_permission_shows_a_session),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
