#ifndef TEND_CMD_LINE_COMPLETE_H
#define TEND_CMD_LINE_COMPLETE_H

struct out;

/*
 * What a shell may put where the cursor is.  `tend __complete WORD...`, with
 * the words before the cursor and the beginning of the one at it, prints a
 * line for each candidate: the word, a tab, what it is.  A line that begins
 * with a colon leaves it to the shell:
 *
 *	:dirs		directories
 *	:files		files
 *	:command N	a command and its arguments, which begin at word N
 *
 * The scripts in dist/completion need know no more, so a new command, option
 * or policy is completed by being in its table.
 */
#define COMPLETE_COMMAND "__complete"

/* `home` is what --home said before, or NULL.  The exit status. */
int complete(struct out *out, const char *home, int n, char *const *words);

#endif
