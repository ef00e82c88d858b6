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
	const struct cmd *cmd;   /* NULL: not yet, or none that there is */
	bool has_word;           /* the command's place is taken */
	bool asks_help;          /* "help" stood there: a command may follow */
	const char *home;        /* --home, or NULL */
	const struct opt *wants; /* the last word is this option's value */
	const char *word;        /* the last one, of a value only the value */
	const char *before;      /* the last one from its beginning */
	bool no_options;         /* it cannot be one: -- stood before it */
	unsigned operands;       /* that stand before it */
	int program;             /* where a program's words begin; -1 */
};

/* n words, tend's own name not among them; no words are one empty word. */
void partial_line_read(struct partial_line *t, int n, char *const *words);

#endif
