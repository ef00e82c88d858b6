#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "cmd/line/cmd.h"
#include "cmd/line/operands.h"
#include "cmd/line/opt.h"
#include "cmd/line/out.h"
#include "cmd/start/starting.h"
#include "cmd/target/target.h"
#include "home/create.h"
#include "home/fault.h"
#include "home/units.h"

struct args {
	bool detached, attach_if_there, durable, forget_env, nested,
	    no_integration, confined;
	const char *name, *cwd, *size, *input, *resize, *max_log, *log_input,
	    *idle_timeout, *linger, *scrollback, *memory, *pids, *cpu_weight,
	    *restart;
	struct opt_list env, labels, may;
};

static const struct opt options[] = {
	OPT_FLAG(struct args, detached, "detach", 'd',
	    "start in the background and print the id"),
	OPT_VALUE(struct args, name, "name", 'n', "NAME",
	    "name of the session (the command's, with -2, -3 if taken)"),
	OPT_FLAG(struct args, attach_if_there, "attach", 'A',
	    "attach to the session of that name if it exists"),
	OPT_VALUE(struct args, cwd, "cwd", 'C', "DIR",
	    "directory to run in (this one)"),
	OPT_LIST(struct args, env, "env", 'e', "KEY=VALUE",
	    "set a variable; may be repeated"),
	OPT_FLAG(struct args, forget_env, "forget-env", 0,
	    "do not store the environment for 'tend rerun'"),
	OPT_VALUE(struct args, size, "size", 's', "COLSxROWS",
	    "terminal size (that of this terminal, or 80x24)"),
	OPT_LIST(struct args, labels, "label", 'l', "KEY=VALUE",
	    "add a label; may be repeated"),
	OPT_CHOICE(struct args, input, "input", 0, "POLICY", "input_policy",
	    "shared (all clients type, the default) or lease (one)"),
	OPT_CHOICE(struct args, resize, "resize", 0, "POLICY", "size_policy",
	    "follow the smallest (the default), latest or largest client, or fixed"),
	OPT_FLAG(struct args, nested, "nested", 0,
	    "attach even inside another session"),
	OPT_FLAG(struct args, no_integration, "no-integration", 0,
	    "do not add prompt marks to the shell (see tend-exec)"),
	OPT_FLAG(struct args, durable, "durable", 0,
	    "sync the log to disk before acknowledging input"),
	OPT_VALUE(struct args, max_log, "max-log", 0, "SIZE",
	    "maximum size of the log (256M); at least 8M"),
	OPT_CHOICE(struct args, log_input, "log-input", 0, "WHAT", "log_input",
	    "log all input (the default), only its lengths, or none"),
	OPT_VALUE(struct args, idle_timeout, "idle-timeout", 0, "DURATION",
	    "stop the session after this long without input and output"),
	OPT_VALUE(struct args, linger, "linger-output", 0, "DURATION",
	    "log output for this long after the exit (10s)"),
	OPT_VALUE(struct args, scrollback, "scrollback", 0, "LINES",
	    "lines above the screen to keep in memory (2000)"),
	OPT_CHOICE(struct args, restart, "restart", 0, "POLICY",
	    "restart_policy",
	    "restart the program: never (the default), on-failure, always"),
	OPT_VALUE(struct args, memory, "memory", 0, "SIZE",
	    "memory limit, as in 2G; needs cgroup2"),
	OPT_VALUE(struct args, pids, "pids", 0, "COUNT",
	    "maximum number of processes; needs cgroup2"),
	OPT_VALUE(struct args, cpu_weight, "cpu-weight", 0, "WEIGHT",
	    "share of busy processors, 1 to 10000 (100)"),
	OPT_FLAG(struct args, confined, "confined", 0,
	    "let its programs use only sessions that they create"),
	OPT_LIST(struct args, may, "may", 0, "GRANT",
	    "confine the session, but allow PERMISSION:NAMES; may be repeated"),
	{ 0 },
};

/* Without --size use this terminal's size, if the session is attached to it. */
static int
read_size(struct call *call, const struct args *a, struct create *q)
{
	struct winsize ws;
	struct error err;

	if (a->size != NULL) {
		if (units_dims(a->size, &q->cols, &q->rows, &err) < 0)
			return out_fail(call->out, FAIL_USAGE, "--size %s",
			    err.msg);
	} else if (!a->detached && ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) == 0 &&
	    ws.ws_col >= 2 && ws.ws_row >= 1) {
		q->cols = ws.ws_col;
		q->rows = ws.ws_row;
	}
	return 0;
}

static struct create
request(const struct args *a, char **command, const char **env,
    const char **labels, const char **may)
{
	extern char **environ;

	return (struct create){
		.command = command,
		.from = environ,
		.env = env,
		.labels = labels,
		.may = may,
		.name = a->name,
		.cwd = a->cwd,
		.input = a->input,
		.resize = a->resize,
		.log_input = a->log_input,
		.restart = a->restart,
		.max_log = a->max_log,
		.idle_timeout = a->idle_timeout,
		.linger_output = a->linger,
		.scrollback = a->scrollback,
		.memory = a->memory,
		.pids = a->pids,
		.cpu_weight = a->cpu_weight,
		.durable = a->durable,
		.forget_env = a->forget_env,
		.no_integration = a->no_integration,
		.confined = a->confined,
		.reuse = a->attach_if_there,
	};
}

static int
check(struct call *call, const struct args *a)
{
	if (a->attach_if_there && a->name == NULL)
		return out_fail(call->out, FAIL_USAGE,
		    "-A needs a name; give it with -n NAME");
	return starting_check(call, a->detached, a->nested);
}

/* The session with this name may be the wanted one. */
static int
fail(struct call *call, const struct args *a, const struct fault *f)
{
	if (f->failure != FAIL_EXISTS || a->name == NULL || a->attach_if_there)
		return out_fault(call->out, f);
	if (f->status != 0)
		call->out->failure_status = f->status;
	return out_fail(call->out, FAIL_EXISTS,
	    "%s; 'tend attach %s' attaches to it, -A uses it", f->msg, a->name);
}

static int
run(struct call *call)
{
	const struct args *a = call->args;
	auto_free char **command = operands_list(call);
	auto_free const char **env = opt_list_values(&a->env);
	auto_free const char **labels = opt_list_values(&a->labels);
	auto_free const char **may = opt_list_values(&a->may);
	struct create q = request(a, command, env, labels, may);
	struct fault f;
	int status = check(call, a);

	if (status == 0)
		status = read_size(call, a, &q);
	if (status != 0)
		return status;
	if (create_session(call->target, &q, call->config, &call->out->report,
		&f) < 0)
		return fail(call, a, &f);
	return starting_answer(call, a->detached, a->nested);
}

const struct cmd cmd_run = {
	.name = "run",
	.usage =
	    "[-d] [-n NAME] [-A] [-C DIR] [-e KEY=VALUE]... "
	    "[--size COLSxROWS]\n"
	    "            [--label KEY=VALUE]... [--] [COMMAND [ARGUMENT...]]",
	.summary = "start a program in a new session and attach",
	.details =
	    "Without COMMAND, tend starts $SHELL.  Everything from COMMAND on is\n"
	    "passed to the program.  The session keeps running when you detach\n"
	    "(C-] d) or close the terminal; 'tend attach' attaches again.\n"
	    "\n"
	    "The exit status is the program's when it ends (128+n after signal\n"
	    "n), 0 after detaching, 127 when the program does not exist, 126 when\n"
	    "it cannot be run, 125 when tend itself fails.\n"
	    "\n"
	    "The log stores typed input.  For passwords it stores only the length:\n"
	    "those read without echo, and those typed at a prompt such as\n"
	    "Password:, PIN: or Token:, also behind ssh.  tend cannot recognise a\n"
	    "secret that a program behind ssh or tmux reads without such a prompt,\n"
	    "or one typed before its prompt; --log-input lengths or none keeps\n"
	    "such input out of the log.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_READS_CONFIG,
	.before_program = true,
	.passes_status = true,
	.run = run,
};
