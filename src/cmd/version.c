#include "base/version.h"
#include "cmd/line/cmd.h"
#include "cmd/line/out.h"
#include "log/segment.h"
#include "vt/vt.h"
#include "wire/hello.h"

static int
run(struct call *call)
{
	struct json_out j;

	if (call->argc > 0)
		return out_fail(call->out, FAIL_USAGE,
		    "unexpected argument: %s", call->argv[0]);
	if (!call->out->json) {
		buf_printf(&call->out->buf, "tend %s\n", TEND_VERSION);
		return out_send(call->out);
	}
	out_begin(call->out, &j);
	json_out_open(&j, '{');
	json_put_text(&j, "version", TEND_VERSION);
	json_put_number(&j, "engine", VT_ENGINE_VERSION);
	json_put_number(&j, "protocol", HELLO_VERSION);
	json_put_number(&j, "log_format", SEGMENT_VERSION);
	json_out_close(&j, '}');
	return out_send(call->out);
}

const struct cmd cmd_version = {
	.name = "version",
	.usage = "[--json]",
	.summary = "show the version of tend",
	.run = run,
};
