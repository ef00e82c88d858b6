#include "cmd/end/ending.h"
#include "cmd/line/cmd.h"
#include "cmd/line/operands.h"
#include "cmd/line/opt.h"
#include "home/ending.h"

struct args {
	const char *grace;
	bool interrupt;
};

static const struct opt options[] = {
	OPT_VALUE(struct args, grace, "grace", 'g', "DURATION",
	    "time for its processes to end before tend kills them (5s)"),
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
	.summary = "stop a session",
	.details =
	    "tend sends SIGHUP, SIGCONT and SIGTERM to all processes of the\n"
	    "session, including those in the background (nohup, setsid, daemons).\n"
	    "After the grace period it kills those that are left.  Sessions started\n"
	    "from inside this session keep running.  tend returns when the session\n"
	    "has ended.  The log and the last screen remain.\n"
	    "\n"
	    "Several sessions are stopped in parallel, one line each;\n"
	    "tend exits with the largest exit status.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_NEEDS_SESSION | CMD_NEEDS_HOST | CMD_EACH,
	.run = run,
};
