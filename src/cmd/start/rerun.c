#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "cmd/line/cmd.h"
#include "cmd/line/operands.h"
#include "cmd/line/opt.h"
#include "cmd/line/out.h"
#include "cmd/start/starting.h"
#include "cmd/target/target.h"
#include "home/fault.h"
#include "home/rerun.h"

struct args {
	bool detached, nested;
	struct opt_list env;
};

static const struct opt options[] = {
	OPT_FLAG(struct args, detached, "detach", 'd',
	    "start in the background and print the new id"),
	OPT_FLAG(struct args, nested, "nested", 0,
	    "attach even inside another session"),
	OPT_LIST(struct args, env, "env", 'e', "KEY=VALUE",
	    "set a variable; may be repeated"),
	{ 0 },
};

static int
run(struct call *call)
{
	extern char **environ;
	const struct args *a = call->args;
	auto_free const char **env = opt_list_values(&a->env);
	const struct rerun q = { env, environ };
	struct fault f;
	int status;

	status = operands_check(call, 0, 0, "");
	if (status == 0)
		status = starting_check(call, a->detached, a->nested);
	if (status != 0)
		return status;
	if (rerun_session(call->target, &q, call->config, &call->out->report,
		&f) < 0)
		return out_fault(call->out, &f);
	return starting_answer(call, a->detached, a->nested);
}

const struct cmd cmd_rerun = {
	.name = "rerun",
	.usage = "SESSION [-d] [-e KEY=VALUE]... [--json]",
	.summary = "run the program of an ended session again",
	.details =
	    "Start a new session with the command, directory, environment, name,\n"
	    "size, labels and settings of the old one.  Use it after a reboot, or\n"
	    "when the program has ended.  The old session keeps its log; the new\n"
	    "one has its id as 'rerun_of'.  If that log is damaged, tend reports\n"
	    "it and still starts the session; with -d the exit status is then 10.\n"
	    "\n"
	    "The exit status is that of 'tend run'.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_NEEDS_SESSION | CMD_FINDS_DESTROYED | CMD_READS_CONFIG,
	.passes_status = true,
	.run = run,
};
