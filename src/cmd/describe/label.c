#include "base/buf.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "cmd/line/cmd.h"
#include "cmd/line/operands.h"
#include "cmd/line/out.h"
#include "cmd/target/target.h"
#include "home/describe.h"
#include "home/fault.h"
#include "home/words.h"

/* Plain: one line per label; JSON: an object. */
static int
list(struct call *call)
{
	const struct manifest *m = &call->target->session;
	struct json_out j;

	if (call->out->json) {
		out_begin(call->out, &j);
		json_out_open(&j, '{');
		for (size_t i = 0; i < m->n_labels; i++) {
			json_put_text(&j, m->labels[i].key, m->labels[i].value);
		}
		json_out_close(&j, '}');
		return out_send(call->out);
	}
	for (size_t i = 0; i < m->n_labels; i++) {
		words_put_safe(&call->out->buf, m->labels[i].key);
		buf_putc(&call->out->buf, '=');
		words_put_safe(&call->out->buf, m->labels[i].value);
		buf_putc(&call->out->buf, '\n');
	}
	return out_send(call->out);
}

static int
run(struct call *call)
{
	auto_free char **labels = operands_list(call);
	auto_free char *result = NULL;
	struct fault f;

	if (call->argc == 0)
		return list(call);
	if (describe_label(call->target, (const char *const *)labels, &result,
		&f) < 0)
		return out_fault(call->out, &f);
	return target_answer(call, result);
}

const struct cmd cmd_label = {
	.name = "label",
	.usage = "SESSION [KEY=VALUE...] [KEY=...] [--json]",
	.summary = "show, set or remove a session's labels",
	.details =
	    "Without KEY=VALUE, list the labels.  KEY= removes a label.\n"
	    "'tend ls --label KEY=VALUE' lists the sessions that have it.\n",
	.needs = CMD_NEEDS_SESSION,
	.run = run,
};
