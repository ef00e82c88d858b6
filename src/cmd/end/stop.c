#include "cmd/line/cmd.h"
#include "cmd/end/ending.h"
#include "cmd/line/operands.h"
#include "cmd/line/opt.h"
#include "home/ending.h"

struct args {
	const char *grace;
	bool interrupt;
};

static const struct opt options[] = {
	OPT_VALUE(struct args, grace, "grace", 'g', "DURATION",
	    "how long it may take before it is killed (5s)"),
	OPT_FLAG(struct args, interrupt, "interrupt", 'i',
	    "press Ctrl-C first"),
	{ 0 },
};

static int
run(struct call *call)
{
	const struct args *a = call->args;
	struct ending e = { .how = ENDING_STOP, .interrupt = a->interrupt };
	int status;

	status = operands_check(call, 0, 0, "");
	if (status == 0)
		status = ending_grace(call, a->grace, &e.grace_ms);
	return status != 0 ? status : ending_end(call, &e);
}

const struct cmd cmd_stop = {
	.name = "stop",
	.usage = "SESSION... [--grace DURATION] [--interrupt] [--json]",
	.summary = "ask a session's program to end, and see that it does",
	.details =
	    "All processes of the session, also those in the background (nohup,\n"
	    "setsid, daemons), get SIGHUP, SIGCONT and SIGTERM; what is left\n"
	    "after the grace is killed, sessions that were started from within\n"
	    "excepted.  Returns when it has ended.  Its log and last screen\n"
	    "stay.\n"
	    "\n"
	    "Several are stopped at once; there is a line for each, and the\n"
	    "status is the largest of theirs.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_NEEDS_SESSION | CMD_NEEDS_HOST | CMD_EACH,
	.run = run,
};
