#ifndef TEND_CMD_TARGET_SEVERAL_H
#define TEND_CMD_TARGET_SEVERAL_H

struct call;

/*
 * One command for several sessions: those that the operands name, all at once,
 * each in a thread of its own, so that one that takes its time to end holds up
 * no other.  Beyond SEVERAL_AT_ONCE, the first is waited for.
 *
 * Each says what became of its session, in a line or on standard error.  In
 * JSON the result is the list of their answers, in the order of the operands.
 */
#define SEVERAL_AT_ONCE 16

/* What is done for each of them, in its thread; the exit status. */
typedef int several_fn(struct call *call, const void *arg);

/* The exit status that is worst, which is the largest. */
int several_run(struct call *call, several_fn *one, const void *arg);

#endif
