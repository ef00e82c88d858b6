#include "op/ops.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/json_tree.h"

#define ALL_SURFACES (OP_SOCKET | OP_HTTP | OP_WEBSOCKET | OP_MCP | OP_FLEET)
#define ALL ALL_SURFACES, NULL
#define NOT(surface, why) ALL_SURFACES & ~(unsigned)OP_##surface, why

const struct op ops[OP_COUNT] = {
#define OP(group, verb, permission, arguments, result, surfaces, summary) \
	{ #group "." #verb, OP_##permission, arguments, result, surfaces, \
		summary },
#include "op/ops.def"
};

const char *
op_permission_name(enum op_permission p)
{
	static const char *const names[] = { "read", "drive", "control" };

	return names[p];
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

static void
copy_word(char *out, size_t size, const char *p, size_t len)
{
	if (len >= size)
		len = size - 1;
	memcpy(out, p, len);
	out[len] = '\0';
}

int
op_next_argument(const char **at, struct op_argument *out)
{
	const char *word = *at + strspn(*at, " ");
	size_t len = strcspn(word, " "), name = strcspn(word, ":");

	if (len == 0)
		return 0;
	*at = word + len;
	out->optional = word[len - 1] == '?';
	copy_word(out->name, sizeof(out->name), word, name);
	copy_word(out->type, sizeof(out->type), word + name + 1,
	    len - name - 1 - out->optional);
	return 1;
}

static bool
has_type(const json_t *v, const char *type)
{
	switch (json_typeof(v)) {
	case JSON_STRING:
		/* A NUL would end the text for whoever gets it. */
		return strcmp(type, "string") == 0 &&
		    strlen(json_string_value(v)) == json_string_length(v);
	case JSON_INTEGER:
		return strcmp(type, "number") == 0 &&
		    json_integer_value(v) >= 0;
	case JSON_TRUE:
	case JSON_FALSE:
		return strcmp(type, "bool") == 0;
	case JSON_OBJECT:
		return strcmp(type, "object") == 0;
	case JSON_ARRAY:
		return strcmp(type, "array") == 0;
	default:
		return false;
	}
}

static bool
find_argument(const struct op *op, const char *name, struct op_argument *out)
{
	const char *at = op->arguments;

	while (op_next_argument(&at, out)) {
		if (strcmp(out->name, name) == 0)
			return true;
	}
	return false;
}

static const json_t *
argument(const json_t *args, const char *name)
{
	const json_t *v = json_object_get(args, name);

	return json_is_null(v) ? NULL : v;
}

static int
check_given(const struct op *op, const json_t *args, struct error *err)
{
	struct op_argument a;
	const char *name;
	json_t *v;

	json_object_foreach((json_t *)args, name, v)
	{
		if (!find_argument(op, name, &a))
			return error_set(err, EINVAL,
			    "%s takes no argument '%.40s'", op->name, name);
		if (!json_is_null(v) && !has_type(v, a.type))
			return error_set(err, EINVAL, "%s: '%s' must be a %s",
			    op->name, a.name, a.type);
	}
	return 0;
}

int
op_check_arguments(const struct op *op, const json_t *args, struct error *err)
{
	const char *at = op->arguments;
	struct op_argument a;

	if (args != NULL && !json_is_null(args) && !json_is_object(args))
		return error_set(err, EINVAL,
		    "%s: the arguments must be an object", op->name);
	if (check_given(op, args, err) < 0)
		return -EINVAL;
	while (op_next_argument(&at, &a)) {
		if (!a.optional && argument(args, a.name) == NULL)
			return error_set(err, EINVAL, "%s needs '%s', a %s",
			    op->name, a.name, a.type);
	}
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
