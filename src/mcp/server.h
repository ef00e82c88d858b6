#ifndef TEND_MCP_SERVER_H
#define TEND_MCP_SERVER_H

#include <stddef.h>

#include <jansson.h>

#include "mcp/call.h"

struct buf;

/*
 * A Model Context Protocol server for tools.  It takes a client's line and
 * returns an answer, or a call that the caller runs and answers later.  Pure:
 * it keeps no state between lines.
 *
 * It serves initialize, ping, tools/list, tools/call and cancellation.  A
 * client may call tools before initialize.
 */
#define MCP_LINE_MAX (2u << 20)

enum mcp_next {
	MCP_DONE,   /* answered, or no answer needed */
	MCP_CALL,   /* run call->tool */
	MCP_CANCEL, /* cancel the call with call->id */
};

/*
 * Answers are appended to out.  Unless the result is MCP_DONE, the caller owns
 * *call.
 */
enum mcp_next mcp_take(const char *line, size_t len, struct mcp_call *call,
    struct buf *out);

/* Answer a line that is longer than MCP_LINE_MAX. */
void mcp_refuse_long(struct buf *out);

/*
 * Answer a call with the operation's result or the reason of its failure, in
 * terms of tools (speech.h).
 */
void mcp_answer(const struct mcp_call *call, const json_t *value,
    const char *fence, struct buf *out);
void mcp_fail(const struct mcp_call *call, const char *why, struct buf *out);

#endif
