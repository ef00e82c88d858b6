#include "mcp/speech.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "mcp/tool.h"

#define WORD_SIZE 40
#define LETTERS "abcdefghijklmnopqrstuvwxyz"

/* Phrases that cannot be translated word by word. */
static const char *const phrases[][2] = {
	{ "'tend ls -a'", "session_list with 'all'" },
	{ "'tend run COMMAND'", "session_create" },
	{ "tend log --events", "session_output" },
	{ "with --home or TEND_HOME", "with TEND_HOME in its environment" },
};

/* Returns the number of translated bytes; 0: none. */
typedef size_t say_fn(const char *text, struct buf *out);

static bool
is_letter(char c)
{
	return c >= 'a' && c <= 'z';
}

static size_t
say_phrase(const char *text, struct buf *out)
{
	for (size_t i = 0; i < sizeof(phrases) / sizeof(*phrases); i++) {
		size_t len = strlen(phrases[i][0]);

		if (strncmp(text, phrases[i][0], len) != 0 ||
		    is_letter(text[len]))
			continue;
		buf_puts(out, phrases[i][1]);
		return len;
	}
	return 0;
}

static size_t
say_operation(const char *text, struct buf *out)
{
	char name[WORD_SIZE];
	const struct op *op;
	size_t len;

	if (strncmp(text, "session.", 8) != 0)
		return 0;
	len = 8 + strspn(text + 8, LETTERS);
	snprintf(name, sizeof(name), "%.*s", (int)len, text);
	op = op_find(name);
	if (op == NULL || !op_has(op, OP_MCP))
		return 0;
	buf_printf(out, "session_%s", name + 8);
	return len;
}

static const struct tool *
tool_of_operation(const char *name)
{
	for (const struct tool *t = tools; t->op != NULL; t++)
		if (strcmp(t->op->name, name) == 0)
			return t;
	return NULL;
}

/* The tool that corresponds to a command; NULL: none. */
static const struct tool *
tool_of_command(const char *name)
{
	const struct op_command *c = op_commands;
	char first[WORD_SIZE];

	while (c->name != NULL && strcmp(c->name, name) != 0)
		c++;
	if (c->name == NULL)
		return NULL;
	snprintf(first, sizeof(first), "%.*s", (int)strcspn(c->operations, " "),
	    c->operations);
	return tool_of_operation(first);
}

static size_t
say_command(const char *text, struct buf *out)
{
	char name[WORD_SIZE], own[TOOL_NAME_SIZE];
	const struct tool *found;
	size_t len;

	if (strncmp(text, "tend ", 5) != 0)
		return 0;
	len = strspn(text + 5, LETTERS);
	snprintf(name, sizeof(name), "%.*s", (int)len, text + 5);
	found = tool_of_command(name);
	if (found == NULL)
		return 0;
	tool_name(found, own);
	buf_puts(out, own);
	return 5 + len;
}

void
speech_put(const char *text, struct buf *out)
{
	static say_fn *const ways[] = { say_phrase, say_operation,
		say_command };
	bool begins = true; /* at the start of a word */

	while (*text != '\0') {
		size_t len = 0;

		for (size_t i = 0;
		     begins && len == 0 && i < sizeof(ways) / sizeof(*ways);
		     i++)
			len = ways[i](text, out);
		if (len == 0) {
			buf_putc(out, *text);
			len = 1;
		}
		text += len;
		begins = !is_letter(text[-1]) && text[-1] != '-' &&
		    text[-1] != '/' && text[-1] != '.';
	}
}
