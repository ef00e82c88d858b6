#ifndef TEND_MCP_SHAPE_H
#define TEND_MCP_SHAPE_H

#include <stdbool.h>

#include "op/type.h"

/*
 * The part of an operation's result that a tool gives to a model.
 *
 * fields  names of fields that are kept; their types are those of the result
 * texts   names of fields that a program has printed, or `name=field` where the
 *         result has another name, or has it deeper: `name=object.field`
 * lift    an object whose members are taken as the result's own, or NULL
 *
 * A field whose value is null, or of another kind than its type, is left out.  A hash is
 * cut to SHAPE_HASH digits.  Of alternatives a tool's answer is the first.
 */
#define SHAPE_HASH 12

struct shape {
	const char *fields, *texts, *lift;
};

/*
 * The next of a shape's fields, of a result of this type: 1, 0 at the end, or -1
 * when the result has no field of that name, which is a mistake in tools.c.
 */
struct shape_field {
	char name[TYPE_NAME_SIZE];
	char type[TYPE_SIZE];
	bool required; /* it is in every answer */
};
int shape_next_field(const struct shape *s, const char *result, const char **at,
    struct shape_field *out);

/* The next of a shape's texts. */
struct shape_text {
	char name[TYPE_NAME_SIZE];
	char from[TYPE_NAME_SIZE]; /* its name in the result */
};
int shape_next_text(const char **at, struct shape_text *out);

/* The type of the objects in an array of the result: "session" of `sessions`. */
void shape_item_type(const char *result, const char *items,
    char out[TYPE_SIZE]);

#endif
