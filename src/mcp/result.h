#ifndef TEND_MCP_RESULT_H
#define TEND_MCP_RESULT_H

#include <stddef.h>

#include <jansson.h>

#include "mcp/call.h"

struct json_out;

/*
 * An operation's result as a tool's: the fields that the tool's shape keeps,
 * and what programs have printed under `untrusted`, so that a reader knows
 * whose words they are.  Of those texts at most max_text bytes of the call are
 * given: the beginning and the end of each, a line between that says how much
 * was left out, and `rest`, the call that gets it.  What a person could not see
 * in them is in `hidden`.  Hashes are as long as SHAPE_HASH.
 *
 *	{"seq":7,…,"untrusted":{"screen":"$ ls"},"hidden":[…],
 *	 "truncated":true,"rest":{"bytes":…,"tool":…,"arguments":{…}}}
 */
/* The caller's. */
json_t *result_tree(const struct mcp_call *call, const json_t *value);

/*
 * The same as the one text that a model gets: the fields as JSON in a line,
 * then each text between lines that hold `fence`, which nobody can know
 * beforehand.  There is no structuredContent beside it: some clients hand both
 * to their model, some the one and some the other, and so this alone reaches
 * every model once and whole.
 */
void result_json(const struct mcp_call *call, const json_t *value,
    const char *fence, struct json_out *j);

/* A call that failed, for the model to read and do better. */
void result_error_json(const char *why, struct json_out *j);

#endif
