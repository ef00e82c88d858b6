#include "shell/integration.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "shell/shell_texts.h"

#define TEXT_MAX (256u << 10)
#define DATA_DIRS \
	"/usr/local/share:/usr/share" /* the default of XDG_DATA_DIRS */

static const struct kind {
	const char *name, *variable, *value, *file, *text;
} kinds[SHELL_KINDS] = {
	[SHELL_NONE] = { .name = "" },
#define KIND(ID, name, variable, value, file, DIALECT) \
	[SHELL_##ID] = { #name, variable, value, file, text_##name },
#include "shell/shells.def"
};

const char *
shell_name(enum shell_kind kind)
{
	return kinds[kind].name;
}

enum shell_kind
shell_named(const char *name)
{
	for (unsigned i = 1; i < SHELL_KINDS; i++)
		if (strcmp(name, kinds[i].name) == 0)
			return (enum shell_kind)i;
	return SHELL_NONE;
}

/* -------------------------------------------------------------- quoting */

static bool
is_plain(const char *s)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-./,:+@%";

	return s[0] != '\0' && s[strspn(s, plain)] == '\0';
}

void
shell_put_quoted(struct buf *out, const char *s, const char *slash)
{
	for (; *s != '\0'; s++) {
		if (*s == '\'')
			buf_puts(out, "'\\''");
		else if (*s == '\\')
			buf_puts(out, slash);
		else
			buf_putc(out, *s);
	}
}

static void
quote(struct buf *out, const char *s, const char *slash)
{
	buf_putc(out, '\'');
	shell_put_quoted(out, s, slash);
	buf_putc(out, '\'');
}

void
shell_quote(struct buf *out, const char *s)
{
	if (is_plain(s))
		buf_puts(out, s);
	else
		quote(out, s, "\\");
}

/*
 * ------------------------------------------------------------- kind of shell
 */

static const struct shell {
	const char *program;
	enum shell_kind kind;
	bool brackets;
} shells[] = {
#define SHELL(program, kind, brackets) { program, SHELL_##kind, brackets },
#include "shell/shells.def"
};

static const struct shell *
find_shell(const char *program)
{
	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++)
		if (strcmp(program, shells[i].program) == 0)
			return &shells[i];
	return NULL;
}

bool
shell_is_program(const char *program)
{
	return find_shell(program) != NULL;
}

struct what {
	enum shell_kind kind;
	bool brackets, login;
};

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

static const char *
next_word(const char *word, const char *end)
{
	const char *nul = memchr(word, '\0', (size_t)(end - word));

	return nul != NULL && nul + 1 < end ? nul + 1 : NULL;
}

/* Options of bash, zsh and fish whose value is the next word. */
static bool
takes_word(const char *option)
{
	static const char *const options[] = { "--rcfile", "--init-file", "-o",
		"+o", "-O", "+O", "-C", "--init-command", "-d", "-D", "-f" };

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (strcmp(option, options[i]) == 0)
			return true;
	return false;
}

/* -c, also among other letters, or --command as fish has it. */
static bool
is_command_option(const char *option)
{
	if (option[1] == '-')
		return strncmp(option, "--command", 9) == 0;
	return option[0] == '-' && strchr(option, 'c') != NULL;
}

bool
shell_runs_script(const char *words, size_t len)
{
	const char *end = words + len, *word = words;

	if (len == 0 || words[len - 1] != '\0')
		return false;
	if (strcmp(base_name(word), "busybox") == 0)
		word = next_word(word, end);
	while (word != NULL && (word = next_word(word, end)) != NULL) {
		if (strcmp(word, "-s") == 0)
			return false;
		if (word[0] != '-' && word[0] != '+')
			return true;
		if (strcmp(word, "--") == 0)
			return next_word(word, end) != NULL;
		if (is_command_option(word))
			return true;
		if (takes_word(word))
			word = next_word(word, end);
	}
	return false;
}

/* Only -i and -l, in any spelling. */
static bool
has_only_plain_options(char *const *args, bool *login)
{
	for (; *args != NULL; args++) {
		const char *a = *args;

		if (strcmp(a, "--login") == 0) {
			*login = true;
			continue;
		}
		if (a[0] != '-' || a[1] == '\0' || a[1 + strspn(a + 1, "il")])
			return false;
		*login |= strchr(a, 'l') != NULL;
	}
	return true;
}

static struct what
look(char *const *argv, const char *program)
{
	const char *called = base_name(argv[0]);
	char *const *args = argv + 1;
	const struct shell *shell = find_shell(program);
	struct what w = { 0 };

	if (shell != NULL) {
		w.kind = shell->kind;
		w.brackets = shell->brackets;
	}
	if (strcmp(program, "busybox") == 0 && strcmp(called, "busybox") == 0)
		called = *args != NULL ? *args++ : "";
	if (strcmp(program, "busybox") == 0 && strcmp(called, "sh") != 0 &&
	    strcmp(called, "ash") != 0)
		w.kind = SHELL_NONE;
	if (w.kind == SHELL_BASH && strcmp(called, "sh") == 0)
		w.kind = SHELL_SH;
	if (!has_only_plain_options(args, &w.login))
		w.kind = SHELL_NONE;
	return w;
}

/*
 * -------------------------------------------------------------- startup files
 */

struct word {
	const char *word, *is;
};

/* The text with each @WORD@ replaced. */
static char *
fill(const char *text, const struct word *words, size_t n)
{
	struct buf b;

	buf_init(&b, TEXT_MAX);
	while (*text != '\0') {
		size_t i = 0, len = 0;

		for (; *text == '@' && i < n; i++) {
			len = strlen(words[i].word);
			if (strncmp(text, words[i].word, len) == 0)
				break;
		}
		if (*text != '@' || i == n) {
			buf_putc(&b, *text++);
			continue;
		}
		buf_puts(&b, words[i].is);
		text += len;
	}
	return buf_take(&b);
}

/* Shell code that restores a variable to its value, or unsets it. */
static char *
restore(enum shell_kind kind, const char *name, const char *value)
{
	bool fish = kind == SHELL_FISH;
	struct buf b;

	buf_init(&b, TEXT_MAX);
	if (value == NULL) {
		buf_printf(&b, "%s %s", fish ? "set -e" : "unset", name);
	} else {
		buf_printf(&b, "%s %s%c", fish ? "set -gx" : "export", name,
		    fish ? ' ' : '=');
		quote(&b, value, fish ? "\\\\" : "\\");
	}
	return buf_take(&b);
}

/* Three strings as one. */
static char *
join(const char *a, const char *b, const char *c)
{
	struct buf out;

	buf_init(&out, TEXT_MAX);
	buf_printf(&out, "%s%s%s", a, b, c);
	return buf_take(&out);
}

static void
plan_bash(struct integration *in, const struct what *w, const char *old,
    const char *dir, const char *key)
{
	auto_free char *path = join(dir, "/", in->file);
	auto_free char *once = NULL, *login = NULL;
	struct buf b;

	buf_init(&b, TEXT_MAX);
	buf_puts(&b, ". ");
	quote(&b, path, "\\");
	once = buf_take(&b);
	buf_init(&b, TEXT_MAX);
	quote(&b, w->login ? once : "", "\\");
	login = buf_take(&b);

	const struct word words[] = {
		{ "@KEY@", key },
		{ "@LOGIN@", login },
		{ "@DONE@", "'" SHELL_BASH_DONE "'" },
	};

	in->text = fill(text_bash, words, sizeof(words) / sizeof(words[0]));
	if (w->login) {
		auto_free char *both = join(once, "\n", old != NULL ? old : "");

		in->variable = join("PROMPT_COMMAND", "=", both);
		return;
	}
	in->option = "--rcfile";
	in->value = xstrdup(path);
}

/* For shells that find their startup file by a variable. */
static void
plan_variable(struct integration *in, const struct what *w, const char *old,
    const char *dir, const char *key)
{
	const struct kind *k = &kinds[in->kind];
	auto_free char *back = restore(in->kind, k->variable, old);
	const struct word words[] = {
		{ "@KEY@", key },
		{ "@RESTORE@", back },
		{ "@ESC@", "\033" },
		{ "@BEL@", "\007" },
		{ "@OPEN@", w->brackets ? "\\[" : "" },
		{ "@CLOSE@", w->brackets ? "\\]" : "" },
	};
	const struct word places[] = {
		{ "@DIR@", dir },
		{ "@OLD@", old != NULL && old[0] != '\0' ? old : DATA_DIRS },
	};
	auto_free char *value = fill(k->value, places,
	    sizeof(places) / sizeof(places[0]));

	in->variable = join(k->variable, "=", value);
	in->text = fill(k->text, words, sizeof(words) / sizeof(words[0]));
}

void
integration_plan(struct integration *in, char *const *argv, const char *program,
    const char *dir, const char *key, integration_value_fn *value,
    char *const *envp)
{
	struct what w = look(argv, program);
	const struct kind *k = &kinds[w.kind];
	const char *old;

	*in = (struct integration){ .kind = w.kind, .file = k->file };
	if (w.kind == SHELL_NONE)
		return;
	old = value(envp, k->variable);
	if (w.kind == SHELL_BASH)
		plan_bash(in, &w, old, dir, key);
	else
		plan_variable(in, &w, old, dir, key);
}

void
integration_finish(struct integration *in)
{
	free(in->text);
	free(in->variable);
	free(in->value);
	*in = (struct integration){ 0 };
}
