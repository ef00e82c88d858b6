#include "host/life/ending.h"

#include <stdlib.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/failpoint.h"
#include "base/loop.h"
#include "base/mem.h"
#include "host/core/events.h"
#include "host/host.h"
#include "host/system/oom.h"
#include "host/life/naming.h"
#include "host/life/post_mortem.h"
#include "host/life/restart.h"
#include "host/life/restore.h"
#include "host/ask/exec.h"
#include "host/store/event_log.h"
#include "host/serve/server.h"
#include "host/serve/status_watch.h"
#include "host/life/stop.h"
#include "keep/control.h"
#include "session/scope.h"

#define LOG_MS 60000  /* what a disk gets to take the end */
#define DRAIN_MS 5000 /* and viewers, to read it */

struct ending {
	struct host *h;
	struct watch *limit;
	bool exited, lost;
	int status;
	uint64_t exit_offset;
	bool exit_queued, exit_logged;
	bool closed;
	uint64_t closed_offset;
	uint64_t last_seq; /* of the very last event, once it is queued */
	bool all_logged;
	bool late; /* the time limit has passed */
	bool draining;
	bool done;
};

static void
on_limit(void *arg)
{
	struct ending *e = arg;

	e->late = true;
}

static void
limit(struct ending *e, int64_t ms)
{
	e->late = false;
	watch_rearm(e->limit, ms);
}

struct ending *
ending_create(struct host *h)
{
	struct ending *e = xcalloc(1, sizeof(*e));

	e->h = h;
	e->limit = loop_timer(h->session.loop, -1, on_limit, e);
	/* A host before us has told everybody: the keeper will not again. */
	if (status_is_terminal(h->session.manifest.status))
		e->exited = e->exit_queued = e->exit_logged = h->session
								  .ended = true;
	return e;
}

void
ending_destroy(struct ending *e)
{
	if (e == NULL)
		return;
	watch_remove(e->limit);
	free(e);
}

void
ending_exit(struct ending *e, int status, uint64_t offset, bool lost)
{
	if (e->exited)
		return;
	e->exited = true;
	e->status = status;
	e->exit_offset = offset;
	e->lost = lost;
	server_mute(e->h->server, true);
	intake_again(&e->h->session.intake, 0);
}

void
ending_again(struct ending *e)
{
	e->exited = false;
	server_mute(e->h->server, false);
}

bool
ending_has_exited(const struct ending *e)
{
	return e->exited;
}

void
ending_closed(struct ending *e, uint64_t offset)
{
	e->closed = true;
	e->closed_offset = offset;
}

/* What a stop has put down before is kept: it says who ended it. */
static enum outcome
outcome(const struct ending *e)
{
	if (e->lost)
		return OUTCOME_LOST;
	if (e->h->session.manifest.outcome != OUTCOME_NONE)
		return e->h->session.manifest.outcome;
	return e->status == 0 ? OUTCOME_EXITED : OUTCOME_FAILED;
}

/* The number that the log has for it. */
static unsigned
outcome_number(enum outcome o)
{
	static const unsigned numbers[] = {
		[OUTCOME_EXITED] = 0,
		[OUTCOME_STOPPED] = 1,
		[OUTCOME_KILLED] = 2,
		[OUTCOME_FAILED] = 3,
		[OUTCOME_LOST] = 4,
	};

	return numbers[o];
}

static void
fill_manifest(struct ending *e)
{
	struct manifest *m = &e->h->session.manifest;

	m->outcome = outcome(e);
	m->status = m->status == STATUS_DESTROYING ? STATUS_DESTROYED :
						     STATUS_EXITED;
	m->ended_ms = clock_ms(CLOCK_REALTIME);
	if (e->lost)
		return;
	m->has_exit = true;
	m->exit_code = WIFEXITED(e->status) ? WEXITSTATUS(e->status) : -1;
	m->exit_signal = WIFSIGNALED(e->status) ? WTERMSIG(e->status) : 0;
}

static void
send_to_keeper(struct host *h, enum control_type type)
{
	struct control c = { .type = type, .size = sizeof(c) };

	if (h->session.control >= 0)
		control_send(h->session.control, &c, -1);
}

static void
on_exit_logged(void *arg, uint64_t seq)
{
	struct ending *e = arg;
	struct host *h = e->h;

	(void)seq;
	if (e->exit_logged)
		return;
	e->exit_logged = true;
	h->session.ended = true;
	failpoint("exit-logged");
	fill_manifest(e);
	if (e->status != 0 && !e->lost)
		post_mortem_write(&h->session);
	session_save(&h->session);
	failpoint("exit-saved");
	naming_release(&h->session);
	execs_ended(h->execs);
	server_ended(h->server);
	send_to_keeper(h, CONTROL_ACK);
	failpoint("exit-acked");
	stop_ended(h->stop);
}

/* A host before us may have logged it and died before it could say so. */
static void
queue_exit(struct ending *e)
{
	struct host *h = e->h;
	uint64_t seq;

	e->exit_queued = true;
	status_watch_end(h->status_watch);
	if (h->oom != NULL)
		oom_look(h->oom);
	if (restore_exit_logged(&h->session, e->exit_offset)) {
		on_exit_logged(e, 0);
		return;
	}
	event_keyframe(&h->session, false);
	h->session.ended_ns = clock_ns(CLOCK_BOOTTIME);
	seq = event_exit(&h->session, e->status, e->exit_offset,
	    outcome_number(outcome(e)));
	limit(e, LOG_MS);
	event_log_after(h->session.event_log, seq, on_exit_logged, e);
}

static void
on_all_logged(void *arg, uint64_t seq)
{
	struct ending *e = arg;

	(void)seq;
	e->all_logged = true;
}

/* The terminal is closed and everybody knows how it ended. */
static void
settle_closed(struct ending *e)
{
	struct host *h = e->h;

	if (e->last_seq == 0) {
		e->last_seq = event_log_seq(h->session.event_log);
		limit(e, LOG_MS);
		event_log_after(h->session.event_log, e->last_seq,
		    on_all_logged, e);
	}
	if (!e->all_logged && !e->late)
		return;
	if (!e->draining) {
		e->draining = true;
		limit(e, DRAIN_MS);
	}
	if (server_is_drained(h->server) || e->late) {
		e->done = true;
		loop_stop(h->session.loop);
	}
}

void
ending_settle(struct ending *e)
{
	struct host *h = e->h;

	if (!e->exited || e->done)
		return;
	if (!e->exit_queued && h->session.display.shown >= e->exit_offset &&
	    !restart_holds(h->restart, e->status))
		queue_exit(e);
	if (e->exit_queued && !e->exit_logged && e->late)
		on_exit_logged(e, 0);
	if (e->exit_logged && e->closed &&
	    h->session.display.shown >= e->closed_offset)
		settle_closed(e);
}

void
ending_conclude(struct ending *e)
{
	struct host *h = e->h;

	if (!e->done)
		return;
	failpoint("before-done");
	scope_remove(h->session.manifest.cgroup);
	h->session.manifest.host = (struct process){ 0 };
	h->session.manifest.keeper = (struct process){ 0 };
	session_save(&h->session);
	send_to_keeper(h, CONTROL_DONE);
}
