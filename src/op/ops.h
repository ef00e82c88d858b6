#ifndef TEND_OP_OPS_H
#define TEND_OP_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "op/type.h"

struct error;
struct json_out;

/*
 * The table of operations, made from ops.def, and the check that a request and
 * its answer fit it.  A handler gets arguments of the right names and types,
 * and reads them with op_string and its like.
 */
enum op_permission {
#define PERMISSION(name, ...) OP_##name,
#include "op/permissions.def"
	OP_PERMISSIONS
};

/* Where an operation can be asked for. */
enum op_surface {
	OP_SOCKET, /* a session's own */
	OP_HTTP,
	OP_WEBSOCKET,
	OP_MCP,
	OP_FLEET,
	OP_SURFACES
};

enum op_id {
#define OP(group, verb, ...) OP_ID_##group##_##verb,
#include "op/ops.def"
	OP_COUNT,
};

struct op {
	const char *name; /* "session.send" */
	enum op_permission permission;
	const char *arguments; /* fields of op/type.h */
	const char *result;    /* fields or a type; "": an empty object */
	const char *left_out[OP_SURFACES]; /* why it is not there, or NULL */
	bool home;                         /* no session's host does it */
	const char *summary;
};

extern const struct op ops[OP_COUNT];

const char *op_permission_name(enum op_permission p);

/* What it lets its holder do, in one line. */
const char *op_permission_text(enum op_permission p);

/* By name; OP_PERMISSIONS when there is none. */
enum op_permission op_permission_find(const char *name);

/* By name; NULL when there is none. */
const struct op *op_find(const char *name);

bool op_has(const struct op *op, enum op_surface surface);
const char *op_surface_name(enum op_surface surface);

/* By name; false when the operation takes none such. */
bool op_find_argument(const struct op *op, const char *name,
    struct type_field *out);

/*
 * Check that args (NULL or null: none) is an object with exactly what op takes.
 * 0, or -EINVAL and which argument is missing, unknown, of another type or out
 * of its range, and what would be right.
 *
 * A duration is a string with a unit ("5s"), or a number of milliseconds.
 * `timeout` may be called `timeout_ms` as well, and has that name from here on:
 * handlers read a number, and so do older hosts, which know this name alone.
 */
int op_take_arguments(const struct op *op, json_t *args, struct error *err);

/* Refuse, with -EINVAL, the arguments that only a home takes. */
int op_check_socket(const struct op *op, const json_t *args, struct error *err);

/* Check a result against the table: 0, or -EPROTO and which part is wrong. */
int op_check_result(const struct op *op, const json_t *result,
    struct error *err);

/*
 * The JSON schema of all arguments or of the result.  Objects of types.def are
 * references behind `refs`; type_put_definitions writes what they refer to.
 */
enum op_side { OP_ARGUMENTS, OP_RESULT };
void op_put_schema(const struct op *op, enum op_side side, const char *refs,
    struct json_out *j);

/* The rows of commands.def, ended by one without a name. */
struct op_command {
	const char *name;
	const char *operations; /* names, or "" */
	const char *result;     /* of its --json answer, or "" */
	const char *note;       /* why there is none, or NULL */
};
extern const struct op_command op_commands[];

/* Whether the command of session.exec is one; -EINVAL and why. */
int op_check_command(const json_t *args, struct error *err);

/* An argument of arguments that were checked, or the default. */
const char *op_string(const json_t *args, const char *name, const char *def);
uint64_t op_number(const json_t *args, const char *name, uint64_t def);
bool op_bool(const json_t *args, const char *name, bool def);

/*
 * A request as it came from a client: {"id":n,"op":"…","args":{…}}.
 */
struct op_request {
	uint64_t id;
	const struct op *op; /* NULL: no such operation */
	const char *name;    /* of what was asked for; inside `tree` */
	json_t *args;        /* inside `tree`; may be NULL */
	json_t *tree;
};

/* -EINVAL and why when it is no request at all; then nothing is to free. */
int op_request_parse(struct op_request *r, const void *p, size_t len,
    struct error *err);
void op_request_finish(struct op_request *r);

#endif
