#include "base/buf.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "cmd/cmd.h"
#include "cmd/operands.h"
#include "cmd/out.h"
#include "cmd/target.h"

#include <string.h>

#define NAME_MAX_BYTES 255

static char *
arguments(const char *name)
{
	struct json_out j;
	struct buf b;

	buf_init(&b, 8 * NAME_MAX_BYTES);
	json_out_init(&j, &b);
	json_out_open(&j, '{');
	json_put_text(&j, "name", name);
	json_out_close(&j, '}');
	return buf_take(&b);
}

static int
run(struct call *call)
{
	auto_free char *args = NULL;
	size_t len;
	int status;

	status = operands_check(call, 1, 1, "NAME");
	if (status != 0)
		return status;
	len = strlen(call->argv[0]);
	if (len == 0 || len > NAME_MAX_BYTES || !utf8_valid(call->argv[0], len))
		return out_fail(call->out, FAIL_USAGE,
		    "the name of a mark is UTF-8 text of 1 to %d bytes",
		    NAME_MAX_BYTES);
	status = target_connect(call);
	if (status != 0)
		return status;
	args = arguments(call->argv[0]);
	return target_tell(call, "session.mark", args);
}

const struct cmd cmd_mark = {
	.name = "mark",
	.usage = "SESSION NAME [--json]",
	.summary = "give this moment of a session a name",
	.details =
	    "'tend snapshot --at mark:NAME' and 'tend log --from mark:NAME' find\n"
	    "it again; of several with one name the last one counts.\n",
	.needs = CMD_NEEDS_SESSION,
	.run = run,
};
