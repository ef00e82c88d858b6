#ifndef TEND_CMD_LINE_VERBS_H
#define TEND_CMD_LINE_VERBS_H

struct call;
struct opt;

/*
 * A command with several actions, as in `tend token create`.  Its first operand
 * is one of these words, and each accepts only some of the command's options.
 */
struct verb {
	const char *name;
	const char *options; /* names with blanks between them, or "" */
	int (*run)(struct call *call); /* without the word in its operands */
};

/*
 * Run the verb that the first operand names; the table ends with an all-zero
 * entry.  Returns the exit status, also after reporting a missing or unknown
 * verb, or an option that another verb has.
 */
int verbs_run(struct call *call, const struct verb *verbs,
    const struct opt *options);

#endif
