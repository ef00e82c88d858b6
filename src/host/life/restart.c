#include "host/life/restart.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/loop.h"
#include "base/mem.h"
#include "host/agent/agent_watch.h"
#include "host/ask/exec.h"
#include "host/ask/message.h"
#include "host/core/events.h"
#include "host/core/session.h"
#include "host/input/input.h"
#include "host/life/restore.h"
#include "host/life/stop.h"
#include "host/serve/status_watch.h"
#include "keep/control.h"

#define FIRST_MS 1000
#define LAST_MS 60000
#define NOT_STARTED (127 << 8) /* as a shell reports it */

enum stage { RESTART_IDLE, RESTART_WAITING, RESTART_ASKED };

struct restart {
	struct session *session;
	struct restart_parts with;
	struct watch *timer;
	enum stage stage;
	int status; /* replaces the last one if it could not be started */
};

int64_t
restart_delay_ms(unsigned quick, bool failed)
{
	int64_t ms = FIRST_MS;

	if (failed && quick >= RESTART_FAILURES)
		return -1;
	while (quick-- > 1 && ms < LAST_MS)
		ms *= 2;
	return ms < LAST_MS ? ms : LAST_MS;
}

/* A start of 0 means that the program ended before its start could be read. */
static int64_t
life_ms(const struct session *session)
{
	int64_t tick_ms = 1000 / sysconf(_SC_CLK_TCK);

	if (session->manifest.child.start == 0)
		return 0;
	return clock_ms(CLOCK_BOOTTIME) -
	    (int64_t)session->manifest.child.start * tick_ms;
}

/* Try again, as if the program had ended once more. */
static void
fail(struct restart *r, int error)
{
	event_trouble(r->session, "restart", strerror(error));
	r->session->manifest.restart_start = 0;
	r->status = NOT_STARTED;
	r->stage = RESTART_IDLE;
}

static void
on_timer(void *arg)
{
	struct restart *r = arg;
	struct session *session = r->session;
	struct control c = { .type = CONTROL_RESTART, .size = sizeof(c) };
	auto_close int cwd = open(session->manifest.cwd,
	    O_PATH | O_DIRECTORY | O_CLOEXEC);
	int rc = cwd < 0 ? -errno : 0;

	if (rc == 0)
		rc = control_send(session->control, &c, cwd);
	if (rc < 0)
		fail(r, -rc);
	else
		r->stage = RESTART_ASKED;
}

static bool
is_wanted(const struct session *session, int status)
{
	const struct manifest *m = &session->manifest;

	if (m->outcome != OUTCOME_NONE || session->control < 0)
		return false;
	return m->restart == RESTART_ALWAYS ||
	    (m->restart == RESTART_ON_FAILURE && status != 0);
}

static void
give_up(struct session *session)
{
	char why[256];

	snprintf(why, sizeof(why),
	    "it failed %u times in a row, each within a minute; tend log %s "
	    "shows why, tend rerun %s starts it again",
	    session->manifest.quick_ends, session->manifest.id,
	    session->manifest.id);
	free(session->manifest.gave_up);
	session->manifest.gave_up = xstrdup(why);
	log_write(&session->log, LOG_WARN, "not started again",
	    log_str("why", why));
}

/*
 * Clear the state of the last run.  The manifest tells the next host that this
 * end was counted; if the previous host died in between, only the log does.
 */
static void
note(struct restart *r, int status, int64_t delay_ms)
{
	struct session *session = r->session;
	struct manifest *m = &session->manifest;

	stop_leftovers(r->with.stop);
	m->restarts++;
	m->restart_start = m->child.start;
	m->child.pid = 0;
	execs_ended(r->with.execs);
	messages_ended(r->with.messages);
	status_watch_end(r->with.status_watch);
	agent_watch_end(r->with.agent_watch);
	if (restore_restart_logged(session, session->display.shown) <
	    m->restarts)
		event_restart(session, status, delay_ms);
	session_save(session);
}

/* True if the program will be restarted; starts the delay. */
static bool
decide(struct restart *r, int status)
{
	struct session *session = r->session;
	struct manifest *m = &session->manifest;
	bool counted = m->restart_start != 0 &&
	    m->restart_start == m->child.start;
	int64_t delay;

	if (!is_wanted(session, status))
		return false;
	if (!counted && r->status != NOT_STARTED &&
	    life_ms(session) >= RESTART_SOUND_MS)
		m->quick_ends = 0;
	if (!counted)
		m->quick_ends++;
	delay = restart_delay_ms(m->quick_ends, status != 0);
	if (delay < 0) {
		give_up(session);
		return false;
	}
	if (!counted)
		note(r, status, delay);
	watch_rearm(r->timer, delay);
	r->stage = RESTART_WAITING;
	return true;
}

bool
restart_holds(struct restart *r, int status)
{
	if (r->stage == RESTART_IDLE)
		return decide(r, r->status != 0 ? r->status : status);
	/* The session was stopped meanwhile, or the keeper has died. */
	if (r->stage == RESTART_WAITING && !is_wanted(r->session, 1)) {
		watch_rearm(r->timer, -1);
		r->stage = RESTART_IDLE;
	}
	if (r->session->control < 0)
		r->stage = RESTART_IDLE;
	return r->stage != RESTART_IDLE;
}

void
restart_started(struct restart *r, const struct control *c)
{
	struct session *session = r->session;

	if (c->u.started.error != 0) {
		fail(r, c->u.started.error);
		return;
	}
	r->stage = RESTART_IDLE;
	r->status = 0;
	session->manifest.child.pid = c->u.started.child_pid;
	session->manifest.child.start = c->u.started.child_start;
	session->exited = false;
	input_mute(r->with.input, false);
	session_save(session);
	/* The session was stopped before the program started. */
	if (session->manifest.outcome != OUTCOME_NONE)
		stop_now(r->with.stop);
}

struct restart *
restart_create(struct session *session, const struct restart_parts *with)
{
	struct restart *r = xcalloc(1, sizeof(*r));

	r->session = session;
	r->with = *with;
	r->timer = loop_timer(session->loop, -1, on_timer, r);
	return r;
}

void
restart_destroy(struct restart *r)
{
	if (r == NULL)
		return;
	watch_remove(r->timer);
	free(r);
}
