#ifndef TEND_CMD_START_STARTING_H
#define TEND_CMD_START_STARTING_H

#include <stdbool.h>

struct call;

/*
 * What `run` and `rerun` share: attaching to the session that was started, or
 * printing it.
 */

/*
 * Whether there is what it takes to attach: a terminal, and not one that is in a
 * session unless `nested`.  0 or the exit status.
 */
int starting_check(struct call *call, bool detached, bool nested);

/* Attach to it, or print its id or its object. */
int starting_answer(struct call *call, bool detached, bool nested);

#endif
