#include "op/step.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "op/condition.h"
#include "op/failure.h"
#include "op/items.h"
#include "op/ops.h"
#include "op/profile.h"
#include "op/snapshot.h"

#define PROMPT_MS 10000
#define STATUS_MAX 255

/* Check the arguments, as far as possible here. */
typedef int check_fn(const json_t *args, struct error *err);

/* True if a result is a success; otherwise an error. */
typedef bool judge_fn(const struct step *s, const json_t *result,
    char code[STEP_CODE_SIZE], struct error *err);

struct kind {
	const char *name;
	const char *op;
	const char *word; /* the argument that a plain string sets, or NULL */
	int64_t limit_ms; /* the default; 0: none */
	unsigned flags;   /* enum step_flags */
	check_fn *check;  /* or NULL */
	judge_fn *judge;  /* or NULL */
};

/* ----------------------------------------------------------------- judging */

static bool
fails(char code[STEP_CODE_SIZE], struct error *err, const char *which,
    const char *why)
{
	snprintf(code, STEP_CODE_SIZE, "%s", which);
	error_set(err, ECANCELED, "%s", why);
	return false;
}

static bool
judge_wait(const struct step *s, const json_t *result,
    char code[STEP_CODE_SIZE], struct error *err)
{
	const char *seen = json_string_value(json_object_get(result, "seen"));

	(void)s;
	if (json_is_true(json_object_get(result, "timed_out")) && seen != NULL)
		return fails(code, err, "timed_out",
		    strcmp(seen, "echo") == 0 ?
			"timed out: only the echo of typed text matched; "
			"\"echo\":true counts it" :
			"timed out: only lines older than the input matched");
	if (json_is_true(json_object_get(result, "timed_out")))
		return fails(code, err, "timed_out", "timed out");
	if (!json_is_true(json_object_get(result, "matched")))
		return fails(code, err, failure_code(FAIL_NOT_RUNNING),
		    "the session ended before the condition was met");
	return true;
}

/* True if a command may end with this exit status: in `ok`, or 0. */
static bool
is_allowed(const json_t *ok, const json_t *status)
{
	size_t i;
	json_t *one;

	if (ok == NULL)
		return json_integer_value(status) == 0;
	json_array_foreach(ok, i, one)
	{
		if (json_equal(one, status))
			return true;
	}
	return false;
}

static bool
judge_status(const struct step *s, const json_t *result,
    char code[STEP_CODE_SIZE], struct error *err)
{
	const json_t *status = json_object_get(result, "exit_code");
	char why[80];

	if (!json_is_integer(status))
		return fails(code, err, STEP_EXIT_STATUS,
		    "its exit status is unknown");
	if (is_allowed(s->ok, status))
		return true;
	snprintf(why, sizeof(why), "exit status %d%s",
	    (int)json_integer_value(status),
	    s->ok != NULL ? ", which \"ok\" does not allow" : "");
	return fails(code, err, STEP_EXIT_STATUS, why);
}

static bool
judge_exec(const struct step *s, const json_t *result,
    char code[STEP_CODE_SIZE], struct error *err)
{
	const char *got = json_string_value(json_object_get(result, "outcome"));

	if (json_is_true(json_object_get(result, "timed_out")))
		return fails(code, err, "timed_out",
		    "timed out: the command has not ended");
	if (got != NULL && strcmp(got, "interrupted") == 0)
		return fails(code, err, failure_code(FAIL_NOT_RUNNING),
		    "the session ended before the command");
	return judge_status(s, result, code, err);
}

static bool
judge_prompt(const struct step *s, const json_t *result,
    char code[STEP_CODE_SIZE], struct error *err)
{
	const char *got = json_string_value(json_object_get(result, "result"));
	const char *why = json_string_value(json_object_get(result, "reason"));

	(void)s;
	if (got != NULL && strcmp(got, "delivered") == 0)
		return true;
	return fails(code, err, got != NULL ? got : failure_code(FAIL_PROTOCOL),
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
	return profile_of(args, err) != NULL ? 0 : -EINVAL;
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

#define TYPES(name) \
	{ \
		name, "session.send", NULL, 0, STEP_TYPES | STEP_ANCHORS, \
		    check_input, NULL \
	}

static const struct kind kinds[] = {
	TYPES("text"),
	TYPES("keys"),
	TYPES("paste"),
	TYPES("hex"),
	TYPES("mouse"),
	{ "prompt", "session.prompt", "text", PROMPT_MS, STEP_ANCHORS,
	    check_prompt, judge_prompt },
	{ "exec", "session.exec", "command", STEP_FOREVER_MS, 0,
	    op_check_command, judge_exec },
	{ "wait", "session.wait", "text", CONDITION_TIMEOUT_MS, STEP_WAITS,
	    check_wait, judge_wait },
	{ "snapshot", "session.snapshot", NULL, 0, 0, check_snapshot, NULL },
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

static bool
is_statuses(const json_t *ok)
{
	size_t i;
	json_t *one;

	json_array_foreach(ok, i, one)
	{
		if (!json_is_integer(one) || json_integer_value(one) < 0 ||
		    json_integer_value(one) > STATUS_MAX)
			return false;
	}
	return json_array_size(ok) > 0;
}

/*
 * Take "ok" out of the arguments, or from beside the key; the operation does
 * not know it.
 */
static int
take_ok(struct step *s, const struct kind *k, json_t *args,
    const json_t *object, struct error *err)
{
	json_t *inside = json_object_get(args, "ok");
	json_t *beside = json_object_get(object, "ok");

	if (k->judge != judge_exec || (inside == NULL && beside == NULL))
		return 0;
	if (inside != NULL && beside != NULL)
		return error_set(err, EINVAL, "'ok' is given twice; give one");
	s->ok = json_incref(inside != NULL ? inside : beside);
	json_object_del(args, "ok");
	if (is_statuses(s->ok))
		return 0;
	return error_set(err, EINVAL,
	    "'ok' must be an array of exit statuses from 0 to %d, as in [0,1]",
	    STATUS_MAX);
}

/* The step as arguments of its operation; the caller frees them. */
static json_t *
read_args(const struct kind *k, const json_t *step, const json_t *value,
    struct error *err)
{
	if (k->flags & STEP_TYPES)
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
check_args(const struct kind *k, json_t *args, struct error *err)
{
	const struct op *op = op_find(k->op);
	int rc;

	if (op == NULL)
		return error_set(err, EINVAL, "there is no %s", k->op);
	rc = op_take_arguments(op, args, err);
	return rc == 0 && k->check != NULL ? k->check(args, err) : rc;
}

/* A wait always has a timeout, so that the client knows it too. */
static int64_t
settle_limit(const struct kind *k, json_t *args)
{
	uint64_t given = op_number(args, "timeout_ms", UINT64_MAX);

	if (given != UINT64_MAX)
		return given < STEP_FOREVER_MS ? (int64_t)given :
						 STEP_FOREVER_MS;
	if (k->limit_ms > 0 && k->limit_ms < STEP_FOREVER_MS)
		json_object_set_new(args, "timeout_ms",
		    json_integer(k->limit_ms));
	return k->limit_ms;
}

/* An unknown key, for the message; NULL: none. */
static const char *
unknown_key(const json_t *object)
{
	const char *name;
	json_t *v;

	json_object_foreach((json_t *)object, name, v)
	{
		if (find_kind(name) == NULL && strcmp(name, "ok") != 0)
			return name;
	}
	return NULL;
}

/* The key that gives the kind of a step; NULL: none. */
static const struct kind *
kind_of(const json_t *object)
{
	const struct kind *k = NULL;
	size_t others = 0;
	const char *name;
	json_t *v;

	json_object_foreach((json_t *)object, name, v)
	{
		const struct kind *found = find_kind(name);

		if (found != NULL)
			k = found;
		else if (strcmp(name, "ok") == 0)
			others++;
	}
	if (k == NULL || json_object_size(object) != 1 + others ||
	    (others > 0 && k->judge != judge_exec))
		return NULL;
	return k;
}

/* Why it is no step. */
static int
refuse(const json_t *object, struct error *err)
{
	const char *odd = unknown_key(object);
	char words[TYPE_WORDS_SIZE];

	type_words("batch_step", words);
	if (odd != NULL)
		return error_set(err, EINVAL,
		    "\"%.40s\" is not %s; options of a step go into "
		    "an object, as in "
		    "{\"exec\":{\"command\":\"make\",\"timeout\":\"5m\"}}",
		    odd, strstr(words, "one of"));
	return error_set(err, EINVAL,
	    "it must be %s, and nothing beside it but \"ok\" with exec", words);
}

int
step_read(struct step *s, const json_t *object, struct error *err)
{
	const struct kind *k = kind_of(object);
	json_t *args;
	int rc;

	memset(s, 0, sizeof(*s));
	if (k == NULL)
		return refuse(object, err);
	args = read_args(k, object, json_object_get(object, k->name), err);
	if (args == NULL)
		return -EINVAL;
	rc = take_ok(s, k, args, object, err);
	if (rc == 0)
		rc = check_args(k, args, err);
	if (rc < 0) {
		json_decref(args);
		step_finish(s);
		return rc;
	}
	s->name = k->name;
	s->op = k->op;
	s->flags = k->flags;
	s->args = args;
	s->kind = k;
	s->limit_ms = settle_limit(k, args);
	return 0;
}

void
step_finish(struct step *s)
{
	json_decref(s->args);
	json_decref(s->ok);
	memset(s, 0, sizeof(*s));
}

bool
step_judge(const struct step *s, const json_t *result,
    char code[STEP_CODE_SIZE], struct error *err)
{
	return s->kind->judge == NULL || s->kind->judge(s, result, code, err);
}
