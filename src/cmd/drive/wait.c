#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/error.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "cmd/line/cmd.h"
#include "cmd/line/opt.h"
#include "cmd/line/out.h"
#include "cmd/target/target.h"
#include "home/fault.h"
#include "home/units.h"
#include "home/waiting.h"
#include "home/words.h"
#include "op/condition.h"

#define SIGNALLED 128
#define LONGEST "7d" /* the longest timeout */

#define VALUE_FIELD(NAME, field, ...) const char *field;
#define FLAG_FIELD(NAME, field, ...) bool field;

struct args {
	CONDITIONS(VALUE_FIELD, VALUE_FIELD, VALUE_FIELD, FLAG_FIELD,
	    FLAG_FIELD)
	const char *after, *timeout;
	bool seen, echo, any, all, pass_status;
};

#define VALUE_OPTION(NAME, field, option, letter, value, type, traits, \
    summary, holds) \
	OPT_VALUE(struct args, field, option, letter, value, summary),
#define FLAG_OPTION(NAME, field, option, letter, value, type, traits, summary, \
    holds) \
	OPT_FLAG(struct args, field, option, letter, summary),

static const struct opt options[] = {
	CONDITIONS(VALUE_OPTION, VALUE_OPTION, VALUE_OPTION, FLAG_OPTION,
	    FLAG_OPTION) OPT_FLAG(struct args, seen, "seen", 0,
	    "text and regex: also match text that flashes or scrolls past"),
	OPT_FLAG(struct args, echo, "echo", 0,
	    "text, regex and absent: include the echo of typed text"),
	OPT_VALUE(struct args, after, "after", 0, "SEQ",
	    "match only lines that appear after this event"),
	OPT_VALUE(struct args, timeout, "timeout", 0, "DURATION",
	    "stop waiting after this long (30s); a number alone is ms"),
	OPT_FLAG(struct args, any, "any", 0,
	    "wait for the first of several sessions"),
	OPT_FLAG(struct args, all, "all", 0,
	    "wait for all of several sessions"),
	OPT_FLAG(struct args, pass_status, "pass-status", 0,
	    "exit with the status of the session or command"),
	{ 0 },
};

/* -------------------------------------------------------------- the request */

static int
put_text(json_t *o, const char *name, const char *option, const char *text,
    struct error *err)
{
	if (text == NULL)
		return 0;
	if (!utf8_valid(text, strlen(text)))
		return error_set(err, EINVAL, "%s must be UTF-8", option);
	json_object_set_new(o, name, json_string(text));
	return 0;
}

static int
put_ms(json_t *o, const char *name, const char *option, const char *text,
    struct error *err)
{
	struct error why;
	uint64_t ns;

	if (text == NULL)
		return 0;
	if (units_duration(text, &ns, &why) < 0)
		return error_set(err, EINVAL, "%s: %s", option, why.msg);
	json_object_set_new(o, name, json_integer((json_int_t)(ns / 1000000)));
	return 0;
}

static int
put_after(json_t *o, const char *text, struct error *err)
{
	uint64_t seq;

	if (text == NULL)
		return 0;
	if (!units_number(text, INT64_MAX, &seq))
		return error_set(err, EINVAL,
		    "--after %.40s: give the seq of an event, a number", text);
	json_object_set_new(o, "after", json_integer((json_int_t)seq));
	return 0;
}

static void
put_flag(json_t *o, const char *name, bool value)
{
	if (value)
		json_object_set_new(o, name, json_true());
}

/* Without a condition, wait for the end, without a timeout. */
static bool
has_condition(const struct args *a)
{
#define HAS_VALUE(NAME, field, ...) || a->field != NULL
#define HAS_FLAG(NAME, field, ...) || a->field
	return false CONDITIONS(HAS_VALUE, HAS_VALUE, HAS_VALUE, HAS_FLAG,
	    HAS_FLAG);
}

static const char *
time_limit(const struct args *a)
{
	if (a->timeout != NULL)
		return a->timeout;
	return has_condition(a) ? "30s" : LONGEST;
}

static int
put_conditions(json_t *o, const struct args *a, struct error *err)
{
#define PUT_TEXT(NAME, field, option, ...) \
	if (put_text(o, #field, "--" option, a->field, err) < 0) \
		return -EINVAL;
#define PUT_MS(NAME, field, option, ...) \
	if (put_ms(o, #field "_ms", "--" option, a->field, err) < 0) \
		return -EINVAL;
#define PUT_FLAG(NAME, field, ...) put_flag(o, #field, a->field);
	CONDITIONS(PUT_TEXT, PUT_TEXT, PUT_MS, PUT_FLAG, PUT_FLAG)
	return 0;
}

static int
put_all(json_t *o, const struct args *a, struct error *err)
{
	int rc = put_conditions(o, a, err);

	if (rc < 0 ||
	    (rc = put_ms(o, "timeout_ms", "--timeout", time_limit(a), err)) <
		0 ||
	    (rc = put_after(o, a->after, err)) < 0)
		return rc;
	if (!has_condition(a))
		put_flag(o, "exit", true);
	put_flag(o, "seen", a->seen);
	put_flag(o, "echo", a->echo);
	return 0;
}

/* The arguments of session.wait, checked before any host is asked. */
static int
read_args(struct call *call, json_t *o)
{
	struct condition c;
	struct error err;

	if (put_all(o, call->args, &err) < 0 ||
	    condition_read(&c, o, CONDITION_OPTIONS, &err) < 0)
		return out_fail(call->out, FAIL_USAGE, "%s", err.msg);
	condition_finish(&c);
	return 0;
}

/* --------------------------------------------------------- the sessions */

/* The handles of all sessions but the first, which main has found. */
struct others {
	struct handle *targets;
	size_t n;
};

static int
find_others(struct call *call, struct others *others)
{
	int status = 0;

	others->targets = xcalloc((size_t)call->argc + 1,
	    sizeof(*others->targets));
	for (int i = 0; status == 0 && i < call->argc; i++) {
		struct handle *t = &others->targets[others->n++];
		struct call one = *call;

		one.target = t;
		one.argc = 1;
		one.argv = &call->argv[i];
		handle_init(t, call->target->home_option);
		status = target_prepare(&one,
		    CMD_NEEDS_SESSION | CMD_FINDS_DESTROYED);
	}
	return status;
}

static int
check_several(struct call *call)
{
	const struct args *a = call->args;

	if (a->any && a->all)
		return out_fail(call->out, FAIL_USAGE,
		    "give only one of --any and --all");
	if (call->argc > 0 && !a->any && !a->all)
		return out_fail(call->out, FAIL_USAGE,
		    "for which of %d sessions? give --any or --all",
		    call->argc + 1);
	if (a->pass_status && !a->exit && !a->command_done && has_condition(a))
		return out_fail(call->out, FAIL_USAGE,
		    "--pass-status needs --exit or --command-done");
	return 0;
}

/* ---------------------------------------------------------------- answer */

/* A wait and its command. */
struct waited {
	struct call *call;
	struct waiting in;
};

/*
 * The exit status of the ended session or command, as in shells; -1: unknown.
 */
static int
ended_with(const struct waiting_one *one)
{
	const json_t *code = json_object_get(one->result, "exit_code");
	const json_t *signo = json_object_get(one->result, "exit_signal");

	if (json_is_integer(signo))
		return SIGNALLED + (int)json_integer_value(signo);
	return json_is_integer(code) ? (int)json_integer_value(code) : -1;
}

static int
status_of(const struct waited *w)
{
	switch (waiting_end(&w->in)) {
	case WAITING_MATCHED:
		return 0;
	case WAITING_TIMED_OUT:
		return EXIT_UNDECIDED;
	case WAITING_ENDED:
		break;
	}
	return out_status(w->call->out, FAIL_NOT_RUNNING);
}

static bool
is_shown(const struct waited *w, size_t i)
{
	return waiting_shows(&w->in, &w->in.ones[i]);
}

/* Of several sessions, the first status that is not 0. */
static int
passed_status(const struct waited *w)
{
	int status = 0;

	for (size_t i = 0; i < w->in.n && status == 0; i++)
		if (is_shown(w, i))
			status = ended_with(&w->in.ones[i]);
	if (status >= 0)
		return status;
	if (!w->call->out->json)
		out_note(w->call->out, "the exit status is unknown");
	return out_status(w->call->out, FAIL_INTERNAL);
}

static void
put_tree(struct json_out *j, const json_t *tree)
{
	auto_free char *text = json_dumps(tree, JSON_COMPACT);

	json_out_json(j, text != NULL ? text : "null");
}

/* Print the match, for scripts; with several sessions after the name. */
static void
say_one(const struct waiting_one *one, bool several, struct buf *out)
{
	const char *text = json_string_value(
	    json_object_get(one->result, "text"));
	int status = ended_with(one);
	bool found = text != NULL || status >= 0;

	if (several)
		words_put_safe(out, handle_name(one->handle));
	if (several && found)
		buf_putc(out, '\t');
	if (text != NULL)
		words_put_lines(out, text);
	else if (status >= 0)
		buf_printf(out, "%d", status);
	if (several || found)
		buf_putc(out, '\n');
}

static void
say_found(const struct waited *w, bool several)
{
	for (size_t i = 0; i < w->in.n; i++)
		if (is_shown(w, i))
			say_one(&w->in.ones[i], several, &w->call->out->buf);
}

/* Report matches that do not count. */
static void
say_seen(const struct waited *w, const struct waiting_one *one)
{
	const char *seen = json_string_value(
	    json_object_get(one->result, "seen"));

	if (seen == NULL)
		return;
	if (strcmp(seen, "echo") == 0)
		out_note(w->call->out,
		    "only the echo of typed text matched; --echo counts it");
	else
		out_note(w->call->out,
		    "only lines older than --after matched; without --after "
		    "they count");
}

/* Earlier commands do not count, although users often expect it. */
static void
say_since(const struct waited *w, const json_t *unmet)
{
	const struct args *a = w->call->args;

	if (a->after == NULL && json_is_string(unmet) &&
	    strcmp(json_string_value(unmet), "command_done") == 0)
		out_note(w->call->out,
		    "only commands that end from now on count; --after SEQ "
		    "also counts those since that event");
}

/* Explain the timeout: show the screen down to its last line. */
static void
say_screen(const struct waited *w, const struct waiting_one *one)
{
	const json_t *screen = json_object_get(one->result, "screen");
	size_t n = json_array_size(screen);
	const json_t *unmet = json_object_get(one->result, "condition");

	out_note(w->call->out, "session %s: %s: not met: %s",
	    handle_name(one->handle),
	    waiting_timed_out(one) ? "timed out" : "it has ended",
	    json_is_string(unmet) ? json_string_value(unmet) : "?");
	say_seen(w, one);
	say_since(w, unmet);
	while (n > 0 && json_string_length(json_array_get(screen, n - 1)) == 0)
		n--;
	for (size_t i = 0; i < n; i++)
		out_note(w->call->out, "| %s",
		    json_string_value(json_array_get(screen, i)));
}

static int
answer(const struct waited *w, bool several)
{
	const struct args *a = w->call->args;
	int status = status_of(w), sent;
	struct json_out j;

	if (w->call->out->json) {
		out_begin(w->call->out, &j);
		if (several)
			waiting_json(&w->in, &j);
		else
			put_tree(&j, w->in.ones[0].result);
	} else if (status == 0) {
		say_found(w, several);
	} else {
		for (size_t i = 0; i < w->in.n; i++)
			if (!waiting_matched(&w->in.ones[i]))
				say_screen(w, &w->in.ones[i]);
	}
	if (status == 0 && a->pass_status)
		status = passed_status(w);
	sent = out_send(w->call->out);
	return sent != 0 ? sent : status;
}

static int
wait_for(struct call *call, struct others *others, json_t *args)
{
	const struct args *a = call->args;
	struct fault fault;
	struct waited w = {
		.call = call,
		.in = {
			.report = &call->out->report,
			.fault = &fault,
			.n = others->n + 1,
			.args = args,
			.any = a->any,
		},
	};
	int status;

	w.in.ones = xcalloc(w.in.n, sizeof(*w.in.ones));
	w.in.ones[0].handle = call->target;
	for (size_t i = 1; i < w.in.n; i++)
		w.in.ones[i].handle = &others->targets[i - 1];
	if (waiting_run(&w.in) < 0)
		status = out_fault(call->out, &fault);
	else
		status = answer(&w, a->any || a->all);
	for (size_t i = 0; i < w.in.n; i++)
		json_decref(w.in.ones[i].result);
	free(w.in.ones);
	return status;
}

static int
run(struct call *call)
{
	auto_json json_t *args = json_object();
	struct others others = { 0 };
	int status;

	status = check_several(call);
	if (status == 0)
		status = read_args(call, args);
	if (status == 0)
		status = find_others(call, &others);
	if (status == 0)
		status = wait_for(call, &others, args);
	for (size_t i = 0; i < others.n; i++)
		handle_finish(&others.targets[i]);
	free(others.targets);
	return status;
}

static bool
may_pass(const void *args)
{
	const struct args *a = args;

	return a->pass_status;
}

#define VALUE_USAGE(NAME, field, option, letter, value, ...) \
	"[--" option " " value "] "
#define FLAG_USAGE(NAME, field, option, ...) "[--" option "] "
#define CONDITIONS_USAGE \
	CONDITIONS(VALUE_USAGE, VALUE_USAGE, VALUE_USAGE, FLAG_USAGE, \
	    FLAG_USAGE)

const struct cmd cmd_wait = {
	.name = "wait",
	.usage = "[SESSION...] " CONDITIONS_USAGE
		 "[--seen] [--echo] [--after SEQ] [--timeout DURATION] "
		 "[--any] [--all] [--pass-status] [--json]",
	.summary = "wait until a session's screen shows something",
	.details =
	    "Without a condition, wait until the session ends, at most a week.\n"
	    "All conditions must hold at the same moment.  tend prints the\n"
	    "match: the text, or an exit status (--exit, --command-done).  The exit\n"
	    "status is 0 for a match, 11 after a timeout, 4 when the session has\n"
	    "ended and the conditions can no longer be met.  --pass-status gives\n"
	    "the exit status of the session or command instead of 0, and 125\n"
	    "instead of 4.\n"
	    "\n"
	    "With --after, only lines that appear after that event match; a line\n"
	    "that was there before does not, even when it is drawn again.  The\n"
	    "echo of typed text matches only with --echo.\n"
	    "\n"
	    "A DURATION is 500ms, 5s or 2m; a number alone is in milliseconds.\n"
	    "\n"
	    "  tend wait build --text 'tests passed' --timeout 5m\n"
	    "  seq=$(tend send sh --text ls --keys Enter --json | jq .result.seq)\n"
	    "  tend wait sh --after $seq --regex '\\$$' --stable 200ms\n"
	    "  status=$(tend wait a)\n"
	    "  tend wait a b c --any --exit\n"
	    "  status=$(tend wait a --exit --timeout 10m)\n"
	    "  tend wait a --exit --pass-status && echo well done\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_NEEDS_SESSION | CMD_NEWEST | CMD_FINDS_DESTROYED,
	.may_pass = may_pass,
	.run = run,
};
