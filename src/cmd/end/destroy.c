#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "cmd/line/cmd.h"
#include "cmd/line/confirm.h"
#include "cmd/end/ending.h"
#include "cmd/line/operands.h"
#include "cmd/line/opt.h"
#include "cmd/line/out.h"
#include "cmd/target/target.h"

struct args {
	const char *grace;
	bool purge, yes;
};

static const struct opt options[] = {
	OPT_VALUE(struct args, grace, "grace", 'g', "DURATION",
	    "how long it may take to end before it is killed (5s)"),
	OPT_FLAG(struct args, purge, "purge", 0,
	    "also remove its files, log and all"),
	CONFIRM_OPTION(struct args),
	{ 0 },
};

/* What is destroyed can be read until gc; what is purged is gone. */
static int
ask(struct call *call)
{
	const struct args *a = call->args;

	if (!a->purge)
		return 0;
	return confirm_sessions(call, a->yes, "remove for good, log and all:");
}

static int
end(struct call *call, const struct args *a)
{
	uint32_t grace_ms;
	char args[40];
	int status;

	status = ending_grace(call, a->grace, &grace_ms);
	if (status == 0)
		status = target_connect(call);
	if (status != 0)
		return status;
	snprintf(args, sizeof(args), "{\"grace_ms\":%" PRIu32 "}", grace_ms);
	return ending_wait(call, "session.destroy", args, grace_ms);
}

/* It has no host any more: its end is ours to write. */
static int
write_end(struct call *call)
{
	struct handle *t = call->target;
	struct error err;

	t->session.status = STATUS_DESTROYED;
	if (manifest_write(t->dirfd, &t->session, true, &err) < 0)
		return out_fail(call->out, FAIL_STORAGE, "%s", err.msg);
	name_release(&t->home, t->session.name, t->session.id);
	return 0;
}

/* One whose host died over it is active, and yet there is nobody to ask. */
static bool
is_half_done(const struct manifest *m)
{
	return m->status == STATUS_DESTROYING && m->keeper.pid == 0 &&
	    m->host.pid == 0;
}

/* A gc may have been faster. */
static int
purge(struct call *call)
{
	struct handle *t = call->target;
	struct error err;
	int rc = home_remove_session(&t->home, t->session.id, &err);

	if (rc < 0 && rc != -ENOENT)
		return out_fail(call->out, FAIL_STORAGE, "%s", err.msg);
	return 0;
}

static int
run(struct call *call)
{
	const struct args *a = call->args;
	struct handle *t = call->target;
	int status;

	status = operands_check(call, 0, 0, "");
	if (status == 0 && status_is_active(t->session.status) &&
	    !is_half_done(&t->session))
		status = end(call, a);
	if (status == 0)
		status = target_wait_gone(call);
	if (status == 0 && t->session.status != STATUS_DESTROYED)
		status = write_end(call);
	if (status == 0 && a->purge)
		status = purge(call);
	return status != 0 ? status : ending_answer(call);
}

const struct cmd cmd_destroy = {
	.name = "destroy",
	.usage = "SESSION... [--grace DURATION] [--purge] [-y] [--json]",
	.summary = "stop a session and take it off the list",
	.details =
	    "Stops it if it runs, as 'tend stop' does, frees its name and shows\n"
	    "it no more: 'tend ls' does not, 'tend ls -a' does until 'tend gc'\n"
	    "collects its files, and its id still finds it for those who read.\n"
	    "--purge removes them now, and asks first on a terminal.  Of several\n"
	    "there is a line for each; the status is the largest of theirs.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_NEEDS_SESSION | CMD_FINDS_DESTROYED | CMD_EACH,
	.ask = ask,
	.run = run,
};
