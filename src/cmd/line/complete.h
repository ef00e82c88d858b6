#ifndef TEND_CMD_LINE_COMPLETE_H
#define TEND_CMD_LINE_COMPLETE_H

struct out;

/*
 * Completion for shells.  `tend __complete WORD...` gets the words before the
 * cursor and the beginning of the word at the cursor.  It prints a line for
 * each candidate: the word, a tab, a description.  A line that begins with a
 * colon leaves the completion to the shell:
 *
 *	:dirs		directories
 *	:files		files
 *	:command N	a command and its arguments, which begin at word N
 *
 * The scripts in dist/completion know nothing else, so a new command, option or
 * policy is completed once it is in its table.
 */
#define COMPLETE_COMMAND "__complete"

/*
 * `home` is the value of an earlier --home, or NULL.  Returns the exit status.
 */
int complete(struct out *out, const char *home, int n, char *const *words);

#endif
