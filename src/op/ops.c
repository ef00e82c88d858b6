#include "op/ops.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/json_tree.h"
#include "op/arguments.h"
#include "op/format.h"

#define ALL NULL
#define NOT(surface, why) [OP_##surface] = (why),

const struct op ops[OP_COUNT] = {
#define ROW(group, verb, permission, arguments, result, runner, summary, ...) \
	{ #group "." #verb, OP_##permission, arguments, result, \
		{ __VA_ARGS__ }, runner, summary },
#define OP(group, verb, permission, arguments, result, surfaces, summary) \
	ROW(group, verb, permission, arguments, result, OP_BY_HOST, summary, \
	    surfaces)
#define HOME_OP(group, verb, permission, arguments, result, surfaces, summary) \
	ROW(group, verb, permission, arguments, result, OP_BY_HOME, summary, \
	    surfaces)
#define HUB_OP(group, verb, permission, arguments, result, surfaces, summary) \
	ROW(group, verb, permission, arguments, result, OP_BY_HUB, summary, \
	    surfaces)
#include "op/ops.def"
};

#define NEVER \
	{ \
		false, 0 \
	}
#define OWN \
	{ \
		true, 0 \
	}
#define GIVES(a, b) \
	{ \
		true, 1u << OP_##a | 1u << OP_##b \
	}

static const struct {
	const char *name, *text;
	struct {
		bool own;       /* for the sessions that it created */
		unsigned gives; /* a grant of it for others */
	} confined;
} permissions[] = {
#define PERMISSION(id, name, confined, text) \
	[OP_##id] = { name, text, confined },
#include "op/permissions.def"
};

const char *
op_permission_name(enum op_permission p)
{
	return permissions[p].name;
}

const char *
op_permission_text(enum op_permission p)
{
	return permissions[p].text;
}

bool
op_permission_is_confined(enum op_permission p)
{
	return permissions[p].confined.own;
}

unsigned
op_permission_gives(enum op_permission p)
{
	return permissions[p].confined.gives;
}

enum op_permission
op_permission_find(const char *name)
{
	unsigned p = 0;

	while (p < OP_PERMISSIONS && strcmp(permissions[p].name, name) != 0)
		p++;
	return (enum op_permission)p;
}

const struct op *
op_find(const char *name)
{
	for (size_t i = 0; i < OP_COUNT; i++) {
		if (strcmp(ops[i].name, name) == 0)
			return &ops[i];
	}
	return NULL;
}

bool
op_has(const struct op *op, enum op_surface surface)
{
	return op->left_out[surface] == NULL;
}

const char *
op_surface_name(enum op_surface surface)
{
	static const char *const names[] = {
		[OP_SOCKET] = "a session's socket",
		[OP_HTTP] = "HTTP",
		[OP_WEBSOCKET] = "WebSocket",
		[OP_MCP] = "MCP",
		[OP_FLEET] = "fleets",
	};

	return names[surface];
}

bool
op_find_argument(const struct op *op, const char *name, struct type_field *out)
{
	return type_find_field(op->arguments, name, out);
}

struct type_range
op_range(const char *op, const char *argument)
{
	const struct op *o = op_find(op);
	struct type_field f;
	struct type_term t;
	const char *at = f.type;
	bool found = o != NULL && op_find_argument(o, argument, &f) &&
	    type_next_term(&at, &t);

	assert(found);
	return t.range;
}

/* Find an argument by a name that a caller may use: a duration has two. */
static bool
find_given(const struct op *op, const char *name, struct type_field *out)
{
	size_t len = strlen(name);
	char base[sizeof(out->name)];

	if (op_find_argument(op, name, out))
		return true;
	if (len < 4 || len - 3 >= sizeof(base) ||
	    strcmp(name + len - 3, "_ms") != 0)
		return false;
	snprintf(base, sizeof(base), "%.*s", (int)(len - 3), name);
	return op_find_argument(op, base, out) &&
	    type_is(out->type, "duration");
}

static const json_t *
argument(const json_t *args, const char *name)
{
	const json_t *v = json_object_get(args, name);

	return json_is_null(v) ? NULL : v;
}

unsigned
op_needs(const struct op *op, const json_t *args)
{
	unsigned needs = 1u << op->permission;
	const char *at = op->arguments;
	struct type_field f;

	while (type_next_field(&at, &f)) {
		const json_t *v = argument(args, f.name);

		if (f.permission[0] != '\0' && v != NULL && !json_is_false(v))
			needs |= 1u << op_permission_find(f.permission);
	}
	return needs;
}

/* The names of its arguments, as many as fit. */
static void
list_names(const struct op *op, bool socket, char *out, size_t size)
{
	const char *at = op->arguments;
	struct type_field f;

	out[0] = '\0';
	while (type_next_field(&at, &f)) {
		size_t len = strlen(out);

		if (f.home && socket)
			continue;
		if (len + strlen(f.name) + sizeof(", ...") > size) {
			snprintf(out + len, size - len, " ...");
			return;
		}
		snprintf(out + len, size - len, "%s %s", len > 0 ? "," : "",
		    f.name);
	}
}

static int
unknown(const struct op *op, bool socket, const char *name, struct error *err)
{
	char names[160];

	list_names(op, socket, names, sizeof(names));
	return error_set(err, EINVAL, "%s takes no argument '%.40s', %s%s",
	    op->name, name, names[0] != '\0' ? "only" : "nor any other", names);
}

static int
check_given(const struct op *op, const json_t *args, struct error *err)
{
	struct type_field f;
	struct error why;
	const char *name;
	json_t *v;

	json_object_foreach((json_t *)args, name, v)
	{
		if (!find_given(op, name, &f))
			return unknown(op, false, name, err);
		if (!json_is_null(v) &&
		    type_check_argument(f.type, v, name, &why) < 0)
			return error_set(err, EINVAL, "%s: %s", op->name,
			    why.msg);
	}
	return 0;
}

/* `timeout` becomes `timeout_ms`, a number. */
static int
take_duration(const struct op *op, const struct type_field *f, json_t *args,
    struct error *err)
{
	const json_t *v = argument(args, f->name);
	char name[sizeof(f->name) + 3];
	uint64_t ms;

	snprintf(name, sizeof(name), "%s_ms", f->name);
	if (v != NULL && argument(args, name) != NULL)
		return error_set(err, EINVAL,
		    "%s: '%s' and '%s' are the same; give one", op->name,
		    f->name, name);
	if (v == NULL)
		v = argument(args, name);
	if (v == NULL || !type_read_duration(v, &ms))
		return 0;
	json_object_set_new(args, name, json_integer((json_int_t)ms));
	json_object_del(args, f->name);
	return 0;
}

static int
take_durations(const struct op *op, json_t *args, struct error *err)
{
	const char *at = op->arguments;
	struct type_field f;
	int rc = 0;

	while (rc == 0 && type_next_field(&at, &f))
		if (type_is(f.type, "duration"))
			rc = take_duration(op, &f, args, err);
	return rc;
}

int
op_take_arguments(const struct op *op, json_t *args, struct error *err)
{
	const char *at = op->arguments;
	char words[TYPE_WORDS_SIZE];
	struct type_field f;

	if (args != NULL && !json_is_null(args) && !json_is_object(args))
		return error_set(err, EINVAL,
		    "%s: the arguments must be an object", op->name);
	if (check_given(op, args, err) < 0)
		return -EINVAL;
	while (type_next_field(&at, &f)) {
		if (f.optional || argument(args, f.name) != NULL)
			continue;
		type_words(f.type, words);
		return error_set(err, EINVAL, "%s needs '%s', %s", op->name,
		    f.name, words);
	}
	return take_durations(op, args, err);
}

int
op_check_socket(const struct op *op, const json_t *args, struct error *err)
{
	struct type_field f;
	const char *name;
	json_t *v;

	json_object_foreach((json_t *)args, name, v)
	{
		if (op_find_argument(op, name, &f) && f.home)
			return unknown(op, true, name, err);
	}
	return 0;
}

int
op_check_result(const struct op *op, const json_t *result, struct error *err)
{
	struct error why;

	if (type_check_result(op->result, result, &why) == 0)
		return 0;
	return error_set(err, EPROTO, "%s: %s", op->name, why.msg);
}

void
op_put_schema(const struct op *op, enum op_side side, const char *refs,
    struct json_out *j)
{
	if (side == OP_ARGUMENTS)
		type_put_fields_schema(op->arguments, refs, j);
	else
		type_put_result_schema(op->result, refs, j);
}

const struct op_command op_commands[] = {
#define COMMAND(name, operations, result, note) \
	{ #name, operations, result, note },
#include "op/commands.def"
	{ .name = NULL },
};

int
op_check_command(const json_t *args, struct error *err)
{
	const char *command = op_string(args, "command", "");

	if (command[strspn(command, " \t\r\n")] == '\0')
		return error_set(err, EINVAL,
		    "session.exec: 'command' must not be blank");
	return 0;
}

const char *
op_string(const json_t *args, const char *name, const char *def)
{
	const json_t *v = argument(args, name);

	return v != NULL ? json_string_value(v) : def;
}

uint64_t
op_number(const json_t *args, const char *name, uint64_t def)
{
	const json_t *v = argument(args, name);

	return v != NULL ? (uint64_t)json_integer_value(v) : def;
}

bool
op_bool(const json_t *args, const char *name, bool def)
{
	const json_t *v = argument(args, name);

	return v != NULL ? json_is_true(v) : def;
}

static int
read_request(struct op_request *r, struct error *err)
{
	const json_t *id = json_object_get(r->tree, "id");
	const json_t *name = json_object_get(r->tree, "op");

	if (!json_is_integer(id) || json_integer_value(id) < 0)
		return error_set(err, EINVAL,
		    "a request needs 'id', a whole number");
	if (!json_is_string(name))
		return error_set(err, EINVAL, "a request needs 'op', a string");
	r->id = (uint64_t)json_integer_value(id);
	r->name = json_string_value(name);
	r->op = op_find(r->name);
	r->args = json_object_get(r->tree, "args");
	return 0;
}

int
op_request_parse(struct op_request *r, const void *p, size_t len,
    struct error *err)
{
	int rc;

	memset(r, 0, sizeof(*r));
	r->tree = json_tree_read(p, len, err);
	if (r->tree == NULL)
		return -EINVAL;
	rc = read_request(r, err);
	if (rc < 0)
		op_request_finish(r);
	return rc;
}

void
op_request_finish(struct op_request *r)
{
	json_decref(r->tree);
	memset(r, 0, sizeof(*r));
}
