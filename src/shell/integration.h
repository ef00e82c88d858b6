#ifndef TEND_SHELL_INTEGRATION_H
#define TEND_SHELL_INTEGRATION_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

/*
 * How a shell is made to mark its prompts and commands (mark.h) without a file
 * of the user's being changed or left unread: it is given one more to read, by
 * an argument or a variable, that puts back what it took the place of.  Pure.
 *
 *	bash	--rcfile; as a login shell, PROMPT_COMMAND
 *	zsh	ZDOTDIR, with a .zshenv
 *	fish	XDG_DATA_DIRS, with a vendor_conf.d
 *	sh	ENV: dash, busybox ash, and bash under this name
 */
/*
 * The first PROMPT_COMMAND in bash, which prints D.  With `set -v` bash shows it
 * before.
 */
#define SHELL_BASH_DONE "( __tend_done \"$?\" ) >/dev/null 2>&1"

enum shell_kind { SHELL_NONE, SHELL_BASH, SHELL_ZSH, SHELL_FISH, SHELL_SH };

const char *shell_name(enum shell_kind kind); /* "" for NONE */
enum shell_kind shell_named(const char *name);

/* True if a program of this name, without its directory, is a shell. */
bool shell_is_program(const char *program);

/*
 * True if a shell with this command line, of words with a NUL behind each, was
 * given a script or a command to carry out.  It has no prompt then.
 */
bool shell_runs_script(const char *words, size_t len);

struct integration {
	enum shell_kind kind; /* NONE: it is no shell to be talked to */
	const char *file;     /* to be written, below `dir` */
	char *text;           /* and this is in it */
	char *variable;       /* NAME=value for the environment, or NULL */
	const char *option;   /* goes behind argv[0] with its value, or NULL */
	char *value;
};

/*
 * Plan the integration for this command.  `program` is the name of the file
 * behind argv[0], without its directory; `dir` is the absolute path of a
 * directory of the session; `key` is the key of the marks; `value` looks up a
 * variable.
 * Only a plain interactive shell is integrated: no script, no -c, no option
 * that names the files to read.
 */
typedef const char *integration_value_fn(char *const *envp, const char *name);
void integration_plan(struct integration *in, char *const *argv,
    const char *program, const char *dir, const char *key,
    integration_value_fn *value, char *const *envp);
void integration_finish(struct integration *in);

/* Append s as one word of a POSIX shell; plain words as they are. */
void shell_quote(struct buf *out, const char *s);

/* The text between single quotes; slash is the shell's form of a backslash. */
void shell_put_quoted(struct buf *out, const char *s, const char *slash);

#endif
