#include "mcp/skill.h"

#include "cmd/line/cmd.h"
#include "cmd/line/operands.h"
#include "cmd/line/out.h"

static int
run(struct call *call)
{
	int status = operands_check(call, 0, 0, "");
	struct json_out j;

	if (status != 0)
		return status;
	if (call->out->json) {
		out_begin(call->out, &j);
		json_out_open(&j, '{');
		json_out_key(&j, "text");
		json_out_text(&j, skill_commands);
		json_out_close(&j, '}');
	} else {
		buf_puts(&call->out->buf, skill_commands);
	}
	return out_send(call->out);
}

const struct cmd cmd_skill = {
	.name = "skill",
	.usage = "[--json]",
	.summary = "print what an agent has to know to use tend",
	.details =
	    "Markdown, to be put where an agent finds it: a skill, or a part of its\n"
	    "instructions.\n",
	.run = run,
};
