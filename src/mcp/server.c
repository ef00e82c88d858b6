#include "mcp/server.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "base/version.h"
#include "mcp/result.h"
#include "mcp/rpc.h"
#include "mcp/skill.h"
#include "mcp/speech.h"
#include "mcp/tool.h"

/*
 * Supported revisions, newest first.  2025-03-26 is missing, because it
 * requires batches.
 */
static const char *const revisions[] = { "2025-11-25", "2025-06-18",
	"2024-11-05" };

#define REVISIONS (sizeof(revisions) / sizeof(*revisions))

/* The newest revision that is not newer than the client's. */
static const char *
choose_revision(const char *asked)
{
	for (size_t i = 0; asked != NULL && i < REVISIONS; i++)
		if (strcmp(asked, revisions[i]) >= 0)
			return revisions[i];
	return asked == NULL ? revisions[0] : revisions[REVISIONS - 1];
}

static void
initialize(const struct rpc_message *m, struct buf *out)
{
	const char *asked = json_string_value(
	    json_object_get(m->params, "protocolVersion"));
	struct json_out j;

	rpc_begin(&j, out, m->id);
	json_out_open(&j, '{');
	json_out_key(&j, "protocolVersion");
	json_out_text(&j, choose_revision(asked));
	json_out_key(&j, "capabilities");
	json_out_open(&j, '{');
	json_out_key(&j, "tools");
	json_out_open(&j, '{');
	json_out_close(&j, '}');
	json_out_close(&j, '}');
	json_out_key(&j, "serverInfo");
	json_out_open(&j, '{');
	json_out_key(&j, "name");
	json_out_text(&j, "tend");
	json_out_key(&j, "title");
	json_out_text(&j, "Terminal sessions");
	json_out_key(&j, "version");
	json_out_text(&j, TEND_VERSION);
	json_out_close(&j, '}');
	json_out_key(&j, "instructions");
	json_out_text(&j, skill_tools);
	json_out_close(&j, '}');
	rpc_end(&j);
}

static void
ping(const struct rpc_message *m, struct buf *out)
{
	struct json_out j;

	rpc_begin(&j, out, m->id);
	json_out_open(&j, '{');
	json_out_close(&j, '}');
	rpc_end(&j);
}

/* The list has one page, so every cursor is invalid. */
static void
list_tools(const struct rpc_message *m, struct buf *out)
{
	struct json_out j;

	if (json_object_get(m->params, "cursor") != NULL) {
		rpc_refuse(out, m->id, RPC_INVALID_PARAMS,
		    "unknown cursor: all tools are on the first page");
		return;
	}
	rpc_begin(&j, out, m->id);
	json_out_open(&j, '{');
	json_out_key(&j, "tools");
	json_out_open(&j, '[');
	for (const struct tool *t = tools; t->op != NULL; t++)
		tool_json(t, &j);
	json_out_close(&j, ']');
	json_out_close(&j, '}');
	rpc_end(&j);
}

static const struct {
	const char *method;
	void (*answer)(const struct rpc_message *m, struct buf *out);
} methods[] = {
	{ "initialize", initialize },
	{ "ping", ping },
	{ "tools/list", list_tools },
};

static enum mcp_next
no_tool(const struct rpc_message *m, const char *name, struct buf *out)
{
	char why[120];

	if (name == NULL)
		snprintf(why, sizeof(why), "tools/call needs 'name', a string");
	else
		snprintf(why, sizeof(why),
		    "unknown tool '%.60s'; tools/list lists all tools", name);
	rpc_refuse(out, m->id, RPC_INVALID_PARAMS, why);
	return MCP_DONE;
}

/* The model made a mistake in the arguments, so the model gets the error. */
static enum mcp_next
call_tool(const struct rpc_message *m, struct mcp_call *call, struct buf *out)
{
	const char *name = json_string_value(
	    json_object_get(m->params, "name"));
	const struct tool *t = name != NULL ? tool_find(name) : NULL;
	struct error err = { 0 };

	if (t == NULL)
		return no_tool(m, name, out);
	call->id = json_incref(m->id);
	call->tool = t;
	call->args = tool_arguments(t, json_object_get(m->params, "arguments"),
	    &call->session, &call->max_text, &err);
	if (call->args != NULL)
		return MCP_CALL;
	mcp_fail(call, err.msg, out);
	mcp_call_finish(call);
	return MCP_DONE;
}

static enum mcp_next
on_request(const struct rpc_message *m, struct mcp_call *call, struct buf *out)
{
	char why[120];

	if (strcmp(m->method, "tools/call") == 0)
		return call_tool(m, call, out);
	for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++) {
		if (strcmp(methods[i].method, m->method) == 0) {
			methods[i].answer(m, out);
			return MCP_DONE;
		}
	}
	snprintf(why, sizeof(why), "unknown method '%.60s'", m->method);
	rpc_refuse(out, m->id, RPC_METHOD_NOT_FOUND, why);
	return MCP_DONE;
}

static enum mcp_next
on_notification(const struct rpc_message *m, struct mcp_call *call)
{
	json_t *id = json_object_get(m->params, "requestId");

	if (strcmp(m->method, "notifications/cancelled") != 0 || id == NULL)
		return MCP_DONE;
	call->id = json_incref(id);
	return MCP_CANCEL;
}

enum mcp_next
mcp_take(const char *line, size_t len, struct mcp_call *call, struct buf *out)
{
	enum mcp_next next = MCP_DONE;
	struct rpc_message m;
	struct error err = { 0 };
	int code;

	memset(call, 0, sizeof(*call));
	if (len == 0 || (len == 1 && line[0] == '\r'))
		return MCP_DONE;
	code = rpc_parse(&m, line, len, &err);
	if (code != 0)
		rpc_refuse(out, m.id, code, err.msg);
	else if (m.kind == RPC_REQUEST)
		next = on_request(&m, call, out);
	else if (m.kind == RPC_NOTIFICATION)
		next = on_notification(&m, call);
	rpc_finish(&m);
	return next;
}

void
mcp_refuse_long(struct buf *out)
{
	char why[80];

	snprintf(why, sizeof(why), "a message has at most %u bytes",
	    MCP_LINE_MAX);
	rpc_refuse(out, NULL, RPC_INVALID_REQUEST, why);
}

void
mcp_answer(const struct mcp_call *call, const json_t *value, const char *fence,
    struct buf *out)
{
	struct json_out j;

	rpc_begin(&j, out, call->id);
	result_json(call, value, fence, &j);
	rpc_end(&j);
}

void
mcp_fail(const struct mcp_call *call, const char *why, struct buf *out)
{
	char name[TOOL_NAME_SIZE];
	struct json_out j;
	struct buf b;

	tool_name(call->tool, name);
	buf_init(&b, SIZE_MAX);
	speech_put(why, &b);
	if (memmem(b.data, b.len, name, strlen(name)) == NULL) {
		buf_clear(&b);
		buf_printf(&b, "%s: ", name);
		speech_put(why, &b);
	}
	buf_putc(&b, '\0');
	rpc_begin(&j, out, call->id);
	result_error_json((const char *)b.data, &j);
	rpc_end(&j);
	buf_finish(&b);
}
