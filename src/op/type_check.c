#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "op/type.h"

/* The state of a check: the current part, and the error. */
struct walk {
	char path[160];
	bool argument;
	struct error *err; /* NULL: a trial */
};

static int check_type(struct walk *w, const char *type, const json_t *v);
static int check_term(struct walk *w, const struct type_term *t,
    const json_t *v);

static int
refuse(const struct walk *w, const char *why)
{
	return error_set(w->err, EINVAL, "'%s' %s", w->path, why);
}

static int
refuse_term(const struct walk *w, const struct type_term *t)
{
	char words[TYPE_WORDS_SIZE] = "must be ";

	type_term_words(t, words);
	return refuse(w, words);
}

/* Returns the length of the path before; path_pop restores it. */
static size_t
path_push(struct walk *w, const char *fmt, const char *name, size_t i)
{
	size_t len = strlen(w->path);

	if (name != NULL)
		snprintf(w->path + len, sizeof(w->path) - len, "%s%.60s",
		    len > 0 ? fmt : "", name);
	else
		snprintf(w->path + len, sizeof(w->path) - len, "[%zu]", i);
	return len;
}

static void
path_pop(struct walk *w, size_t len)
{
	w->path[len] = '\0';
}

/* ---------------------------------------------------------------- scalars */

bool
type_read_duration(const json_t *v, uint64_t *ms)
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

/* A NUL would end the text for the reader of an argument. */
static bool
is_string(const struct walk *w, const json_t *v, uint64_t *size)
{
	*size = json_string_length(v);
	return json_is_string(v) &&
	    (!w->argument || strlen(json_string_value(v)) == *size);
}

static bool
is_number(const struct walk *w, const json_t *v, uint64_t *size)
{
	(void)w;
	*size = (uint64_t)json_integer_value(v);
	return json_is_integer(v) && json_integer_value(v) >= 0;
}

static bool
is_duration(const struct walk *w, const json_t *v, uint64_t *size)
{
	(void)w;
	return type_read_duration(v, size);
}

static bool
is_array(const struct walk *w, const json_t *v, uint64_t *size)
{
	(void)w;
	*size = json_array_size(v);
	return json_is_array(v);
}

#define IS(name, test) \
	static bool is_##name(const struct walk *w, const json_t *v, \
	    uint64_t *size) \
	{ \
		(void)w; \
		*size = 0; \
		return test; \
	}
IS(int, json_is_integer(v))
IS(real, json_is_number(v))
IS(bool, json_is_boolean(v))
IS(object, json_is_object(v))
IS(null, json_is_null(v))
IS(any, v != NULL)

/* True if a value has the type; `size` is the number that the range limits. */
static const struct {
	const char *name;
	bool (*is)(const struct walk *w, const json_t *v, uint64_t *size);
} scalars[] = {
	{ "string", is_string },
	{ "number", is_number },
	{ "int", is_int },
	{ "real", is_real },
	{ "duration", is_duration },
	{ "bool", is_bool },
	{ "object", is_object },
	{ "array", is_array },
	{ "null", is_null },
	{ "any", is_any },
};

static bool
is_scalar(const struct walk *w, const struct type_term *t, const json_t *v)
{
	uint64_t size;

	for (size_t i = 0; i < sizeof(scalars) / sizeof(*scalars); i++)
		if (strcmp(scalars[i].name, t->name) == 0)
			return scalars[i].is(w, v, &size) &&
			    (size >= t->range.least && size <= t->range.most);
	return false;
}

static bool
is_chosen(const char *choice, const json_t *v)
{
	const char *word = json_string_value(v);
	size_t len = json_string_length(v);

	if (word == NULL || len == 0 || strchr(word, ' ') != NULL)
		return false;
	for (const char *p = strstr(choice, word); p != NULL;
	     p = strstr(p + 1, word))
		if ((p == choice || p[-1] == ' ') &&
		    (p[len] == ' ' || p[len] == '\0'))
			return true;
	return false;
}

/* ---------------------------------------------------------------- objects */

static int
check_member(struct walk *w, const char *fields, const char *name,
    const json_t *v)
{
	size_t len = path_push(w, ".", name, 0);
	struct type_field f;
	int rc;

	if (type_find_field(fields, name, &f))
		rc = check_type(w, f.type, v);
	else
		rc = refuse(w, "is not declared");
	path_pop(w, len);
	return rc;
}

static int
check_all_there(struct walk *w, const char *fields, const json_t *v)
{
	struct type_field f;
	int rc = 0;

	while (rc == 0 && type_next_field(&fields, &f)) {
		size_t len;

		if (f.optional || json_object_get(v, f.name) != NULL)
			continue;
		len = path_push(w, ".", f.name, 0);
		rc = refuse(w, "is missing");
		path_pop(w, len);
	}
	return rc;
}

static int
check_fields(struct walk *w, const char *fields, const json_t *v)
{
	const char *name;
	json_t *member;

	if (!json_is_object(v))
		return refuse(w, "must be an object");
	json_object_foreach((json_t *)v, name, member)
	{
		int rc = check_member(w, fields, name, member);

		if (rc < 0)
			return rc;
	}
	return check_all_there(w, fields, v);
}

/* Exactly one of the fields, and beside it those that are optional. */
static int
check_one_of(struct walk *w, const struct type_term *t, const char *fields,
    const json_t *v)
{
	struct type_field f;
	const char *name;
	unsigned n = 0;
	json_t *member;
	int rc = 0;

	if (w->argument)
		return 0;
	json_object_foreach((json_t *)v, name, member)
	{
		if (rc == 0)
			rc = check_member(w, fields, name, member);
		n += type_find_field(fields, name, &f) && !f.optional;
	}
	return rc == 0 && n != 1 ? refuse_term(w, t) : rc;
}

static int
check_named(struct walk *w, const struct type *named, const struct type_term *t,
    const json_t *v)
{
	switch (named->kind) {
	case TYPE_OBJECT:
		return check_fields(w, named->body, v);
	case TYPE_ONE_OF:
		return check_one_of(w, t, named->body, v);
	case TYPE_ALIAS:
		return check_type(w, named->body, v);
	case TYPE_CHOICE:
		break;
	}
	return is_chosen(named->body, v) ? 0 : refuse_term(w, t);
}

/* ------------------------------------------------------- several of a kind */

static int
check_array(struct walk *w, const struct type_term *t, const json_t *v)
{
	struct type_term inner = *t;
	size_t i, n = json_array_size(v);
	const json_t *item;

	if (!json_is_array(v) || n < t->items.least || n > t->items.most)
		return refuse_term(w, t);
	inner.arrays--;
	inner.items = (struct type_range){ 0, UINT64_MAX };
	json_array_foreach(v, i, item)
	{
		size_t len = path_push(w, "", NULL, i);
		int rc = check_term(w, &inner, item);

		path_pop(w, len);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int
check_map(struct walk *w, const struct type_term *t, const json_t *v)
{
	struct type_term inner = *t;
	const char *name;
	json_t *member;

	if (!json_is_object(v))
		return refuse_term(w, t);
	inner.map = false;
	json_object_foreach((json_t *)v, name, member)
	{
		size_t len = path_push(w, ".", name, 0);
		int rc = check_term(w, &inner, member);

		path_pop(w, len);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int
check_term(struct walk *w, const struct type_term *t, const json_t *v)
{
	const struct type *named = type_find(t->name);

	if (t->map)
		return check_map(w, t, v);
	if (t->arrays > 0)
		return check_array(w, t, v);
	if (named != NULL)
		return check_named(w, named, t, v);
	return is_scalar(w, t, v) ? 0 : refuse_term(w, t);
}

/* A value of this kind, which may still be wrong inside. */
static bool
is_alike(const struct type_term *t, const json_t *v)
{
	const struct type *named = type_find(t->name);

	if (t->arrays > 0)
		return json_array_size(v) > 0;
	if (t->map || (named != NULL && type_is_object(named)))
		return json_is_object(v);
	return false;
}

/* Of alternatives, report the error of the only one that is alike. */
static int
check_type(struct walk *w, const char *type, const json_t *v)
{
	char words[TYPE_WORDS_SIZE];
	struct error *err = w->err;
	struct type_term t, likely;
	const char *at = type;
	unsigned n = 0;
	int rc = -EINVAL;

	w->err = NULL;
	while (rc < 0 && type_next_term(&at, &t)) {
		rc = check_term(w, &t, v);
		if (rc < 0 && is_alike(&t, v)) {
			likely = t;
			n++;
		}
	}
	w->err = err;
	if (rc == 0 || err == NULL)
		return rc;
	if (n == 1)
		return check_term(w, &likely, v);
	type_words(type, words);
	return error_set(err, EINVAL, "'%s' must be %s", w->path, words);
}

static bool
is_kind(const struct type_term *t, const json_t *v)
{
	const struct type *named = type_find(t->name);
	const struct walk w = { .argument = false };
	struct type_term any = *t;

	any.range = (struct type_range){ 0, UINT64_MAX };
	if (t->arrays > 0)
		return json_is_array(v);
	if (t->map || (named != NULL && type_is_object(named)))
		return json_is_object(v);
	if (named != NULL && named->kind == TYPE_ALIAS)
		return type_is_kind(named->body, v);
	return named != NULL ? json_is_string(v) : is_scalar(&w, &any, v);
}

bool
type_is_kind(const char *type, const json_t *v)
{
	struct type_term t;

	while (type_next_term(&type, &t))
		if (is_kind(&t, v))
			return true;
	return false;
}

int
type_check(const char *type, const json_t *v, const char *where,
    struct error *err)
{
	struct walk w = { .err = err };

	path_push(&w, "", where, 0);
	return check_type(&w, type, v);
}

int
type_check_argument(const char *type, const json_t *v, const char *where,
    struct error *err)
{
	struct walk w = { .argument = true, .err = err };

	path_push(&w, "", where, 0);
	return check_type(&w, type, v);
}

int
type_check_result(const char *result, const json_t *v, struct error *err)
{
	struct walk w = { .path = "result", .err = err };

	if (result[0] == '\0' || strchr(result, ':') != NULL)
		return check_fields(&w, result, v);
	return check_type(&w, result, v);
}
