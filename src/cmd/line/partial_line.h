#ifndef TEND_CMD_LINE_PARTIAL_LINE_H
#define TEND_CMD_LINE_PARTIAL_LINE_H

#include <stdbool.h>

struct cmd;
struct opt;

/*
 * A command line that is still being typed, for completion: the words before
 * the last one decide what the last one may become.  Mistakes are not reported;
 * the line is read as far as it makes sense.  Pure.
 */
struct partial_line {
	const struct cmd *cmd;   /* NULL: none yet, or unknown */
	bool has_word;           /* there is a word for the command */
	bool asks_help;          /* after "help": a command may follow */
	const char *home;        /* --home, or NULL */
	const struct opt *wants; /* the last word is this option's value */
	const char *word;        /* the last word, or its value after = */
	const char *before;      /* the whole last word */
	bool no_options;         /* not an option: -- precedes it */
	unsigned operands;       /* number of operands before it */
	int program;             /* index of the program's first word; -1 */
};

/* The n words exclude tend's own name; no words count as one empty word. */
void partial_line_read(struct partial_line *t, int n, char *const *words);

#endif
