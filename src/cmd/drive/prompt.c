#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json_out.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "cmd/line/cmd.h"
#include "cmd/line/operands.h"
#include "cmd/line/opt.h"
#include "cmd/line/out.h"
#include "cmd/line/slurp.h"
#include "cmd/target/target.h"
#include "home/units.h"
#include "home/words.h"
#include "op/ops.h"

#define TIMEOUT_MS 10000
#define MARGIN_MS 10000 /* extra time for the host */

struct args {
	const char *profile, *timeout, *key;
	bool force;
};

static const struct opt options[] = {
	OPT_CHOICE(struct args, profile, "profile", 'p', "PROFILE", "profile",
	    "line (the default), shell or nudge"),
	OPT_FLAG(struct args, force, "force", 'f',
	    "type even if a question or unsubmitted text is there"),
	OPT_VALUE(struct args, timeout, "timeout", 't', "DURATION",
	    "time limit (10s); a number alone is ms"),
	OPT_VALUE(struct args, key, "key", 0, "KEY",
	    "act at most once for this key, even if the command is repeated"),
	{ 0 },
};

static int
read_timeout(struct call *call, uint64_t *ms)
{
	const struct args *a = call->args;
	const struct type_range range = op_range("session.prompt", "timeout");
	struct error err;
	uint64_t ns;

	*ms = TIMEOUT_MS;
	if (a->timeout == NULL)
		return 0;
	if (units_duration(a->timeout, &ns, &err) < 0)
		return out_fail(call->out, FAIL_USAGE, "--timeout: %s",
		    err.msg);
	*ms = ns / 1000000;
	if (*ms < range.least || *ms > range.most)
		return out_fail(call->out, FAIL_USAGE,
		    "--timeout %s: give from 1ms to 1h", a->timeout);
	return 0;
}

/* The operand, or standard input for "-". */
static int
read_text(struct call *call, struct buf *out)
{
	struct error err;
	int status = operands_check(call, 1, 1, "TEXT");

	if (status != 0)
		return status;
	if (strcmp(call->argv[0], "-") != 0)
		buf_puts(out, call->argv[0]);
	else if (slurp("-", out, &err) < 0)
		return out_fail(call->out, FAIL_USAGE, "%s", err.msg);
	if (out->full)
		return out_fail(call->out, FAIL_USAGE,
		    "TEXT is longer than %zu KiB; send it in parts",
		    out->max >> 10);
	if (out->len > 0 &&
	    (memchr(out->data, 0, out->len) != NULL ||
		!utf8_valid(out->data, out->len)))
		return out_fail(call->out, FAIL_USAGE, "TEXT is not UTF-8");
	return 0;
}

static char *
put_request(const struct args *a, const struct buf *text, uint64_t timeout_ms)
{
	struct json_out j;
	struct buf b;

	buf_init(&b, 8 * text->max);
	json_out_init(&j, &b);
	json_out_open(&j, '{');
	json_out_key(&j, "text");
	json_out_string(&j, (const char *)text->data, text->len);
	if (a->profile != NULL) {
		json_out_key(&j, "profile");
		json_out_text(&j, a->profile);
	}
	if (a->force) {
		json_out_key(&j, "force");
		json_out_bool(&j, true);
	}
	if (a->key != NULL)
		json_put_text(&j, "key", a->key);
	json_out_key(&j, "timeout_ms");
	json_out_number(&j, timeout_ms);
	json_out_close(&j, '}');
	return buf_take(&b);
}

static int
show(struct call *call, const char *answer)
{
	auto_json json_t *tree = json_loads(answer, 0, NULL);
	const char *result = json_string_value(json_object_get(tree, "result"));
	const char *why = json_string_value(json_object_get(tree, "reason"));
	struct json_out j;
	int status;

	if (result == NULL || why == NULL)
		return out_fail(call->out, FAIL_PROTOCOL,
		    "the host's answer has no result");
	if (call->out->json) {
		out_begin(call->out, &j);
		json_out_json(&j, answer);
	} else {
		buf_printf(&call->out->buf, "%s: ", result);
		words_put_safe(&call->out->buf, why);
		buf_putc(&call->out->buf, '\n');
	}
	status = out_send(call->out);
	if (status != 0 || strcmp(result, "delivered") == 0)
		return status;
	return strcmp(result, "refused") == 0 ?
	    out_status(call->out, FAIL_DENIED) :
	    EXIT_UNDECIDED;
}

static int
run(struct call *call)
{
	auto_free char *args = NULL, *answer = NULL;
	uint64_t timeout_ms = 0;
	struct buf text;
	int status;

	buf_init(&text, (size_t)op_range("session.prompt", "text").most);
	status = read_timeout(call, &timeout_ms);
	if (status == 0)
		status = read_text(call, &text);
	if (status == 0)
		args = put_request(call->args, &text, timeout_ms);
	buf_finish(&text);
	if (status == 0)
		status = target_connect(call);
	if (status != 0)
		return status;
	call->target->conn.timeout_ms = (int)timeout_ms + MARGIN_MS;
	status = target_ask(call, "session.prompt", args, &answer);
	return status != 0 ? status : show(call, answer);
}

const struct cmd cmd_prompt = {
	.name = "prompt",
	.usage = "SESSION TEXT|- [--profile shell|line|nudge] [--force] "
		 "[--timeout DURATION] [--key KEY] [--json]",
	.summary = "type a message, submit it and confirm delivery",
	.details =
	    "tend types the text and the key that submits it as one piece; no\n"
	    "other input comes between.  If nothing happens it presses that key\n"
	    "again, but never repeats the text.  With -, it reads standard input.\n"
	    "\n"
	    "The outcome is 'delivered' (exit status 0: the program read it and\n"
	    "answered), 'unconfirmed' (11: typed, but without evidence that the\n"
	    "program took it) or 'refused' (12: nothing was typed), with a reason.\n"
	    "--json adds a code for the reason and the evidence.\n"
	    "\n"
	    "If the bottom of the screen asks a question (a marked option, y/n,\n"
	    "buttons, 'Enter to continue'), tend types nothing, because the text\n"
	    "and Enter would answer it.  --force types anyway.\n"
	    "\n"
	    "If an earlier text was typed but not submitted, because of a timeout\n"
	    "or a killed host, prompt the same text again to submit it.  Another\n"
	    "text is refused unless --force is given.\n"
	    "\n"
	    "--key makes it safe to repeat a prompt that got no answer: tend tries\n"
	    "a refused prompt again and types any other at most once.\n"
	    "\n"
	    "The profile nudge has the timing of the Tmux Adapter.  Its Escape\n"
	    "interrupts a busy agent: use it only where you need that.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_NEEDS_SESSION,
	.run = run,
};
