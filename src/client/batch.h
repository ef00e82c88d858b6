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
 * Steps (op/step.h) that run one after the other over one channel (K-08).  The
 * answer to a step begins the next one; only batch_run waits.
 *
 * A wait ignores everything shown before the last input of the batch (K-09),
 * unless the step has its own `after`.
 *
 * Nothing is sent unless all steps are well formed.  A step fails if it is
 * refused or reaches its timeout; a prompt fails if it is not delivered; a
 * command fails if it ends with a status that the step does not allow
 * (step.h).  After a failure the remaining steps are skipped, unless
 * keep_going is set.  Completed steps are not undone.
 *
 * Limits: BATCH_STEPS_MAX steps, BATCH_RESULTS_MAX bytes of results; a step
 * whose result exceeds that has failed.
 */
#define BATCH_STEPS_MAX 1000
#define BATCH_RESULTS_MAX (32u << 20)

struct batch;

/*
 * Parse the steps, an array of at least one; the caller keeps it.  NULL and
 * err on failure: which step is wrong and how to correct it.
 */
struct batch *batch_create(const json_t *steps, struct error *err);

/* Cancel the batch and free it. */
void batch_destroy(struct batch *b); /* NULL is fine */

struct batch_handlers {
	/* The batch is over.  The handler may destroy it. */
	void (*on_done)(void *arg);

	/*
	 * The host ended before it answered a wait with these arguments,
	 * or no host could be asked.  The arguments are borrowed.  Call
	 * batch_lost, now or later, with the answer from the session's files.
	 * If on_lost is NULL, the step fails.
	 */
	void (*on_lost)(void *arg, json_t *args);
};

/*
 * Begin.  on_done is called once, unless the batch is cancelled; it may be
 * called before this returns.  The channel must outlive the batch; others may
 * use it meanwhile.  The handlers are copied.
 */
void batch_start(struct batch *b, struct loop *loop, struct channel *c,
    bool keep_going, const struct batch_handlers *on, void *arg);

/*
 * Give the batch the result of session.wait that on_lost asked for, and
 * continue.  The batch takes the result over.  NULL: there is none, and the
 * step fails.
 */
void batch_lost(struct batch *b, json_t *result);

/*
 * End the batch: the step under way is `interrupted` and no other begins.
 * on_done is not called.  A request that was sent is not undone.
 */
void batch_cancel(struct batch *b);

/*
 * Run a batch without a loop: batch_run waits until the batch is over, or
 * until the connection's cancel_fd (conn.h) cancels it, and closes the
 * connection.  batch_on_lost, called before, sets the function that answers
 * for a lost host as on_lost does; it may block, and returns a result that the
 * batch takes over, or NULL.
 */
typedef json_t *batch_lost_fn(void *arg, json_t *args);
void batch_on_lost(struct batch *b, batch_lost_fn *fn, void *arg);
void batch_run(struct batch *b, struct conn *c, bool keep_going);

/*
 * Write {"steps":[…],"completed":n,"failed":[…]}; tend-batch(1) describes it.
 */
void batch_put(const struct batch *b, struct json_out *j);

/* The state of a step, for messages.  Its texts belong to the batch. */
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
	const char *text; /* output of a command or a screen; NULL */
	int exit_code;    /* of an ended command; -1: unknown */
};

const char *batch_status_name(enum batch_status s);
size_t batch_steps(const struct batch *b);
void batch_step(const struct batch *b, size_t i, struct batch_step *out);

#endif
