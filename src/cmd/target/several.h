#ifndef TEND_CMD_TARGET_SEVERAL_H
#define TEND_CMD_TARGET_SEVERAL_H

struct call;

/*
 * Run a command for several sessions, the operands, in parallel.  Each has its
 * own thread, so that a session that ends slowly does not delay the others.  At
 * most SEVERAL_AT_ONCE run at a time.
 *
 * Each session's outcome is reported in a line or on standard error.  In JSON
 * the result is the list of answers, in the order of the operands.
 */
#define SEVERAL_AT_ONCE 16

/* Called for each session, in its thread.  Returns the exit status. */
typedef int several_fn(struct call *call, const void *arg);

/* Returns the worst exit status, which is the largest. */
int several_run(struct call *call, several_fn *one, const void *arg);

#endif
