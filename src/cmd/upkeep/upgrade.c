#include "base/fd.h"
#include "cmd/line/cmd.h"
#include "cmd/line/operands.h"
#include "cmd/line/opt.h"
#include "cmd/line/out.h"
#include "cmd/target/target.h"
#include "cmd/upkeep/replacing.h"
#include "home/fault.h"
#include "home/next_host.h"
#include "home/upgrades.h"

struct args {
	bool all;
};

static const struct opt options[] = {
	OPT_FLAG(struct args, all, "all", 'a', "upgrade every running session"),
	{ 0 },
};

static int
upgrade_one(struct call *call, int program)
{
	struct next_host n;
	struct fault f;
	int rc = next_host_upgrade_one(&n, call->target, program, &f);

	return replacing_answer(call, rc, &n, &f);
}

/* Print one line as each is done. */
static void
on_done(void *arg, const struct upgraded *item)
{
	struct out *out = arg;

	replacing_words(&item->host, &item->session, &out->buf);
	out_flush(out);
}

/* The exit status is that of the first failure. */
static int
status_of(const struct upgrades *u, const struct out *out)
{
	for (size_t i = 0; i < u->n; i++)
		if (!u->items[i].host.serves)
			return out_status(out, u->items[i].host.failure);
	return 0;
}

static int
upgrade_all(struct call *call, int program)
{
	struct out *out = call->out;
	struct upgrades u;
	struct json_out j;
	struct fault f;
	int status, sent;

	if (upgrades_run(&u, call->target, program, out->json ? NULL : on_done,
		out, &f) < 0)
		return out_fault(out, &f);
	if (out->json) {
		out_begin(out, &j);
		upgrades_json(&u, &j);
	}
	sent = out_send(out);
	status = status_of(&u, out);
	upgrades_finish(&u);
	return sent != 0 ? sent : status;
}

static int
run(struct call *call)
{
	const struct args *a = call->args;
	auto_close int program = -1;
	struct fault f;
	int status = 0;

	if (!a->all)
		status = target_take_session(call, 0);
	if (status == 0)
		status = operands_check(call, 0, 0, "");
	if (status != 0)
		return status;
	program = next_host_open(NULL, &f);
	if (program < 0)
		return out_fault(call->out, &f);
	return a->all ? upgrade_all(call, program) : upgrade_one(call, program);
}

const struct cmd cmd_upgrade = {
	.name = "upgrade",
	.usage = "SESSION|--all [--json]",
	.summary = "move a running session to the installed tend",
	.details =
	    "The program keeps running without interruption.  Attached clients stay\n"
	    "attached, and no output or input is lost.  tend first tries the new\n"
	    "host: if it is not ready after 5 seconds, or cannot read the session,\n"
	    "the old host continues and tend reports the reason.\n"
	    "\n"
	    "The keeper of a session is not replaced.  --all prints one line per\n"
	    "session; the exit status is that of the first failure.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_NEEDS_HOME,
	.run = run,
};
