#include "cmd/line/cmd.h"
#include "cmd/line/operands.h"
#include "cmd/target/target.h"
#include "cmd/upkeep/replacing.h"
#include "home/fault.h"
#include "home/next_host.h"

static int
run(struct call *call)
{
	int rc, status = operands_check(call, 0, 0, "");
	struct next_host n;
	struct fault f;

	if (status != 0)
		return status;
	rc = next_host_revive_one(&n, call->target, &f);
	return replacing_answer(call, rc, &n, &f);
}

const struct cmd cmd_revive = {
	.name = "revive",
	.usage = "SESSION [--json]",
	.summary = "restart the engine of a degraded session",
	.details =
	    "Use this when output has crashed the terminal engine and 'tend info'\n"
	    "calls the session degraded: part of the output is not shown, or there\n"
	    "is no screen.  tend restarts the host with an engine and forgets the\n"
	    "crashes; the program keeps running and is asked to redraw its screen.\n"
	    "If an update of tend has fixed the engine, use 'tend upgrade'.\n",
	.needs = CMD_NEEDS_SESSION,
	.run = run,
};
