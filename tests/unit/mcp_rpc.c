#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "mcp/rpc.h"

/* The message; it must be valid, and the caller finishes it. */
static struct rpc_message
valid(const char *text, enum rpc_kind kind)
{
	struct rpc_message m;
	struct error err = { 0 };

	if (rpc_parse(&m, text, strlen(text), &err) != 0)
		fail_msg("%s: %s", text, err.msg);
	assert_int_equal(m.kind, kind);
	return m;
}

static void
fails(const char *text, int code, bool has_id)
{
	struct rpc_message m;
	struct error err = { 0 };
	int got = rpc_parse(&m, text, strlen(text), &err);

	if (got != code || (m.id != NULL) != has_id || err.msg[0] == '\0')
		fail_msg("%s: %d '%s', %s id", text, got, err.msg,
		    m.id != NULL ? "an" : "no");
	rpc_finish(&m);
	assert_null(m.tree);
}

#define MESSAGE(rest) "{\"jsonrpc\":\"2.0\"," rest "}"

static void
a_call_with_an_id_is_a_request(void **state)
{
	struct rpc_message
	    m = valid(MESSAGE(
			  "\"id\":7,\"method\":\"ping\",\"params\":{\"a\":1}"),
		RPC_REQUEST);

	(void)state;
	assert_int_equal(json_integer_value(m.id), 7);
	assert_string_equal(m.method, "ping");
	assert_int_equal(json_integer_value(json_object_get(m.params, "a")), 1);
	rpc_finish(&m);
	m = valid(MESSAGE("\"id\":\"\",\"method\":\"\""), RPC_REQUEST);
	assert_string_equal(json_string_value(m.id), "");
	assert_null(m.params);
	rpc_finish(&m);
}

static void
a_call_without_an_id_is_a_notification(void **state)
{
	struct rpc_message m = valid(MESSAGE(
					 "\"method\":\"x\",\"params\":null"),
	    RPC_NOTIFICATION);

	(void)state;
	assert_null(m.id);
	assert_null(m.params);
	assert_string_equal(m.method, "x");
	rpc_finish(&m);
}

static void
a_result_or_an_error_is_a_response(void **state)
{
	struct rpc_message m = valid(MESSAGE("\"id\":1,\"result\":null"),
	    RPC_RESPONSE);

	(void)state;
	assert_null(m.method);
	rpc_finish(&m);
	/* An error without a known id has the id null. */
	m = valid(MESSAGE("\"id\":null,\"error\":{}"), RPC_RESPONSE);
	assert_null(m.id);
	rpc_finish(&m);
}

static void
text_that_is_no_json_is_a_parse_error(void **state)
{
	(void)state;
	fails("", RPC_PARSE_ERROR, false);
	fails("{", RPC_PARSE_ERROR, false);
	fails("{} {}", RPC_PARSE_ERROR, false);
	fails("{\"id\":1,\"id\":2}", RPC_PARSE_ERROR, false);
	fails("{\"id\":\"\xff\"}", RPC_PARSE_ERROR, false);
}

static void
a_wrong_message_is_an_invalid_request(void **state)
{
	(void)state;
	fails("[]", RPC_INVALID_REQUEST, false);
	fails("\"ping\"", RPC_INVALID_REQUEST, false);
	fails("{}", RPC_INVALID_REQUEST, false);
	fails("{\"id\":1,\"method\":\"x\"}", RPC_INVALID_REQUEST, true);
	fails("{\"jsonrpc\":2.0,\"id\":1,\"method\":\"x\"}",
	    RPC_INVALID_REQUEST, true);
	fails(MESSAGE("\"id\":1"), RPC_INVALID_REQUEST, true);
	fails(MESSAGE("\"id\":1,\"method\":2"), RPC_INVALID_REQUEST, true);
	fails(MESSAGE("\"id\":1,\"method\":null,\"result\":1"),
	    RPC_INVALID_REQUEST, true);
}

static void
an_id_is_a_string_or_a_whole_number(void **state)
{
	(void)state;
	fails(MESSAGE("\"id\":1.5,\"method\":\"x\""), RPC_INVALID_REQUEST,
	    false);
	fails(MESSAGE("\"id\":null,\"method\":\"x\""), RPC_INVALID_REQUEST,
	    false);
	fails(MESSAGE("\"id\":[1],\"method\":\"x\""), RPC_INVALID_REQUEST,
	    false);
	fails(MESSAGE("\"id\":true,\"method\":\"x\""), RPC_INVALID_REQUEST,
	    false);
}

static void
params_are_an_object(void **state)
{
	(void)state;
	fails(MESSAGE("\"id\":1,\"method\":\"x\",\"params\":[]"),
	    RPC_INVALID_PARAMS, true);
	/* Nobody waits for the answer to a notification. */
	fails(MESSAGE("\"method\":\"x\",\"params\":1"), RPC_INVALID_REQUEST,
	    false);
}

static void
a_response_is_one_line_with_the_id_of_its_request(void **state)
{
	struct rpc_message
	    m = valid(MESSAGE("\"id\":\"a\\n\\u001b\\\"\",\"method\":\"x\""),
		RPC_REQUEST);
	auto_free char *text = NULL;
	struct json_out j;
	struct buf out;

	(void)state;
	buf_init(&out, 1 << 16);
	rpc_begin(&j, &out, m.id);
	json_out_open(&j, '{');
	json_put_text(&j, "a", "b");
	json_out_close(&j, '}');
	rpc_end(&j);
	rpc_finish(&m);
	text = buf_take(&out);
	assert_non_null(strstr(text, "\"result\":{\"a\":\"b\"}}\n"));
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
	m = valid(text, RPC_RESPONSE);
	assert_string_equal(json_string_value(m.id), "a\n\033\"");
	rpc_finish(&m);
}

static void
a_refusal_has_its_code_and_reason(void **state)
{
	auto_free char *text = NULL;
	struct buf out;

	(void)state;
	buf_init(&out, 1 << 16);
	rpc_refuse(&out, NULL, RPC_PARSE_ERROR, "no\n\"JSON\"");
	text = buf_take(&out);
	assert_string_equal(text,
	    "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,"
	    "\"message\":\"no\\n\\\"JSON\\\"\"}}\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_with_an_id_is_a_request),
		cmocka_unit_test(a_call_without_an_id_is_a_notification),
		cmocka_unit_test(a_result_or_an_error_is_a_response),
		cmocka_unit_test(text_that_is_no_json_is_a_parse_error),
		cmocka_unit_test(a_wrong_message_is_an_invalid_request),
		cmocka_unit_test(an_id_is_a_string_or_a_whole_number),
		cmocka_unit_test(params_are_an_object),
		cmocka_unit_test(
		    a_response_is_one_line_with_the_id_of_its_request),
		cmocka_unit_test(a_refusal_has_its_code_and_reason),
	};

	return cmocka_run_group_tests_name("mcp_rpc", tests, NULL, NULL);
}
