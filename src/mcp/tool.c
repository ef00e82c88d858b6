#include "mcp/tool.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json_out.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "mcp/call.h"
#include "op/conditions.h"

static const struct tool_note notes[] = {
#define NOTE(op, name, text) { op, name, text },
#include "mcp/arguments.def"
};

#define NOTES (sizeof(notes) / sizeof(*notes))

const struct tool_note *
tool_note(const struct op *op, const char *name)
{
	for (size_t i = 0; i < NOTES; i++) {
		const struct tool_note *n = &notes[i];

		if (strcmp(n->name, name) == 0 &&
		    (n->op == NULL || strcmp(n->op, op->name) == 0))
			return n;
	}
	return NULL;
}

void
tool_name(const struct tool *t, char out[TOOL_NAME_SIZE])
{
	snprintf(out, TOOL_NAME_SIZE, "%s", t->op->name);
	for (; *out != '\0'; out++)
		if (*out == '.')
			*out = '_';
}

const struct tool *
tool_find(const char *name)
{
	char own[TOOL_NAME_SIZE];

	for (const struct tool *t = tools; t->op != NULL; t++) {
		tool_name(t, own);
		if (strcmp(own, name) == 0)
			return t;
	}
	return NULL;
}

/* ---------------------------------------------------------------- schemas */

static bool
is_withheld(const struct tool *t, const char *name)
{
	char word[40];

	snprintf(word, sizeof(word), " %s ", name);
	return t->withheld != NULL && strstr(t->withheld, word) != NULL;
}

/* Every duration gets a description of its syntax. */
static void
put_description(struct json_out *j, const char *type, const char *text)
{
	char words[256];

	if (type_is(type, "duration")) {
		snprintf(words, sizeof(words),
		    "%s; a string with a unit, as in \"5s\", or a number of "
		    "milliseconds",
		    text);
		text = words;
	}
	json_put_text(j, "description", text);
}

static void
put_argument(struct json_out *j, const struct type_field *f,
    const struct tool_note *note)
{
	json_put_open(j, f->name, '{');
	type_put_schema(f->type, NULL, j);
	if (note != NULL)
		put_description(j, f->type, note->text);
	json_out_close(j, '}');
}

static void
put_property(struct json_out *j, const char *name, const char *type,
    const char *description)
{
	json_put_open(j, name, '{');
	type_put_schema(type, NULL, j);
	if (description != NULL)
		json_put_text(j, "description", description);
	json_out_close(j, '}');
}

static void
begin_object(struct json_out *j)
{
	json_out_open(j, '{');
	type_put_schema("object", NULL, j);
	json_out_key(j, "properties");
	json_out_open(j, '{');
}

/* The names of the required arguments. */
static void
put_required(struct json_out *j, const struct tool *t, const char *words,
    bool session)
{
	struct type_field a;

	json_out_key(j, "required");
	json_out_open(j, '[');
	if (session)
		json_out_text(j, "session");
	while (type_next_field(&words, &a))
		if (!a.optional && !is_withheld(t, a.name))
			json_out_text(j, a.name);
	json_out_close(j, ']');
}

static void
put_input_schema(struct json_out *j, const struct tool *t)
{
	const char *at = t->op->arguments;
	struct type_field a;

	begin_object(j);
	if (!t->homely)
		put_property(j, "session", "string",
		    tool_note(t->op, "session")->text);
	while (type_next_field(&at, &a))
		if (!is_withheld(t, a.name))
			put_argument(j, &a, tool_note(t->op, a.name));
	json_out_close(j, '}');
	put_required(j, t, t->op->arguments, !t->homely);
	json_out_key(j, "additionalProperties");
	json_out_bool(j, false);
	json_out_close(j, '}');
}

static void
put_annotations(struct json_out *j, const struct tool *t)
{
	static const struct {
		const char *name;
		unsigned hint;
	} hints[] = {
		{ "readOnlyHint", TOOL_READS },
		{ "destructiveHint", TOOL_DESTROYS },
		{ "idempotentHint", TOOL_REPEATABLE | TOOL_READS },
		{ "openWorldHint", TOOL_OPEN_WORLD },
	};

	json_out_open(j, '{');
	json_out_key(j, "title");
	json_out_text(j, t->title);
	for (size_t i = 0; i < sizeof(hints) / sizeof(*hints); i++) {
		json_out_key(j, hints[i].name);
		json_out_bool(j, t->hints & hints[i].hint);
	}
	json_out_close(j, '}');
}

void
tool_json(const struct tool *t, struct json_out *j)
{
	char name[TOOL_NAME_SIZE];

	tool_name(t, name);
	json_out_open(j, '{');
	json_out_key(j, "name");
	json_out_text(j, name);
	json_out_key(j, "title");
	json_out_text(j, t->title);
	json_out_key(j, "description");
	json_out_text(j, t->description);
	json_out_key(j, "inputSchema");
	put_input_schema(j, t);
	json_out_key(j, "annotations");
	put_annotations(j, t);
	json_out_close(j, '}');
}

/* ---------------------------------------------------------------- results */

#define HASH_SCHEMA "string[12-12]"
_Static_assert(SHAPE_HASH == 12, "the schema of a hash says so");

static void
put_member(struct json_out *j, const char *name, const char *type,
    const char *refs)
{
	json_put_open(j, name, '{');
	type_put_schema(type, refs, j);
	json_out_close(j, '}');
}

/* The type without null, since a null field is left out. */
static void
put_kept(struct json_out *j, const struct shape_field *f, const char *refs)
{
	size_t len = strcspn(f->type, "|");
	char type[TYPE_SIZE];

	snprintf(type, sizeof(type), "%s", f->type);
	if (strcmp(type + len, "|null") == 0)
		type[len] = '\0';
	put_member(j, f->name, type_is(type, "hash") ? HASH_SCHEMA : type,
	    refs);
}

/* The texts and the data about them: see result.h. */
static void
put_texts(struct json_out *j, const struct shape *s, const char *refs)
{
	const char *at = s->texts;
	struct shape_text text;

	if (*at == '\0')
		return;
	json_out_key(j, "untrusted");
	begin_object(j);
	while (shape_next_text(&at, &text))
		put_member(j, text.name, "string", refs);
	json_out_close(j, '}');
	json_put_bool(j, "additionalProperties", false);
	json_out_close(j, '}');
	put_member(j, "hidden", "tool_hidden[]", refs);
	put_member(j, "truncated", "bool", refs);
	put_member(j, "rest", "tool_rest", refs);
}

static void put_items(struct json_out *j, const struct tool *t,
    const char *refs);

static void
put_shape(struct json_out *j, const struct shape *s, const char *result,
    const struct tool *t, const char *refs)
{
	const char *at = s->fields;
	struct shape_field f;

	begin_object(j);
	while (shape_next_field(s, result, &at, &f) > 0)
		put_kept(j, &f, refs);
	put_texts(j, s, refs);
	if (t != NULL) {
		put_member(j, "damage", "damage[]", refs);
		put_member(j, "notes", "string[]", refs);
		put_items(j, t, refs);
	}
	json_out_close(j, '}');
	json_put_open(j, "required", '[');
	at = s->fields;
	while (shape_next_field(s, result, &at, &f) > 0)
		if (f.required)
			json_out_text(j, f.name);
	if (t != NULL && t->items != NULL)
		json_out_text(j, t->items);
	json_out_close(j, ']');
	json_put_bool(j, "additionalProperties", false);
	json_out_close(j, '}');
}

static void
put_items(struct json_out *j, const struct tool *t, const char *refs)
{
	char type[TYPE_SIZE];

	if (t->items == NULL)
		return;
	shape_item_type(t->op->result, t->items, type);
	json_put_open(j, t->items, '{');
	json_put_text(j, "type", "array");
	json_out_key(j, "items");
	put_shape(j, &t->item, type, NULL, refs);
	json_out_close(j, '}');
}

void
tool_result_schema(const struct tool *t, const char *refs, struct json_out *j)
{
	put_shape(j, &t->shape, t->op->result, t, refs);
}

/* -------------------------------------------------------------- arguments */

static int
take_session(const struct tool *t, json_t *args, char **session,
    struct error *err)
{
	const json_t *v = json_object_get(args, "session");

	if (t->homely)
		return 0;
	if (!json_is_string(v) || json_string_length(v) == 0)
		return error_set(err, EINVAL,
		    "%s needs 'session', a string: the id or name of one",
		    t->op->name);
	*session = xstrdup(json_string_value(v));
	json_object_del(args, "session");
	return 0;
}

static int
check(const struct tool *t, json_t *args, char **session, struct error *err)
{
	const char *name;
	json_t *v;
	int rc = take_session(t, args, session, err);

	if (rc < 0)
		return rc;
	json_object_foreach(args, name, v)
	{
		if (is_withheld(t, name))
			return error_set(err, EINVAL,
			    "%s takes no argument '%.40s'", t->op->name, name);
	}
	return op_take_arguments(t->op, args, err);
}

/* The caller's own limit, up to the maximum. */
static size_t
take_limit(json_t *args)
{
	uint64_t n = op_number(args, "max_bytes",
	    op_number(args, "max_output", RESULT_TEXT_DEFAULT));

	json_object_del(args, "max_bytes");
	json_object_del(args, "max_output");
	return n < RESULT_TEXT_MAX ? (size_t)n : RESULT_TEXT_MAX;
}

static void
add(json_t *args, const char *more,
    int (*update)(json_t *object, json_t *other))
{
	json_t *ours;

	if (more == NULL)
		return;
	ours = json_tree_object(more, strlen(more), NULL);
	update(args, ours);
	json_decref(ours);
}

json_t *
tool_arguments(const struct tool *t, const json_t *given, char **session,
    size_t *max_text, struct error *err)
{
	json_t *args;

	*session = NULL;
	if (json_is_null(given))
		given = NULL;
	if (given != NULL && !json_is_object(given)) {
		error_set(err, EINVAL, "%s: the arguments must be an object",
		    t->op->name);
		return NULL;
	}
	args = given != NULL ? json_copy((json_t *)given) : json_object();
	if (check(t, args, session, err) < 0) {
		free(*session);
		*session = NULL;
		json_decref(args);
		return NULL;
	}
	*max_text = take_limit(args);
	add(args, t->given, json_object_update_missing);
	add(args, t->asked, json_object_update);
	return args;
}
