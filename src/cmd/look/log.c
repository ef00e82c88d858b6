#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "cmd/line/cmd.h"
#include "cmd/line/operands.h"
#include "cmd/line/opt.h"
#include "cmd/line/out.h"
#include "cmd/target/target.h"
#include "home/fault.h"
#include "home/output.h"

struct args {
	bool follow, text, raw, events;
	const char *from, *to, *lines;
};

static const struct opt options[] = {
	OPT_FLAG(struct args, follow, "follow", 'f',
	    "keep printing until the session ends"),
	OPT_VALUE(struct args, lines, "lines", 'n', "COUNT",
	    "print only the last COUNT lines"),
	OPT_FLAG(struct args, text, "text", 0,
	    "print lines as a terminal shows them (the default)"),
	OPT_FLAG(struct args, raw, "raw", 0, "print every byte unchanged"),
	OPT_FLAG(struct args, events, "events", 0,
	    "print all events, one JSON object per line"),
	OPT_VALUE(struct args, from, "from", 0, "WHEN",
	    "begin at this moment (the start)"),
	OPT_VALUE(struct args, to, "to", 0, "WHEN",
	    "stop at this moment (the end)"),
	{ 0 },
};

/* A closed pipe, as with head, is not an error. */
static int
flush(void *arg)
{
	struct call *call = arg;

	signal(SIGPIPE, SIG_DFL);
	return out_flush(call->out);
}

/* Wait until the log may have grown or the reader closes standard output. */
static bool
wait_for_more(void *arg, int fd, int ms)
{
	struct pollfd p[] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = STDOUT_FILENO },
	};

	(void)arg;
	return poll(p, 2, ms) <= 0 || !(p[1].revents & (POLLERR | POLLHUP));
}

static int
check(struct call *call, const struct args *a)
{
	int status = operands_check(call, 0, 0, "");

	if (status == 0 && a->text + a->raw + a->events > 1)
		status = out_fail(call->out, FAIL_USAGE,
		    "give only one of --text, --raw and --events");
	if (status == 0 && a->raw && call->out->json)
		status = out_fail(call->out, FAIL_USAGE,
		    "give only one of --raw and --json");
	if (status == 0 && a->lines != NULL && a->from != NULL)
		status = out_fail(call->out, FAIL_USAGE,
		    "give only one of --lines and --from");
	return status;
}

static enum output_form
form(const struct call *call, const struct args *a)
{
	if (a->raw)
		return OUTPUT_RAW;
	if (a->events || (call->out->json && !a->text))
		return OUTPUT_EVENTS;
	return OUTPUT_TEXT;
}

static int
run(struct call *call)
{
	const struct args *a = call->args;
	const struct output q = {
		.form = form(call, a),
		.from = a->from,
		.to = a->to,
		.lines = a->lines,
		.follow = a->follow,
	};
	const struct output_to to = { &call->out->buf, flush, wait_for_more,
		call, NULL };
	struct fault f;
	int status = check(call, a);

	if (status == 0)
		status = output_run(call->target, &q, &to, &call->out->report,
		    &f);
	return status < 0 ? out_fault(call->out, &f) : status;
}

const struct cmd cmd_log = {
	.name = "log",
	.usage = "[SESSION] [-f] [-n COUNT] [--text|--raw|--events] "
		 "[--from WHEN]\n"
		 "            [--to WHEN]",
	.summary = "show a session's output and events",
	.details =
	    "Without SESSION, show the session this is typed in, otherwise the\n"
	    "newest.  tend reads the session's files, so this works for running and\n"
	    "ended sessions, and includes lines that have left the screen.  It\n"
	    "reports missing parts on standard error; the exit status is then 10.\n"
	    "--json is the same as --events.  -n reads only as much of the log as\n"
	    "it needs.\n"
	    "\n"
	    "WHEN is a seq (120), a byte offset (@4096), a time since the start\n"
	    "(12.5s), a time ago (-5m; for an ended session, before its end), a\n"
	    "date (2026-11-15T23:51:55Z; without the Z, local time), a local time\n"
	    "(23:51 or 23:51:55, its most recent occurrence), or mark:NAME.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_NEEDS_SESSION | CMD_NEWEST | CMD_FINDS_DESTROYED,
	.run = run,
};
