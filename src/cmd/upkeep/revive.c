#include "cmd/line/cmd.h"
#include "cmd/line/operands.h"
#include "cmd/line/out.h"
#include "cmd/upkeep/succession.h"
#include "cmd/target/target.h"

/* Those whom no other host would help are told what does. */
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
		    "session %s has lost its keeper, which nothing brings "
		    "back; it lives on until its program ends, and can be used "
		    "and stopped as before",
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
	    "Some output has crashed the terminal engine, and it is left out, or\n"
	    "the session has no engine any more: 'tend info' says so.  This starts\n"
	    "the session's host anew, with an engine, and forgets the crashes; the\n"
	    "program goes on and is asked to draw its screen.  If an update of tend\n"
	    "mended the engine, 'tend upgrade' does the same with that.\n",
	.needs = CMD_NEEDS_SESSION,
	.run = run,
};
