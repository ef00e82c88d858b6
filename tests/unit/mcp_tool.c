#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json_out.h"
#include "base/json_tree.h"
#include "mcp/result.h"
#include "mcp/tool.h"

static json_t *
entry(const struct tool *t)
{
	struct json_out j;
	struct error err = { 0 };
	struct buf b;
	json_t *o;

	buf_init(&b, 1 << 20);
	json_out_init(&j, &b);
	tool_json(t, &j);
	o = json_tree_object((char *)b.data, b.len, &err);
	if (o == NULL)
		fail_msg("%s: %s: %.*s", t->op->name, err.msg, (int)b.len,
		    (char *)b.data);
	buf_finish(&b);
	return o;
}

static void
exactly_the_operations_for_mcp_are_tools(void **state)
{
	size_t n = 0;

	(void)state;
	for (const struct tool *t = tools; t->op != NULL; t++, n++)
		if (!op_has(t->op, OP_MCP))
			fail_msg("%s is not for MCP", t->op->name);
	for (size_t i = 0; i < OP_COUNT; i++) {
		char name[64];

		snprintf(name, sizeof(name), "%s", ops[i].name);
		*strchr(name, '.') = '_';
		if (op_has(&ops[i], OP_MCP) == (tool_find(name) == NULL))
			fail_msg("%s", name);
	}
	assert_in_range(n, 8, 14);
	assert_null(tool_find("session.send"));
	assert_null(tool_find(""));
}

/* Every tool and every argument has a description. */
static void
schemas_are_complete(void **state)
{
	char word[64];
	const char *name;
	json_t *v;

	(void)state;
	for (const struct tool *t = tools; t->op != NULL; t++) {
		json_t *o = entry(t), *in, *props;

		in = json_object_get(o, "inputSchema");
		props = json_object_get(in, "properties");
		assert_null(json_object_get(o, "outputSchema"));
		assert_true(
		    json_is_false(json_object_get(in, "additionalProperties")));
		json_object_foreach(props, name, v)
		{
			if (json_object_get(v, "description") == NULL)
				fail_msg("%s: nothing is said of '%s'",
				    t->op->name, name);
			snprintf(word, sizeof(word), " %s ", name);
			if (t->withheld != NULL &&
			    strstr(t->withheld, word) != NULL)
				fail_msg("%s: '%s' is withheld", t->op->name,
				    name);
		}
		assert_int_equal(json_object_get(props, "session") == NULL,
		    t->homely);
		json_decref(o);
	}
}

/* A name that the operation's result does not have would never be kept. */
static void
every_kept_field_is_declared(void **state)
{
	(void)state;
	for (const struct tool *t = tools; t->op != NULL; t++) {
		const char *at = t->shape.fields;
		struct shape_field f;
		char type[TYPE_SIZE];
		int rc;

		while ((rc = shape_next_field(&t->shape, t->op->result, &at,
			    &f)) != 0)
			if (rc < 0)
				fail_msg("%s: '%s'", t->op->name, f.name);
		if (t->items == NULL)
			continue;
		shape_item_type(t->op->result, t->items, type);
		at = t->item.fields;
		while ((rc = shape_next_field(&t->item, type, &at, &f)) != 0)
			if (rc < 0)
				fail_msg("%s: '%s'", t->op->name, f.name);
	}
}

/* A tool that only reads is not marked as changing something, and so on. */
static void
hints_agree_with_permissions(void **state)
{
	(void)state;
	for (const struct tool *t = tools; t->op != NULL; t++) {
		if (!(t->hints & TOOL_READS) !=
		    (t->op->permission != OP_OBSERVE))
			fail_msg("%s", t->op->name);
		if ((t->hints & TOOL_READS) && (t->hints & TOOL_DESTROYS))
			fail_msg("%s", t->op->name);
	}
}

static json_t *
takes(const char *tool, const char *given, char **session, struct error *err)
{
	json_t *tree = given != NULL ? json_loads(given, 0, NULL) : NULL;
	size_t max_text;
	json_t *args;

	memset(err, 0, sizeof(*err));
	args = tool_arguments(tool_find(tool), tree, session, &max_text, err);
	json_decref(tree);
	return args;
}

static void
the_session_is_taken_out_of_the_arguments(void **state)
{
	struct error err;
	char *session, *dump;
	json_t *args;

	(void)state;
	args = takes("session_snapshot", "{\"session\":\"a\"}", &session, &err);
	assert_non_null(args);
	assert_string_equal(session, "a");
	dump = json_dumps(args, JSON_COMPACT | JSON_SORT_KEYS);
	assert_string_equal(dump, "{\"format\":\"json\",\"hidden\":true}");
	free(dump);
	free(session);
	json_decref(args);
	args = takes("session_list", NULL, &session, &err);
	assert_non_null(args);
	assert_null(session);
	json_decref(args);
}

/* One spelling of time: with a unit, or milliseconds. */
static void
durations_become_milliseconds(void **state)
{
	static const char *const given[] = { "\"timeout\":\"1.5s\"",
		"\"timeout\":1500", "\"timeout\":\"1500\"",
		"\"timeout_ms\":1500", "\"timeout_ms\":\"1500ms\"" };

	(void)state;
	for (size_t i = 0; i < sizeof(given) / sizeof(*given); i++) {
		char text[120], *session;
		struct error err;
		json_t *args;

		snprintf(text, sizeof(text),
		    "{\"session\":\"a\",\"text\":\"x\",%s}", given[i]);
		args = takes("session_wait", text, &session, &err);
		if (args == NULL)
			fail_msg("%s: %s", text, err.msg);
		assert_int_equal(op_number(args, "timeout_ms", 0), 1500);
		assert_null(json_object_get(args, "timeout"));
		free(session);
		json_decref(args);
	}
}

static void
wrong_arguments_are_named(void **state)
{
	static const char *const wrong[][3] = {
		{ "session_send", "{}", "needs 'session'" },
		{ "session_send", "{\"session\":7}", "needs 'session'" },
		{ "session_send", "{\"session\":\"\"}", "needs 'session'" },
		{ "session_send", "{\"session\":\"a\"}", "needs 'input'" },
		{ "session_send", "{\"session\":\"a\",\"input\":\"x\"}",
		    "'input' must be an array" },
		{ "session_snapshot", "{\"session\":\"a\",\"format\":\"svg\"}",
		    "no argument 'format'" },
		{ "session_list", "{\"session\":\"a\"}",
		    "no argument 'session'" },
		{ "session_stop", "{\"session\":\"a\",\"grace_ms\":-1}",
		    "'grace_ms' must be a duration" },
		{ "session_get", "[]", "must be an object" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct error err;
		char *session;
		json_t *args = takes(wrong[i][0], wrong[i][1], &session, &err);

		if (args != NULL || strstr(err.msg, wrong[i][2]) == NULL)
			fail_msg("%s %s: %s", wrong[i][0], wrong[i][1],
			    err.msg);
		assert_null(session);
	}
}

/* Texts are cut in the MCP server, at both ends, so the host must send all. */
static void
the_limit_of_text_is_removed_from_the_arguments(void **state)
{
	static const struct {
		const char *given;
		size_t max;
	} cases[] = {
		{ "{\"session\":\"a\",\"command\":\"b\"}",
		    RESULT_TEXT_DEFAULT },
		{ "{\"session\":\"a\",\"command\":\"b\",\"max_output\":99}",
		    99 },
		{ "{\"session\":\"a\",\"command\":\"b\",\"max_output\":"
		  "2000000}",
		    RESULT_TEXT_MAX },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		json_t *given = json_loads(cases[i].given, 0, NULL), *args;
		struct error err;
		size_t max = 0;
		char *session;

		args = tool_arguments(tool_find("session_exec"), given,
		    &session, &max, &err);
		assert_non_null(args);
		assert_int_equal(max, cases[i].max);
		assert_int_equal(op_number(args, "max_output", 0), 2097152);
		free(session);
		json_decref(args);
		json_decref(given);
	}
}

static void
texts_have_a_name_and_a_source(void **state)
{
	const char *at = "screen=lines title";
	struct shape_text t;

	(void)state;
	assert_int_equal(shape_next_text(&at, &t), 1);
	assert_string_equal(t.name, "screen");
	assert_string_equal(t.from, "lines");
	assert_int_equal(shape_next_text(&at, &t), 1);
	assert_string_equal(t.name, "title");
	assert_string_equal(t.from, "title");
	assert_int_equal(shape_next_text(&at, &t), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exactly_the_operations_for_mcp_are_tools),
		cmocka_unit_test(schemas_are_complete),
		cmocka_unit_test(every_kept_field_is_declared),
		cmocka_unit_test(hints_agree_with_permissions),
		cmocka_unit_test(the_session_is_taken_out_of_the_arguments),
		cmocka_unit_test(durations_become_milliseconds),
		cmocka_unit_test(wrong_arguments_are_named),
		cmocka_unit_test(
		    the_limit_of_text_is_removed_from_the_arguments),
		cmocka_unit_test(texts_have_a_name_and_a_source),
	};

	return cmocka_run_group_tests_name("mcp_tool", tests, NULL, NULL);
}
