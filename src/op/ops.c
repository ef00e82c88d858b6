#include "op/ops.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json_tree.h"
#include "base/number.h"

#define ALL_SURFACES (OP_SOCKET | OP_HTTP | OP_WEBSOCKET | OP_MCP | OP_FLEET)
#define ALL ALL_SURFACES, NULL
#define NOT(surface, why) ALL_SURFACES & ~(unsigned)OP_##surface, why

const struct op ops[OP_COUNT] = {
#define OP(group, verb, permission, arguments, result, surfaces, summary) \
	{ #group "." #verb, OP_##permission, arguments, result, surfaces, \
		summary },
#include "op/ops.def"
};

static const struct {
	const char *name, *text;
} permissions[] = {
#define PERMISSION(id, name, text) [OP_##id] = { name, text },
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

static void
copy_word(char *out, size_t size, const char *p, size_t len)
{
	if (len >= size)
		len = size - 1;
	memcpy(out, p, len);
	out[len] = '\0';
}

/* "[2-2000]" or "[1-]"; without one, anything. */
static void
read_range(const char *p, struct op_argument *out)
{
	char *rest;

	out->least = 0;
	out->most = UINT64_MAX;
	if (*p != '[')
		return;
	out->least = strtoull(p + 1, &rest, 10);
	if (rest[1] != ']')
		out->most = strtoull(rest + 1, NULL, 10);
}

int
op_next_argument(const char **at, struct op_argument *out)
{
	const char *word = *at + strspn(*at, " ");
	size_t len = strcspn(word, " "), name = strcspn(word, ":");
	size_t type = strcspn(word + name, "[? ");

	if (len == 0)
		return 0;
	*at = word + len;
	out->optional = word[len - 1] == '?';
	copy_word(out->name, sizeof(out->name), word, name);
	copy_word(out->type, sizeof(out->type), word + name + 1, type - 1);
	read_range(word + name + type, out);
	return 1;
}

/* What a type is called, and what its size counts. */
static const struct {
	const char *type, *words, *counts;
} types[] = {
	{ "string", "a string", " bytes" },
	{ "number", "a whole number", "" },
	{ "duration", "a duration, as in \"5s\", or milliseconds", "" },
	{ "array", "an array", " items" },
	{ "object", "an object", "" },
	{ "bool", "true or false", "" },
};

#define TYPES (sizeof(types) / sizeof(*types))

static bool
is_duration(const struct op_argument *a)
{
	return strcmp(a->type, "duration") == 0;
}

void
op_argument_words(const struct op_argument *a, char out[OP_WORDS_SIZE])
{
	bool is_number = strcmp(a->type, "number") == 0 || is_duration(a);
	char range[64] = "";
	size_t t = 0;

	while (t + 1 < TYPES && strcmp(types[t].type, a->type) != 0)
		t++;
	if (a->most != UINT64_MAX)
		snprintf(range, sizeof(range),
		    " %s %" PRIu64 " to %" PRIu64 "%s",
		    is_number ? "from" : "of", a->least, a->most,
		    types[t].counts);
	else if (a->least > 0 && is_number)
		snprintf(range, sizeof(range), " from %" PRIu64, a->least);
	else if (a->least > 0)
		snprintf(range, sizeof(range), ", not empty");
	snprintf(out, OP_WORDS_SIZE, "%s%s", types[t].words, range);
}

/* Its type in the words of ops.def, and how much of it there is. */
static const char *
type_of(const json_t *v, uint64_t *size)
{
	*size = 0;
	switch (json_typeof(v)) {
	case JSON_STRING:
		*size = json_string_length(v);
		/* A NUL would end the text for whoever gets it. */
		return strlen(json_string_value(v)) == *size ? "string" : "";
	case JSON_INTEGER:
		*size = (uint64_t)json_integer_value(v);
		return json_integer_value(v) >= 0 ? "number" : "";
	case JSON_TRUE:
	case JSON_FALSE:
		return "bool";
	case JSON_OBJECT:
		return "object";
	case JSON_ARRAY:
		*size = json_array_size(v);
		return "array";
	default:
		return "";
	}
}

/* The milliseconds of a duration in any of its forms. */
static bool
read_ms(const json_t *v, uint64_t *ms)
{
	uint64_t ns;

	if (json_is_integer(v)) {
		*ms = (uint64_t)json_integer_value(v);
		return json_integer_value(v) >= 0;
	}
	if (!json_is_string(v) ||
	    number_duration(json_string_value(v), &ns, NULL) < 0)
		return false;
	*ms = ns / 1000000;
	return true;
}

static bool
fits(const json_t *v, const struct op_argument *a)
{
	uint64_t size;

	if (is_duration(a))
		return read_ms(v, &size) && size >= a->least && size <= a->most;
	return strcmp(type_of(v, &size), a->type) == 0 && size >= a->least &&
	    size <= a->most;
}

bool
op_find_argument(const struct op *op, const char *name, struct op_argument *out)
{
	const char *at = op->arguments;

	while (op_next_argument(&at, out)) {
		if (strcmp(out->name, name) == 0)
			return true;
	}
	return false;
}

/* By the name that a caller may give it. */
static bool
find_given(const struct op *op, const char *name, struct op_argument *out)
{
	size_t len = strlen(name);
	char base[sizeof(out->name)];

	if (op_find_argument(op, name, out))
		return true;
	if (len < 4 || len - 3 >= sizeof(base) ||
	    strcmp(name + len - 3, "_ms") != 0)
		return false;
	copy_word(base, sizeof(base), name, len - 3);
	return op_find_argument(op, base, out) && is_duration(out);
}

static const json_t *
argument(const json_t *args, const char *name)
{
	const json_t *v = json_object_get(args, name);

	return json_is_null(v) ? NULL : v;
}

/* With those that it takes: 12 names fit. */
static int
unknown(const struct op *op, const char *name, struct error *err)
{
	const char *at = op->arguments;
	char names[160] = "";
	struct op_argument a;

	while (op_next_argument(&at, &a)) {
		size_t len = strlen(names);

		snprintf(names + len, sizeof(names) - len, "%s %s",
		    len > 0 ? "," : "", a.name);
	}
	return error_set(err, EINVAL, "%s takes no argument '%.40s', %s%s",
	    op->name, name, names[0] != '\0' ? "only" : "nor any other", names);
}

static int
check_given(const struct op *op, const json_t *args, struct error *err)
{
	char words[OP_WORDS_SIZE];
	struct op_argument a;
	const char *name;
	json_t *v;

	json_object_foreach((json_t *)args, name, v)
	{
		if (!find_given(op, name, &a))
			return unknown(op, name, err);
		if (json_is_null(v) || fits(v, &a))
			continue;
		op_argument_words(&a, words);
		return error_set(err, EINVAL, "%s: '%s' must be %s", op->name,
		    name, words);
	}
	return 0;
}

/* `timeout` becomes `timeout_ms`, a number. */
static int
take_duration(const struct op *op, const struct op_argument *a, json_t *args,
    struct error *err)
{
	const json_t *v = argument(args, a->name);
	char name[sizeof(a->name) + 3];
	uint64_t ms;

	snprintf(name, sizeof(name), "%s_ms", a->name);
	if (v != NULL && argument(args, name) != NULL)
		return error_set(err, EINVAL,
		    "%s: '%s' and '%s' are one; give one", op->name, a->name,
		    name);
	if (v == NULL)
		v = argument(args, name);
	if (v == NULL || !read_ms(v, &ms))
		return 0;
	json_object_set_new(args, name, json_integer((json_int_t)ms));
	json_object_del(args, a->name);
	return 0;
}

static int
take_durations(const struct op *op, json_t *args, struct error *err)
{
	const char *at = op->arguments;
	struct op_argument a;
	int rc = 0;

	while (rc == 0 && op_next_argument(&at, &a))
		if (is_duration(&a))
			rc = take_duration(op, &a, args, err);
	return rc;
}

int
op_take_arguments(const struct op *op, json_t *args, struct error *err)
{
	const char *at = op->arguments;
	char words[OP_WORDS_SIZE];
	struct op_argument a;

	if (args != NULL && !json_is_null(args) && !json_is_object(args))
		return error_set(err, EINVAL,
		    "%s: the arguments must be an object", op->name);
	if (check_given(op, args, err) < 0)
		return -EINVAL;
	while (op_next_argument(&at, &a)) {
		if (a.optional || argument(args, a.name) != NULL)
			continue;
		op_argument_words(&a, words);
		return error_set(err, EINVAL, "%s needs '%s', %s", op->name,
		    a.name, words);
	}
	return take_durations(op, args, err);
}

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
