#ifndef TEND_OP_OPS_H
#define TEND_OP_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

struct error;

/*
 * The table of operations, made from ops.def, and the check that a request
 * fits it: whoever carries an operation out gets arguments of the right names
 * and types, and reads them with op_string and its like.
 */
enum op_permission {
#define PERMISSION(name, ...) OP_##name,
#include "op/permissions.def"
	OP_PERMISSIONS
};

enum op_surface {
	OP_SOCKET = 1 << 0, /* a session's own */
	OP_HTTP = 1 << 1,
	OP_WEBSOCKET = 1 << 2,
	OP_MCP = 1 << 3,
	OP_FLEET = 1 << 4,
};

enum op_id {
#define OP(group, verb, ...) OP_ID_##group##_##verb,
#include "op/ops.def"
	OP_COUNT,
};

struct op {
	const char *name; /* "session.send" */
	enum op_permission permission;
	const char *arguments; /* as in ops.def */
	const char *result;
	unsigned surfaces;     /* enum op_surface */
	const char *exclusion; /* why not everywhere, or NULL */
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

/* One word of `arguments`: 1 and the next in *at, 0 at the end. */
struct op_argument {
	char name[32];
	char type[16];
	uint64_t least, most; /* as in ops.def; 0 and UINT64_MAX: any */
	bool optional;
};
int op_next_argument(const char **at, struct op_argument *out);

/* By name; false when the operation takes none such. */
bool op_find_argument(const struct op *op, const char *name,
    struct op_argument *out);

/* What it must be, as in "a whole number from 2 to 2000". */
#define OP_WORDS_SIZE 96
void op_argument_words(const struct op_argument *a, char out[OP_WORDS_SIZE]);

/*
 * Whether args (NULL or null: none) is an object with exactly what op takes.
 * 0, or -EINVAL and which argument is missing, unknown, of another type or out
 * of its range, and what would be right.
 *
 * A duration is a string with a unit ("5s"), or a number of milliseconds.
 * `timeout` may be called `timeout_ms` as well, and is so from here on: whoever
 * carries the operation out reads a number, and so do hosts of before there was
 * another spelling.
 */
int op_take_arguments(const struct op *op, json_t *args, struct error *err);

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
