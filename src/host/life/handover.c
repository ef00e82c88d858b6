#include "host/life/handover.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/failpoint.h"
#include "base/loop.h"
#include "base/mem.h"
#include "host/ask/exec.h"
#include "host/ask/waits.h"
#include "host/core/session.h"
#include "host/serve/connection.h"
#include "host/serve/requests.h"
#include "host/serve/server.h"
#include "host/store/event_log.h"
#include "keep/control.h"

/* Time limits of the steps; the keeper waits longer than all together. */
#define TYPE_MS 1000
#define PART_MS 4000
#define WRITE_MS 3000

enum stage {
	HANDOVER_NONE,
	HANDOVER_ASKED, /* the keeper tries the next host */
	HANDOVER_TYPING,
	HANDOVER_PARTING,
	HANDOVER_WRITING,
	HANDOVER_DONE,
};

struct handover {
	struct session *session;
	struct server *server;
	struct execs *execs;
	struct waits *waits;
	enum stage stage;
	uint64_t client, request; /* that asked */
	pid_t next;
	struct watch *limit;
	bool late;    /* this step has taken too long */
	bool written; /* the log has everything */
};

static void
on_limit(void *arg)
{
	struct handover *o = arg;

	o->late = true;
}

static void
enter(struct handover *o, enum stage stage, int64_t limit_ms)
{
	o->stage = stage;
	o->late = false;
	watch_rearm(o->limit, limit_ms);
}

struct handover *
handover_create(struct session *session, struct server *server,
    struct execs *execs, struct waits *waits)
{
	struct handover *o = xcalloc(1, sizeof(*o));

	o->session = session;
	o->server = server;
	o->execs = execs;
	o->waits = waits;
	o->limit = loop_timer(session->loop, -1, on_limit, o);
	return o;
}

void
handover_destroy(struct handover *o)
{
	if (o == NULL)
		return;
	watch_remove(o->limit);
	free(o);
}

/* ----------------------------------------------------------------- asking */

/* 0 if this session can change hosts now; otherwise -errno and the reason. */
static int
check(const struct handover *o, struct error *err)
{
	const struct session *session = o->session;

	if (session->control < 0)
		return error_set(err, ECONNREFUSED,
		    "its keeper has died, and only the keeper can start "
		    "another host; the session keeps its host until its "
		    "program ends");
	if (session->keeper_version < CONTROL_UPGRADES)
		return error_set(err, EPROTO,
		    "its keeper is of an older tend, which cannot change "
		    "hosts; the session keeps its host until it ends");
	if (session->ended || session->manifest.status != STATUS_RUNNING)
		return error_set(err, ESRCH, "it is ending");
	if (execs_are_awaited(o->execs))
		return error_set(err, EBUSY,
		    "a client waits for a command (tend exec) or can ask for "
		    "its answer with a key, and another host could not answer "
		    "it; try again when the command has ended");
	if (event_log_unlogged_since(session->event_log) != 0)
		return error_set(err, ENOSPC,
		    "the log is behind (%s), and output that waits in memory "
		    "would be lost; try again when the log has caught up",
		    session->log_error != 0 ? strerror(session->log_error) :
					      "the disk is slow");
	return 0;
}

int
handover_ask(struct handover *o, uint64_t client, uint64_t request, int program,
    struct error *err)
{
	struct control c = { .type = CONTROL_UPGRADE };
	int rc;

	if (o->stage != HANDOVER_NONE)
		return error_set(err, EBUSY,
		    "another upgrade of this session is under way");
	rc = check(o, err);
	if (rc < 0)
		return rc;
	rc = control_send(o->session->control, &c, program);
	if (rc < 0)
		return error_set(err, -rc, "cannot tell the keeper: %s",
		    strerror(-rc));
	o->client = client;
	o->request = request;
	enter(o, HANDOVER_ASKED, -1);
	return REQUEST_LATER;
}

/* --------------------------------------------------------------- staying */

static void
refuse(struct handover *o, const struct error *err)
{
	struct connection *c = server_connection(o->server, o->client);

	log_write(&o->session->log, LOG_WARN, "no other host takes over",
	    log_str("why", err->msg));
	if (c != NULL)
		requests_refuse(c, o->request, err);
	turn_wake_at(&o->session->turn, 0);
}

static void
stay(struct handover *o, const struct error *why)
{
	struct control c = { .type = CONTROL_STAY };
	enum stage stage = o->stage;

	enter(o, HANDOVER_NONE, -1);
	event_log_forget(o->session->event_log, o);
	if (stage >= HANDOVER_WRITING)
		output_flow_rest(&o->session->output_flow, false);
	if (stage >= HANDOVER_PARTING)
		server_stay(o->server);
	if (stage >= HANDOVER_TYPING && o->session->control >= 0)
		control_send(o->session->control, &c, -1);
	refuse(o, why);
}

static void
describe_end(int status, struct error *err)
{
	const char *name = WIFSIGNALED(status) ?
	    sigabbrev_np(WTERMSIG(status)) :
	    NULL;

	if (WIFSIGNALED(status))
		error_set(err, ECANCELED,
		    "the new host crashed (SIG%s); the old one goes on",
		    name != NULL ? name : "?");
	else
		error_set(err, ECANCELED,
		    "the new host ended with status %d before it was ready; "
		    "the old one goes on",
		    WEXITSTATUS(status));
}

static void
describe(const struct control *c, struct error *err)
{
	int error = c->u.failed.error;

	switch (c->u.failed.how) {
	case CONTROL_FAILED_SAYS:
		error_set(err, ECANCELED,
		    "the new host cannot take over: %.*s; the old one goes on",
		    CONTROL_WHY_MAX, c->u.failed.why);
		break;
	case CONTROL_FAILED_RUN:
		error_set(err, ECANCELED,
		    "the new host cannot be run: %s; the old one goes on",
		    strerror(error));
		break;
	case CONTROL_FAILED_ENDED:
		describe_end(error, err);
		break;
	case CONTROL_FAILED_EXIT:
		error_set(err, ESRCH, "its program has ended");
		break;
	default:
		error_set(err, ECANCELED,
		    "the new host was not ready after 5 seconds; the old one "
		    "goes on");
		break;
	}
}

void
handover_failed(struct handover *o, const struct control *c)
{
	struct error err;

	if (o->stage == HANDOVER_NONE || o->stage == HANDOVER_DONE)
		return;
	if (c != NULL)
		describe(c, &err);
	else
		error_set(&err, ECONNREFUSED, "its keeper has died");
	stay(o, &err);
}

/* --------------------------------------------------------------- leaving */

void
handover_leave(struct handover *o, pid_t next)
{
	failpoint("leave");
	o->next = next;
	enter(o, HANDOVER_TYPING, TYPE_MS);
}

static void
on_written(void *arg, uint64_t seq)
{
	struct handover *o = arg;

	(void)seq;
	o->written = true;
}

/* Take nothing more from the ring: the rest is for the next host. */
static void
write_all(struct handover *o)
{
	struct session *session = o->session;

	failpoint("leave-parted");
	o->written = false;
	output_flow_rest(&session->output_flow, true);
	enter(o, HANDOVER_WRITING, WRITE_MS);
	event_log_after(session->event_log, event_log_seq(session->event_log),
	    on_written, o);
}

static void
go(struct handover *o)
{
	struct session *session = o->session;
	struct connection *c = server_connection(o->server, o->client);

	failpoint("leave-written");
	session_save(session);
	enter(o, HANDOVER_DONE, -1);
	if (c != NULL) {
		waits_leave(o->waits, o->client);
		requests_hand_back(c);
		requests_followed(c, o->request, o->next);
		connection_flush(c);
	}
	log_write(&session->log, LOG_INFO, "another host takes over",
	    log_int("pid", o->next));
	loop_stop(session->loop);
}

/* True if this step cannot be finished in time, or at all. */
static bool
is_stuck(const struct handover *o, struct error *err)
{
	if (check(o, err) < 0)
		return true;
	if (!o->late)
		return false;
	if (o->stage == HANDOVER_WRITING)
		error_set(err, EIO,
		    "the disk did not accept the log in time; the old host "
		    "goes on");
	else
		error_set(err, EBUSY,
		    "its program does not read its input; try again when it "
		    "does");
	return true;
}

/* Take one step; false if the next one must wait. */
static bool
advance(struct handover *o)
{
	switch (o->stage) {
	case HANDOVER_TYPING:
		if (!server_has_typed(o->server))
			return false;
		enter(o, HANDOVER_PARTING, PART_MS);
		server_leave(o->server, o->client);
		return true;
	case HANDOVER_PARTING:
		if (!server_has_left(o->server))
			return false;
		write_all(o);
		return true;
	case HANDOVER_WRITING:
		if (o->written)
			go(o);
		return false;
	default:
		return false;
	}
}

void
handover_settle(struct handover *o)
{
	struct error err;

	if (o->stage < HANDOVER_TYPING || o->stage == HANDOVER_DONE)
		return;
	if (is_stuck(o, &err))
		stay(o, &err);
	else
		while (advance(o))
			continue;
}
