#ifndef TEND_HOME_CALLS_H
#define TEND_HOME_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

struct calling;
struct calls;
struct fault;
struct loop;
struct operation;
struct report;

/*
 * Operations on a loop, for servers.  Nothing here waits: the loop calls back
 * with the result.
 *
 * The session's host carries out the operations that it can (operation_by).
 * Calls of one principal to one session reach it in the order in which they
 * came, and a wait delays no other call (lane.h).  A call that only reads is sent again, once,
 * if its host has died; one that the session's end has cut off is answered from
 * the session's files.  Any other call is sent at most once: if its host has
 * died, its fault is FAIL_UNKNOWN.  A call that a leaving host has refused goes
 * to the next host.
 *
 * Threads carry out everything else: they find sessions, one after the other
 * (unless the caller has just found it, and a connection is still open), and run the operations of the home (workers.h).
 */
struct calls_options {
	const char *client; /* the server's name for hosts, "tend mcp" */
	unsigned max;       /* calls under way */
	unsigned threads;   /* operations that the home runs at once */
	unsigned queue;     /* those that wait for a thread */
	/* Connections to hosts stay open for so long, for another call. */
	int64_t linger_ms;
};

/* Valid until the callback returns; json_incref keeps the result. */
struct calls_answer {
	json_t *result;            /* as ops.def declares it; NULL: it failed */
	const struct fault *fault; /* the reason; NULL: it did not fail */
	const struct report *report; /* notes and damage, also of a failure */
};

typedef void calls_done_fn(void *arg, const struct calls_answer *a);

/* NULL with errno set if there is no descriptor left. */
struct calls *calls_create(struct loop *loop, const struct calls_options *o);

/*
 * No callback is called any more.  Reads, waits and steps are cancelled; this
 * waits for the home's other operations.  Input that no host has taken yet is
 * not typed.  Not from a callback.
 */
void calls_destroy(struct calls *c); /* NULL is fine */

/*
 * Start an operation.  Its session, args and principal are kept; everything else
 * that it points to must outlive the calls; its cancel_fd is ignored.  Returns 0 and
 * *call, which is valid until the callback is called or until calls_cancel.  fn
 * is called once, from the loop and never from here.  Returns -1 and the fault
 * if it is not allowed (operation_check) or a limit is reached (FAIL_BUSY); then
 * fn is not called.
 */
int calls_start(struct calls *c, const struct operation *o, calls_done_fn *fn,
    void *arg, struct calling **call, struct fault *f);

/*
 * The answer is not needed any more: fn is not called.  Reads and waits end, in
 * the host as well, and a batch ends between two steps.  Everything else is
 * carried out (operation_ends).
 */
void calls_cancel(struct calling *call);

/* The number of calls under way, including cancelled ones that go on. */
size_t calls_count(const struct calls *c);

#endif
