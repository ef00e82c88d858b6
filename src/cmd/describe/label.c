#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "cmd/line/cmd.h"
#include "cmd/end/ending.h"
#include "cmd/line/out.h"
#include "cmd/target/target.h"
#include "home/label.h"
#include "home/words.h"

/* Plain: a line for each; JSON: the object of them. */
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

static char *
arguments(const struct call *call)
{
	struct json_out j;
	struct buf b;

	buf_init(&b, MANIFEST_MAX);
	json_out_init(&j, &b);
	json_out_open(&j, '{');
	json_put_open(&j, "labels", '{');
	for (int i = 0; i < call->argc; i++) {
		char *equals = strchr(call->argv[i], '=');

		*equals = '\0';
		json_put_text(&j, call->argv[i],
		    equals[1] != '\0' ? equals + 1 : NULL);
	}
	json_out_close(&j, '}');
	json_out_close(&j, '}');
	return buf_take(&b);
}

static int
ask_host(struct call *call)
{
	auto_free char *args = NULL;
	int status = target_connect(call);

	if (status != 0)
		return status;
	args = arguments(call);
	return target_tell(call, "session.label", args);
}

static int
rewrite(struct call *call)
{
	struct handle *t = call->target;
	struct error err;

	if (manifest_write(t->dirfd, &t->session, false, &err) < 0)
		return out_fail(call->out, FAIL_STORAGE, "%s", err.msg);
	return ending_answer(call);
}

static int
run(struct call *call)
{
	struct handle *t = call->target;
	bool active = status_is_active(t->session.status);
	struct error err;
	int status;

	if (call->argc == 0)
		return list(call);
	status = active ? 0 : target_wait_gone(call);
	if (status != 0)
		return status;
	for (int i = 0; i < call->argc; i++)
		if (label_set(&t->session, call->argv[i], &err) < 0)
			return out_fail(call->out, FAIL_USAGE, "%s", err.msg);
	return active ? ask_host(call) : rewrite(call);
}

const struct cmd cmd_label = {
	.name = "label",
	.usage = "SESSION [KEY=VALUE...] [KEY=...] [--json]",
	.summary = "show, set or remove a session's labels",
	.details =
	    "Without KEY=VALUE, lists them.  KEY= removes one.\n"
	    "'tend ls --label KEY=VALUE' shows the sessions that have it.\n",
	.needs = CMD_NEEDS_SESSION,
	.run = run,
};
