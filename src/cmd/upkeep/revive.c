#include "cmd/line/cmd.h"
#include "cmd/line/operands.h"
#include "cmd/line/out.h"
#include "cmd/upkeep/succession.h"
#include "cmd/target/target.h"

/* If a new host would not help, the error says what does. */
static int
check(struct call *call)
{
	const struct handle *t = call->target;
	const char *name = handle_name(t);

	if (!status_is_active(t->session.status))
		return out_fail(call->out, FAIL_NOT_RUNNING,
		    "session %s has ended; 'tend rerun %s' starts it again",
		    name, name);
	if (t->session.unkept)
		return out_fail(call->out, FAIL_UNREACHABLE,
		    "session %s has lost its keeper and cannot be revived; it "
		    "keeps running until its program ends, and you can use and "
		    "stop it as before",
		    name);
	return 0;
}

static int
run(struct call *call)
{
	struct succession s;
	int status = operands_check(call, 0, 0, "");

	if (status == 0)
		status = check(call);
	if (status != 0)
		return status;
	succession_make(call->target->dirfd, "session.revive", -1, &s);
	return succession_answer(call, &s);
}

const struct cmd cmd_revive = {
	.name = "revive",
	.usage = "SESSION [--json]",
	.summary = "give a degraded session its screen back",
	.details =
	    "Use this when output has crashed the terminal engine and 'tend info'\n"
	    "calls the session degraded: part of the output is not shown, or there\n"
	    "is no screen.  tend restarts the host with an engine and forgets the\n"
	    "crashes; the program keeps running and is asked to redraw its screen.\n"
	    "If an update of tend has fixed the engine, use 'tend upgrade'.\n",
	.needs = CMD_NEEDS_SESSION,
	.run = run,
};
