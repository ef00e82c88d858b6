/*
 * Writes docs/operations.md from the table of operations.  `./dev build` runs
 * it, and a test compares its output with the file in the tree.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "op/failure.h"
#include "op/ops.h"

static const char preamble[] =
    "# Operations\n"
    "\n"
    "The operations of sessions and homes. `./dev build` makes this page from\n"
    "`src/op/ops.def`: change it there. [protocol.md](protocol.md) describes how\n"
    "a session's socket sends requests and answers, [api.md](api.md) how a hub does\n"
    "over HTTP: `session.get` is at `/api/v1/session/get`.\n"
    "\n"
    "An argument in brackets is optional. An unknown or invalid argument is refused\n"
    "with `usage`; the error names it, and nothing is done. A home accepts an\n"
    "argument with (home), a session's socket does not.\n"
    "An argument with (admin) or another permission needs that permission too.\n"
    "\n"
    "A number is a whole number of at least 0. An int may be negative. A real may\n"
    "have a fraction. A field of a result in brackets is optional. A result has no other fields: a\n"
    "test fails when an answer differs from this page. Over a hub, a field with (observe) or\n"
    "another permission is null for a client without that permission, a list has only the\n"
    "sessions on which the client has it, and of a result with it the client gets the next\n"
    "alternative.\n"
    "\n"
    "A duration is a string with a unit, as in `\"500ms\"`, `\"5s\"`, `\"1.5m\"`,\n"
    "`\"2h\"` or `\"7d\"`, or a number of milliseconds. `timeout_ms` is another name\n"
    "of `timeout`. Other durations also have a name with `_ms`. Give only one of the\n"
    "two names.\n";

static void
put_permissions(void)
{
	fputs("\n| permission | lets its holder |\n|---|---|\n", stdout);
	for (unsigned p = 0; p < OP_PERMISSIONS; p++)
		printf("| %s | %s |\n", op_permission_name(p),
		    op_permission_text(p));
}

/* A type's name as a link to its place on this page. */
static void
put_name(const char *name)
{
	if (type_find(name) != NULL)
		printf("[%s](#%s)", name, name);
	else
		fputs(name, stdout);
}

static void
put_range(const struct type_range *r, const char *unit)
{
	if (r->most != UINT64_MAX && r->least == r->most)
		printf(" of %" PRIu64 "%s", r->most, unit);
	else if (r->most != UINT64_MAX)
		printf(" %" PRIu64 " to %" PRIu64 "%s", r->least, r->most,
		    unit);
	else if (r->least > 0)
		printf(" from %" PRIu64 "%s", r->least, unit);
}

static const char *
unit_of(const char *name)
{
	static const char *const units[][2] = { { "string", " bytes" },
		{ "duration", " ms" }, { "array", " items" } };

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strcmp(units[i][0], name) == 0)
			return units[i][1];
	return "";
}

static void
put_permission(const char *name)
{
	if (name[0] != '\0')
		printf(" (%s)", name);
}

static void
put_type(const char *type)
{
	struct type_term t;

	for (int n = 0; type_next_term(&type, &t); n++) {
		if (n > 0)
			fputs(" or ", stdout);
		for (unsigned i = 0; i < t.arrays; i++)
			fputs("array of ", stdout);
		if (t.map)
			fputs("object of ", stdout);
		put_name(t.name);
		put_range(&t.range, unit_of(t.name));
		if (t.arrays > 0)
			put_range(&t.items, " items");
		put_permission(t.permission);
	}
}

static void
put_fields(const char *fields)
{
	struct type_field f;

	for (int n = 0; type_next_field(&fields, &f); n++) {
		printf(f.optional ? "%s[`%s`: " : "%s`%s`: ", n > 0 ? ", " : "",
		    f.name);
		put_type(f.type);
		put_permission(f.permission);
		fputs(f.optional ? "]" : "", stdout);
	}
}

/* Where the types section describes the items of an argument. */
static void
put_link(const char *type)
{
	const struct type *named;
	struct type_term t;

	if (!type_next_term(&type, &t) || (named = type_find(t.name)) == NULL ||
	    !type_is_object(named))
		return;
	fputs(": ", stdout);
	put_name(t.name);
}

static void
put_arguments(const char *fields)
{
	char words[TYPE_WORDS_SIZE];
	struct type_field f;

	for (int n = 0; type_next_field(&fields, &f); n++) {
		type_words(f.type, words);
		printf("%s%s`%s`: %s", n > 0 ? ", " : "", f.optional ? "[" : "",
		    f.name, words);
		put_link(f.type);
		fputs(f.home ? " (home)" : "", stdout);
		put_permission(f.permission);
		fputs(f.optional ? "]" : "", stdout);
	}
}

static void
put_result(const char *result)
{
	if (strchr(result, ':') != NULL)
		put_fields(result);
	else
		put_type(result);
}

static void
put_op(const struct op *op)
{
	printf("\n## %s\n\n%c%s.\n\n| | |\n|---|---|\n", op->name,
	    toupper((unsigned char)op->summary[0]), op->summary + 1);
	printf("| permission | %s |\n| arguments | ",
	    op_permission_name(op->permission));
	fputs(op->arguments[0] == '\0' ? "none" : "", stdout);
	put_arguments(op->arguments);
	fputs(" |\n| result | ", stdout);
	put_result(op->result);
	fputs(" |\n", stdout);
	for (unsigned s = 0; s < OP_SURFACES; s++)
		if (!op_has(op, s))
			printf("| not over %s | %s |\n", op_surface_name(s),
			    op->left_out[s]);
}

static void
put_words(const char *words)
{
	char word[TYPE_NAME_SIZE];
	const char *at = words;

	for (int n = 0; type_next_word(words, &at, word, sizeof(word)); n++)
		printf("%s`%s`", n > 0 ? ", " : "", word);
}

/* Those of a ONE_OF: first all of which one must be there. */
static void
put_one_of(const char *fields)
{
	const char *at = fields;
	struct type_field f;
	int n = 0;

	fputs("Exactly one of ", stdout);
	while (type_next_field(&at, &f)) {
		if (f.optional)
			continue;
		printf("%s`%s`: ", n++ > 0 ? ", " : "", f.name);
		put_type(f.type);
	}
	for (n = 0; type_next_field(&fields, &f);) {
		if (!f.optional)
			continue;
		printf("%s[`%s`: ", n++ > 0 ? ", " : "; beside it, ", f.name);
		put_type(f.type);
		putchar(']');
	}
}

static void
put_named(const struct type *t)
{
	printf("\n### %s\n\n%c%s.\n\n", t->name,
	    toupper((unsigned char)t->text[0]), t->text + 1);
	switch (t->kind) {
	case TYPE_OBJECT:
		put_fields(t->body);
		break;
	case TYPE_ONE_OF:
		put_one_of(t->body);
		break;
	case TYPE_CHOICE:
		put_words(t->body);
		break;
	case TYPE_ALIAS:
		put_type(t->body);
		break;
	}
	putchar('\n');
}

static void
put_types(void)
{
	fputs("\n# Types\n", stdout);
	for (size_t i = 0; i < type_count(); i++)
		put_named(&type_table[i]);
}

static void
put_command(const struct op_command *c)
{
	printf("| `tend %s` | ", c->name);
	put_words(c->operations);
	fputs(" | ", stdout);
	put_result(c->result);
	printf(" | %s |\n", c->note != NULL ? c->note : "");
}

static void
put_commands(void)
{
	fputs(
	    "\n# Commands\n"
	    "\n"
	    "The operations behind each command, and the type of `result` in its\n"
	    "`--json` answer.\n"
	    "\n"
	    "| command | operations | result | |\n"
	    "|---|---|---|---|\n",
	    stdout);
	for (const struct op_command *c = op_commands; c->name != NULL; c++)
		put_command(c);
}

static void
put_failures(void)
{
	fputs(
	    "\n"
	    "A failed request has an error with one of these codes. A command that\n"
	    "fails ends with the exit status. A retryable request may succeed later.\n"
	    "\n"
	    "| code | exit status | retryable | meaning |\n"
	    "|---|---|---|---|\n",
	    stdout);
	for (unsigned f = 0; f < FAIL_COUNT; f++)
		printf("| `%s` | %d | %s | %s |\n", failure_code(f),
		    failure_status(f), failure_is_retryable(f) ? "yes" : "no",
		    failure_text(f));
}

int
main(void)
{
	fputs(preamble, stdout);
	put_permissions();
	put_failures();
	for (size_t i = 0; i < OP_COUNT; i++)
		put_op(&ops[i]);
	put_commands();
	put_types();
	return 0;
}
