#ifndef TEND_CMD_LINE_CONFIRM_H
#define TEND_CMD_LINE_CONFIRM_H

#include <stdbool.h>

struct call;

/*
 * Ask the user before something is removed for good.  The question appears on
 * the terminal, and one line is read; only y and yes mean yes.  Scripts are not
 * asked, that is, callers without a terminal or with --json; nor is anyone
 * after `yes`.  Returns 0 to continue, or the exit status.
 */
int confirm(struct call *call, bool yes, const char *question);

/*
 * The same; the question names the operands' sessions and `what` happens to
 * them.
 */
int confirm_sessions(struct call *call, bool yes, const char *what);

/* True if confirm would ask. */
bool confirm_asks(const struct call *call, bool yes);

/* The option: -y, --yes, in a field `yes` of the command's arguments. */
#define CONFIRM_OPTION(type) \
	OPT_FLAG(type, yes, "yes", 'y', "do not ask for confirmation")

#endif
