#include "cmd/start/starting.h"

#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "client/attach.h"
#include "cmd/attach/attaching.h"
#include "cmd/line/cmd.h"
#include "cmd/line/out.h"
#include "cmd/target/target.h"
#include "home/config.h"

int
starting_check(struct call *call, bool detached, bool nested)
{
	struct attach_options o = { .nested = nested };
	struct error err;

	if (detached)
		return 0;
	if (call->out->json)
		return out_fail(call->out, FAIL_USAGE,
		    "--json needs -d, because an attached program uses the "
		    "terminal");
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return out_fail(call->out, FAIL_USAGE,
		    "no terminal to attach to; -d runs the program in the "
		    "background");
	attaching_keys(call->config, &o);
	if (attach_check(&o, &err) < 0)
		return out_fail(call->out, FAIL_USAGE,
		    "%s; -d runs the program in the background", err.msg);
	return 0;
}

/* If the id cannot be printed, the error message contains it. */
static int
send_started(struct call *call)
{
	const struct handle *t = call->target;
	char done[NAME_SIZE_MAX + 64];
	int status;

	snprintf(done, sizeof(done), "session %s (%s) was started anyway",
	    handle_name(t), t->session.id);
	call->out->done = done;
	status = out_send(call->out);
	call->out->done = NULL;
	return status;
}

int
starting_answer(struct call *call, bool detached, bool nested)
{
	struct handle *t = call->target;
	const struct attach_options o = {
		.id = t->session.id,
		.name = handle_name(t),
		.homefd = t->home.fd,
		.nested = nested,
		.started = true,
	};
	struct json_out j;

	if (!detached)
		return attaching_run(call, &o);
	if (call->out->json) {
		out_begin(call->out, &j);
		manifest_json(&t->session, &j);
	} else {
		buf_printf(&call->out->buf, "%s\n", t->session.id);
	}
	return send_started(call);
}
