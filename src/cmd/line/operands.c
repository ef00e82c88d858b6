#include "cmd/line/operands.h"

#include "base/mem.h"
#include "cmd/line/cmd.h"
#include "cmd/line/out.h"

int
operands_check(struct call *call, int min, int max, const char *what)
{
	if (call->argc < min)
		return out_fail(call->out, FAIL_USAGE,
		    "missing argument: %s; see 'tend %s -h'", what,
		    call->out->command);
	if (call->argc > max)
		return out_fail(call->out, FAIL_USAGE,
		    "unexpected argument: %s; see 'tend %s -h'",
		    call->argv[max], call->out->command);
	return 0;
}

char **
operands_list(const struct call *call)
{
	char **list = xcalloc((size_t)call->argc + 1, sizeof(*list));

	for (int i = 0; i < call->argc; i++)
		list[i] = call->argv[i];
	return list;
}
