#include "mcp/shape.h"

#include <stdio.h>
#include <string.h>

/* The field of a result; `first`: the first alternative has it. */
static bool
find_field(const char *result, const char *name, struct type_field *out,
    bool *first)
{
	struct type_term t;

	*first = true;
	if (strchr(result, ':') != NULL)
		return type_find_field(result, name, out);
	for (; type_next_term(&result, &t); *first = false) {
		const struct type *named = type_find(t.name);

		if (named != NULL && named->kind == TYPE_OBJECT &&
		    type_find_field(named->body, name, out))
			return true;
	}
	return false;
}

static bool
may_be_null(const char *type)
{
	struct type_term t;

	while (type_next_term(&type, &t))
		if (strcmp(t.name, "null") == 0)
			return true;
	return false;
}

/* Lifted members take precedence over the result's own. */
static bool
find_kept(const struct shape *s, const char *result, const char *name,
    struct type_field *out, bool *required)
{
	struct type_field lifted;
	bool first, ignored;

	*required = false;
	if (s->lift != NULL && find_field(result, s->lift, &lifted, &first) &&
	    find_field(lifted.type, name, out, &ignored))
		return true;
	if (!find_field(result, name, out, &first))
		return false;
	*required = first && !out->optional && !may_be_null(out->type);
	return true;
}

int
shape_next_field(const struct shape *s, const char *result, const char **at,
    struct shape_field *out)
{
	const char *word = *at + strspn(*at, " ");
	size_t len = strcspn(word, " ");
	struct type_field f;

	if (len == 0)
		return 0;
	*at = word + len;
	snprintf(out->name, sizeof(out->name), "%.*s", (int)len, word);
	if (!find_kept(s, result, out->name, &f, &out->required))
		return -1;
	memcpy(out->type, f.type, sizeof(out->type));
	return 1;
}

int
shape_next_text(const char **at, struct shape_text *out)
{
	const char *word = *at + strspn(*at, " ");
	size_t len = strcspn(word, " "), name = strcspn(word, " =");

	if (len == 0)
		return 0;
	*at = word + len;
	snprintf(out->name, sizeof(out->name), "%.*s", (int)name, word);
	name = name < len ? name + 1 : 0;
	snprintf(out->from, sizeof(out->from), "%.*s", (int)(len - name),
	    word + name);
	return 1;
}

void
shape_item_type(const char *result, const char *items, char out[TYPE_SIZE])
{
	struct type_field f;
	const char *at = f.type;
	struct type_term t;
	bool first;

	out[0] = '\0';
	if (find_field(result, items, &f, &first) && type_next_term(&at, &t))
		snprintf(out, TYPE_SIZE, "%s", t.name);
}
