#ifndef TEND_CMD_LINE_CONFIRM_H
#define TEND_CMD_LINE_CONFIRM_H

#include <stdbool.h>

struct call;

/*
 * Let a person decide before something goes for good.  On a terminal, the
 * question is asked on it, and one line is read; only y and yes are a yes.
 * Scripts are not asked: those without a terminal, and those that read JSON.
 * Nor is whoever said `yes` before.  0 to go on, or the exit status.
 */
int confirm(struct call *call, bool yes, const char *question);

/* The same: what it does to the sessions that the operands name. */
int confirm_sessions(struct call *call, bool yes, const char *what);

/* Whether somebody would be asked. */
bool confirm_asks(const struct call *call, bool yes);

/* The option: -y, --yes, in a field `yes` of the command's arguments. */
#define CONFIRM_OPTION(type) \
	OPT_FLAG(type, yes, "yes", 'y', "do not ask for confirmation")

#endif
