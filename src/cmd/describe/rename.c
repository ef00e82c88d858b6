#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "cmd/line/cmd.h"
#include "cmd/end/ending.h"
#include "cmd/line/operands.h"
#include "cmd/line/out.h"
#include "cmd/target/target.h"

static int
ask_host(struct call *call, const char *name)
{
	auto_free char *args = NULL;
	struct json_out j;
	struct buf b;
	int status;

	status = target_connect(call);
	if (status != 0)
		return status;
	buf_init(&b, 4096);
	json_out_init(&j, &b);
	json_out_open(&j, '{');
	json_put_text(&j, "name", name);
	json_out_close(&j, '}');
	args = buf_take(&b);
	return target_tell(call, "session.rename", args);
}

/* One that has ended has no claim to its name and no host to ask. */
static int
rewrite(struct call *call, const char *name)
{
	struct handle *t = call->target;
	struct error err;
	int status = target_wait_gone(call);

	if (status != 0)
		return status;
	snprintf(t->session.name, sizeof(t->session.name), "%s", name);
	if (manifest_write(t->dirfd, &t->session, false, &err) < 0)
		return out_fail(call->out, FAIL_STORAGE, "%s", err.msg);
	return ending_answer(call);
}

static int
run(struct call *call)
{
	struct error err;
	int status;

	status = operands_check(call, 1, 1, "the new NAME");
	if (status != 0)
		return status;
	if (name_check(call->argv[0], &err) < 0)
		return out_fail(call->out, FAIL_USAGE, "%s", err.msg);
	if (status_is_active(call->target->session.status))
		return ask_host(call, call->argv[0]);
	return rewrite(call, call->argv[0]);
}

const struct cmd cmd_rename = {
	.name = "rename",
	.usage = "SESSION NAME [--json]",
	.summary = "give a session another name",
	.details =
	    "A name is 1 to 8 parts joined by '/', each of letters, digits and\n"
	    "'_', '.', '-', and belongs to one running session at a time.\n",
	.needs = CMD_NEEDS_SESSION,
	.run = run,
};
