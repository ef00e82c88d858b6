#ifndef TEND_MCP_SHAPE_H
#define TEND_MCP_SHAPE_H

#include <stdbool.h>

#include "op/type.h"

/*
 * The part of an operation's result that a tool returns to a model.
 *
 * fields  names of the fields to keep; they keep their types
 * texts   names of fields with text that a program has printed; `name=field`
 *         renames a field, `name=object.field` also takes it from an object
 * lift    an object whose members replace it in the result, or NULL
 *
 * A field whose value is null or does not match its type is left out.  A hash
 * is cut to SHAPE_HASH digits.  Of alternative types, a tool's answer has the
 * first.
 */
#define SHAPE_HASH 12

struct shape {
	const char *fields, *texts, *lift;
};

/*
 * The next field of a shape, for a result of this type: 1; 0 at the end; or -1
 * if the result has no such field, which is a mistake in tools.c.
 */
struct shape_field {
	char name[TYPE_NAME_SIZE];
	char type[TYPE_SIZE];
	bool required; /* every answer has it */
};
int shape_next_field(const struct shape *s, const char *result, const char **at,
    struct shape_field *out);

/* The next text of a shape. */
struct shape_text {
	char name[TYPE_NAME_SIZE];
	char from[TYPE_NAME_SIZE]; /* its name in the result */
};
int shape_next_text(const char **at, struct shape_text *out);

/*
 * The type of the objects in an array of the result: "session" for `sessions`.
 */
void shape_item_type(const char *result, const char *items,
    char out[TYPE_SIZE]);

#endif
