#ifndef TEND_MCP_TOOL_H
#define TEND_MCP_TOOL_H

#include <stdbool.h>
#include <stddef.h>

#include "mcp/shape.h"
#include "op/ops.h"

struct json_out;

/*
 * A tool: an operation in the Model Context Protocol.  tools.c lists them.  The
 * name is the operation's, with `_` for the dot.  The arguments are the
 * operation's, and `session` if it works on a session.
 */
enum tool_hints {
	TOOL_READS = 1 << 0,      /* changes nothing */
	TOOL_DESTROYS = 1 << 1,   /* may end or overwrite something */
	TOOL_REPEATABLE = 1 << 2, /* a second call changes nothing more */
	TOOL_OPEN_WORLD = 1 << 3, /* affects things outside tend */
};

struct tool {
	const struct op *op;
	const char *title;
	const char *description;
	unsigned hints;       /* enum tool_hints */
	const char *withheld; /* hidden arguments, " a b "; NULL: none */
	const char *given;    /* default arguments; NULL: none */
	const char *asked;    /* fixed arguments; NULL: none */
	bool homely;          /* it takes no session */
	struct shape shape;
	const char *items; /* an array of the result, or NULL; each object: */
	struct shape item;
};

/* All tools; the last entry has no operation. */
extern const struct tool tools[];

/* Find a tool by name; NULL if there is none. */
const struct tool *tool_find(const char *name);

#define TOOL_NAME_SIZE 64
void tool_name(const struct tool *t, char out[TOOL_NAME_SIZE]);

/*
 * The tool's entry in tools/list: name, title, description, schema,
 * annotations.
 */
void tool_json(const struct tool *t, struct json_out *j);

/*
 * Convert the caller's arguments to those of the operation: check them against
 * the table, add our own, and move the session to *session (NULL for a tool
 * without one).  The caller frees both; NULL and an error on failure.  The
 * limit of text is moved to *max_text: the text is cut here, in the middle, not
 * at its source.
 */
json_t *tool_arguments(const struct tool *t, const json_t *given,
    char **session, size_t *max_text, struct error *err);

/*
 * The JSON schema of the answer (result.h), made from the operation's result.
 */
void tool_result_schema(const struct tool *t, const char *refs,
    struct json_out *j);

/* The description of an argument: a line of arguments.def. */
struct tool_note {
	const char *op, *name; /* op NULL: any operation */
	const char *text;
};
const struct tool_note *tool_note(const struct op *op, const char *name);

#endif
