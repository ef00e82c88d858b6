#ifndef TEND_MCP_TOOL_H
#define TEND_MCP_TOOL_H

#include <stdbool.h>
#include <stddef.h>

#include "mcp/shape.h"
#include "op/ops.h"

struct json_out;

/*
 * A tool: an operation as the Model Context Protocol shows it.  tools.c lists
 * them; its name is the operation's, with `_` for the dot; its arguments are
 * the operation's, and `session` where it is one session's.
 */
enum tool_hints {
	TOOL_READS = 1 << 0,      /* changes nothing */
	TOOL_DESTROYS = 1 << 1,   /* may end or overwrite something */
	TOOL_REPEATABLE = 1 << 2, /* a second call changes nothing more */
	TOOL_OPEN_WORLD = 1 << 3, /* reaches what is outside of tend */
	TOOL_STOPS = 1
	    << 4, /* ends when it is cancelled; reading always does */
};

/* Who carries it out. */
enum tool_by {
	TOOL_BY_HOST,
	TOOL_BY_HOST_OR_HOME, /* the home when the session has ended */
	TOOL_BY_HOME,         /* home/operation.h */
};

struct tool {
	const struct op *op;
	const char *title;
	const char *description;
	unsigned hints;       /* enum tool_hints */
	const char *withheld; /* arguments not offered, " a b "; NULL: none */
	const char *given;    /* arguments unless said otherwise; NULL: none */
	const char *asked;    /* arguments in any case; NULL: none */
	enum tool_by by;
	bool homely; /* it takes no session */
	struct shape shape;
	const char *items; /* an array of the result, or NULL; its objects: */
	struct shape item;
};

/* Every tool, ended by one without an operation. */
extern const struct tool tools[];

/* By its name; NULL when there is none. */
const struct tool *tool_find(const char *name);

#define TOOL_NAME_SIZE 64
void tool_name(const struct tool *t, char out[TOOL_NAME_SIZE]);

/* The entry of tools/list: name, title, description, schema, annotations. */
void tool_json(const struct tool *t, struct json_out *j);

/*
 * What the caller gave, as arguments of the operation: checked against the
 * table, with what is ours added, and the session in *session (NULL for a tool
 * that takes none).  Both the caller's; NULL and why.  How much text is wanted
 * is taken out of them, into *max_text: it is cut here, at both ends, and not
 * where it comes from.
 */
json_t *tool_arguments(const struct tool *t, const json_t *given,
    char **session, size_t *max_text, struct error *err);

/* The JSON schema of its answer (result.h), made from the operation's result. */
void tool_result_schema(const struct tool *t, const char *refs,
    struct json_out *j);

/* What is said of an argument: a line of arguments.def. */
struct tool_note {
	const char *op, *name; /* op NULL: any that has it */
	const char *text;
	const char *schema; /* more members of its schema, as JSON, or NULL */
};
const struct tool_note *tool_note(const struct op *op, const char *name);

#endif
