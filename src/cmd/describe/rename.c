#include "base/mem.h"
#include "cmd/line/cmd.h"
#include "cmd/line/operands.h"
#include "cmd/line/out.h"
#include "cmd/target/target.h"
#include "home/describe.h"
#include "home/fault.h"

static int
run(struct call *call)
{
	auto_free char *result = NULL;
	struct fault f;
	int status;

	status = operands_check(call, 1, 1, "the new NAME");
	if (status != 0)
		return status;
	if (describe_rename(call->target, call->argv[0], &result, &f) < 0)
		return out_fault(call->out, &f);
	return target_answer(call, result);
}

const struct cmd cmd_rename = {
	.name = "rename",
	.usage = "SESSION NAME [--json]",
	.summary = "rename a session",
	.details =
	    "A name has 1 to 8 segments joined by '/', each of letters, digits, '_',\n"
	    "'.' and '-'.  Only one running session can have a name at a time.\n",
	.needs = CMD_NEEDS_SESSION,
	.run = run,
};
