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
	.summary = "print instructions for an agent that uses tend",
	.details =
	    "The text is Markdown.  Save it as a skill of your agent, or add it to\n"
	    "its instructions.\n",
	.run = run,
};
