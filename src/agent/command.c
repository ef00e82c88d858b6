#include "agent/command.h"

#include <string.h>

#define COUNT(table) (sizeof(table) / sizeof(*(table)))

enum then {
	THEN_COMMAND, /* the rest is a command */
	THEN_PACKAGE, /* the next word is a package */
	THEN_SCRIPT,  /* the next word is a script */
	THEN_SHELL,   /* a script, or the text of -c */
};

/*
 * Programs that run another: the words that name them, what follows, the
 * options that take a value (a blank before and after each), and the number
 * of operands before the command.  A longer name is above its beginning.
 */
static const struct wrapper {
	const char *name, *verb;
	enum then then;
	const char *valued;
	unsigned operands;
} wrappers[] = {
	{ "env", NULL, THEN_COMMAND, " -u --unset -C --chdir ", 0 },
	{ "nice", NULL, THEN_COMMAND, " -n --adjustment ", 0 },
	{ "ionice", NULL, THEN_COMMAND, " -c -n --class --classdata ", 0 },
	{ "nohup", NULL, THEN_COMMAND, "", 0 },
	{ "setsid", NULL, THEN_COMMAND, "", 0 },
	{ "stdbuf", NULL, THEN_COMMAND, " -i -o -e ", 0 },
	{ "timeout", NULL, THEN_COMMAND, " -k -s --kill-after --signal ", 1 },
	{ "time", NULL, THEN_COMMAND, " -f -o ", 0 },
	{ "command", NULL, THEN_COMMAND, "", 0 },
	{ "exec", NULL, THEN_COMMAND, " -a ", 0 },
	{ "sudo", NULL, THEN_COMMAND, " -u -g -h -p -C -D -R -T ", 0 },
	{ "doas", NULL, THEN_COMMAND, " -u -C ", 0 },
	{ "npx", NULL, THEN_PACKAGE, " -p --package -w --workspace ", 0 },
	{ "bunx", NULL, THEN_PACKAGE, " -p --package ", 0 },
	{ "pnpx", NULL, THEN_PACKAGE, " -p --package ", 0 },
	{ "npm", "exec", THEN_PACKAGE, " -p --package -w --workspace ", 0 },
	{ "npm", "x", THEN_PACKAGE, " -p --package -w --workspace ", 0 },
	{ "pnpm", "dlx", THEN_PACKAGE, " -p --package ", 0 },
	{ "pnpm", "exec", THEN_PACKAGE, "", 0 },
	{ "yarn", "dlx", THEN_PACKAGE, " -p --package ", 0 },
	{ "yarn", "exec", THEN_PACKAGE, "", 0 },
	{ "bun", "x", THEN_PACKAGE, " -p --package ", 0 },
	{ "bun", "run", THEN_SCRIPT, " --cwd -r --preload -c --config ", 0 },
	{ "bun", NULL, THEN_SCRIPT, " --cwd -r --preload -c --config ", 0 },
	{ "deno", "run", THEN_SCRIPT, " -c --config --import-map ", 0 },
	{ "node", NULL, THEN_SCRIPT,
	    " -r --require --import --loader --experimental-loader -C "
	    "--conditions --env-file --title ",
	    0 },
	{ "nodejs", NULL, THEN_SCRIPT, " -r --require --import --loader ", 0 },
	{ "python", NULL, THEN_SCRIPT, " -W -X ", 0 },
	{ "python3", NULL, THEN_SCRIPT, " -W -X ", 0 },
	{ "sh", NULL, THEN_SHELL, " -o ", 0 },
	{ "dash", NULL, THEN_SHELL, " -o ", 0 },
	{ "bash", NULL, THEN_SHELL, " -o -O --rcfile --init-file ", 0 },
	{ "zsh", NULL, THEN_SHELL, " -o ", 0 },
	{ "ksh", NULL, THEN_SHELL, " -o ", 0 },
};

/* Options whose value is a program's text, and no file. */
static const char *const texts[] = { "-e", "--eval", "-p", "--print", "-pe" };

/* The words that are left. */
struct words {
	const char **of;
	size_t n;
};

static void
skip(struct words *w, size_t n)
{
	n = n < w->n ? n : w->n;
	w->of += n;
	w->n -= n;
}

const char *
agent_command_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

static const struct wrapper *
find_wrapper(const struct words *w)
{
	const char *base = agent_command_base(w->of[0]);

	base += *base == '-'; /* a login shell */
	for (size_t i = 0; i < COUNT(wrappers); i++)
		if (strcmp(base, wrappers[i].name) == 0 &&
		    (wrappers[i].verb == NULL ||
			(w->n > 1 && strcmp(w->of[1], wrappers[i].verb) == 0)))
			return &wrappers[i];
	return NULL;
}

static bool
is_assignment(const char *word)
{
	size_t len = strspn(word,
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	return len > 0 && word[len] == '=' && !(*word >= '0' && *word <= '9');
}

static void
skip_assignments(struct words *w)
{
	while (w->n > 0 && is_assignment(w->of[0]))
		skip(w, 1);
}

static bool
takes_value(const struct wrapper *wrapper, const char *option)
{
	size_t len = strlen(option);

	for (const char *p = wrapper->valued; (p = strstr(p, option)) != NULL;
	     p++)
		if (p[-1] == ' ' && p[len] == ' ')
			return true;
	return false;
}

static bool
is_text_option(const char *word)
{
	for (size_t i = 0; i < COUNT(texts); i++)
		if (strcmp(word, texts[i]) == 0)
			return true;
	return false;
}

/* "-c" or, together with others, "-lc". */
static bool
is_shell_text(const struct wrapper *wrapper, const char *word)
{
	return wrapper->then == THEN_SHELL && word[0] == '-' &&
	    word[1] != '-' && strchr(word, 'c') != NULL;
}

/* Stops behind "--", at an operand, and at an option for a text. */
static void
skip_options(const struct wrapper *wrapper, struct words *w)
{
	while (w->n > 0 && w->of[0][0] == '-' && w->of[0][1] != '\0') {
		const char *word = w->of[0];

		if (is_shell_text(wrapper, word) ||
		    (wrapper->then == THEN_SCRIPT && is_text_option(word)))
			return;
		skip(w, takes_value(wrapper, word) ? 2 : 1);
		if (strcmp(word, "--") == 0)
			return;
	}
}

/* ------------------------------------------------------------------ shells */

/* Copy the next word of a shell's text.  False if it is not a plain word. */
static bool
copy_word(const char **text, char **to)
{
	const char *p = *text;
	char quote = '\0', *out = *to;

	for (; *p != '\0' && (quote != '\0' || strchr(" \t", *p) == NULL);
	     p++) {
		if (*p == quote) {
			quote = '\0';
		} else if (quote == '\0' && (*p == '\'' || *p == '"')) {
			quote = *p;
		} else if (quote == '\0' && strchr(";&|\n()`", *p) != NULL) {
			return false;
		} else if (quote == '"' && *p == '`') {
			return false;
		} else {
			p += *p == '\\' && quote != '\'' && p[1] != '\0';
			*out++ = *p;
		}
	}
	*out++ = '\0';
	*text = p;
	*to = out;
	return quote == '\0';
}

/* The words of the one command in a shell's text. */
static bool
split(struct agent_command *c, const char *text, struct words *w)
{
	const char *words[AGENT_WORDS_MAX];
	char shell[AGENT_SHELL_MAX], *to = shell;
	size_t n = 0;

	if (strlen(text) + 1 >= sizeof(shell))
		return false;
	for (;;) {
		text += strspn(text, " \t");
		if (*text == '\0')
			break;
		if (n == AGENT_WORDS_MAX)
			return false;
		words[n++] = to;
		if (!copy_word(&text, &to))
			return false;
	}
	memcpy(c->shell, shell, (size_t)(to - shell));
	for (size_t i = 0; i < n; i++)
		c->words[i] = c->shell + (words[i] - shell);
	*w = (struct words){ c->words, n };
	skip_assignments(w);
	return w->n > 0 && strchr(w->of[0], '$') == NULL;
}

/* ---------------------------------------------------------------- commands */

static bool
take(struct agent_command *c, enum agent_command_kind kind, struct words *w)
{
	if (w->n == 0)
		return false;
	c->kind = kind;
	c->word = w->of[0];
	c->argument = w->n > 1 ? w->of[1] : NULL;
	return true;
}

/* 1: *w is a command again.  0: *c is done.  -1: there is no program. */
static int
unwrap(const struct wrapper *wrapper, struct agent_command *c, struct words *w)
{
	skip(w, wrapper->verb != NULL ? 2 : 1);
	skip_options(wrapper, w);
	if (w->n == 0)
		return -1;
	switch (wrapper->then) {
	case THEN_COMMAND:
		skip_assignments(w);
		skip(w, wrapper->operands);
		return w->n > 0 ? 1 : -1;
	case THEN_PACKAGE:
		return take(c, AGENT_PACKAGE, w) ? 0 : -1;
	case THEN_SHELL:
		if (is_shell_text(wrapper, w->of[0]))
			return w->n > 1 && split(c, w->of[1], w) ? 1 : -1;
		return take(c, AGENT_SCRIPT, w) ? 0 : -1;
	case THEN_SCRIPT:
		break;
	}
	if (is_text_option(w->of[0]))
		return -1;
	return take(c, AGENT_SCRIPT, w) ? 0 : -1;
}

static bool
read_words(struct agent_command *c, const char *p, size_t len)
{
	c->n = 0;
	while (len > 0) {
		const char *end = memchr(p, '\0', len);

		if (end == NULL || c->n == AGENT_WORDS_MAX)
			return end == NULL ? false : c->n > 0;
		c->words[c->n++] = p;
		len -= (size_t)(end - p) + 1;
		p = end + 1;
	}
	return c->n > 0;
}

/* npm calls its own process "npm exec PACKAGE", in one word. */
static bool
is_title(const struct agent_command *c)
{
	return c->n == 1 && strncmp(c->words[0], "npm ", 4) == 0;
}

bool
agent_command_read(const char *words, size_t len, struct agent_command *c)
{
	struct words w;
	int rc = 1;

	if (!read_words(c, words, len))
		return false;
	w = (struct words){ c->words, c->n };
	if (is_title(c) && !split(c, c->words[0], &w))
		return false;
	for (int left = AGENT_WRAPPERS_MAX; rc == 1 && left >= 0; left--) {
		const struct wrapper *wrapper = find_wrapper(&w);

		if (wrapper == NULL)
			return take(c, AGENT_PROGRAM, &w);
		if (left == 0)
			return false;
		rc = unwrap(wrapper, c, &w);
	}
	return rc == 0;
}
