#ifndef TEND_MCP_RESULT_H
#define TEND_MCP_RESULT_H

#include <stddef.h>

#include <jansson.h>

#include "mcp/call.h"

struct json_out;

/*
 * An operation's result as a tool's result.  It has the fields that the tool's
 * shape keeps.  Text printed by programs is under `untrusted`, so that a reader
 * knows where it comes from.  The call's max_text limits these texts: each has
 * its beginning and end, a line between them with the number of bytes left out,
 * and `rest`, the call that fetches those.  Invisible characters are listed in
 * `hidden`.  Hashes have the length SHAPE_HASH.
 *
 *	{"seq":7,…,"untrusted":{"screen":"$ ls"},"hidden":[…],
 *	 "truncated":true,"rest":{"bytes":…,"tool":…,"arguments":{…}}}
 */
/* The caller frees it. */
json_t *result_tree(const struct mcp_call *call, const json_t *value);

/*
 * The same as one text for a model: the fields as JSON on one line, then each
 * text between lines that contain `fence`, which no program can predict.  There
 * is no structuredContent: some clients pass both to their model, others only
 * one of them.  With a single text every model gets the result exactly once.
 */
void result_json(const struct mcp_call *call, const json_t *value,
    const char *fence, struct json_out *j);

/* The answer of a failed call, as a message for the model. */
void result_error_json(const char *why, struct json_out *j);

#endif
