#ifndef TEND_MCP_SERVER_H
#define TEND_MCP_SERVER_H

#include <stddef.h>

#include <jansson.h>

#include "mcp/call.h"

struct buf;

/*
 * The Model Context Protocol, as a server of tools: a line of the client's in,
 * its answer out; or a call, for the caller to carry out and answer later.
 * Pure: it keeps nothing from one line to the next.
 *
 * Served are initialize, ping, tools/list and tools/call, and cancellation.  A
 * client that calls a tool before it has said initialize is served as well.
 */
#define MCP_LINE_MAX (2u << 20)

enum mcp_next {
	MCP_DONE,   /* it is answered, or needs no answer */
	MCP_CALL,   /* call->tool is to be carried out */
	MCP_CANCEL, /* the call with call->id is no longer wanted */
};

/* Answers are appended to out; *call is the caller's unless MCP_DONE. */
enum mcp_next mcp_take(const char *line, size_t len, struct mcp_call *call,
    struct buf *out);

/* A line that was longer than MCP_LINE_MAX. */
void mcp_refuse_long(struct buf *out);

/*
 * What became of a call: the operation's result, or why it failed, which is
 * told in the words of who calls tools (speech.h).
 */
void mcp_answer(const struct mcp_call *call, const json_t *value,
    const char *fence, struct buf *out);
void mcp_fail(const struct mcp_call *call, const char *why, struct buf *out);

#endif
