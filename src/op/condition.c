#include "op/condition.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "op/ops.h"
#include "op/pattern.h"

#define HASH_LEN 64
#define HASH_LEAST 12 /* models get this many digits */
#define ROW_COL_MAX 65535

/* An error message about the value follows the name: "must be". */
typedef int read_fn(struct condition *c, const json_t *v, struct error *err);

static int
copy_text(const json_t *v, char **out, struct error *err)
{
	size_t len = json_string_length(v);

	if (len == 0 || len > CONDITION_TEXT_MAX)
		return error_set(err, EINVAL, "must be 1 to %d bytes of text",
		    CONDITION_TEXT_MAX);
	*out = xstrdup(json_string_value(v));
	return 0;
}

static int
read_regex(struct condition *c, const json_t *v, struct error *err)
{
	struct error why;

	c->regex = pattern_create(json_string_value(v), json_string_length(v),
	    &why);
	if (c->regex == NULL)
		return error_set(err, EINVAL,
		    "must be a regular expression (PCRE2): %s", why.msg);
	return 0;
}

/* A number or *, followed by `end`. */
static bool
read_place(const char **s, char end, int *out)
{
	char *rest;
	unsigned long n;

	*out = CONDITION_ANY;
	if ((*s)[0] == '*' && (*s)[1] == end) {
		*s += 2;
		return true;
	}
	if (**s < '0' || **s > '9')
		return false;
	n = strtoul(*s, &rest, 10);
	*out = (int)n;
	*s = rest + 1;
	return n <= ROW_COL_MAX && *rest == end;
}

static int
read_cursor(struct condition *c, const json_t *v, struct error *err)
{
	const char *s = json_string_value(v);

	if (!read_place(&s, ',', &c->row) || !read_place(&s, '\0', &c->col))
		return error_set(err, EINVAL,
		    "must be ROW,COL, both counted from 0; * is any");
	return 0;
}

static int
read_changed_since(struct condition *c, const json_t *v, struct error *err)
{
	const char *s = json_string_value(v);

	size_t len = strlen(s);

	if (len < HASH_LEAST || len > HASH_LEN ||
	    strspn(s, "0123456789abcdef") != len)
		return error_set(err, EINVAL,
		    "must be a screen's hash, %d hexadecimal digits, or the "
		    "first %d of them at least",
		    HASH_LEN, HASH_LEAST);
	memcpy(c->changed_since, s, len + 1);
	return 0;
}

/* Names with commas between them. */
static int
read_activity(struct condition *c, const json_t *v, struct error *err)
{
	const char *s = json_string_value(v);
	size_t len;

	c->activity = 0;
	for (;; s += len + 1) {
		char name[ACTIVITY_NAME_SIZE] = "";
		enum activity a;

		len = strcspn(s, ",");
		if (len < sizeof(name))
			memcpy(name, s, len);
		if (activity_parse(name, &a) < 0)
			return error_set(err, EINVAL,
			    "must be a list of these: " ACTIVITY_LIST
			    "; \"%.*s\" is none of them",
			    (int)len, s);
		c->activity |= 1u << a;
		if (s[len] == '\0')
			return 0;
	}
}

static int
read_ms(const json_t *v, uint32_t least, uint32_t *out, struct error *err)
{
	json_int_t ms = json_integer_value(v);

	if (ms < least || ms > CONDITION_MS_MAX)
		return error_set(err, EINVAL,
		    "must be %u to %u milliseconds, which are 7 days", least,
		    CONDITION_MS_MAX);
	*out = (uint32_t)ms;
	return 0;
}

#define NONE(NAME, field, ...)
#define STRING_READER(NAME, field, ...) \
	static int read_##field(struct condition *c, const json_t *v, \
	    struct error *err) \
	{ \
		return copy_text(v, &c->field, err); \
	}
#define MS_READER(NAME, field, ...) \
	static int read_##field(struct condition *c, const json_t *v, \
	    struct error *err) \
	{ \
		return read_ms(v, 1, &c->field##_ms, err); \
	}
CONDITIONS(STRING_READER, NONE, MS_READER, NONE, NONE)

/* A true flag has no further value. */
static int
read_flag(struct condition *c, const json_t *v, struct error *err)
{
	(void)c;
	(void)v;
	(void)err;
	return 0;
}

static const struct {
	const char *argument, *option, *name;
	read_fn *read;
	unsigned traits;
} kinds[CONDITION_KINDS] = {
#define READ(NAME, field, option, letter, value, type, traits, ...) \
	[CONDITION_##NAME] = { #field, option, #field, read_##field, traits },
#define READ_MS(NAME, field, option, letter, value, type, traits, ...) \
	[CONDITION_## \
	    NAME] = { #field "_ms", option, #field, read_##field, traits },
#define READ_FLAG(NAME, field, option, letter, value, type, traits, ...) \
	[CONDITION_##NAME] = { #field, option, #field, read_flag, traits },
	CONDITIONS(READ, READ, READ_MS, READ_FLAG, READ_FLAG)
};

unsigned
condition_having(enum condition_trait trait)
{
	unsigned having = 0;

	for (unsigned i = 0; i < CONDITION_KINDS; i++)
		if (kinds[i].traits & trait)
			having |= 1u << i;
	return having;
}

const char *
condition_name(enum condition_kind kind)
{
	return kinds[kind].name;
}

/* Put the name of the argument or option before the error. */
static int
name_it(const char *argument, const char *option, enum condition_names names,
    const struct error *why, struct error *err)
{
	if (names == CONDITION_OPTIONS)
		return error_set(err, EINVAL, "--%s %s", option, why->msg);
	return error_set(err, EINVAL, "'%s' %s", argument, why->msg);
}

static int
read_kinds(struct condition *c, const json_t *args, enum condition_names names,
    struct error *err)
{
	for (unsigned i = 0; i < CONDITION_KINDS; i++) {
		const json_t *v = json_object_get(args, kinds[i].argument);
		struct error why;

		if (v == NULL || json_is_null(v) || json_is_false(v))
			continue;
		c->wanted |= 1u << i;
		if (kinds[i].read(c, v, &why) < 0)
			return name_it(kinds[i].name, kinds[i].option, names,
			    &why, err);
	}
	return 0;
}

static int
read_others(struct condition *c, const json_t *args, enum condition_names names,
    struct error *err)
{
	const json_t *after = json_object_get(args, "after");
	const json_t *timeout = json_object_get(args, "timeout_ms");
	struct error why;

	c->seen = op_bool(args, "seen", false);
	c->echo = op_bool(args, "echo", false);
	c->has_after = json_is_integer(after);
	c->after = op_number(args, "after", 0);
	c->timeout_ms = CONDITION_TIMEOUT_MS;
	if (json_is_integer(timeout) &&
	    read_ms(timeout, 0, &c->timeout_ms, &why) < 0)
		return name_it("timeout", "timeout", names, &why, err);
	return 0;
}

static int
nothing(enum condition_names names, struct error *err)
{
	bool options = names == CONDITION_OPTIONS;
	struct buf all;
	int rc;

	buf_init(&all, sizeof(err->msg));
	for (unsigned i = 0; i < CONDITION_KINDS; i++)
		buf_printf(&all, "%s%s%s", i > 0 ? ", " : "",
		    options ? "--" : "",
		    options ? kinds[i].option : kinds[i].name);
	rc = error_set(err, EINVAL, "no condition; give at least one of %.*s",
	    (int)all.len, (const char *)all.data);
	buf_finish(&all);
	return rc;
}

static int
check_whole(const struct condition *c, enum condition_names names,
    struct error *err)
{
	if (c->wanted == 0)
		return nothing(names, err);
	if (c->seen && (c->wanted & ~condition_having(CONDITION_FINDS)) != 0)
		return error_set(err, EINVAL,
		    "%s applies only to text and regex; give one of them",
		    names == CONDITION_OPTIONS ? "--seen" : "'seen'");
	return 0;
}

int
condition_read(struct condition *c, const json_t *args,
    enum condition_names names, struct error *err)
{
	int rc;

	*c = (struct condition){ .row = CONDITION_ANY, .col = CONDITION_ANY };
	rc = read_kinds(c, args, names, err);
	if (rc == 0)
		rc = read_others(c, args, names, err);
	if (rc == 0)
		rc = check_whole(c, names, err);
	if (rc < 0)
		condition_finish(c);
	return rc;
}

void
condition_finish(struct condition *c)
{
#define FREE(NAME, field, ...) free(c->field);
	CONDITIONS(FREE, NONE, NONE, NONE, NONE)
	pattern_destroy(c->regex);
	*c = (struct condition){ 0 };
}
