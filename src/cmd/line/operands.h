#ifndef TEND_CMD_LINE_OPERANDS_H
#define TEND_CMD_LINE_OPERANDS_H

struct call;

/*
 * Check that there are at least min and at most max operands (besides SESSION);
 * `what` names them in the message.  Returns 0, or the exit status after
 * reporting the error.
 */
int operands_check(struct call *call, int min, int max, const char *what);

/*
 * The operands as a NULL-terminated array.  The caller frees the array, not the
 * texts.
 */
char **operands_list(const struct call *call);

#endif
