#include <stdio.h>

#include "base/error.h"
#include "cmd/line/cmd.h"
#include "cmd/line/operands.h"
#include "cmd/line/out.h"
#include "cmd/target/target.h"
#include "home/units.h"

static int
run(struct call *call)
{
	unsigned cols, rows;
	struct error err;
	char args[60];
	int status;

	status = operands_check(call, 1, 1, "COLSxROWS");
	if (status != 0)
		return status;
	if (units_dims(call->argv[0], &cols, &rows, &err) < 0)
		return out_fail(call->out, FAIL_USAGE, "%s", err.msg);
	status = target_connect(call);
	if (status != 0)
		return status;
	snprintf(args, sizeof(args), "{\"cols\":%u,\"rows\":%u}", cols, rows);
	return target_request(call, "session.resize", args);
}

const struct cmd cmd_resize = {
	.name = "resize",
	.usage = "SESSION COLSxROWS [--json]",
	.summary = "change the size of a session's terminal",
	.details =
	    "Attached clients can change the size too, depending on the session's\n"
	    "--resize policy; with 'fixed', only this command changes it.\n",
	.needs = CMD_NEEDS_SESSION,
	.run = run,
};
