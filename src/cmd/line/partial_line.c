#include "cmd/line/partial_line.h"

#include <stddef.h>
#include <string.h>

#include "cmd/line/cmd.h"
#include "cmd/line/opt.h"
#include "cmd/line/table.h"

static const struct opt *
find_in(const struct opt *o, const char *name, size_t len, char letter)
{
	for (; o != NULL && o->name != NULL; o++) {
		if (letter != 0 && o->letter == letter)
			return o;
		if (letter == 0 && strlen(o->name) == len &&
		    strncmp(o->name, name, len) == 0)
			return o;
	}
	return NULL;
}

static const struct opt *
find(const struct partial_line *t, const char *name, size_t len, char letter)
{
	const struct opt *o = NULL;

	if (t->cmd != NULL)
		o = find_in(t->cmd->options, name, len, letter);
	if (o == NULL)
		o = find_in(common_options, name, len, letter);
	return o != NULL && o->arg != NULL ? o : NULL;
}

static void
take_value(struct partial_line *t, const struct opt *o, const char *value)
{
	if (strcmp(o->name, "home") == 0)
		t->home = value;
}

static void
read_long(struct partial_line *t, const char *name)
{
	size_t len = strcspn(name, "=");
	const struct opt *o = find(t, name, len, 0);

	if (o == NULL)
		return;
	if (name[len] == '=')
		take_value(t, o, name + len + 1);
	else
		t->wants = o;
}

static void
read_letters(struct partial_line *t, const char *letters)
{
	for (; *letters != '\0'; letters++) {
		const struct opt *o = find(t, NULL, 0, *letters);

		if (o == NULL)
			continue;
		if (letters[1] == '\0')
			t->wants = o;
		return;
	}
}

static void
read_operand(struct partial_line *t, const char *word)
{
	if (t->has_word) {
		t->operands++;
		t->no_options |= t->cmd != NULL && t->cmd->before_program;
		return;
	}
	t->has_word = true;
	t->no_options = false;
	t->asks_help = strcmp(word, "help") == 0;
	t->cmd = table_find(word);
}

static void
read_word(struct partial_line *t, const char *word)
{
	const struct opt *o = t->wants;

	t->wants = NULL;
	if (o != NULL)
		take_value(t, o, word);
	else if (t->no_options || word[0] != '-' || word[1] == '\0')
		read_operand(t, word);
	else if (strcmp(word, "--") == 0)
		t->no_options = true;
	else if (word[1] == '-')
		read_long(t, word + 2);
	else
		read_letters(t, word + 1);
}

/* Only the value in --name=VALUE is completed. */
static void
read_last(struct partial_line *t, const char *word)
{
	size_t len = strcspn(word, "=");

	t->word = t->before = word;
	if (t->wants != NULL || t->no_options || word[len] == '\0' ||
	    strncmp(word, "--", 2) != 0)
		return;
	t->wants = find(t, word + 2, len - 2, 0);
	t->word = word + len + 1;
}

void
partial_line_read(struct partial_line *t, int n, char *const *words)
{
	*t = (struct partial_line){ .program = -1 };
	for (int i = 0; i + 1 < n; i++) {
		read_word(t, words[i]);
		if (t->program < 0 && t->operands == 1 && t->cmd != NULL &&
		    t->cmd->before_program)
			t->program = i;
	}
	read_last(t, n > 0 ? words[n - 1] : "");
	if (t->cmd != NULL && t->cmd->before_program && t->program < 0)
		t->program = n > 0 ? n - 1 : 0;
}
