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
 * The table of operations, made from ops.def, and the checks of requests and
 * answers against it.  A handler gets arguments of the right names and types,
 * and reads them with op_string and similar functions.
 */
enum op_permission {
#define PERMISSION(name, ...) OP_##name,
#include "op/permissions.def"
	OP_PERMISSIONS
};
#define OP_EVERY_PERMISSION ((1u << OP_PERMISSIONS) - 1)

/* The surfaces that offer operations. */
enum op_surface {
	OP_SOCKET, /* the session's own */
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

/* The part of tend that runs an operation. */
enum op_runner { OP_BY_HOST, OP_BY_HOME, OP_BY_HUB };

struct op {
	const char *name; /* "session.send" */
	enum op_permission permission;
	const char *arguments; /* fields of op/type.h */
	const char *result;    /* fields or a type; "": an empty object */
	const char *left_out[OP_SURFACES]; /* the reason; NULL: offered */
	enum op_runner runner;
	const char *summary;
};

extern const struct op ops[OP_COUNT];

const char *op_permission_name(enum op_permission p);

/* One line about the rights that the permission gives. */
const char *op_permission_text(enum op_permission p);

/* True if a confined session has it for the sessions that it created. */
bool op_permission_is_confined(enum op_permission p);

/*
 * The permissions that a grant of this one gives to a confined session, a bit
 * for each; 0 if it cannot be granted.
 */
unsigned op_permission_gives(enum op_permission p);

/* Find a permission by name; OP_PERMISSIONS if there is none. */
enum op_permission op_permission_find(const char *name);

/* Find an operation by name; NULL if there is none. */
const struct op *op_find(const char *name);

/* True if the surface offers the operation. */
bool op_has(const struct op *op, enum op_surface surface);
const char *op_surface_name(enum op_surface surface);

/* Find an argument by name; false if the operation has none. */
bool op_find_argument(const struct op *op, const char *name,
    struct type_field *out);

/*
 * The range of an argument, both of which must exist: of a number's value, a
 * duration's milliseconds or a string's bytes.
 */
struct type_range op_range(const char *op, const char *argument);

/*
 * The permissions that a request needs, a bit (1 << OP_...) for each: that of
 * the operation, and those of the given arguments; null and false need none.
 */
unsigned op_needs(const struct op *op, const json_t *args);

/*
 * Check that args (NULL or null: none) is an object with valid arguments for
 * op, and convert its durations.  Returns 0, or -EINVAL and an error that
 * names the argument and a correct value.
 *
 * A client writes a duration as a string with a unit ("5s") or as a number of
 * milliseconds, and calls it `timeout` or `timeout_ms`; other durations are
 * like `timeout`.  This changes args to `timeout_ms` and a number: handlers
 * read that, and older hosts know nothing else.
 */
int op_take_arguments(const struct op *op, json_t *args, struct error *err);

/* Return -EINVAL and err if args has one that only a home accepts, or 0. */
int op_check_socket(const struct op *op, const json_t *args, struct error *err);

/* Check a result against the table: 0, or -EPROTO and the wrong part. */
int op_check_result(const struct op *op, const json_t *result,
    struct error *err);

/*
 * Write the JSON schema of all arguments or of the result.  It refers to
 * objects of types.def as `refs` and their name; type_put_definitions writes
 * their schemas.
 */
enum op_side { OP_ARGUMENTS, OP_RESULT };
void op_put_schema(const struct op *op, enum op_side side, const char *refs,
    struct json_out *j);

/* The rows of commands.def; the last one has no name. */
struct op_command {
	const char *name;
	const char *operations; /* names, or "" */
	const char *result;     /* type of its --json answer, or "" */
	const char *note;       /* the reason why there is none, or NULL */
};
extern const struct op_command op_commands[];

/*
 * Check that the command of session.exec is not blank: 0, or -EINVAL and err.
 */
int op_check_command(const json_t *args, struct error *err);

/*
 * Read one of the checked arguments; `def` if it is missing or null.  args
 * keeps the string.
 */
const char *op_string(const json_t *args, const char *name, const char *def);
uint64_t op_number(const json_t *args, const char *name, uint64_t def);
bool op_bool(const json_t *args, const char *name, bool def);

/* A client's request: {"id":n,"op":"…","args":{…}}. */
struct op_request {
	uint64_t id;
	const struct op *op; /* NULL: unknown operation */
	const char *name;    /* the requested name; inside `tree` */
	json_t *args;        /* inside `tree`; may be NULL */
	json_t *tree;
};

/*
 * Parse a request; op_request_finish frees it.  An unknown operation is not an
 * error, and the arguments are not checked.  Returns 0, or -EINVAL and err if
 * this is not a request; then there is nothing to free.
 */
int op_request_parse(struct op_request *r, const void *p, size_t len,
    struct error *err);
void op_request_finish(struct op_request *r);

#endif
