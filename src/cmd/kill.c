#include "cmd/cmd.h"
#include "cmd/ending.h"
#include "cmd/operands.h"

static int
run(struct call *call)
{
	int status = operands_check(call, 0, 0, "");

	if (status == 0)
		status = ending_wait(call, "session.kill", "{}", 0);
	return status != 0 ? status : ending_answer(call);
}

const struct cmd cmd_kill = {
	.name = "kill",
	.usage = "SESSION [--json]",
	.summary = "end a session at once",
	.details =
	    "All processes of the session get SIGKILL.  'tend stop' lets them\n"
	    "tidy up first; 'tend signal' sends another signal.\n",
	.needs = CMD_NEEDS_SESSION | CMD_NEEDS_HOST,
	.run = run,
};
