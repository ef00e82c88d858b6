#ifndef TEND_MCP_CALL_H
#define TEND_MCP_CALL_H

#include <stddef.h>

#include <jansson.h>

struct tool;

/* The default and the limit for printed text in an answer, in bytes. */
#define RESULT_TEXT_DEFAULT (8u << 10)
#define RESULT_TEXT_MAX (256u << 10)

/* A tool call, from the client's line to its answer. */
struct mcp_call {
	json_t *id;
	const struct tool *tool;
	json_t *args;    /* arguments of the operation, checked */
	char *session;   /* its id or name, or NULL */
	size_t max_text; /* at most RESULT_TEXT_MAX */
};

void mcp_call_finish(struct mcp_call *call);

#endif
