#ifndef TEND_SHELL_TYPING_H
#define TEND_SHELL_TYPING_H

#include <stdbool.h>

#include "shell/integration.h"

struct buf;

/*
 * The text to type at a shell's prompt for a command, so that it runs as a
 * whole and can be told from the text before and after it.  Pure.
 */

/*
 * True if a line editor accepts the command unchanged: it has no control
 * characters and no `!`, which shells expand when a line is entered.  With
 * `brackets` (bracketed paste), line breaks and tabs are allowed.
 */
bool typing_is_plain(const char *command, bool brackets);

/*
 * The command in a wrapper: one logical line of printable ASCII, whatever the
 * command contains.  It prints the marks (mark.h)
 *
 *	B, the command as people would have typed it, C
 *
 * before it runs the command in the shell itself, and D with its exit status
 * after.  All have this key; C and D tell if an option of the shell makes it
 * print more than the command does.  Viewers do not see the shell's echo before
 * B.
 *
 * The command finds the status of the previous one in $?, and the next one
 * finds its status.  FISH needs our integration for that; ANY, which both
 * families understand, does not set $? for the command in fish.  BASH and ANY
 * remove the wrapper from bash's history.  Names of commands are quoted because
 * of aliases.  It ends with a quote and the Enter key.
 */
enum typing_dialect {
	TYPING_POSIX,
	TYPING_BASH,
	TYPING_ZSH,
	TYPING_FISH,
	TYPING_ANY,
};
enum typing_dialect typing_dialect_of(enum shell_kind kind);
void typing_wrap(struct buf *out, enum typing_dialect dialect,
    const char *command, const char *key);

/*
 * The same for a fish with our integration, as a text to read and evaluate: the
 * line editor of fish takes seconds for a long line.
 */
void typing_script(struct buf *out, const char *command, const char *key);

#endif
