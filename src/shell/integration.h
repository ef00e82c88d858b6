#ifndef TEND_SHELL_INTEGRATION_H
#define TEND_SHELL_INTEGRATION_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

/*
 * Makes a shell mark its prompts and commands (mark.h) without changing or
 * skipping any of the user's files.  An argument or a variable gives the shell
 * one more file to read, which restores whatever it replaced.  shells.def lists
 * them; bash gets the file with --rcfile unless it is a login shell.  Pure.
 */

/*
 * The first PROMPT_COMMAND in bash, which prints D.  With `set -v` bash prints
 * this text first.
 */
#define SHELL_BASH_DONE "( __tend_done \"$?\" ) >/dev/null 2>&1"

enum shell_kind {
	SHELL_NONE,
#define KIND(ID, name, ...) SHELL_##ID,
#include "shell/shells.def"
	SHELL_KINDS
};

const char *shell_name(enum shell_kind kind); /* "" for NONE */
enum shell_kind shell_named(const char *name);

/* True if a program of this name, without its directory, is a shell. */
bool shell_is_program(const char *program);

/*
 * True if a shell with this command line runs a script or a command.  It has no
 * prompt then.  `words` are NUL-terminated.
 */
bool shell_runs_script(const char *words, size_t len);

struct integration {
	enum shell_kind kind; /* NONE: not a shell that can be integrated */
	const char *file;     /* the file to write, below `dir` */
	char *text;           /* its contents */
	char *variable;       /* NAME=value for the environment, or NULL */
	const char *option;   /* follows argv[0], with its value; or NULL */
	char *value;
};

/*
 * Plan the integration for this command.  `program` is the name of the file of
 * argv[0], without its directory; `dir` is the absolute path of a directory of
 * the session; `key` is the key of the marks; `value` looks up a variable.
 * Only a plain interactive shell is integrated: no script, no -c, no option
 * that names startup files.
 */
typedef const char *integration_value_fn(char *const *envp, const char *name);
void integration_plan(struct integration *in, char *const *argv,
    const char *program, const char *dir, const char *key,
    integration_value_fn *value, char *const *envp);
void integration_finish(struct integration *in);

/* Append s as one word of a POSIX shell, quoted only if necessary. */
void shell_quote(struct buf *out, const char *s);

/* Append text for single quotes; slash is the shell's form of a backslash. */
void shell_put_quoted(struct buf *out, const char *s, const char *slash);

#endif
