#ifndef TEND_MCP_RESULT_H
#define TEND_MCP_RESULT_H

#include <stddef.h>

#include <jansson.h>

struct json_out;
struct tool;

/*
 * An operation's result as a tool's: the fields that the tool's shape keeps,
 * and what programs have printed under `untrusted`, so that a reader knows
 * whose words they are.  Of those texts at most max_text bytes are given, the
 * end of each; what a person could not see in them is in `hidden`.
 *
 *	{"seq":7,…,"untrusted":{"screen":"$ ls"},"hidden":[…],
 *	 "truncated":true}
 *
 * For models it is given once more as text: the fields as JSON, then each
 * text between lines that hold `fence`, which nobody can know beforehand.
 */
#define RESULT_TEXT_DEFAULT (16u << 10)
#define RESULT_TEXT_MAX (256u << 10)

void result_json(const struct tool *t, const json_t *value, size_t max_text,
    const char *fence, struct json_out *j);

/* A call that failed, for the model to read and do better. */
void result_error_json(const char *why, struct json_out *j);

#endif
