#include "hub/api_query.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/utf8.h"
#include "op/ops.h"
#include "op/type.h"
#include "web/http.h"

#define VALUE_SIZE 4096

static bool
is_digits(const char *s)
{
	return s[0] != '\0' && s[strspn(s, "0123456789")] == '\0';
}

/* A value for one alternative of the type; NULL if it does not fit. */
static json_t *
read_term(const struct type_term *t, const char *value)
{
	uint64_t n;

	if (t->arrays > 0 || t->map)
		return NULL;
	if (strcmp(t->name, "number") == 0 ||
	    (strcmp(t->name, "duration") == 0 && is_digits(value))) {
		if (!number_take(&value, INT64_MAX, &n) || *value != '\0')
			return NULL;
		return json_integer((json_int_t)n);
	}
	if (strcmp(t->name, "bool") == 0) {
		if (strcmp(value, "true") == 0 || strcmp(value, "1") == 0)
			return json_true();
		if (strcmp(value, "false") == 0 || strcmp(value, "0") == 0)
			return json_false();
		return NULL;
	}
	if (strcmp(t->name, "object") == 0 || strcmp(t->name, "null") == 0)
		return NULL;
	return json_string(value);
}

static json_t *
read_value(const char *type, const char *value)
{
	struct type_term t;
	json_t *v;

	while (type_next_term(&type, &t) == 1) {
		v = read_term(&t, value);
		if (v != NULL)
			return v;
	}
	return NULL;
}

/* timeout_ms is timeout in milliseconds, and so for other durations. */
static bool
is_milliseconds(const struct op *op, const char *name)
{
	size_t len = strlen(name);
	char base[TYPE_NAME_SIZE];
	struct type_field field;

	if (len < 3 || strcmp(name + len - 3, "_ms") != 0)
		return false;
	snprintf(base, sizeof(base), "%.*s", (int)len - 3, name);
	return op_find_argument(op, base, &field) &&
	    type_is(field.type, "duration");
}

static int
take(const struct op *op, json_t *args, const char *name, const char *value,
    struct error *err)
{
	struct type_field field;
	json_t *v;

	if (!utf8_valid(name, strlen(name)) ||
	    !utf8_valid(value, strlen(value)))
		return error_set(err, EINVAL, "the query is not UTF-8");
	if (strcmp(name, "session") == 0)
		v = json_string(value);
	else if (op_find_argument(op, name, &field))
		v = read_value(field.type, value);
	else if (is_milliseconds(op, name))
		v = read_value("number", value);
	else
		return error_set(err, EINVAL, "%s has no argument '%s'",
		    op->name, name);
	if (v == NULL)
		return error_set(err, EINVAL,
		    "'%s' has a wrong value, or cannot be in a URL; send it "
		    "as JSON with POST",
		    name);
	if (json_object_get(args, name) != NULL) {
		json_decref(v);
		return error_set(err, EINVAL, "'%s' is there twice", name);
	}
	return json_object_set_new(args, name, v);
}

json_t *
api_query_read(const struct http_request *r, const struct op *op,
    struct error *err)
{
	json_t *args = json_object();
	char name[64], value[VALUE_SIZE];
	const char *at = r->query;
	int rc;

	while ((rc = http_query_next(&at, name, sizeof(name), value,
		    sizeof(value))) > 0) {
		if (take(op, args, name, value, err) < 0) {
			json_decref(args);
			return NULL;
		}
	}
	if (rc < 0) {
		error_set(err, EINVAL, "the query of the URL is invalid");
		json_decref(args);
		return NULL;
	}
	return args;
}
