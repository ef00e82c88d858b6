#include "home/rerun.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/mem.h"
#include "home/damage.h"
#include "home/environment.h"
#include "home/fault.h"
#include "home/handle.h"
#include "home/permit.h"
#include "home/report.h"
#include "home/start.h"
#include "session/environ.h"

/* Check that the session can be started again. */
static int
check(const struct handle *h, struct fault *f)
{
	const struct manifest *m = &h->session;
	auto_close int cwd = -1;

	/* The new session gets its environment, and the caller may drive it. */
	if (permit_session(&h->home, m, OP_CONTROL, f) < 0)
		return -1;
	if (m->status == STATUS_DESTROYED)
		return fault_set(f, FAIL_NOT_FOUND,
		    "session %s was destroyed; start a new one with tend run",
		    handle_name(h));
	if (status_is_active(m->status))
		return fault_set(f, FAIL_EXISTS,
		    "session %s is still %s; attach to it, or stop it first "
		    "with tend stop %s",
		    handle_name(h), status_name(m->status), m->id);
	if (m->suspect)
		return fault_set(f, FAIL_REPLAY,
		    "session %s: session.json is damaged, so its command may "
		    "be wrong; start a new session with tend run",
		    handle_name(h));
	cwd = open(m->cwd, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (cwd < 0)
		return fault_set(f, FAIL_INPUT,
		    "cannot run in %s any more: %s; create that directory, or "
		    "start elsewhere with tend run -C DIR",
		    m->cwd, strerror(errno));
	return 0;
}

/*
 * The session's environment, or the caller's if the session kept none, and then
 * the additions.  NULL and the fault on error.
 */
static char **
make_environment(const struct handle *h, const struct rerun *q,
    struct report *r, struct fault *f)
{
	struct error err = { 0 };
	char **kept = NULL, **env;

	if (!h->session.forget_env) {
		kept = environ_read(h->dirfd, h->session.environ_crc, &err);
		if (kept == NULL && err.code == EBADMSG) {
			fault_set(f, FAIL_REPLAY,
			    "session %s: %s; start a new session with tend run",
			    handle_name(h), err.msg);
			return NULL;
		}
		if (kept == NULL)
			report_note(r,
			    "%s; the program gets the current environment",
			    err.msg);
	}
	env = environment_create(kept != NULL ? kept : q->from, q->env, &err);
	mem_free_list(kept);
	if (env == NULL)
		fault_argument(f, "env", " %s", err.msg);
	return env;
}

/* The handle now describes the new session, which is yet to be started. */
static void
replace_session(struct handle *h)
{
	struct manifest new;

	manifest_copy_plan(&new, &h->session);
	memcpy(new.rerun_of, h->session.id, sizeof(new.rerun_of));
	handle_leave_session(h);
	manifest_finish(&h->session);
	h->session = new;
}

int
rerun_session(struct handle *h, const struct rerun *q, const struct config *c,
    struct report *r, struct fault *f)
{
	char **env;
	int rc;

	if (check(h, f) < 0)
		return -1;
	env = make_environment(h, q, r, f);
	if (env == NULL)
		return -1;
	damage_look(r, &h->session, h->dirfd, DAMAGE_DETAIL);
	replace_session(h);
	rc = start_session(h, env, c, r, f);
	mem_free_list(env);
	return rc;
}
