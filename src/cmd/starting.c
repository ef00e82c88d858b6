#include "cmd/starting.h"

#include <errno.h>
#include <unistd.h>

#include "base/error.h"
#include "client/attach.h"
#include "cmd/attaching.h"
#include "cmd/cmd.h"
#include "cmd/out.h"
#include "cmd/target.h"
#include "session/launch.h"

int
starting_check(struct call *call, bool detached, bool nested)
{
	const struct attach_options o = { .nested = nested };
	struct error err;

	if (detached)
		return 0;
	if (call->out->json)
		return out_fail(call->out, FAIL_USAGE,
		    "--json needs -d; attached, the terminal is the program's");
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return out_fail(call->out, FAIL_USAGE,
		    "there is no terminal to attach here; -d runs it in the "
		    "background");
	if (attach_check(&o, &err) < 0)
		return out_fail(call->out, FAIL_USAGE,
		    "%s; -d runs it in the background", err.msg);
	return 0;
}

int
starting_launch(struct call *call, char **env, struct error *err)
{
	struct target *t = call->target;
	int rc;

	rc = launch_session(&t->home, &t->session, env,
	    &call->out->failure_status, err);
	if (rc < 0)
		return rc;
	t->dirfd = home_session_dir(&t->home, t->session.id, err);
	return t->dirfd < 0 ? t->dirfd : 0;
}

int
starting_fail(struct call *call, int rc, const struct error *err)
{
	switch (rc) {
	case -EEXIST:
		return out_fail(call->out, FAIL_EXISTS, "%s", err->msg);
	case -ENOSPC:
	case -EDQUOT:
	case -EROFS:
	case -EIO:
		return out_fail(call->out, FAIL_STORAGE, "%s", err->msg);
	case -EAGAIN:
	case -EMFILE:
	case -ENFILE:
		return out_fail(call->out, FAIL_BUSY, "%s", err->msg);
	default:
		return out_fail(call->out, FAIL_INPUT, "%s", err->msg);
	}
}

int
starting_answer(struct call *call, bool detached, bool nested)
{
	struct target *t = call->target;
	const struct attach_options o = {
		.id = t->session.id,
		.name = target_name(t),
		.nested = nested,
	};
	struct json_out j;

	if (!detached)
		return attaching_run(call, &o);
	if (call->out->json) {
		out_begin(call->out, &j);
		manifest_json(&t->session, 0, &j);
	} else {
		buf_printf(&call->out->buf, "%s\n", t->session.id);
	}
	return out_send(call->out);
}
