#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json_tree.h"
#include "mcp/result.h"
#include "mcp/server.h"
#include "mcp/tool.h"

#define FENCE "0123456789abcdef"

/* The one answer in the buffer, which is then empty; NULL: there is none. */
static json_t *
taken_out(struct buf *b)
{
	json_t *o = NULL;

	if (b->len > 0) {
		assert_int_equal(b->data[b->len - 1], '\n');
		assert_null(memchr(b->data, '\n', b->len - 1));
		o = json_tree_object((char *)b->data, b->len, NULL);
		if (o == NULL)
			fail_msg("%.*s", (int)b->len, (char *)b->data);
		assert_string_equal(json_string_value(
					json_object_get(o, "jsonrpc")),
		    "2.0");
	}
	buf_finish(b);
	return o;
}

static json_t *
says(const char *line)
{
	struct mcp_call call;
	struct buf b;

	buf_init(&b, 1 << 20);
	assert_int_equal(mcp_take(line, strlen(line), &call, &b), MCP_DONE);
	return taken_out(&b);
}

static const json_t *
at(const json_t *o, const char *path)
{
	char word[64];

	while (o != NULL && *path != '\0') {
		size_t n = strcspn(path, ".");

		snprintf(word, sizeof(word), "%.*s", (int)n, path);
		o = json_is_array(o) ? json_array_get(o, (size_t)atoi(word)) :
				       json_object_get(o, word);
		path += n + (path[n] == '.');
	}
	return o;
}

static const char *
text_at(const json_t *o, const char *path)
{
	const char *text = json_string_value(at(o, path));

	return text != NULL ? text : "(none)";
}

static void
a_client_gets_a_protocol_revision_that_it_knows(void **state)
{
	static const char *const revisions[][2] = {
		{ "2025-11-25", "2025-11-25" },
		{ "2025-06-18", "2025-06-18" },
		{ "2025-03-26", "2024-11-05" },
		{ "2024-11-05", "2024-11-05" },
		{ "2024-10-07", "2024-11-05" },
		{ "2031-01-01", "2025-11-25" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(revisions) / sizeof(*revisions); i++) {
		char line[300];
		json_t *o;

		snprintf(line, sizeof(line),
		    "{\"jsonrpc\":\"2.0\",\"id\":%zu,\"method\":\"initialize\","
		    "\"params\":{\"protocolVersion\":\"%s\",\"capabilities\":"
		    "{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}",
		    i, revisions[i][0]);
		o = says(line);
		assert_int_equal(json_integer_value(at(o, "id")), i);
		assert_string_equal(text_at(o, "result.protocolVersion"),
		    revisions[i][1]);
		assert_string_equal(text_at(o, "result.serverInfo.name"),
		    "tend");
		assert_true(json_is_object(at(o, "result.capabilities.tools")));
		assert_non_null(
		    strstr(text_at(o, "result.instructions"), "untrusted"));
		json_decref(o);
	}
}

static void
ping_and_list_are_answered(void **state)
{
	json_t *o = says(
	    "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"ping\"}");

	(void)state;
	assert_string_equal(text_at(o, "id"), "a");
	assert_int_equal(json_object_size(at(o, "result")), 0);
	json_decref(o);
	o = says("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}");
	assert_string_equal(text_at(o, "result.tools.0.name"),
	    "session_create");
	assert_null(at(o, "result.nextCursor"));
	json_decref(o);
}

static void
an_invalid_request_is_refused_with_its_code(void **state)
{
	static const struct {
		const char *line;
		int code;
		const char *id; /* as JSON */
	} wrong[] = {
		{ "{", -32700, "null" },
		{ "[]", -32600, "null" },
		{ "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]",
		    -32600, "null" },
		{ "7", -32600, "null" },
		{ "{\"id\":1,\"method\":\"ping\"}", -32600, "1" },
		{ "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", -32600,
		    "1" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
		    -32600, "null" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}",
		    -32600, "null" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1}", -32600, "1" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", -32600, "1" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\","
		  "\"params\":[]}",
		    -32602, "1" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"no/such\"}",
		    -32601, "1" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\","
		  "\"params\":{\"cursor\":\"x\"}}",
		    -32602, "1" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}",
		    -32602, "1" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"tools/call\","
		  "\"params\":{\"name\":\"no\"}}",
		    -32602, "\"x\"" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		json_t *o = says(wrong[i].line);
		char *id = json_dumps(at(o, "id"), JSON_ENCODE_ANY);

		if (json_integer_value(at(o, "error.code")) != wrong[i].code ||
		    strcmp(id, wrong[i].id) != 0 ||
		    text_at(o, "error.message")[0] == '\0')
			fail_msg("%s: %s", wrong[i].line, json_dumps(o, 0));
		free(id);
		json_decref(o);
	}
}

static void
a_notification_gets_no_answer(void **state)
{
	(void)state;
	assert_null(says(""));
	assert_null(says("\r"));
	assert_null(says("{\"jsonrpc\":\"2.0\",\"method\":"
			 "\"notifications/initialized\"}"));
	assert_null(says("{\"jsonrpc\":\"2.0\",\"method\":\"no/such\"}"));
	assert_null(says("{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}"));
	assert_null(says("{\"jsonrpc\":\"2.0\",\"method\":"
			 "\"notifications/cancelled\"}"));
}

static void
a_call_is_passed_on_with_its_arguments(void **state)
{
	static const char line[] =
	    "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":"
	    "{\"name\":\"session_resize\",\"arguments\":{\"session\":\"s\","
	    "\"cols\":80,\"rows\":24}}}";
	struct mcp_call call;
	struct buf b;

	(void)state;
	buf_init(&b, 1 << 20);
	assert_int_equal(mcp_take(line, sizeof(line) - 1, &call, &b), MCP_CALL);
	assert_null(taken_out(&b));
	assert_string_equal(call.tool->op->name, "session.resize");
	assert_string_equal(call.session, "s");
	assert_int_equal(json_integer_value(call.id), 5);
	assert_int_equal(op_number(call.args, "cols", 0), 80);
	mcp_call_finish(&call);
}

static void
a_cancellation_names_the_call(void **state)
{
	static const char line
	    [] = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
		 "\"params\":{\"requestId\":\"q\",\"reason\":\"why not\"}}";
	struct mcp_call call;
	struct buf b;

	(void)state;
	buf_init(&b, 1 << 20);
	assert_int_equal(mcp_take(line, sizeof(line) - 1, &call, &b),
	    MCP_CANCEL);
	assert_string_equal(json_string_value(call.id), "q");
	mcp_call_finish(&call);
	assert_null(taken_out(&b));
}

/* A model reads it and can correct the call; it is not a protocol error. */
static void
wrong_arguments_are_reported_as_a_result(void **state)
{
	json_t *o = says(
	    "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":"
	    "{\"name\":\"session_resize\",\"arguments\":{\"session\":\"s\"}}}");

	(void)state;
	assert_true(json_is_true(at(o, "result.isError")));
	assert_non_null(strstr(text_at(o, "result.content.0.text"), "'cols'"));
	assert_null(at(o, "result.structuredContent"));
	json_decref(o);
}

/* ----------------------------------------------------------------- results */

/* The arguments of the call that gets the rest. */
static void
rest_is(const json_t *o, const char *expected)
{
	char *got = json_dumps(at(o, "result.tree.rest.arguments"),
	    JSON_COMPACT | JSON_SORT_KEYS);

	assert_string_equal(got != NULL ? got : "(none)", expected);
	free(got);
}

/* The answer; `tree` gets the result that its text was made from. */
static json_t *
answers(const char *tool, const char *args, const char *value)
{
	struct mcp_call call = { .id = json_integer(1),
		.tool = tool_find(tool),
		.args = json_loads(args, 0, NULL) };
	json_t *tree = json_loads(value, 0, NULL), *o;
	uint64_t max = op_number(call.args, "max_bytes", RESULT_TEXT_DEFAULT);
	struct buf b;

	call.session = call.tool->homely ? NULL : strdup("s");
	call.max_text = max < RESULT_TEXT_MAX ? max : RESULT_TEXT_MAX;

	assert_non_null(tree);
	assert_non_null(call.tool);
	buf_init(&b, 64 << 20);
	mcp_answer(&call, tree, FENCE, &b);
	o = taken_out(&b);
	assert_null(at(o, "result.structuredContent"));
	json_object_set_new(json_object_get(o, "result"), "tree",
	    result_tree(&call, tree));
	json_decref(tree);
	mcp_call_finish(&call);
	return o;
}

static void
a_screen_is_marked_as_program_output(void **state)
{
	json_t *o = answers("session_snapshot", "{}",
	    "{\"cols\":80,\"rows\":4,\"cursor\":{\"row\":1,\"col\":2},"
	    "\"alt_screen\":false,\"title\":\"t\",\"lines\":[\"$ ls\",\"a b\","
	    "\"\",\"\"],\"hash\":\"ab\",\"seq\":7,\"offset\":9,\"hidden\":[]}");
	const char *text = text_at(o, "result.content.0.text");

	(void)state;
	assert_int_equal(json_integer_value(at(o, "result.tree.seq")), 7);
	assert_string_equal(text_at(o, "result.tree.untrusted.screen"),
	    "$ ls\na b");
	assert_null(at(o, "result.tree.title"));
	assert_null(at(o, "result.tree.hidden"));
	assert_non_null(strstr(text, "\"seq\":7"));
	assert_non_null(strstr(text, "\n" FENCE "\n$ ls\na b\n" FENCE));
	assert_null(strstr(text, "\"$ ls"));
	json_decref(o);
}

static void
an_empty_screen_is_given_without_fences(void **state)
{
	json_t *o = answers("session_snapshot", "{}",
	    "{\"lines\":[\"\",\"\"],\"title\":\"\"}");

	(void)state;
	assert_string_equal(text_at(o, "result.tree.untrusted.screen"), "");
	assert_null(strstr(text_at(o, "result.content.0.text"), FENCE));
	json_decref(o);
}

static void
hidden_text_is_flagged(void **state)
{
	json_t *o = answers("session_snapshot", "{}",
	    "{\"lines\":[\"ok\",\"pay\xe2\x80\x8bpal\"],\"hidden\":[{\"row\":0,"
	    "\"col\":3,\"width\":2,\"why\":\"concealed\",\"text\":\"zz\"}]}");

	(void)state;
	assert_string_equal(text_at(o, "result.tree.untrusted.screen"),
	    "ok\npay\\u{200b}pal");
	assert_string_equal(text_at(o, "result.tree.hidden.0.why"),
	    "zero-width");
	assert_int_equal(json_integer_value(at(o, "result.tree.hidden.0.line")),
	    1);
	assert_string_equal(text_at(o, "result.tree.hidden.1.why"),
	    "concealed");
	assert_null(at(o, "result.tree.hidden.1.text"));
	json_decref(o);
}

/* Colours and overwritten text are dropped, concealed text is reported. */
static void
bytes_of_a_command_are_shown(void **state)
{
	json_t *o = answers("session_exec", "{}",
	    "{\"exit_code\":0,\"timed_out\":false,\"output\":"
	    "\"\\u001b[31mred\\u001b[m\\n 10%\\r100%\\nan \\u001b[8mopen"
	    "\\u001b[m secret\\n\"}");

	(void)state;
	assert_string_equal(text_at(o, "result.tree.untrusted.output"),
	    "red\n100%\nan open secret\n");
	assert_int_equal(json_array_size(at(o, "result.tree.hidden")), 1);
	assert_string_equal(text_at(o, "result.tree.hidden.0.in"), "output");
	assert_int_equal(json_integer_value(at(o, "result.tree.hidden.0.line")),
	    2);
	assert_int_equal(json_integer_value(at(o, "result.tree.hidden.0.col")),
	    3);
	json_decref(o);
}

/* More lines than a screen has, and one that is longer than it is wide. */
static void
no_line_of_a_command_is_lost(void **state)
{
	static char value[200000], want[100000];
	size_t len, n = 0;
	json_t *o;

	(void)state;
	len = (size_t)sprintf(value, "{\"output\":\"\\u001b[m");
	for (int i = 0; i < 5000; i++) {
		len += (size_t)sprintf(value + len, "%d\\n", i);
		n += (size_t)sprintf(want + n, "%d\n", i);
	}
	memset(value + len, 'x', 3000);
	memset(want + n, 'x', 3000);
	sprintf(value + len + 3000, "\"}");
	o = answers("session_exec", "{\"max_bytes\":200000}", value);
	assert_string_equal(text_at(o, "result.tree.untrusted.output"), want);
	json_decref(o);
}

static void
items_of_a_list_are_shaped_like_single_results(void **state)
{
	json_t *o = answers("session_list", "{}",
	    "{\"sessions\":[{\"id\":\"1\",\"name\":\"n\",\"status\":\"running\","
	    "\"outcome\":null,\"command\":[\"sh\"],\"cwd\":\"/\",\"last_line\":"
	    "\"$\"},{\"id\":\"2\"}]}");

	(void)state;
	assert_string_equal(text_at(o,
				"result.tree.sessions.0.untrusted.last_line"),
	    "$");
	assert_null(at(o, "result.tree.sessions.0.outcome"));
	assert_null(at(o, "result.tree.sessions.0.cwd"));
	assert_string_equal(text_at(o, "result.tree.sessions.1.id"), "2");
	json_decref(o);
}

/*
 * The beginning and the end are kept in whole lines, and the cut is reported.
 */
static void
long_texts_are_cut(void **state)
{
	static char value[200000];
	size_t len = (size_t)sprintf(value, "{\"text\":\"");
	json_t *o;
	const char *text;

	(void)state;
	for (int i = 0; i < 9000; i++)
		len += (size_t)sprintf(value + len, "line %d\\n", i);
	sprintf(value + len, "\"}");
	o = answers("session_output", "{\"max_bytes\":40,\"since\":7}", value);
	text = text_at(o, "result.tree.untrusted.text");
	assert_string_equal(text,
	    "line 0\n[... 88863 bytes left out ...]\nline 8998\nline 8999\n");
	assert_true(json_is_true(at(o, "result.tree.truncated")));
	assert_int_equal(json_integer_value(at(o, "result.tree.rest.bytes")),
	    88863);
	assert_string_equal(text_at(o, "result.tree.rest.tool"),
	    "session_output");
	rest_is(o,
	    "{\"max_bytes\":88863,\"session\":\"s\",\"since\":7,\"skip\":7}");
	json_decref(o);
	o = answers("session_output", "{\"max_bytes\":20,\"skip\":7}", value);
	text = text_at(o, "result.tree.untrusted.text");
	assert_string_equal(text,
	    "line 0\nline 1\n[... 88876 bytes left out ...]\n");
	rest_is(o, "{\"max_bytes\":88876,\"session\":\"s\",\"skip\":21}");
	json_decref(o);
	o = answers("session_output", "{}", value);
	text = text_at(o, "result.tree.untrusted.text");
	assert_in_range(strlen(text), RESULT_TEXT_DEFAULT - 30,
	    RESULT_TEXT_DEFAULT + 50);
	json_decref(o);
	o = answers("session_output", "{\"max_bytes\":99999999}", value);
	assert_null(at(o, "result.tree.truncated"));
	assert_null(at(o, "result.tree.rest"));
	json_decref(o);
}

/* Each cut text comes with the call for the rest. */
static void
the_rest_of_a_text_can_be_requested(void **state)
{
	json_t *o = answers("session_exec", "{\"max_bytes\":8}",
	    "{\"output\":\"0123456789\",\"offset\":55}");

	(void)state;
	assert_string_equal(text_at(o, "result.tree.untrusted.output"),
	    "01\n[... 2 bytes left out ...]\n456789");
	rest_is(o,
	    "{\"max_bytes\":2,\"offset\":55,\"session\":\"s\",\"skip\":2}");
	json_decref(o);
	/* The host has kept only its beginning. */
	o = answers("session_exec", "{}",
	    "{\"output\":\"0123\",\"offset\":55,\"truncated\":true}");
	rest_is(o,
	    "{\"max_bytes\":262144,\"offset\":55,\"session\":\"s\","
	    "\"skip\":4}");
	json_decref(o);
	o = answers("session_snapshot", "{\"max_bytes\":4,\"scrollback\":true}",
	    "{\"lines\":[\"a\",\"b\",\"c\",\"d\"]}");
	assert_string_equal(text_at(o, "result.tree.rest.tool"),
	    "session_snapshot");
	rest_is(o,
	    "{\"max_bytes\":262144,\"scrollback\":true,\"session\":\"s\"}");
	json_decref(o);
}

static void
hashes_are_short(void **state)
{
	json_t *o = answers("session_wait", "{}",
	    "{\"matched\":true,\"hash\":\"0123456789abcdef0123456789abcdef\"}");

	(void)state;
	assert_string_equal(text_at(o, "result.tree.hash"), "0123456789ab");
	json_decref(o);
}

/* Failures of steps as well, in the words of a caller of tools. */
static void
failures_of_steps_name_the_tools(void **state)
{
	json_t *o = answers("session_batch", "{}",
	    "{\"steps\":[{\"index\":0,\"error\":{\"code\":\"usage\","
	    "\"message\":\"session.wait: try 'tend ls'\"}}]}");

	(void)state;
	assert_string_equal(text_at(o, "result.tree.steps.0.error.message"),
	    "session_wait: try 'session_list'");
	json_decref(o);
}

/* Text that is written out becomes longer. */
static void
a_text_of_invisible_characters_stays_in_its_bounds(void **state)
{
	static char value[40000];
	size_t len = (size_t)sprintf(value, "{\"text\":\"");
	json_t *o;

	(void)state;
	for (int i = 0; i < 5000; i++)
		len += (size_t)sprintf(value + len, "\\u200b");
	sprintf(value + len, "\"}");
	o = answers("session_output", "{\"max_bytes\":1000}", value);
	assert_in_range(strlen(text_at(o, "result.tree.untrusted.text")), 400,
	    1050);
	assert_true(json_is_true(at(o, "result.tree.truncated")));
	json_decref(o);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    a_client_gets_a_protocol_revision_that_it_knows),
		cmocka_unit_test(ping_and_list_are_answered),
		cmocka_unit_test(an_invalid_request_is_refused_with_its_code),
		cmocka_unit_test(a_notification_gets_no_answer),
		cmocka_unit_test(a_call_is_passed_on_with_its_arguments),
		cmocka_unit_test(a_cancellation_names_the_call),
		cmocka_unit_test(wrong_arguments_are_reported_as_a_result),
		cmocka_unit_test(a_screen_is_marked_as_program_output),
		cmocka_unit_test(an_empty_screen_is_given_without_fences),
		cmocka_unit_test(hidden_text_is_flagged),
		cmocka_unit_test(bytes_of_a_command_are_shown),
		cmocka_unit_test(no_line_of_a_command_is_lost),
		cmocka_unit_test(
		    items_of_a_list_are_shaped_like_single_results),
		cmocka_unit_test(long_texts_are_cut),
		cmocka_unit_test(the_rest_of_a_text_can_be_requested),
		cmocka_unit_test(hashes_are_short),
		cmocka_unit_test(failures_of_steps_name_the_tools),
		cmocka_unit_test(
		    a_text_of_invisible_characters_stays_in_its_bounds),
	};

	return cmocka_run_group_tests_name("mcp_server", tests, NULL, NULL);
}
