#include "host/serve/status_watch.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/loop.h"
#include "base/mem.h"
#include "host/core/events.h"
#include "host/core/session.h"
#include "host/serve/server.h"
#include "host/serve/viewer_event.h"
#include "vt/program_status.h"
#include "vt/vt.h"

#define WINDOW_MS 1000

struct status_watch {
	struct session *session;
	struct server *server;
	struct watch *timer; /* end of the second: note what waits */
	bool changed;
	unsigned left;     /* changes that may still be noted in this second */
	int64_t window_ms; /* start of the second */
};

static const struct program_status silence;

static const struct program_status *
now_said(const struct session *session)
{
	return session->display.vt != NULL ?
	    vt_program_status(session->display.vt) :
	    &silence;
}

static const char *
or_empty(const char *s)
{
	return s != NULL ? s : "";
}

static bool
is_noted(const struct said *said, const struct program_status *s)
{
	return strcmp(said->state, or_empty(program_state_name(s->state))) ==
	    0 &&
	    strcmp(said->kind, or_empty(program_kind_name(s->kind))) == 0 &&
	    strcmp(said->app, s->app) == 0 &&
	    strcmp(or_empty(said->text), s->text) == 0;
}

static void
put_down(struct said *said, const struct program_status *s)
{
	snprintf(said->state, sizeof(said->state), "%s",
	    or_empty(program_state_name(s->state)));
	snprintf(said->kind, sizeof(said->kind), "%s",
	    or_empty(program_kind_name(s->kind)));
	snprintf(said->app, sizeof(said->app), "%s", s->app);
	free(said->text);
	said->text = s->text[0] != '\0' ? xstrdup(s->text) : NULL;
	said->since_ms = s->state != PROGRAM_SILENT ? clock_ms(CLOCK_REALTIME) :
						      0;
}

static void
tell_viewers(struct status_watch *w)
{
	struct buf b;

	buf_init(&b, VIEWER_EVENT_MAX);
	viewer_event_program_status(&b, w->session);
	server_event(w->server, &b);
	buf_finish(&b);
}

static void
note(struct status_watch *w)
{
	struct session *session = w->session;

	w->changed = false;
	if (is_noted(&session->manifest.said, now_said(session)))
		return;
	put_down(&session->manifest.said, now_said(session));
	event_program_status(session);
	tell_viewers(w);
	session_save_later(session);
}

/*
 * True if one more change may be noted now; otherwise the timer makes a turn
 * for it.
 */
static bool
may_note(struct status_watch *w)
{
	int64_t now = clock_ms(CLOCK_MONOTONIC);

	if (now - w->window_ms >= WINDOW_MS) {
		w->window_ms = now;
		w->left = STATUS_WATCH_PER_S;
	}
	if (w->left == 0) {
		watch_rearm(w->timer, w->window_ms + WINDOW_MS - now);
		return false;
	}
	w->left--;
	return true;
}

void
status_watch_settle(struct status_watch *w)
{
	if (!w->changed || w->session->ended)
		return;
	if (is_noted(&w->session->manifest.said, now_said(w->session)))
		w->changed = false;
	else if (may_note(w))
		note(w);
}

void
status_watch_changed(struct status_watch *w)
{
	w->changed = true;
}

void
status_watch_end(struct status_watch *w)
{
	struct session *session = w->session;

	note(w);
	if (session->display.vt != NULL)
		vt_end_program(session->display.vt);
	w->changed = false;
	if (session->manifest.said.state[0] == '\0')
		return;
	put_down(&session->manifest.said, &silence);
	tell_viewers(w);
}

/* Only the turn that this makes is needed. */
static void
on_time(void *arg)
{
	(void)arg;
}

struct status_watch *
status_watch_create(struct session *session, struct server *server)
{
	struct status_watch *w = xcalloc(1, sizeof(*w));

	w->session = session;
	w->server = server;
	w->changed = true; /* an earlier host may have known another */
	w->window_ms = clock_ms(CLOCK_MONOTONIC) - WINDOW_MS;
	w->timer = loop_timer(session->loop, -1, on_time, w);
	return w;
}

void
status_watch_destroy(struct status_watch *w)
{
	if (w == NULL)
		return;
	watch_remove(w->timer);
	free(w);
}
