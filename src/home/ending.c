#include "home/ending.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "base/mem.h"
#include "home/fault.h"
#include "home/handle.h"
#include "home/permit.h"

/* Time for the host beyond the grace period: last output, slow disk. */
#define MARGIN_MS 20000

/* The request is always sent; only the wait can be cancelled. */
static int
ask(struct handle *h, const char *op, const char *args, struct fault *f)
{
	auto_free char *result = NULL;
	int cancel_fd = h->cancel_fd, rc = 0;

	h->cancel_fd = h->conn.cancel_fd = 0;
	if (h->conn.fd < 0)
		rc = handle_connect(h, f);
	if (rc == 0)
		rc = handle_ask(h, op, args, &result, f);
	h->cancel_fd = h->conn.cancel_fd = cancel_fd;
	return rc;
}

static int
ask_to_end(struct handle *h, const struct ending *e, struct fault *f)
{
	static const char *const names[] = { "session.stop", "session.kill",
		"session.destroy" };
	uint32_t grace_ms = e->how == ENDING_KILL ? 0 : e->grace_ms;
	char args[80] = "{}";

	if (e->how == ENDING_STOP)
		snprintf(args, sizeof(args),
		    "{\"grace_ms\":%" PRIu32 ",\"interrupt\":%s}", grace_ms,
		    e->interrupt ? "true" : "false");
	else if (e->how == ENDING_DESTROY)
		snprintf(args, sizeof(args), "{\"grace_ms\":%" PRIu32 "}",
		    grace_ms);
	if (ask(h, names[e->how], args, f) < 0)
		return -1;
	return handle_wait_end(h, (int)grace_ms + MARGIN_MS, f);
}

/* The session no longer has a host, so the caller records the end. */
static int
write_end(struct handle *h, struct fault *f)
{
	struct error err;

	h->session.status = STATUS_DESTROYED;
	if (manifest_write(h->dirfd, &h->session, true, &err) < 0)
		return fault_set(f, FAIL_STORAGE, "%s", err.msg);
	name_release(&h->home, h->session.name, h->session.id);
	return 0;
}

/* The host died while ending it: the session is active but has no host. */
static bool
is_half_done(const struct manifest *m)
{
	return m->status == STATUS_DESTROYING && m->keeper.pid == 0 &&
	    m->host.pid == 0;
}

/* Another process may have removed it first. */
static int
purge(struct handle *h, struct fault *f)
{
	struct error err;
	int rc = home_remove_session(&h->home, h->session.id, &err);

	if (rc < 0 && rc != -ENOENT)
		return fault_set(f, FAIL_STORAGE, "%s", err.msg);
	return 0;
}

static int
destroy(struct handle *h, const struct ending *e, struct fault *f)
{
	int rc = permit_session(&h->home, &h->session,
	    e->purge ? OP_ADMIN : OP_CONTROL, f);

	if (rc == 0 && status_is_active(h->session.status) &&
	    !is_half_done(&h->session))
		rc = ask_to_end(h, e, f);
	if (rc == 0)
		rc = handle_wait_gone(h, f);
	if (rc == 0 && h->session.status != STATUS_DESTROYED)
		rc = write_end(h, f);
	if (rc == 0 && e->purge)
		rc = purge(h, f);
	return rc;
}

int
ending_run(struct handle *h, const struct ending *e, struct fault *f)
{
	return e->how == ENDING_DESTROY ? destroy(h, e, f) :
					  ask_to_end(h, e, f);
}
