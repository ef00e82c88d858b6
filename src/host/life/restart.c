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
#include "host/life/ending.h"
#include "host/core/events.h"
#include "host/host.h"
#include "host/life/restore.h"
#include "host/ask/exec.h"
#include "host/serve/server.h"
#include "host/serve/status_watch.h"
#include "host/life/stop.h"
#include "keep/control.h"

#define FIRST_MS 1000
#define LAST_MS 60000
#define NOT_STARTED (127 << 8) /* what a shell makes of it */

enum stage { RESTART_IDLE, RESTART_WAITING, RESTART_ASKED };

struct restart {
	struct host *h;
	struct watch *timer;
	enum stage stage;
	int status; /* in place of the last, when it could not be started */
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

/* A start of 0 is that of one who was gone before anybody could look. */
static int64_t
life_ms(const struct host *h)
{
	int64_t tick_ms = 1000 / sysconf(_SC_CLK_TCK);

	if (h->session.manifest.child.start == 0)
		return 0;
	return clock_ms(CLOCK_BOOTTIME) -
	    (int64_t)h->session.manifest.child.start * tick_ms;
}

/* Try again: as if it had ended once more. */
static void
fail(struct restart *r, int error)
{
	event_trouble(&r->h->session, "restart", strerror(error));
	r->h->session.manifest.restart_start = 0;
	r->status = NOT_STARTED;
	r->stage = RESTART_IDLE;
}

static void
on_timer(void *arg)
{
	struct restart *r = arg;
	struct host *h = r->h;
	struct control c = { .type = CONTROL_RESTART, .size = sizeof(c) };
	auto_close int cwd = open(h->session.manifest.cwd,
	    O_PATH | O_DIRECTORY | O_CLOEXEC);
	int rc = cwd < 0 ? -errno : 0;

	if (rc == 0)
		rc = control_send(h->session.control, &c, cwd);
	if (rc < 0)
		fail(r, -rc);
	else
		r->stage = RESTART_ASKED;
}

static bool
is_wanted(const struct host *h, int status)
{
	const struct manifest *m = &h->session.manifest;

	if (m->outcome != OUTCOME_NONE || h->session.control < 0)
		return false;
	return m->restart == RESTART_ALWAYS ||
	    (m->restart == RESTART_ON_FAILURE && status != 0);
}

static void
give_up(struct host *h)
{
	char why[256];

	snprintf(why, sizeof(why),
	    "it failed %u times in a row, each within a minute; tend log %s "
	    "shows why, tend rerun %s starts it again",
	    h->session.manifest.quick_ends, h->session.manifest.id,
	    h->session.manifest.id);
	free(h->session.manifest.gave_up);
	h->session.manifest.gave_up = xstrdup(why);
	log_write(&h->session.log, LOG_WARN, "not started again",
	    log_str("why", why));
}

/*
 * Nobody of the last run shall be in the way of the next.  The manifest tells
 * the host after us that this end has been counted; or only the log does, when
 * the one before us has died in between.
 */
static void
note(struct restart *r, int status, int64_t delay_ms)
{
	struct host *h = r->h;
	struct manifest *m = &h->session.manifest;

	stop_leftovers(h->stop);
	m->restarts++;
	m->restart_start = m->child.start;
	m->child.pid = 0;
	execs_ended(h->execs);
	server_restarts(h->server);
	status_watch_end(h->status_watch);
	if (restore_restart_logged(&h->session, h->session.display.shown) <
	    m->restarts)
		event_restart(&h->session, status, delay_ms);
	session_save(&h->session);
}

/* Whether it is to be started again; then the time to that runs. */
static bool
decide(struct restart *r, int status)
{
	struct host *h = r->h;
	struct manifest *m = &h->session.manifest;
	bool counted = m->restart_start != 0 &&
	    m->restart_start == m->child.start;
	int64_t delay;

	if (!is_wanted(h, status))
		return false;
	if (!counted && r->status != NOT_STARTED &&
	    life_ms(h) >= RESTART_SOUND_MS)
		m->quick_ends = 0;
	if (!counted)
		m->quick_ends++;
	delay = restart_delay_ms(m->quick_ends, status != 0);
	if (delay < 0) {
		give_up(h);
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
	/* Stopped meanwhile, or nobody there to do it any more. */
	if (r->stage == RESTART_WAITING && !is_wanted(r->h, 1)) {
		watch_rearm(r->timer, -1);
		r->stage = RESTART_IDLE;
	}
	if (r->h->session.control < 0)
		r->stage = RESTART_IDLE;
	return r->stage != RESTART_IDLE;
}

void
restart_started(struct restart *r, const struct control *c)
{
	struct host *h = r->h;

	if (c->u.started.error != 0) {
		fail(r, c->u.started.error);
		return;
	}
	r->stage = RESTART_IDLE;
	r->status = 0;
	h->session.manifest.child.pid = c->u.started.child_pid;
	h->session.manifest.child.start = c->u.started.child_start;
	ending_again(h->ending);
	session_save(&h->session);
	/* It was to be stopped before it was there. */
	if (h->session.manifest.outcome != OUTCOME_NONE)
		stop_now(h->stop);
}

struct restart *
restart_create(struct host *h)
{
	struct restart *r = xcalloc(1, sizeof(*r));

	r->h = h;
	r->timer = loop_timer(h->session.loop, -1, on_timer, r);
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
