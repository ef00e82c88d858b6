#include "client/batch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/json_out.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "client/conn.h"
#include "op/failure.h"
#include "op/step.h"
#include "session/manifest.h"

#define MARGIN_MS 10000 /* that a host gets beyond a step's own limit */

/* A step and what became of it. */
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
	batch_lost_fn *lost;
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
	for (size_t i = 0; i < b->n; i++) {
		step_finish(&b->steps[i].step);
		json_decref(b->steps[i].result);
	}
	free(b->steps);
	free(b);
}

/* ----------------------------------------------------------------- running */

/* How a connection failed. */
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

/* The host is gone, but the session is not: another host will follow. */
static bool
is_running(const struct conn *c)
{
	struct manifest m;
	bool runs;

	if (manifest_read_now(c->dirfd, &m, NULL) < 0)
		return false;
	runs = status_is_active(m.status);
	manifest_finish(&m);
	return runs;
}

static void
fail(struct done *d, int rc, const struct conn *c)
{
	if (rc == -ECONNRESET && is_running(c))
		rc = error_set(&d->err, EHOSTUNREACH,
		    "the host ended before it answered; whether it has done "
		    "it is not known");
	else if (rc == -ECONNRESET)
		rc = error_set(&d->err, ECONNRESET, "the session has ended");
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
take_result(struct batch *b, struct done *d, char *text)
{
	b->results += strlen(text);
	if (b->results <= BATCH_RESULTS_MAX)
		d->result = json_loads(text, JSON_DECODE_ANY, NULL);
	free(text);
	if (d->result == NULL) {
		d->status = BATCH_FAILED;
		snprintf(d->code, sizeof(d->code), "%s",
		    failure_code(FAIL_USAGE));
		error_set(&d->err, EFBIG,
		    "the results are too large; ask for less, or in parts");
		return;
	}
	judge(d);
}

/* Whether what was waited for can be told without the host. */
static bool
ask_the_rest(struct batch *b, struct done *d, int rc)
{
	if (!(d->step.flags & STEP_WAITS) || b->lost == NULL ||
	    rc == -EREMOTEIO || rc == -ECANCELED || rc == -ETIMEDOUT)
		return false;
	d->result = b->lost(b->lost_arg, d->step.args);
	if (d->result == NULL)
		return false;
	d->code[0] = d->err.msg[0] = '\0';
	judge(d);
	return true;
}

void
batch_on_lost(struct batch *b, batch_lost_fn *fn, void *arg)
{
	b->lost = fn;
	b->lost_arg = arg;
}

static int
call_limit(const struct step *s)
{
	return s->limit_ms < STEP_FOREVER_MS ? (int)s->limit_ms + MARGIN_MS :
					       STEP_FOREVER_MS;
}

static void
call(struct batch *b, struct done *d, struct conn *c)
{
	auto_free char *args = json_dumps(d->step.args, JSON_COMPACT);
	char *result = NULL;
	int rc;

	c->timeout_ms = call_limit(&d->step);
	rc = conn_call(c, d->step.op, args, &result, d->code, &d->err);
	if (rc == 0) {
		take_result(b, d, result);
		return;
	}
	if (ask_the_rest(b, d, rc))
		return;
	d->status = rc == -ECANCELED ? BATCH_INTERRUPTED : BATCH_FAILED;
	d->retryable = rc == -EREMOTEIO && c->retryable;
	if (rc != -EREMOTEIO)
		fail(d, rc, c);
}

/* K-09: what follows is about what is shown after this input. */
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
run_step(struct batch *b, struct done *d, struct conn *c)
{
	int64_t begin = clock_ms(CLOCK_MONOTONIC);

	if ((d->step.flags & STEP_WAITS) && b->has_anchor &&
	    json_object_get(d->step.args, "after") == NULL)
		json_object_set_new(d->step.args, "after",
		    json_integer(b->anchor));
	call(b, d, c);
	move_anchor(b, d);
	d->duration_ms = clock_ms(CLOCK_MONOTONIC) - begin;
}

void
batch_run(struct batch *b, struct conn *c, bool keep_going)
{
	for (size_t i = 0; i < b->n; i++) {
		struct done *d = &b->steps[i];

		run_step(b, d, c);
		if (d->status == BATCH_INTERRUPTED ||
		    (d->status == BATCH_FAILED && !keep_going))
			return;
	}
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
