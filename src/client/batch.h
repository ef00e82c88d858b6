#ifndef TEND_CLIENT_BATCH_H
#define TEND_CLIENT_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

struct conn;
struct error;
struct json_out;

/*
 * Steps (op/step.h) that are carried out one after the other over one
 * connection (K-08).
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

/*
 * Who is asked when the host is gone before it has answered a wait: the result
 * of session.wait from what is left of the session, or NULL when there is
 * none.  args are the operation's.
 */
typedef json_t *batch_lost_fn(void *arg, json_t *args);
void batch_on_lost(struct batch *b, batch_lost_fn *fn, void *arg);

/*
 * Carry it out.  When the connection is cancelled (conn.h) the step under way
 * is `interrupted` and nothing more is done.
 */
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
