#include "cmd/start/starting.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "client/attach.h"
#include "cmd/attach/attaching.h"
#include "cmd/line/cmd.h"
#include "home/config.h"
#include "cmd/line/out.h"
#include "cmd/target/target.h"
#include "home/units.h"
#include "session/launch.h"
#include "session/quota.h"

int
starting_check(struct call *call, bool detached, bool nested)
{
	struct attach_options o = { .nested = nested };
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
	attaching_keys(call->config, &o);
	if (attach_check(&o, &err) < 0)
		return out_fail(call->out, FAIL_USAGE,
		    "%s; -d runs it in the background", err.msg);
	return 0;
}

/* A limit that the environment sets, or as it is; 0 or -EINVAL. */
static int
take_number(const char *name, unsigned *out, struct error *err)
{
	const char *text = getenv(name);
	uint64_t n;

	if (text == NULL)
		return 0;
	if (!units_number(text, UINT_MAX, &n))
		return error_set(err, EINVAL,
		    "%s=%.50s: give a number, or 0 for no limit", name, text);
	*out = (unsigned)n;
	return 0;
}

static int
take_quota(struct call *call, struct error *err)
{
	const struct config *c = call->config;
	struct quota q = {
		(unsigned)config_number(c, CONFIG_MAX_SESSIONS, QUOTA_SESSIONS),
		(unsigned)config_number(c, CONFIG_MAX_RATE, QUOTA_RATE),
		config_number(c, CONFIG_MIN_FREE, QUOTA_MIN_FREE),
	};
	const char *min_free = getenv("TEND_MIN_FREE");
	struct error why;
	char note[256];
	int rc;

	if ((rc = take_number("TEND_MAX_SESSIONS", &q.max_sessions, err)) < 0 ||
	    (rc = take_number("TEND_MAX_RATE", &q.rate, err)) < 0)
		return rc;
	if (min_free != NULL && units_size(min_free, &q.min_free, &why) < 0)
		return error_set(err, EINVAL, "TEND_MIN_FREE: %.200s", why.msg);
	rc = quota_take(&call->target->home, &q, note, sizeof(note), err);
	if (rc == 0 && note[0] != '\0')
		out_note(call->out, "%s", note);
	return rc;
}

int
starting_launch(struct call *call, char **env, struct error *err)
{
	struct handle *t = call->target;
	int rc = take_quota(call, err);

	if (rc < 0)
		return rc;
	rc = launch_session(&t->home, &t->session, env,
	    &call->out->failure_status, err);
	if (rc < 0)
		return rc;
	if (t->session.unenforced != NULL)
		out_note(call->out, "limits not enforced: %s",
		    t->session.unenforced);
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

/* Who cannot be told its id can still find it by what the failure says. */
static int
send_started(struct call *call)
{
	const struct handle *t = call->target;
	char done[NAME_SIZE_MAX + 64];
	int status;

	snprintf(done, sizeof(done), "session %s (%s) was started all the same",
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
		manifest_json(&t->session, 0, &j);
	} else {
		buf_printf(&call->out->buf, "%s\n", t->session.id);
	}
	return send_started(call);
}
