#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json_out.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "cmd/line/cmd.h"
#include "cmd/line/opt.h"
#include "cmd/line/out.h"
#include "cmd/target/target.h"
#include "home/units.h"
#include "op/ops.h"
#include "shell/integration.h"

#define EXIT_SIGNAL 128
#define SLOW_MS 10000
#define SHOWN_MAX 60 /* bytes of the command in messages */

struct args {
	const char *timeout, *max_output, *key;
};

static const struct opt options[] = {
	OPT_VALUE(struct args, timeout, "timeout", 't', "DURATION",
	    "stop waiting after this long; a number alone is ms"),
	OPT_VALUE(struct args, max_output, "max-output", 0, "SIZE",
	    "maximum size of the output (1M; at most 2M)"),
	OPT_VALUE(struct args, key, "key", 0, "KEY",
	    "act at most once for this key, even if the command is repeated"),
	{ 0 },
};

/* The most bytes of a command. */
static size_t
longest(void)
{
	return (size_t)op_range("session.exec", "command").most;
}

/* A single word is shell text; several words are quoted one by one. */
static char *
join_words(const struct call *call)
{
	struct buf b;

	buf_init(&b, longest());
	for (int i = 0; i < call->argc; i++) {
		if (i > 0)
			buf_putc(&b, ' ');
		if (call->argc == 1)
			buf_puts(&b, call->argv[i]);
		else
			shell_quote(&b, call->argv[i]);
	}
	if (b.full) {
		buf_finish(&b);
		return NULL;
	}
	return buf_take(&b);
}

static int
put_limits(struct call *call, struct json_out *j)
{
	const struct args *a = call->args;
	struct error err;
	uint64_t n;

	if (a->timeout != NULL) {
		if (units_duration(a->timeout, &n, &err) < 0)
			return out_fail(call->out, FAIL_USAGE, "--timeout: %s",
			    err.msg);
		if (n < 1000000)
			return out_fail(call->out, FAIL_USAGE,
			    "--timeout %s is too short; the minimum is 1ms",
			    a->timeout);
		json_out_key(j, "timeout_ms");
		json_out_number(j, n / 1000000);
	}
	if (a->max_output != NULL) {
		if (units_size(a->max_output, &n, &err) < 0)
			return out_fail(call->out, FAIL_USAGE,
			    "--max-output: %s", err.msg);
		json_out_key(j, "max_output");
		json_out_number(j, n);
	}
	return 0;
}

/* The arguments of the request; NULL and *status after a failure. */
static char *
make_request(struct call *call, int *status)
{
	auto_free char *command = join_words(call);
	const struct args *a = call->args;
	struct json_out j;
	struct buf b;

	if (command == NULL) {
		*status = out_fail(call->out, FAIL_USAGE,
		    "the command is longer than %zu KiB", longest() >> 10);
		return NULL;
	}
	if (!utf8_valid(command, strlen(command))) {
		*status = out_fail(call->out, FAIL_USAGE,
		    "the command is not UTF-8");
		return NULL;
	}
	buf_init(&b, SIZE_MAX); /* the words are limited */
	json_out_init(&j, &b);
	json_out_open(&j, '{');
	json_out_key(&j, "command");
	json_out_text(&j, command);
	if (a->key != NULL)
		json_put_text(&j, "key", a->key);
	*status = put_limits(call, &j);
	json_out_close(&j, '}');
	if (*status != 0) {
		buf_finish(&b);
		return NULL;
	}
	return buf_take(&b);
}

/* The exit status is that of the command. */
static int
status_of(struct call *call, const json_t *result)
{
	const json_t *code = json_object_get(result, "exit_code");
	const json_t *signo = json_object_get(result, "exit_signal");

	if (json_is_true(json_object_get(result, "timed_out"))) {
		if (!call->out->json)
			out_note(call->out,
			    "timed out; the command keeps running in session %s",
			    handle_name(call->target));
		return EXIT_UNDECIDED;
	}
	if (json_is_integer(code))
		return (int)json_integer_value(code);
	if (json_is_integer(signo))
		return EXIT_SIGNAL + (int)json_integer_value(signo);
	if (!call->out->json)
		out_note(call->out, "the shell ended before the command");
	return call->out->failure_status;
}

static int
answer(struct call *call, const char *text, const json_t *result)
{
	const json_t *output = json_object_get(result, "output");
	struct json_out j;
	int status;

	if (call->out->json) {
		out_begin(call->out, &j);
		json_out_json(&j, text);
	} else if (json_is_string(output)) {
		buf_append(&call->out->buf, json_string_value(output),
		    json_string_length(output));
	}
	if (!call->out->json &&
	    json_is_true(json_object_get(result, "truncated")))
		out_note(call->out,
		    "the output was cut; the log has all of it from @%lld",
		    (long long)json_integer_value(
			json_object_get(result, "offset")));
	status = out_send(call->out);
	return status != 0 ? status : status_of(call, result);
}

/* Explain the delay, because the command may seem to hang. */
static void
on_slow(void *arg)
{
	const struct call *call = arg;
	auto_free char *command = join_words(call);
	size_t len = strcspn(command, "\n"), most = SHOWN_MAX;
	bool cut = command[len] != '\0' || len > most;

	while (len > most && ((unsigned char)command[most] & 0xC0) == 0x80)
		most--;
	command[len < most ? len : most] = '\0';
	out_note(call->out,
	    "still waiting for \"%s%s\" in session %s (%d s); C-c "
	    "stops waiting, and the command keeps running",
	    command, cut ? "..." : "", handle_name(call->target),
	    SLOW_MS / 1000);
}

static int
run(struct call *call)
{
	auto_free char *args = NULL, *text = NULL;
	auto_json json_t *result = NULL;
	struct error err;
	int status = 0;

	if (call->argc == 0)
		return out_fail(call->out, FAIL_USAGE,
		    "no command; give it after --, as in: tend exec %s -- ls",
		    handle_name(call->target));
	if (call->before_dashes > 1)
		return out_fail(call->out, FAIL_USAGE,
		    "unexpected argument: %s; give the command after --",
		    call->argv[0]);
	args = make_request(call, &status);
	if (args == NULL)
		return status;
	status = target_connect(call);
	call->target->conn.timeout_ms = CONN_NO_LIMIT; /* the host has one */
	call->target->conn.slow_ms = call->out->json ? 0 : SLOW_MS;
	call->target->conn.on_slow = on_slow;
	call->target->conn.slow_arg = call;
	if (status == 0)
		status = target_ask(call, "session.exec", args, &text);
	if (status != 0)
		return status;
	result = json_tree_read(text, strlen(text), &err);
	if (result == NULL)
		return out_fail(call->out, FAIL_PROTOCOL, "%s", err.msg);
	return answer(call, text, result);
}

const struct cmd cmd_exec = {
	.name = "exec",
	.usage = "SESSION [--timeout DURATION] [--max-output SIZE] [--key KEY] "
		 "[--json] -- COMMAND...",
	.summary = "run a command in a session's shell",
	.details =
	    "tend types the command at the shell's prompt, prints its output when\n"
	    "it has ended, and exits with its exit status.  A single argument is\n"
	    "text for the shell; several arguments are one word each:\n"
	    "\n"
	    "  tend exec build -- 'cd src && make 2>&1 | tail'\n"
	    "  tend exec build -- grep -r 'two words' .\n"
	    "\n"
	    "A shell started by tend marks its prompts, so tend knows the output\n"
	    "of a command exactly.  In other shells, such as behind ssh, tend wraps\n"
	    "the command ('capture' is then best-effort).  If a signal ends the\n"
	    "shell, the exit status is 128+n.\n"
	    "\n"
	    "Without --timeout there is no time limit; after 10 seconds tend prints\n"
	    "once, on standard error, what it waits for, unless --json is given.\n"
	    "After a timeout the exit status is 11 and the command keeps running.\n"
	    "tend's own failures are 125.\n"
	    "\n"
	    "--key makes it safe to repeat an exec that got no answer: the shell\n"
	    "runs the command at most once, and tend gives the first answer again.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_NEEDS_SESSION,
	.passes_status = true,
	.run = run,
};
