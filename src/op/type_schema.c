#include <stdio.h>
#include <string.h>

#include "base/json_out.h"
#include "op/type.h"

/* The JSON schema of each type, and the keywords of its range. */
static const struct {
	const char *name, *type, *least, *most;
} kinds[] = {
	{ "string", "\"string\"", "minLength", "maxLength" },
	{ "number", "\"integer\"", "minimum", "maximum" },
	{ "int", "\"integer\"", "minimum", "maximum" },
	{ "real", "\"number\"", "minimum", "maximum" },
	{ "duration", "[\"string\",\"integer\"]", "minimum", "maximum" },
	{ "bool", "\"boolean\"", NULL, NULL },
	{ "object", "\"object\"", NULL, NULL },
	{ "array", "\"array\"", "minItems", "maxItems" },
	{ "null", "\"null\"", NULL, NULL },
};

#define KINDS (sizeof(kinds) / sizeof(*kinds))

static void
put_range(struct json_out *j, const struct type_range *r, const char *least,
    const char *most)
{
	if (r->least > 0)
		json_put_number(j, least, r->least);
	if (r->most != UINT64_MAX)
		json_put_number(j, most, r->most);
}

/* "any" has no members: every value is valid. */
static void
put_scalar(struct json_out *j, const struct type_term *t)
{
	for (size_t i = 0; i < KINDS; i++) {
		if (strcmp(kinds[i].name, t->name) != 0)
			continue;
		json_out_key(j, "type");
		json_out_json(j, kinds[i].type);
		put_range(j, &t->range, kinds[i].least, kinds[i].most);
	}
}

static void
put_choice(struct json_out *j, const char *words)
{
	char word[TYPE_NAME_SIZE];
	const char *at = words;

	json_put_text(j, "type", "string");
	json_put_open(j, "enum", '[');
	while (type_next_word(words, &at, word, sizeof(word)))
		json_out_text(j, word);
	json_out_close(j, ']');
}

static void put_object(struct json_out *j, const struct type *t,
    const char *refs);

static void
put_ref(struct json_out *j, const struct type *t, const char *refs)
{
	char ref[128];

	snprintf(ref, sizeof(ref), "%s%s", refs, t->name);
	json_put_text(j, "$ref", ref);
}

static void
put_named(struct json_out *j, const struct type *t, const char *refs)
{
	if (type_is_object(t) && refs != NULL)
		put_ref(j, t, refs);
	else if (type_is_object(t))
		put_object(j, t, refs);
	else if (t->kind == TYPE_CHOICE)
		put_choice(j, t->body);
	else
		type_put_schema(t->body, refs, j);
}

static void
put_term(struct json_out *j, const struct type_term *t, const char *refs)
{
	const struct type *named = type_find(t->name);
	struct type_term inner = *t;

	if (t->map || t->arrays > 0) {
		json_put_text(j, "type", t->map ? "object" : "array");
		json_put_open(j, t->map ? "additionalProperties" : "items",
		    '{');
		inner.map = false;
		inner.arrays = t->map ? t->arrays : t->arrays - 1;
		inner.items = (struct type_range){ 0, UINT64_MAX };
		put_term(j, &inner, refs);
		json_out_close(j, '}');
		put_range(j, &t->items, "minItems", "maxItems");
	} else if (named != NULL) {
		put_named(j, named, refs);
	} else {
		put_scalar(j, t);
	}
}

void
type_put_schema(const char *type, const char *refs, struct json_out *j)
{
	const char *at = type;
	struct type_term t;

	if (strchr(type, '|') == NULL) {
		if (type_next_term(&at, &t))
			put_term(j, &t, refs);
		return;
	}
	json_put_open(j, "anyOf", '[');
	while (type_next_term(&at, &t)) {
		json_out_open(j, '{');
		put_term(j, &t, refs);
		json_out_close(j, '}');
	}
	json_out_close(j, ']');
}

/* The members of an object's schema but those that say which must be there. */
static void
put_properties(struct json_out *j, const char *fields, const char *refs)
{
	struct type_field f;

	json_put_text(j, "type", "object");
	json_put_open(j, "properties", '{');
	while (type_next_field(&fields, &f)) {
		json_put_open(j, f.name, '{');
		type_put_schema(f.type, refs, j);
		json_out_close(j, '}');
	}
	json_out_close(j, '}');
	json_put_bool(j, "additionalProperties", false);
}

static void
put_required(struct json_out *j, const char *fields)
{
	struct type_field f;

	json_put_open(j, "required", '[');
	while (type_next_field(&fields, &f))
		if (!f.optional)
			json_out_text(j, f.name);
	json_out_close(j, ']');
}

/* One field, and beside it as many as are optional. */
static void
put_count(struct json_out *j, const char *fields)
{
	struct type_field f;
	uint64_t most = 1;

	while (type_next_field(&fields, &f))
		most += f.optional;
	json_put_number(j, "minProperties", 1);
	json_put_number(j, "maxProperties", most);
}

static void
put_object(struct json_out *j, const struct type *t, const char *refs)
{
	put_properties(j, t->body, refs);
	if (t->kind == TYPE_ONE_OF)
		put_count(j, t->body);
	else
		put_required(j, t->body);
}

void
type_put_fields_schema(const char *fields, const char *refs, struct json_out *j)
{
	json_out_open(j, '{');
	put_properties(j, fields, refs);
	put_required(j, fields);
	json_out_close(j, '}');
}

void
type_put_result_schema(const char *result, const char *refs, struct json_out *j)
{
	if (result[0] == '\0' || strchr(result, ':') != NULL) {
		type_put_fields_schema(result, refs, j);
		return;
	}
	json_out_open(j, '{');
	type_put_schema(result, refs, j);
	json_out_close(j, '}');
}

void
type_put_definitions(const char *refs, struct json_out *j)
{
	json_out_open(j, '{');
	for (size_t i = 0; i < type_count(); i++) {
		if (!type_is_object(&type_table[i]))
			continue;
		json_put_open(j, type_table[i].name, '{');
		put_object(j, &type_table[i], refs);
		json_out_close(j, '}');
	}
	json_out_close(j, '}');
}
