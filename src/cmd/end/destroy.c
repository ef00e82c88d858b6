#include "cmd/end/ending.h"
#include "cmd/line/cmd.h"
#include "cmd/line/confirm.h"
#include "cmd/line/operands.h"
#include "cmd/line/opt.h"
#include "home/ending.h"

struct args {
	const char *grace;
	bool purge, yes;
};

static const struct opt options[] = {
	OPT_VALUE(struct args, grace, "grace", 'g', "DURATION",
	    "time for its processes to end before tend kills them (5s)"),
	OPT_FLAG(struct args, purge, "purge", 0,
	    "also remove its files, including the log"),
	CONFIRM_OPTION(struct args),
	{ 0 },
};

/* A destroyed session can be read until gc; a purged one is lost. */
static int
ask(struct call *call)
{
	const struct args *a = call->args;

	if (!a->purge)
		return 0;
	return confirm_sessions(call, a->yes,
	    "permanently remove, including logs:");
}

static int
run(struct call *call)
{
	const struct args *a = call->args;
	struct ending e = { .how = ENDING_DESTROY, .purge = a->purge };
	int status;

	status = operands_check(call, 0, 0, "");
	if (status == 0)
		status = ending_grace(call, a->grace, &e.grace_ms);
	return status != 0 ? status : ending_end(call, &e);
}

const struct cmd cmd_destroy = {
	.name = "destroy",
	.usage = "SESSION... [--grace DURATION] [--purge] [-y] [--json]",
	.summary = "stop a session and remove it from the list",
	.details =
	    "Stop the session if it runs, as 'tend stop' does, and free its name.\n"
	    "'tend ls' no longer shows it.  'tend ls -a' shows it until 'tend gc'\n"
	    "removes its files, and commands that only read find it by its full\n"
	    "id.  --purge removes the files now, and asks first on a terminal.\n"
	    "\n"
	    "Several sessions are destroyed in parallel, one line each;\n"
	    "tend exits with the largest exit status.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_NEEDS_SESSION | CMD_FINDS_DESTROYED | CMD_EACH,
	.ask = ask,
	.run = run,
};
