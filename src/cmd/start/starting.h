#ifndef TEND_CMD_START_STARTING_H
#define TEND_CMD_START_STARTING_H

#include <stdbool.h>

struct call;

/*
 * The common part of `run` and `rerun`: attach to the new session or print it.
 */

/*
 * Check that attaching is possible: there is a terminal, and it is not inside a
 * session unless `nested`.  Returns 0 or the exit status.
 */
int starting_check(struct call *call, bool detached, bool nested);

/* Attach to the session, or print its id or object. */
int starting_answer(struct call *call, bool detached, bool nested);

#endif
