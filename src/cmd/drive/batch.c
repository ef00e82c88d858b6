#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "client/batch.h"
#include "cmd/line/cmd.h"
#include "cmd/line/operands.h"
#include "cmd/line/opt.h"
#include "cmd/line/out.h"
#include "cmd/line/signals.h"
#include "cmd/line/slurp.h"
#include "cmd/target/target.h"
#include "home/fault.h"
#include "home/steps.h"
#include "home/words.h"
#include "op/step.h"

#define STEPS_BYTES (8u << 20)

struct args {
	const char *steps;
	bool keep_going;
};

static const struct opt options[] = {
	OPT_VALUE(struct args, steps, "steps", 's', "JSON",
	    "the steps, in place of FILE"),
	OPT_FLAG(struct args, keep_going, "keep-going", 'k',
	    "go on after a step that failed"),
	{ 0 },
};

static int
read_steps(const struct call *call, struct buf *out, struct error *err)
{
	const struct args *a = call->args;

	if (a->steps == NULL && call->argc == 0 && isatty(STDIN_FILENO))
		return error_set(err, EINVAL,
		    "no steps: standard input is a terminal; give a FILE, "
		    "--steps, or pipe them here");
	if (a->steps == NULL)
		return slurp(call->argc > 0 ? call->argv[0] : "-", out, err);
	return buf_puts(out, a->steps) < 0 ?
	    error_set(err, EMSGSIZE, "--steps is too long") :
	    0;
}

static struct batch *
prepare(const struct call *call, struct error *err)
{
	auto_json json_t *tree = NULL;
	struct batch *b = NULL;
	struct buf text;

	buf_init(&text, STEPS_BYTES);
	if (read_steps(call, &text, err) == 0) {
		tree = json_tree_read((const char *)text.data, text.len, err);
		if (tree != NULL)
			b = batch_create(tree, err);
	}
	buf_finish(&text);
	return b;
}

static int
step_status(const struct out *out, const struct batch_step *s)
{
	if (s->timed_out)
		return EXIT_UNDECIDED;
	if (strcmp(s->code, STEP_EXIT_STATUS) == 0 && s->exit_code > 0)
		return s->exit_code;
	if (strcmp(s->code, "refused") == 0)
		return out_status(out, FAIL_DENIED);
	return out_status(out, failure_called(s->code));
}

/* The exit status is that of the first failed step. */
static int
judge(const struct out *out, const struct batch *b, int signals)
{
	struct batch_step s;

	for (size_t i = 0; i < batch_steps(b); i++) {
		batch_step(b, i, &s);
		if (s.status == BATCH_INTERRUPTED)
			return signals_status(signals);
		if (s.status == BATCH_FAILED)
			return step_status(out, &s);
	}
	return 0;
}

/* The text of a step, below its line, without empty rows at the end. */
static void
put_text(struct buf *out, const char *text)
{
	auto_free char *copy = xstrdup(text);
	size_t len = strlen(copy);

	while (len > 0 && copy[len - 1] == '\n')
		copy[--len] = '\0';
	words_put_lines(out, copy);
	if (len > 0)
		buf_putc(out, '\n');
}

static void
put_plain(struct out *out, const struct batch *b)
{
	struct batch_step s;

	for (size_t i = 0; i < batch_steps(b); i++) {
		batch_step(b, i, &s);
		buf_printf(&out->buf, "%3zu  %-8s  %s", i, s.kind,
		    batch_status_name(s.status));
		if (s.status == BATCH_FAILED) {
			buf_puts(&out->buf, ": ");
			words_put_safe(&out->buf, s.message);
		} else if (s.exit_code > 0) {
			buf_printf(&out->buf, ": exit status %d", s.exit_code);
		}
		buf_putc(&out->buf, '\n');
		if (s.text != NULL)
			put_text(&out->buf, s.text);
	}
}

static int
answer(struct out *out, const struct batch *b)
{
	struct json_out j;

	if (out->json) {
		out_begin(out, &j);
		batch_put(b, &j);
	} else {
		put_plain(out, b);
	}
	return out_send(out);
}

static int
carry_out(struct call *call, struct batch *b)
{
	const struct args *a = call->args;
	auto_close int signals = -1;
	struct fault f;
	int status = target_connect(call), sent;

	if (status != 0)
		return status;
	signals = signals_catch();
	call->target->cancel_fd = signals;
	if (steps_run(call->target, b, a->keep_going, &f) < 0)
		return out_fault(call->out, &f);
	status = judge(call->out, b, signals);
	sent = answer(call->out, b);
	return sent != 0 ? sent : status;
}

static int
run(struct call *call)
{
	const struct args *a = call->args;
	struct error err = { 0 };
	struct batch *b;
	int status;

	status = operands_check(call, 0, a->steps == NULL ? 1 : 0, "");
	if (status != 0)
		return status;
	b = prepare(call, &err);
	if (b == NULL)
		return out_fail(call->out, FAIL_USAGE, "%s", err.msg);
	status = carry_out(call, b);
	batch_destroy(b);
	return status;
}

const struct cmd cmd_batch = {
	.name = "batch",
	.usage = "SESSION [FILE|- | --steps JSON] [--keep-going] [--json]",
	.summary = "run several steps in one call",
	.details =
	    "Steps are a JSON array of objects with one key each:\n"
	    "\n"
	    "  [{\"text\":\"make\"}, {\"keys\":[\"Enter\"]},\n"
	    "   {\"wait\":{\"command_done\":true,\"timeout\":\"2m\"}},\n"
	    "   {\"exec\":\"git status\"}, {\"snapshot\":{\"format\":\"text\"}}]\n"
	    "\n"
	    "Other steps are paste, hex, mouse and prompt.  A wait sees only lines\n"
	    "that appear after the input of the step before it.  tend checks all\n"
	    "steps before it sends anything.  A failed step ends the batch, unless\n"
	    "--keep-going is given; the exit status is that of the first failure,\n"
	    "11 for a timeout.  A command that ends with a status other than 0 has\n"
	    "failed, and its status is passed on; {\"exec\":\"grep x f\",\"ok\":[0,1]}\n"
	    "allows more.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_NEEDS_SESSION,
	.run = run,
};
