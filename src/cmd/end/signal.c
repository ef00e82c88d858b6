#include <stdio.h>

#include "cmd/line/cmd.h"
#include "cmd/line/operands.h"
#include "cmd/line/out.h"
#include "cmd/target/target.h"
#include "home/words.h"

static int
run(struct call *call)
{
	char args[40];
	int signo, status;

	status = operands_check(call, 1, 1, "SIGNAL");
	if (status != 0)
		return status;
	signo = words_signal_number(call->argv[0]);
	if (signo < 0)
		return out_fail(call->out, FAIL_USAGE,
		    "unknown signal: %s; give a name or a number, as in INT, "
		    "SIGUSR1 or 15",
		    call->argv[0]);
	status = target_connect(call);
	if (status != 0)
		return status;
	snprintf(args, sizeof(args), "{\"signal\":%d}", signo);
	return target_request(call, "session.signal", args);
}

const struct cmd cmd_signal = {
	.name = "signal",
	.usage = "SESSION SIGNAL [--json]",
	.summary = "send a signal to a session's program",
	.details =
	    "SIGNAL is a name, with or without SIG, or a number.  tend sends it\n"
	    "to the foreground process group.\n",
	.needs = CMD_NEEDS_SESSION,
	.run = run,
};
