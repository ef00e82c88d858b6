#ifndef TEND_CMD_START_STARTING_H
#define TEND_CMD_START_STARTING_H

#include <stdbool.h>

struct call;
struct error;

/*
 * What `run` and `rerun` share: from the description of a session in the
 * target to its answer.
 */

/*
 * Whether there is what it takes to attach: a terminal, and not one that is in a
 * session unless `nested`.  0 or the exit status.
 */
int starting_check(struct call *call, bool detached, bool nested);

/*
 * Start the session that target->session describes with this environment, and
 * open its directory.  0, or -errno and why; starting_fail reports that and
 * gives the exit status.
 */
int starting_launch(struct call *call, char **env, struct error *err);
int starting_fail(struct call *call, int rc, const struct error *err);

/* Attach to it, or print its id or its object. */
int starting_answer(struct call *call, bool detached, bool nested);

#endif
