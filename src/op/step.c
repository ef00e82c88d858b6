#include "op/step.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "op/condition.h"
#include "op/items.h"
#include "op/ops.h"
#include "op/profile.h"
#include "op/snapshot.h"

#define PROMPT_MS 10000

/* Whether the arguments can be right, as far as that can be seen from here. */
typedef int check_fn(const json_t *args, struct error *err);

/* Whether a result is a success; else why not. */
typedef bool judge_fn(const json_t *result, char code[STEP_CODE_SIZE],
    struct error *err);

struct kind {
	const char *name;
	const char *op;
	const char *word; /* the argument that a string stands for, or NULL */
	int64_t limit_ms; /* when none is given; 0: it has none */
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
judge_wait(const json_t *result, char code[STEP_CODE_SIZE], struct error *err)
{
	const char *seen = json_string_value(json_object_get(result, "seen"));

	if (json_is_true(json_object_get(result, "timed_out")) && seen != NULL)
		return fails(code, err, "timed_out",
		    strcmp(seen, "echo") == 0 ?
			"it did not come in time but in the echo of what was "
			"typed; \"echo\":true counts that" :
			"it did not come in time; it stands in lines alone "
			"that were there before the input");
	if (json_is_true(json_object_get(result, "timed_out")))
		return fails(code, err, "timed_out", "it did not come in time");
	if (!json_is_true(json_object_get(result, "matched")))
		return fails(code, err, "not_running",
		    "the session has ended without it");
	return true;
}

static bool
judge_exec(const json_t *result, char code[STEP_CODE_SIZE], struct error *err)
{
	const char *got = json_string_value(json_object_get(result, "outcome"));

	if (json_is_true(json_object_get(result, "timed_out")))
		return fails(code, err, "timed_out",
		    "it has not ended in time");
	if (got != NULL && strcmp(got, "interrupted") == 0)
		return fails(code, err, "not_running",
		    "the session ended before it");
	return true;
}

static bool
judge_prompt(const json_t *result, char code[STEP_CODE_SIZE], struct error *err)
{
	const char *got = json_string_value(json_object_get(result, "result"));
	const char *why = json_string_value(json_object_get(result, "reason"));

	if (got != NULL && strcmp(got, "delivered") == 0)
		return true;
	return fails(code, err, got != NULL ? got : "protocol",
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
check_args(const struct kind *k, const json_t *args, struct error *err)
{
	const struct op *op = op_find(k->op);
	int rc;

	if (op == NULL)
		return error_set(err, EINVAL, "there is no %s", k->op);
	rc = op_check_arguments(op, args, err);
	return rc == 0 && k->check != NULL ? k->check(args, err) : rc;
}

/* A wait has a limit in any case, so that who asks knows it too. */
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

int
step_read(struct step *s, const json_t *object, struct error *err)
{
	void *it = json_object_iter((json_t *)object);
	const char *name = it != NULL ? json_object_iter_key(it) : "";
	const struct kind *k = json_object_size(object) == 1 ? find_kind(name) :
							       NULL;
	json_t *args;
	int rc;

	memset(s, 0, sizeof(*s));
	if (k == NULL)
		return error_set(err, EINVAL,
		    "it must be an object with one of text, keys, paste, hex, "
		    "mouse, prompt, exec, wait, snapshot, and nothing beside it");
	args = read_args(k, object, json_object_iter_value(it), err);
	if (args == NULL)
		return -EINVAL;
	rc = read_durations(k, args, err);
	if (rc == 0)
		rc = check_args(k, args, err);
	if (rc < 0) {
		json_decref(args);
		return rc;
	}
	*s = (struct step){ .name = k->name,
		.op = k->op,
		.flags = k->flags,
		.args = args,
		.kind = k,
		.limit_ms = settle_limit(k, args) };
	return 0;
}

void
step_finish(struct step *s)
{
	json_decref(s->args);
	memset(s, 0, sizeof(*s));
}

bool
step_judge(const struct step *s, const json_t *result,
    char code[STEP_CODE_SIZE], struct error *err)
{
	return s->kind->judge == NULL || s->kind->judge(result, code, err);
}
