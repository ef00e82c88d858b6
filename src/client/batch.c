#include "client/batch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/json_out.h"
#include "base/json_tree.h"
#include "base/loop.h"
#include "base/mem.h"
#include "client/channel.h"
#include "client/conn.h"
#include "op/failure.h"
#include "op/step.h"
#include "session/manifest.h"

#define MARGIN_MS 10000 /* for the host, beyond a step's own timeout */

/* A step and its result. */
struct done {
	struct step step;
	enum batch_status status;
	json_t *result;
	int64_t duration_ms;
	char code[STEP_CODE_SIZE];
	bool retryable;
	struct error err;
};

struct batch {
	size_t n;
	struct done *steps;
	size_t results; /* bytes */
	bool has_anchor;
	json_int_t anchor; /* seq of the last input */

	struct channel *channel;
	struct watch *timer; /* the timeout of the step under way */
	bool keep_going;
	struct batch_handlers on;
	void *arg;

	size_t at;        /* the step under way */
	bool asked;       /* it has no answer yet */
	uint64_t request; /* of the channel; 0: on_lost was called */
	int lost_rc;      /* the reason for calling on_lost */
	int64_t begun_ms;
	bool advancing;
	bool over;

	batch_lost_fn *lost; /* of batch_run */
	void *lost_arg;
};

static int
read_steps(struct batch *b, const json_t *steps, struct error *err)
{
	struct error why = { 0 };

	for (size_t i = 0; i < b->n; i++) {
		int rc = step_read(&b->steps[i].step, json_array_get(steps, i),
		    &why);

		if (rc < 0)
			return error_set(err, EINVAL, "step %zu: %s", i,
			    why.msg);
	}
	return 0;
}

struct batch *
batch_create(const json_t *steps, struct error *err)
{
	struct batch *b;

	if (!json_is_array(steps) || json_array_size(steps) == 0) {
		error_set(err, EINVAL,
		    "the steps must be an array of objects, as in "
		    "[{\"text\":\"ls\"},{\"keys\":[\"Enter\"]}]");
		return NULL;
	}
	if (json_array_size(steps) > BATCH_STEPS_MAX) {
		error_set(err, EINVAL, "%zu steps are more than %d",
		    json_array_size(steps), BATCH_STEPS_MAX);
		return NULL;
	}
	b = xcalloc(1, sizeof(*b));
	b->n = json_array_size(steps);
	b->steps = xcalloc(b->n, sizeof(*b->steps));
	if (read_steps(b, steps, err) == 0)
		return b;
	batch_destroy(b);
	return NULL;
}

void
batch_destroy(struct batch *b)
{
	if (b == NULL)
		return;
	batch_cancel(b);
	for (size_t i = 0; i < b->n; i++) {
		step_finish(&b->steps[i].step);
		json_decref(b->steps[i].result);
	}
	free(b->steps);
	free(b);
}

/* ----------------------------------------------------------------- running */

/* The failure of a connection. */
static enum failure
conn_failure(int rc)
{
	switch (rc) {
	case -ETIMEDOUT:
		return FAIL_TIMEOUT;
	case -EPROTO:
		return FAIL_PROTOCOL;
	case -ECONNREFUSED:
	case -ENOENT:
	case -ECONNRESET:
		return FAIL_NOT_RUNNING;
	default:
		return FAIL_UNREACHABLE;
	}
}

/* The host has ended, but the session has not: another host will follow. */
static bool
is_running(int dirfd)
{
	struct manifest m;
	bool runs;

	if (manifest_read_now(dirfd, &m, NULL) < 0)
		return false;
	runs = status_is_active(m.status);
	manifest_finish(&m);
	return runs;
}

static void
fail(struct batch *b, struct done *d, int rc)
{
	if (rc == -ECONNRESET && is_running(channel_dirfd(b->channel)))
		rc = error_set(&d->err, EHOSTUNREACH,
		    "the host ended before it answered; the step may or may "
		    "not have taken effect");
	else if (rc == -ECONNRESET)
		rc = error_set(&d->err, ECONNRESET, "the session has ended");
	d->status = BATCH_FAILED;
	snprintf(d->code, sizeof(d->code), "%s",
	    failure_code(conn_failure(rc)));
}

static void
judge(struct done *d)
{
	d->status = step_judge(&d->step, d->result, d->code, &d->err) ?
	    BATCH_COMPLETED :
	    BATCH_FAILED;
}

static void
take_result(struct batch *b, struct done *d, json_t *result, size_t bytes)
{
	b->results += bytes;
	if (b->results <= BATCH_RESULTS_MAX) {
		d->result = json_incref(result);
		judge(d);
		return;
	}
	d->status = BATCH_FAILED;
	snprintf(d->code, sizeof(d->code), "%s", failure_code(FAIL_USAGE));
	error_set(&d->err, EFBIG,
	    "the results are too large; ask for less, or in parts");
}

static void
take_refusal(struct done *d, const struct channel_answer *a)
{
	d->status = BATCH_FAILED;
	d->retryable = a->retryable;
	snprintf(d->code, sizeof(d->code), "%s", a->code);
	error_set(&d->err, EREMOTEIO, "%s", a->message);
}

/* K-09: later waits look only at text shown after this input. */
static void
move_anchor(struct batch *b, const struct done *d)
{
	const json_t *seq = json_object_get(d->result, "seq");

	if (!(d->step.flags & STEP_ANCHORS) || !json_is_integer(seq))
		return;
	b->has_anchor = true;
	b->anchor = json_integer_value(seq);
}

static void
end_step(struct batch *b)
{
	struct done *d = &b->steps[b->at++];

	b->asked = false;
	watch_rearm(b->timer, -1);
	move_anchor(b, d);
	d->duration_ms = clock_ms(CLOCK_MONOTONIC) - b->begun_ms;
	b->over = b->at == b->n ||
	    (d->status == BATCH_FAILED && !b->keep_going);
}

/* Without a host, on_lost may know the answer to a wait. */
static void
lose(struct batch *b, int rc)
{
	struct done *d = &b->steps[b->at];

	if ((d->step.flags & STEP_WAITS) && b->on.on_lost != NULL) {
		b->asked = true;
		b->request = 0;
		b->lost_rc = rc;
		watch_rearm(b->timer, -1);
		b->on.on_lost(b->arg, d->step.args);
		return;
	}
	fail(b, d, rc);
	end_step(b);
}

static int64_t
call_limit(const struct step *s)
{
	return s->limit_ms < STEP_FOREVER_MS ? s->limit_ms + MARGIN_MS :
					       STEP_FOREVER_MS;
}

static void advance(struct batch *b);

static void
on_answer(void *arg, const struct channel_answer *a)
{
	struct batch *b = arg;
	struct done *d = &b->steps[b->at];

	if (a->outcome == CHANNEL_DONE) {
		take_result(b, d, a->result, a->bytes);
		end_step(b);
	} else if (a->outcome == CHANNEL_REFUSED) {
		take_refusal(d, a);
		end_step(b);
	} else {
		error_set(&d->err, -a->rc, "%s", a->message);
		/* on_lost may answer at once: advance only once, below. */
		b->advancing = true;
		lose(b, a->rc);
		b->advancing = false;
	}
	advance(b);
}

static void
on_limit(void *arg)
{
	struct batch *b = arg;
	struct done *d = &b->steps[b->at];

	channel_forget(b->channel, b->request);
	fail(b, d, error_set(&d->err, ETIMEDOUT, "the host does not answer"));
	end_step(b);
	advance(b);
}

static void
begin_step(struct batch *b)
{
	struct done *d = &b->steps[b->at];
	auto_free char *args = NULL;
	int rc;

	b->begun_ms = clock_ms(CLOCK_MONOTONIC);
	if ((d->step.flags & STEP_WAITS) && b->has_anchor &&
	    json_object_get(d->step.args, "after") == NULL)
		json_object_set_new(d->step.args, "after",
		    json_integer(b->anchor));
	args = json_dumps(d->step.args, JSON_COMPACT);
	b->asked = true;
	rc = channel_post(b->channel, d->step.op, args, on_answer, b,
	    &b->request, &d->err);
	if (rc < 0)
		lose(b, rc);
	else
		watch_rearm(b->timer, call_limit(&d->step));
}

static void
finish(struct batch *b)
{
	b->over = true;
	watch_remove(b->timer);
	b->timer = NULL;
}

/* Steps may end while they are begun; this loops instead of recursing. */
static void
advance(struct batch *b)
{
	if (b->advancing)
		return;
	b->advancing = true;
	while (!b->asked && !b->over)
		begin_step(b);
	b->advancing = false;
	if (b->asked)
		return;
	finish(b);
	b->on.on_done(b->arg);
}

void
batch_start(struct batch *b, struct loop *loop, struct channel *c,
    bool keep_going, const struct batch_handlers *on, void *arg)
{
	b->channel = c;
	b->keep_going = keep_going;
	b->on = *on;
	b->arg = arg;
	b->timer = loop_timer(loop, -1, on_limit, b);
	advance(b);
}

void
batch_lost(struct batch *b, json_t *result)
{
	struct done *d = &b->steps[b->at];

	if (b->over) {
		json_decref(result);
		return;
	}
	if (result != NULL) {
		d->result = result;
		d->code[0] = d->err.msg[0] = '\0';
		judge(d);
	} else {
		fail(b, d, b->lost_rc);
	}
	end_step(b);
	advance(b);
}

void
batch_cancel(struct batch *b)
{
	if (!b->asked || b->over)
		return;
	if (b->request != 0)
		channel_forget(b->channel, b->request);
	b->steps[b->at].status = BATCH_INTERRUPTED;
	end_step(b);
	finish(b);
}

/* ----------------------------------------------------------------- waiting */

struct run {
	struct loop *loop;
	struct batch *batch;
};

static void
on_done(void *arg)
{
	loop_stop(((struct run *)arg)->loop);
}

static void
on_lost(void *arg, json_t *args)
{
	struct batch *b = ((struct run *)arg)->batch;

	batch_lost(b, b->lost != NULL ? b->lost(b->lost_arg, args) : NULL);
}

static void
on_cancel(void *arg, enum loop_events ready)
{
	struct run *r = arg;

	(void)ready;
	batch_cancel(r->batch);
	loop_stop(r->loop);
}

void
batch_on_lost(struct batch *b, batch_lost_fn *fn, void *arg)
{
	b->lost = fn;
	b->lost_arg = arg;
}

void
batch_run(struct batch *b, struct conn *conn, bool keep_going)
{
	const struct batch_handlers on = { on_done, on_lost };
	struct run r = { loop_create(), b };
	struct channel *c;

	if (r.loop == NULL) {
		b->steps[0].status = BATCH_FAILED;
		error_set(&b->steps[0].err, errno, "cannot wait: %s",
		    strerror(errno));
		return;
	}
	if (conn->cancel_fd > 0)
		(void)loop_fd(r.loop, conn->cancel_fd, LOOP_READ, on_cancel,
		    &r);
	c = channel_adopt(r.loop, conn, NULL, NULL);
	batch_start(b, r.loop, c, keep_going, &on, &r);
	if (!b->over)
		loop_run(r.loop);
	channel_destroy(c);
	loop_destroy(r.loop);
}

/* ----------------------------------------------------------------- telling */

const char *
batch_status_name(enum batch_status s)
{
	static const char *const names[] = {
		[BATCH_NOT_RUN] = "not-run",
		[BATCH_COMPLETED] = "completed",
		[BATCH_FAILED] = "failed",
		[BATCH_INTERRUPTED] = "interrupted",
	};

	return names[s];
}

size_t
batch_steps(const struct batch *b)
{
	return b->n;
}

static bool
is_timed_out(const struct done *d)
{
	return json_is_true(json_object_get(d->result, "timed_out")) ||
	    strcmp(d->code, "unconfirmed") == 0;
}

static const char *
text_of(const struct done *d)
{
	const char *output = json_string_value(
	    json_object_get(d->result, "output"));

	return output != NULL ?
	    output :
	    json_string_value(json_object_get(d->result, "data"));
}

static int
exit_code_of(const struct done *d)
{
	const json_t *code = json_object_get(d->result, "exit_code");

	return json_is_integer(code) ? (int)json_integer_value(code) : -1;
}

void
batch_step(const struct batch *b, size_t i, struct batch_step *out)
{
	const struct done *d = &b->steps[i];

	*out = (struct batch_step){
		.kind = d->step.name,
		.status = d->status,
		.timed_out = is_timed_out(d),
		.code = d->code,
		.message = d->err.msg,
		.text = text_of(d),
		.exit_code = exit_code_of(d),
	};
}

static void
put_value(struct json_out *j, const char *key, const json_t *v)
{
	auto_free char *text = v != NULL ?
	    json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY) :
	    NULL;

	json_out_key(j, key);
	if (text != NULL)
		json_out_json(j, text);
	else
		json_out_null(j);
}

static void
put_error(const struct done *d, struct json_out *j)
{
	json_out_key(j, "error");
	json_out_open(j, '{');
	json_out_key(j, "code");
	json_out_text(j, d->code);
	json_out_key(j, "message");
	json_out_text(j, d->err.msg);
	json_out_key(j, "retryable");
	json_out_bool(j, d->retryable);
	json_out_close(j, '}');
}

static void
put_step(const struct done *d, size_t i, struct json_out *j)
{
	json_out_open(j, '{');
	json_out_key(j, "index");
	json_out_number(j, i);
	json_out_key(j, "kind");
	json_out_text(j, d->step.name);
	json_out_key(j, "status");
	json_out_text(j, batch_status_name(d->status));
	put_value(j, "seq", json_object_get(d->result, "seq"));
	put_value(j, "matched", json_object_get(d->result, "matched"));
	put_value(j, "timed_out", json_object_get(d->result, "timed_out"));
	json_out_key(j, "duration_ms");
	json_out_number(j, (uint64_t)d->duration_ms);
	if (!(d->step.flags & STEP_TYPES) && d->result != NULL)
		put_value(j, "result", d->result);
	if (d->status == BATCH_FAILED)
		put_error(d, j);
	json_out_close(j, '}');
}

void
batch_put(const struct batch *b, struct json_out *j)
{
	uint64_t completed = 0;

	json_out_open(j, '{');
	json_out_key(j, "steps");
	json_out_open(j, '[');
	for (size_t i = 0; i < b->n; i++) {
		put_step(&b->steps[i], i, j);
		completed += b->steps[i].status == BATCH_COMPLETED;
	}
	json_out_close(j, ']');
	json_out_key(j, "completed");
	json_out_number(j, completed);
	json_out_key(j, "failed");
	json_out_open(j, '[');
	for (size_t i = 0; i < b->n; i++) {
		if (b->steps[i].status == BATCH_FAILED)
			json_out_number(j, i);
	}
	json_out_close(j, ']');
	json_out_close(j, '}');
}
