#ifndef TEND_CLIENT_BATCH_H
#define TEND_CLIENT_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

struct channel;
struct conn;
struct error;
struct json_out;
struct loop;

/*
 * Steps (op/step.h) that are carried out one after the other over one
 * channel (K-08).  The answer to a step begins the next one; no call waits.
 *
 * A wait is anchored to the input before it: what was shown before that does
 * not count (K-09), unless the step says `after` itself.
 *
 * Nothing is sent unless all steps are well formed.  A step fails when it is
 * refused or runs into its time limit, a prompt when it is not delivered, and a
 * command when it ends with a status that the step does not allow (step.h);
 * then the rest is not carried out, unless one is to keep going.  What was
 * done is not undone.
 *
 * Limits: BATCH_STEPS_MAX steps, BATCH_RESULTS_MAX bytes of results; a step
 * whose result is beyond that has failed.
 */
#define BATCH_STEPS_MAX 1000
#define BATCH_RESULTS_MAX (32u << 20)

struct batch;

/* NULL, and which step is wrong and what would be right. */
struct batch *batch_create(const json_t *steps, struct error *err);
void batch_destroy(struct batch *b); /* NULL is fine */

struct batch_handlers {
	/* It is over; the batch may be destroyed in here. */
	void (*on_done)(void *arg);

	/*
	 * The host is gone before it has answered a wait, whose arguments
	 * these are.  batch_lost takes the answer from what is left of the
	 * session, now or later.  NULL: the step fails.
	 */
	void (*on_lost)(void *arg, json_t *args);
};

/*
 * Begin.  on_done is called once, and may be called before this returns.  The
 * channel may carry requests of others meanwhile.
 */
void batch_start(struct batch *b, struct loop *loop, struct channel *c,
    bool keep_going, const struct batch_handlers *on, void *arg);

/*
 * The result of session.wait that on_lost asked for, which becomes the batch's;
 * NULL: there is none.
 */
void batch_lost(struct batch *b, json_t *result);

/*
 * The step under way is `interrupted` and nothing more is done.  on_done is not
 * called.  A request that was sent is not undone.
 */
void batch_cancel(struct batch *b);

/*
 * All of it for callers that have no loop: wait until it is over, or cancelled
 * by the connection's cancel_fd (conn.h).  The connection is closed then.
 * batch_on_lost before it says who is asked instead of a lost host; that call
 * may wait.
 */
typedef json_t *batch_lost_fn(void *arg, json_t *args);
void batch_on_lost(struct batch *b, batch_lost_fn *fn, void *arg);
void batch_run(struct batch *b, struct conn *c, bool keep_going);

/* {"steps":[…],"completed":n,"failed":[…]}, as tend-batch(1) has it. */
void batch_put(const struct batch *b, struct json_out *j);

/* A step, for who tells people of it. */
enum batch_status {
	BATCH_NOT_RUN,
	BATCH_COMPLETED,
	BATCH_FAILED,
	BATCH_INTERRUPTED,
};

struct batch_step {
	const char *kind;
	enum batch_status status;
	bool timed_out;
	const char *code; /* why it failed: "busy", "timed_out", … or "" */
	const char *message;
	const char *text; /* what a command printed or a screen shows; NULL */
	int exit_code;    /* of a command that has ended; -1: none is known */
};

const char *batch_status_name(enum batch_status s);
size_t batch_steps(const struct batch *b);
void batch_step(const struct batch *b, size_t i, struct batch_step *out);

#endif
