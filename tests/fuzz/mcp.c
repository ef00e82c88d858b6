/*
 * Any bytes from an MCP client. Every answer is one line of JSON-RPC that
 * echoes the id. A call has arguments that its operation accepts. Every result
 * that a model gets is within its bounds, fits the tool's schema, and holds
 * nothing that a person cannot see.
 */
#include "mcp/server.h"

#include <string.h>

#include "base/buf.h"
#include "base/json_tree.h"
#include "base/utf8.h"
#include "fuzz.h"
#include "mcp/clean.h"
#include "mcp/lines.h"
#include "mcp/result.h"
#include "mcp/tool.h"

#define LINE_MAX_HERE 4096
#define TOLD 80 /* bytes of the line that reports omitted text */
#define FENCE "f0f0f0f0f0f0f0f0"

/* Each line is a response and nothing else. */
static void
is_answers(const struct buf *out)
{
	struct lines l;
	const char *p;
	size_t len;

	lines_init(&l, SIZE_MAX / 2);
	lines_add(&l, out->data, out->len);
	while (lines_next(&l, &p, &len) == LINES_LINE) {
		json_t *o = json_tree_object(p, len, NULL);

		MUST(o != NULL && utf8_valid(p, len));
		MUST(json_object_get(o, "id") != NULL);
		MUST(!json_object_get(o, "result") !=
		    !json_object_get(o, "error"));
		json_decref(o);
	}
	MUST(lines_rest(&l, &p, &len) == LINES_NONE);
	lines_finish(&l);
}

static void
is_clean(const char *text, size_t len)
{
	struct clean_found found = { 0 };
	struct buf again;

	buf_init(&again, SIZE_MAX);
	clean_text(text, len, &again, &found);
	MUST(again.len == len);
	MUST(len == 0 || memcmp(again.data, text, len) == 0);
	buf_finish(&again);
}

static void
is_fit_for_a_model(const struct mcp_call *call, const json_t *value)
{
	json_t *o = result_tree(call, value);
	json_t *texts = json_object_get(o, "untrusted");
	const char *name;
	size_t sum = 0;
	json_t *v;

	MUST(o != NULL);
	json_object_foreach(texts, name, v)
	{
		MUST(json_is_string(v));
		sum += json_string_length(v);
		is_clean(json_string_value(v), json_string_length(v));
	}
	MUST(sum <= call->max_text + TOLD * json_object_size(texts));
	json_decref(o);
}

/* Answer the call with the input, as a text and as an object. */
static void
answer(const struct mcp_call *call, const uint8_t *p, size_t len)
{
	json_t *values[] = { json_copy(call->args), json_object() };
	static const char *const keys[] = { "text", "output", "title" };
	struct buf out;

	for (size_t i = 0; i < 3; i++)
		json_object_set_new(values[1], keys[i],
		    json_stringn_nocheck((const char *)p, len));
	json_object_set_new(values[1], "lines",
	    json_pack("[O?O?]", json_object_get(values[1], "text"),
		json_object_get(values[1], "title")));
	for (size_t i = 0; i < 2; i++) {
		buf_init(&out, SIZE_MAX);
		mcp_answer(call, values[i], FENCE, &out);
		is_answers(&out);
		is_fit_for_a_model(call, values[i]);
		buf_finish(&out);
		json_decref(values[i]);
	}
}

static void
take(const char *line, size_t n, const uint8_t *p, size_t len, struct buf *out)
{
	struct mcp_call call;

	switch (mcp_take(line, n, &call, out)) {
	case MCP_CALL:
		MUST(op_take_arguments(call.tool->op, call.args, NULL) == 0);
		MUST(call.tool->homely == (call.session == NULL));
		answer(&call, p, len);
		mcp_call_finish(&call);
		break;
	case MCP_CANCEL:
		MUST(call.id != NULL);
		mcp_call_finish(&call);
		break;
	case MCP_DONE:
		MUST(call.id == NULL && call.args == NULL);
		break;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t len)
{
	size_t piece = len > 0 ? p[0] + 1u : 1;
	enum lines_next what;
	const char *line;
	struct lines l;
	struct buf out;
	size_t n;

	lines_init(&l, LINE_MAX_HERE);
	buf_init(&out, SIZE_MAX);
	for (size_t at = 0; at < len; at += piece) {
		lines_add(&l, p + at, len - at < piece ? len - at : piece);
		while ((what = lines_next(&l, &line, &n)) != LINES_NONE) {
			MUST(what == LINES_TOO_LONG || n <= LINE_MAX_HERE);
			if (what == LINES_LINE)
				take(line, n, p, len, &out);
			else
				mcp_refuse_long(&out);
		}
		MUST(l.buf.len <= LINE_MAX_HERE + piece);
	}
	is_answers(&out);
	lines_finish(&l);
	buf_finish(&out);
	return 0;
}
