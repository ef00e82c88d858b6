#include "host/life/ending.h"

#include <stdlib.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/failpoint.h"
#include "base/loop.h"
#include "base/mem.h"
#include "host/agent/agent_watch.h"
#include "host/ask/exec.h"
#include "host/ask/message.h"
#include "host/core/events.h"
#include "host/core/session.h"
#include "host/input/input.h"
#include "host/life/naming.h"
#include "host/life/post_mortem.h"
#include "host/life/restart.h"
#include "host/life/restore.h"
#include "host/life/stop.h"
#include "host/serve/server.h"
#include "host/serve/status_watch.h"
#include "host/store/event_log.h"
#include "host/system/oom.h"
#include "keep/control.h"
#include "session/scope.h"

#define LOG_MS 60000  /* time for the disk to log the end */
#define DRAIN_MS 5000 /* time for viewers to read it */

struct ending {
	struct session *session;
	struct ending_parts with;
	struct watch *limit;
	bool lost;
	int status;
	uint64_t exit_offset;
	bool exit_queued, exit_logged;
	bool closed;
	uint64_t closed_offset;
	uint64_t last_seq; /* of the last event, once it is queued */
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
ending_create(struct session *session, const struct ending_parts *with)
{
	struct ending *e = xcalloc(1, sizeof(*e));

	e->session = session;
	e->with = *with;
	e->limit = loop_timer(session->loop, -1, on_limit, e);
	/*
	 * An earlier host has reported the end: the keeper will not do it
	 * again.
	 */
	if (status_is_terminal(session->manifest.status))
		e->exit_queued = e->exit_logged = session->exited =
		    session->ended = true;
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
	if (e->session->exited)
		return;
	e->session->exited = true;
	e->status = status;
	e->exit_offset = offset;
	e->lost = lost;
	input_mute(e->with.input, true);
	output_flow_again(&e->session->output_flow, 0);
}

void
ending_closed(struct ending *e, uint64_t offset)
{
	e->closed = true;
	e->closed_offset = offset;
}

/*
 * Keep the outcome that a stop has recorded: it names who ended the session.
 */
static enum outcome
outcome(const struct ending *e)
{
	if (e->lost)
		return OUTCOME_LOST;
	if (e->session->manifest.outcome != OUTCOME_NONE)
		return e->session->manifest.outcome;
	return e->status == 0 ? OUTCOME_EXITED : OUTCOME_FAILED;
}

/* Its number in the log. */
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
	struct manifest *m = &e->session->manifest;

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
send_to_keeper(struct session *session, enum control_type type)
{
	struct control c = { .type = type, .size = sizeof(c) };

	if (session->control >= 0)
		control_send(session->control, &c, -1);
}

static void
on_exit_logged(void *arg, uint64_t seq)
{
	struct ending *e = arg;
	struct session *session = e->session;

	(void)seq;
	if (e->exit_logged)
		return;
	e->exit_logged = true;
	session->ended = true;
	failpoint("exit-logged");
	fill_manifest(e);
	if (e->status != 0 && !e->lost)
		post_mortem_write(session);
	session_save(session);
	failpoint("exit-saved");
	naming_release(session);
	execs_ended(e->with.execs);
	server_ended(e->with.server);
	messages_ended(e->with.messages);
	send_to_keeper(session, CONTROL_ACK);
	failpoint("exit-acked");
	stop_ended(e->with.stop);
}

/*
 * An earlier host may have logged the exit and died before it could record
 * that.
 */
static void
queue_exit(struct ending *e)
{
	struct session *session = e->session;
	uint64_t seq;

	e->exit_queued = true;
	status_watch_end(e->with.status_watch);
	agent_watch_end(e->with.agent_watch);
	if (e->with.oom != NULL)
		oom_look(e->with.oom);
	if (restore_exit_logged(session, e->exit_offset)) {
		on_exit_logged(e, 0);
		return;
	}
	event_keyframe(session, false);
	session->ended_ns = clock_ns(CLOCK_BOOTTIME);
	seq = event_exit(session, e->status, e->exit_offset,
	    outcome_number(outcome(e)));
	limit(e, LOG_MS);
	event_log_after(session->event_log, seq, on_exit_logged, e);
}

static void
on_all_logged(void *arg, uint64_t seq)
{
	struct ending *e = arg;

	(void)seq;
	e->all_logged = true;
}

/* The terminal is closed, and viewers and the keeper know the exit status. */
static void
settle_closed(struct ending *e)
{
	struct session *session = e->session;

	if (e->last_seq == 0) {
		e->last_seq = event_log_seq(session->event_log);
		limit(e, LOG_MS);
		event_log_after(session->event_log, e->last_seq, on_all_logged,
		    e);
	}
	if (!e->all_logged && !e->late)
		return;
	if (!e->draining) {
		e->draining = true;
		limit(e, DRAIN_MS);
	}
	if (server_is_drained(e->with.server) || e->late) {
		e->done = true;
		loop_stop(session->loop);
	}
}

void
ending_settle(struct ending *e)
{
	struct session *session = e->session;

	if (!e->session->exited || e->done)
		return;
	if (!e->exit_queued && session->display.shown >= e->exit_offset &&
	    !restart_holds(e->with.restart, e->status))
		queue_exit(e);
	if (e->exit_queued && !e->exit_logged && e->late)
		on_exit_logged(e, 0);
	if (e->exit_logged && e->closed &&
	    session->display.shown >= e->closed_offset)
		settle_closed(e);
}

void
ending_conclude(struct ending *e)
{
	struct session *session = e->session;

	if (!e->done)
		return;
	failpoint("before-done");
	stop_ended(e->with.stop); /* the last moment below the keeper */
	scope_remove(session->manifest.cgroup);
	session->manifest.host = (struct process){ 0 };
	session->manifest.keeper = (struct process){ 0 };
	session_save(session);
	send_to_keeper(session, CONTROL_DONE);
}
