#include "cmd/end/ending.h"
#include "cmd/line/cmd.h"
#include "cmd/line/confirm.h"
#include "cmd/line/operands.h"
#include "cmd/line/opt.h"
#include "home/ending.h"

struct args {
	bool yes;
};

static const struct opt options[] = {
	CONFIRM_OPTION(struct args),
	{ 0 },
};

/* A single session, since it was named, needs no confirmation. */
static int
ask(struct call *call)
{
	const struct args *a = call->args;

	return call->argc < 2 ? 0 : confirm_sessions(call, a->yes, "kill");
}

static int
run(struct call *call)
{
	const struct ending e = { .how = ENDING_KILL };
	int status = operands_check(call, 0, 0, "");

	return status != 0 ? status : ending_end(call, &e);
}

const struct cmd cmd_kill = {
	.name = "kill",
	.usage = "SESSION... [-y] [--json]",
	.summary = "end a session at once",
	.details =
	    "tend sends SIGKILL to all processes of the session, including those\n"
	    "in the background (nohup, setsid, daemons).  'tend stop' gives them\n"
	    "time to clean up; 'tend signal' sends another signal.\n"
	    "\n"
	    "Several sessions are killed in parallel, one line each;\n"
	    "tend exits with the largest exit status.  On a terminal, it asks\n"
	    "before it kills several.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_NEEDS_SESSION | CMD_NEEDS_HOST | CMD_EACH,
	.ask = ask,
	.run = run,
};
