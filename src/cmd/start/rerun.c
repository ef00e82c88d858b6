#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/mem.h"
#include "cmd/line/cmd.h"
#include "home/damage.h"
#include "home/environment.h"
#include "cmd/line/operands.h"
#include "cmd/line/opt.h"
#include "cmd/line/out.h"
#include "cmd/start/starting.h"
#include "cmd/target/target.h"
#include "session/environ.h"

struct args {
	bool detached, nested;
	struct opt_list env;
};

static const struct opt options[] = {
	OPT_FLAG(struct args, detached, "detach", 'd',
	    "in the background; prints the new id"),
	OPT_FLAG(struct args, nested, "nested", 0,
	    "attach even on a terminal that is in a session itself"),
	OPT_LIST(struct args, env, "env", 'e', "KEY=VALUE",
	    "set a variable; may be repeated"),
	{ 0 },
};

static int
check_old(struct call *call)
{
	const struct handle *t = call->target;
	auto_close int cwd = -1;

	if (t->session.status == STATUS_DESTROYED)
		return out_fail(call->out, FAIL_NOT_FOUND,
		    "session %s was destroyed; start it anew with tend run",
		    handle_name(t));
	if (status_is_active(t->session.status))
		return out_fail(call->out, FAIL_EXISTS,
		    "session %s is still %s; attach to it, or end it first with"
		    " tend stop %s",
		    handle_name(t), status_name(t->session.status),
		    t->session.id);
	if (t->session.suspect)
		return out_fail(call->out, FAIL_REPLAY,
		    "session %s: session.json is damaged, so that its command "
		    "may be another; start it anew with tend run",
		    handle_name(t));
	cwd = open(t->session.cwd, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (cwd < 0)
		return out_fail(call->out, FAIL_INPUT,
		    "cannot run in %s any more: %s; make that directory, or "
		    "start it elsewhere with tend run -C DIR",
		    t->session.cwd, strerror(errno));
	return 0;
}

/*
 * The environment it had, or ours if that was not to be kept; then what -e
 * says.  NULL after the failure was reported, *status being its exit status.
 */
static char **
make_environment(struct call *call, const struct args *a, int *status)
{
	extern char **environ;
	auto_free const char **settings = opt_list_values(&a->env);
	const struct handle *t = call->target;
	struct error err = { 0 };
	char **kept = NULL, **env;

	if (!t->session.forget_env) {
		kept = environ_read(t->dirfd, t->session.environ_crc, &err);
		if (kept == NULL && err.code == EBADMSG) {
			*status = out_fail(call->out, FAIL_REPLAY,
			    "session %s: %s; start it anew with tend run",
			    handle_name(t), err.msg);
			return NULL;
		}
		if (kept == NULL)
			out_note(call->out, "%s; it gets the one here",
			    err.msg);
	}
	env = environment_create(kept != NULL ? kept : environ, settings, &err);
	environ_destroy(kept);
	if (env == NULL)
		*status = out_fail(call->out, FAIL_USAGE, "%s", err.msg);
	return env;
}

/* From now on the target is the new session, still to be started. */
static void
replace_target(struct handle *t)
{
	struct manifest new;

	manifest_copy_plan(&new, &t->session);
	memcpy(new.rerun_of, t->session.id, sizeof(new.rerun_of));
	manifest_finish(&t->session);
	t->session = new;
	fd_close(&t->dirfd);
}

static int
run(struct call *call)
{
	const struct args *a = call->args;
	struct error err = { 0 };
	char **env;
	int status, rc;

	status = operands_check(call, 0, 0, "");
	if (status == 0)
		status = starting_check(call, a->detached, a->nested);
	if (status == 0)
		status = check_old(call);
	if (status != 0)
		return status;
	env = make_environment(call, a, &status);
	if (env == NULL)
		return status;
	damage_look(&call->out->report, &call->target->session,
	    call->target->dirfd, DAMAGE_DETAIL);
	replace_target(call->target);
	rc = starting_launch(call, env, &err);
	environment_destroy(env);
	if (rc < 0)
		return starting_fail(call, rc, &err);
	return starting_answer(call, a->detached, a->nested);
}

const struct cmd cmd_rerun = {
	.name = "rerun",
	.usage = "SESSION [-d] [-e KEY=VALUE]... [--json]",
	.summary = "start the program of an ended session again",
	.details =
	    "A new session with the command, directory, environment, name,\n"
	    "size, labels and settings of the old one: after a reboot, or when\n"
	    "the program has ended.  The old one keeps its log; the new one has\n"
	    "its id as 'rerun_of'.  Damage in that log is told; it is no reason\n"
	    "not to start, but with -d the status is 10 then.\n"
	    "\n"
	    "The exit status is that of 'tend run'.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_NEEDS_SESSION | CMD_FINDS_DESTROYED | CMD_READS_CONFIG,
	.passes_status = true,
	.run = run,
};
