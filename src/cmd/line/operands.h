#ifndef TEND_CMD_LINE_OPERANDS_H
#define TEND_CMD_LINE_OPERANDS_H

struct call;

/*
 * See that there are at least min and at most max operands (besides SESSION);
 * `what` names them in the message.  0, or the exit status after it was said.
 */
int operands_check(struct call *call, int min, int max, const char *what);

/* The operands, ended by NULL; the array is the caller's, the texts are not. */
char **operands_list(const struct call *call);

#endif
