#include "client/batch.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/json_out.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "base/number.h"
#include "client/conn.h"
#include "op/condition.h"
#include "op/items.h"
#include "op/ops.h"
#include "op/profile.h"
#include "op/snapshot.h"

#define MARGIN_MS 10000 /* that a host gets beyond a step's own limit */
#define PROMPT_MS 10000
#define FOREVER_MS (INT_MAX / 2)

struct step;

/* Whether the arguments can be right, as far as that can be seen from here. */
typedef int check_fn(const json_t *args, struct error *err);

/* Whether a result is a success; else why not. */
typedef bool judge_fn(struct step *s, const json_t *result);

struct kind {
	const char *name;
	const char *op;
	const char *word; /* the argument that a string stands for, or NULL */
	int64_t limit_ms; /* when none is given; 0: it has none */
	bool is_input;    /* of session.send: the step itself is an item */
	bool anchors;     /* waits after it are about what comes after it */
	bool is_wait;
	check_fn *check; /* or NULL */
	judge_fn *judge; /* or NULL */
};

struct step {
	const struct kind *kind;
	json_t *args;
	int timeout_ms; /* of the call */

	enum batch_status status;
	json_t *result;
	int64_t duration_ms;
	char code[32];
	bool retryable;
	struct error err;
};

struct batch {
	size_t n;
	struct step *steps;
	size_t results; /* bytes */
	bool has_anchor;
	json_int_t anchor; /* seq of the last input */
	batch_lost_fn *lost;
	void *lost_arg;
};

/* ----------------------------------------------------------------- judging */

static bool
fails(struct step *s, const char *code, const char *why)
{
	snprintf(s->code, sizeof(s->code), "%s", code);
	error_set(&s->err, ECANCELED, "%s", why);
	return false;
}

static bool
judge_wait(struct step *s, const json_t *result)
{
	if (json_is_true(json_object_get(result, "timed_out")))
		return fails(s, "timed_out", "it did not come in time");
	if (!json_is_true(json_object_get(result, "matched")))
		return fails(s, "not_running",
		    "the session has ended without it");
	return true;
}

static bool
judge_exec(struct step *s, const json_t *result)
{
	const char *got = json_string_value(json_object_get(result, "outcome"));

	if (json_is_true(json_object_get(result, "timed_out")))
		return fails(s, "timed_out", "it has not ended in time");
	if (got != NULL && strcmp(got, "interrupted") == 0)
		return fails(s, "not_running", "the session ended before it");
	return true;
}

static bool
judge_prompt(struct step *s, const json_t *result)
{
	const char *got = json_string_value(json_object_get(result, "result"));
	const char *why = json_string_value(json_object_get(result, "reason"));

	if (got != NULL && strcmp(got, "delivered") == 0)
		return true;
	return fails(s, got != NULL ? got : "protocol",
	    why != NULL ? why : "it was not delivered");
}

/* ---------------------------------------------------------------- checking */

static int
check_input(const json_t *args, struct error *err)
{
	return items_check(json_object_get(args, "input"), err);
}

static int
check_prompt(const json_t *args, struct error *err)
{
	const char *name = op_string(args, "profile", PROFILE_DEFAULT);

	return profile_find(name, err) != NULL ? 0 : -EINVAL;
}

static int
check_wait(const json_t *args, struct error *err)
{
	struct condition c;
	int rc = condition_read(&c, args, CONDITION_ARGUMENTS, err);

	if (rc == 0)
		condition_finish(&c);
	return rc;
}

static int
check_snapshot(const json_t *args, struct error *err)
{
	struct snapshot s;

	return snapshot_read(&s, args, err);
}

#define INPUT(name) \
	{ \
		name, "session.send", NULL, 0, true, true, false, check_input, \
		    NULL \
	}

static const struct kind kinds[] = {
	INPUT("text"),
	INPUT("keys"),
	INPUT("paste"),
	INPUT("hex"),
	INPUT("mouse"),
	{ "prompt", "session.prompt", "text", PROMPT_MS, false, true, false,
	    check_prompt, judge_prompt },
	{ "exec", "session.exec", "command", FOREVER_MS, false, false, false,
	    NULL, judge_exec },
	{ "wait", "session.wait", "text", CONDITION_TIMEOUT_MS, false, false,
	    true, check_wait, judge_wait },
	{ "snapshot", "session.snapshot", NULL, 0, false, false, false,
	    check_snapshot, NULL },
};

#define KINDS (sizeof(kinds) / sizeof(*kinds))

/* ----------------------------------------------------------------- reading */

static const struct kind *
find_kind(const char *name)
{
	for (size_t i = 0; i < KINDS; i++) {
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	}
	return NULL;
}

/* "timeout":"5s" becomes "timeout_ms":5000. */
static int
read_duration(json_t *args, const char *name, struct error *err)
{
	const json_t *v = json_object_get(args, name);
	char with_unit[24];
	uint64_t ns;

	if (v == NULL)
		return 0;
	if (!json_is_string(v))
		return error_set(err, EINVAL,
		    "'%s' must be a duration, as in \"5s\"", name);
	if (number_duration(json_string_value(v), &ns, err) < 0)
		return -EINVAL;
	snprintf(with_unit, sizeof(with_unit), "%s_ms", name);
	if (json_object_get(args, with_unit) != NULL)
		return error_set(err, EINVAL, "'%s' and '%s' are one; give one",
		    name, with_unit);
	json_object_set_new(args, with_unit,
	    json_integer((json_int_t)(ns / 1000000)));
	json_object_del(args, name);
	return 0;
}

static int
read_durations(const struct kind *k, json_t *args, struct error *err)
{
	static const char *const names[] = { "timeout", "stable", "idle" };
	int rc = 0;

	if (k->limit_ms == 0)
		return 0;
	for (size_t i = 0; rc == 0 && i < sizeof(names) / sizeof(*names); i++)
		rc = read_duration(args, names[i], err);
	return rc;
}

/* What the step is, as arguments of its operation; the caller's. */
static json_t *
read_args(const struct kind *k, const json_t *step, const json_t *value,
    struct error *err)
{
	if (k->is_input)
		return json_pack("{s:[O]}", "input", step);
	if (json_is_object(value))
		return json_deep_copy(value);
	if (json_is_string(value) && k->word != NULL)
		return json_pack("{s:O}", k->word, value);
	error_set(err, EINVAL, "'%s' must be %san object", k->name,
	    k->word != NULL ? "a string or " : "");
	return NULL;
}

static int
check_args(const struct kind *k, const json_t *args, struct error *err)
{
	const struct op *op = op_find(k->op);
	int rc;

	if (op == NULL)
		return error_set(err, EINVAL, "there is no %s", k->op);
	rc = op_check_arguments(op, args, err);
	return rc == 0 && k->check != NULL ? k->check(args, err) : rc;
}

/* A wait has a limit in any case, so that we know it too. */
static void
settle_limit(struct step *s)
{
	int64_t limit = s->kind->limit_ms;
	uint64_t given = op_number(s->args, "timeout_ms", UINT64_MAX);

	if (given != UINT64_MAX)
		limit = given < FOREVER_MS ? (int64_t)given : FOREVER_MS;
	else if (limit > 0 && limit < FOREVER_MS)
		json_object_set_new(s->args, "timeout_ms", json_integer(limit));
	s->timeout_ms = limit < FOREVER_MS ? (int)limit + MARGIN_MS :
					     FOREVER_MS;
}

static int
read_step(struct step *s, const json_t *step, struct error *err)
{
	void *it = json_object_iter((json_t *)step);
	const char *name = it != NULL ? json_object_iter_key(it) : "";
	int rc;

	s->kind = json_object_size(step) == 1 ? find_kind(name) : NULL;
	if (s->kind == NULL)
		return error_set(err, EINVAL,
		    "it must be an object with one of text, keys, paste, hex, "
		    "mouse, prompt, exec, wait, snapshot");
	s->args = read_args(s->kind, step, json_object_iter_value(it), err);
	if (s->args == NULL)
		return -EINVAL;
	rc = read_durations(s->kind, s->args, err);
	if (rc == 0)
		rc = check_args(s->kind, s->args, err);
	if (rc == 0)
		settle_limit(s);
	return rc;
}

static int
read_steps(struct batch *b, const json_t *steps, struct error *err)
{
	struct error why = { 0 };

	for (size_t i = 0; i < b->n; i++) {
		int rc = read_step(&b->steps[i], json_array_get(steps, i),
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
		json_decref(b->steps[i].args);
		json_decref(b->steps[i].result);
	}
	free(b->steps);
	free(b);
}

/* ----------------------------------------------------------------- running */

/* The code of a failure that is the connection's. */
static const char *
code_of(int rc)
{
	switch (rc) {
	case -ETIMEDOUT:
		return "timeout";
	case -EPROTO:
		return "protocol";
	case -ECONNREFUSED:
	case -ENOENT:
	case -ECONNRESET:
		return "not_running";
	default:
		return "unreachable";
	}
}

static void
judge(struct step *s)
{
	s->status = s->kind->judge == NULL || s->kind->judge(s, s->result) ?
	    BATCH_COMPLETED :
	    BATCH_FAILED;
}

static void
take_result(struct batch *b, struct step *s, char *text)
{
	b->results += strlen(text);
	if (b->results <= BATCH_RESULTS_MAX)
		s->result = json_loads(text, JSON_DECODE_ANY, NULL);
	free(text);
	if (s->result == NULL) {
		s->status = BATCH_FAILED;
		fails(s, "usage",
		    "the results are too large; ask for less, or in parts");
		return;
	}
	judge(s);
}

/* Whether what was waited for can be told without the host. */
static bool
ask_the_rest(struct batch *b, struct step *s, int rc)
{
	if (!s->kind->is_wait || b->lost == NULL || rc == -EREMOTEIO ||
	    rc == -ECANCELED || rc == -ETIMEDOUT)
		return false;
	s->result = b->lost(b->lost_arg, s->args);
	if (s->result == NULL)
		return false;
	s->code[0] = s->err.msg[0] = '\0';
	judge(s);
	return true;
}

void
batch_on_lost(struct batch *b, batch_lost_fn *fn, void *arg)
{
	b->lost = fn;
	b->lost_arg = arg;
}

static void
call(struct batch *b, struct step *s, struct conn *c)
{
	auto_free char *args = json_dumps(s->args, JSON_COMPACT);
	char *result = NULL;
	int rc;

	c->timeout_ms = s->timeout_ms;
	rc = conn_call(c, s->kind->op, args, &result, s->code, &s->err);
	if (rc == 0) {
		take_result(b, s, result);
		return;
	}
	if (ask_the_rest(b, s, rc))
		return;
	s->status = rc == -ECANCELED ? BATCH_INTERRUPTED : BATCH_FAILED;
	s->retryable = rc == -EREMOTEIO && c->retryable;
	if (rc != -EREMOTEIO)
		snprintf(s->code, sizeof(s->code), "%s", code_of(rc));
}

/* K-09: what follows is about what is shown after this input. */
static void
move_anchor(struct batch *b, const struct step *s)
{
	const json_t *seq = json_object_get(s->result, "seq");

	if (!s->kind->anchors || !json_is_integer(seq))
		return;
	b->has_anchor = true;
	b->anchor = json_integer_value(seq);
}

static void
run_step(struct batch *b, struct step *s, struct conn *c)
{
	int64_t begin = clock_ms(CLOCK_MONOTONIC);

	if (s->kind->is_wait && b->has_anchor &&
	    json_object_get(s->args, "after") == NULL)
		json_object_set_new(s->args, "after", json_integer(b->anchor));
	call(b, s, c);
	move_anchor(b, s);
	s->duration_ms = clock_ms(CLOCK_MONOTONIC) - begin;
}

void
batch_run(struct batch *b, struct conn *c, bool keep_going)
{
	for (size_t i = 0; i < b->n; i++) {
		struct step *s = &b->steps[i];

		run_step(b, s, c);
		if (s->status == BATCH_INTERRUPTED ||
		    (s->status == BATCH_FAILED && !keep_going))
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
is_timed_out(const struct step *s)
{
	return json_is_true(json_object_get(s->result, "timed_out")) ||
	    strcmp(s->code, "unconfirmed") == 0;
}

static const char *
text_of(const struct step *s)
{
	const char *output = json_string_value(
	    json_object_get(s->result, "output"));

	return output != NULL ?
	    output :
	    json_string_value(json_object_get(s->result, "data"));
}

void
batch_step(const struct batch *b, size_t i, struct batch_step *out)
{
	const struct step *s = &b->steps[i];

	*out = (struct batch_step){
		.kind = s->kind->name,
		.status = s->status,
		.timed_out = is_timed_out(s),
		.code = s->code,
		.message = s->err.msg,
		.text = text_of(s),
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
put_error(const struct step *s, struct json_out *j)
{
	json_out_key(j, "error");
	json_out_open(j, '{');
	json_out_key(j, "code");
	json_out_text(j, s->code);
	json_out_key(j, "message");
	json_out_text(j, s->err.msg);
	json_out_key(j, "retryable");
	json_out_bool(j, s->retryable);
	json_out_close(j, '}');
}

static void
put_step(const struct step *s, size_t i, struct json_out *j)
{
	json_out_open(j, '{');
	json_out_key(j, "index");
	json_out_number(j, i);
	json_out_key(j, "kind");
	json_out_text(j, s->kind->name);
	json_out_key(j, "status");
	json_out_text(j, batch_status_name(s->status));
	put_value(j, "seq", json_object_get(s->result, "seq"));
	put_value(j, "matched", json_object_get(s->result, "matched"));
	put_value(j, "timed_out", json_object_get(s->result, "timed_out"));
	json_out_key(j, "duration_ms");
	json_out_number(j, (uint64_t)s->duration_ms);
	if (!s->kind->is_input && s->result != NULL)
		put_value(j, "result", s->result);
	if (s->status == BATCH_FAILED)
		put_error(s, j);
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
