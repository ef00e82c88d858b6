#ifndef TEND_SHELL_TYPING_H
#define TEND_SHELL_TYPING_H

#include <stdbool.h>

struct buf;

/*
 * How a command is typed at a shell's prompt, so that it runs there as a whole
 * and can be told from what comes before and after.  Pure.
 */

/*
 * True if a line editor takes it as it is: text without what shells replace
 * when a line is entered (`!`); pasted in brackets, with line breaks and tabs.
 */
bool typing_is_plain(const char *command, bool brackets);

/*
 * The command in a wrapping: one logical line of printable ASCII, whatever is
 * in the command, that prints the marks (mark.h)
 *
 *	B, the command as people would have typed it, C
 *
 * before it runs the command in the shell itself, and D with its status after.
 * All with this key; C and D say when an option of the shell makes it print more
 * than the command does.  The shell's echo before B is hidden from viewers.
 *
 * The status of the command before it ($?) is left to the command, and that of
 * the command to the next.  FISH needs our integration for that; ANY, which is
 * understood by both, does without the former in fish.  BASH and ANY take it out
 * of the history of bash again.  Names of commands are quoted, for the sake of
 * users' aliases.  Ends with a quote and the Enter key.
 */
enum typing_dialect {
	TYPING_POSIX,
	TYPING_BASH,
	TYPING_ZSH,
	TYPING_FISH,
	TYPING_ANY,
};
void typing_wrap(struct buf *out, enum typing_dialect dialect,
    const char *command, const char *key);

/*
 * The same for a fish with our integration, as a text that it reads and evaluates:
 * its line editor takes seconds for what is long.
 */
void typing_script(struct buf *out, const char *command, const char *key);

#endif
