#include "host/agent/agent_watch.h"

#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/box.h"
#include "agent/judge.h"
#include "agent/observer.h"
#include "agent/profile.h"
#include "agent/profiles.h"
#include "agent/recognise.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/crc32c.h"
#include "base/loop.h"
#include "base/mem.h"
#include "host/agent/foreground.h"
#include "host/ask/waits.h"
#include "host/core/events.h"
#include "host/core/session.h"
#include "host/serve/server.h"
#include "host/serve/viewer_event.h"
#include "session/agent_files.h"
#include "vt/program_status.h"
#include "vt/vt.h"

#define DRAWING_MS 20 /* until the next look at an unfinished frame */

struct agent_watch {
	struct session *session;
	struct server *server;
	struct waits *waits;
	struct watch *timer;
	int64_t due_ms; /* CLOCK_MONOTONIC; CLOCK_NEVER: not set */

	struct agent_profiles *profiles; /* NULL: no agent */
	struct agent_observer seen;      /* without a profile: no agent */
	pid_t group;       /* in front of the terminal at the last search */
	uint32_t sum;      /* of their command lines then; 0: no search yet */
	int64_t found_ms;  /* CLOCK_MONOTONIC of that search */
	int64_t looked_ms; /* and of the last look */

	int64_t judged_ms; /* and since when the verdict holds */
};

static int64_t
now_ms(void)
{
	return clock_ms(CLOCK_MONOTONIC);
}

static void
arm(struct agent_watch *w, int64_t ms)
{
	w->due_ms = now_ms() + ms;
	watch_rearm(w->timer, ms);
}

/* ------------------------------------------------------------- the agent */

struct search {
	const struct agent_profiles *in;
	const struct agent_profile *found;
};

static bool
is_agent(void *arg, const char *words, size_t len)
{
	struct search *s = arg;

	s->found = agent_recognise(s->in, words, len);
	return s->found != NULL;
}

static const struct program_status *
status_of(const struct session *session)
{
	return vt_program_status(session->display.vt);
}

/* The profile of the agent that is there now; NULL: none. */
static const struct agent_profile *
search(const struct agent_watch *w, const struct agent_profiles *in)
{
	struct search s = { .in = in };

	if (foreground_each(w->group, w->session->manifest.child.pid, is_agent,
		&s))
		return s.found;
	return agent_recognise_app(in, status_of(w->session)->app);
}

static void
forget(struct agent_watch *w)
{
	agent_profiles_destroy(w->profiles);
	w->profiles = NULL;
	w->seen = (struct agent_observer){ 0 };
}

static bool
is_known(const struct agent_watch *w, const struct agent_profile *found)
{
	return found != NULL && w->profiles != NULL &&
	    strcmp(agent_profile_name(found),
		agent_profile_name(w->seen.profile)) == 0;
}

/* A session without an agent keeps no profiles, and gives their memory back. */
static void
identify(struct agent_watch *w)
{
	struct agent_profiles *all = agent_profiles_create();
	const struct agent_profile *found;

	agent_files_take(w->session->dirfd, all);
	found = search(w, all);
	if (is_known(w, found)) {
		agent_profiles_destroy(all);
		return;
	}
	forget(w);
	if (found != NULL) {
		w->profiles = all;
		w->seen.profile = found;
	} else {
		agent_profiles_destroy(all);
		malloc_trim(0);
	}
}

static bool
add_words(void *arg, const char *words, size_t len)
{
	uint32_t *sum = arg;

	*sum = crc32c(*sum, words, len);
	return false;
}

/* Profiles are needed only if something else is in front of the terminal. */
static void
find(struct agent_watch *w)
{
	const char *app = status_of(w->session)->app;
	uint32_t sum = crc32c(0, app, strlen(app) + 1);

	w->group = foreground_group(w->session->terminal.master);
	w->found_ms = now_ms();
	foreground_each(w->group, w->session->manifest.child.pid, add_words,
	    &sum);
	if (sum != w->sum)
		identify(w);
	w->sum = sum;
}

static bool
may_have_changed(const struct agent_watch *w)
{
	return now_ms() - w->found_ms >= AGENT_WATCH_FIND_MS ||
	    foreground_group(w->session->terminal.master) != w->group;
}

/* ------------------------------------------------------------ its activity */

static void
judge(struct agent_watch *w)
{
	enum activity before = w->seen.verdict.activity;

	agent_observe(&w->seen, w->session->display.vt,
	    clock_ms(CLOCK_REALTIME));
	if (w->seen.verdict.activity != before)
		w->judged_ms = now_ms();
}

/* ------------------------------------------------------------------ noting */

static void
copy(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from != NULL ? from : "");
}

/* The agent and its activity, as the manifest has them. */
static void
describe(const struct agent_watch *w, struct manifest_agent *out)
{
	const struct agent_verdict *v = &w->seen.verdict;

	*out = (struct manifest_agent){ 0 };
	if (w->seen.profile == NULL)
		return;
	copy(out->name, sizeof(out->name), agent_profile_name(w->seen.profile));
	copy(out->version, sizeof(out->version), w->seen.version);
	out->activity = v->activity;
	copy(out->source, sizeof(out->source), agent_source_name(v->source));
	copy(out->confidence, sizeof(out->confidence),
	    agent_confidence_name(v->confidence));
	copy(out->why, sizeof(out->why), v->reason);
}

static bool
is_noted(const struct manifest_agent *a, const struct manifest_agent *b)
{
	return a->activity == b->activity && strcmp(a->name, b->name) == 0 &&
	    strcmp(a->version, b->version) == 0 &&
	    strcmp(a->source, b->source) == 0 &&
	    strcmp(a->confidence, b->confidence) == 0 &&
	    strcmp(a->why, b->why) == 0;
}

static void
tell_viewers(struct agent_watch *w)
{
	struct buf b;

	buf_init(&b, VIEWER_EVENT_MAX);
	viewer_event_activity(&b, w->session);
	server_event(w->server, &b);
	buf_finish(&b);
}

static void
note(struct agent_watch *w)
{
	struct manifest_agent *noted = &w->session->manifest.agent, now;
	bool changed;

	describe(w, &now);
	if (is_noted(noted, &now))
		return;
	changed = noted->activity != now.activity ||
	    strcmp(noted->name, now.name) != 0;
	now.since_ms = changed ? clock_ms(CLOCK_REALTIME) : noted->since_ms;
	*noted = now;
	event_activity(w->session);
	tell_viewers(w);
	waits_activity(w->waits);
	session_save_later(w->session);
}

/*
 * The time for which a weak verdict must still hold; 0: none.  An agent that is
 * already known to be idle stays so.
 */
static int64_t
left_ms(const struct agent_watch *w)
{
	const struct agent_verdict *v = &w->seen.verdict;
	int64_t held = now_ms() - w->judged_ms;

	if ((v->activity != ACTIVITY_IDLE && v->activity != ACTIVITY_DONE) ||
	    v->source < AGENT_SOURCE_TITLE || held >= AGENT_HOLD_MS ||
	    w->session->manifest.agent.activity == v->activity)
		return 0;
	return AGENT_HOLD_MS - held;
}

/* ------------------------------------------------------------------ timing */

static void
on_timer(void *arg)
{
	struct agent_watch *w = arg;
	int64_t left;

	w->due_ms = CLOCK_NEVER;
	if (w->session->ended || w->session->display.vt == NULL)
		return;
	if (vt_in_sync(w->session->display.vt)) {
		arm(w, DRAWING_MS);
		return;
	}
	if (may_have_changed(w))
		find(w);
	w->looked_ms = now_ms();
	if (w->seen.profile != NULL)
		judge(w);
	left = w->seen.profile != NULL ? left_ms(w) : 0;
	if (left > 0)
		arm(w, left);
	else
		note(w);
}

/* The time until the next look. */
static int64_t
delay_ms(const struct agent_watch *w)
{
	int64_t every = w->seen.profile != NULL ? AGENT_WATCH_EVERY_MS :
						  AGENT_WATCH_FIND_MS;
	int64_t left = w->looked_ms + every - now_ms();

	return left > AGENT_WATCH_SOON_MS ? left : AGENT_WATCH_SOON_MS;
}

void
agent_watch_output(struct agent_watch *w)
{
	int64_t delay = delay_ms(w);

	if (now_ms() + delay < w->due_ms)
		arm(w, delay);
}

void
agent_watch_end(struct agent_watch *w)
{
	forget(w);
	w->sum = 0; /* the next program may have the same command line */
	note(w);
}

struct agent_watch *
agent_watch_create(struct session *session, struct server *server,
    struct waits *waits)
{
	struct agent_watch *w = xcalloc(1, sizeof(*w));

	w->session = session;
	w->server = server;
	w->waits = waits;
	w->found_ms = w->looked_ms = now_ms() - AGENT_WATCH_FIND_MS;
	w->due_ms = CLOCK_NEVER;
	w->timer = loop_timer(session->loop, -1, on_timer, w);
	if (session->manifest.agent.name[0] != '\0')
		agent_watch_output(w); /* it ran before this host */
	return w;
}

void
agent_watch_destroy(struct agent_watch *w)
{
	if (w == NULL)
		return;
	watch_remove(w->timer);
	agent_profiles_destroy(w->profiles);
	free(w);
}

/* -------------------------------------------------------------- explaining */

static void
put_source(struct json_out *j, enum agent_source source,
    const struct agent_said *said)
{
	json_out_open(j, '{');
	json_put_text(j, "source", agent_source_name(source));
	json_put_text(j, "activity", activity_name(said->activity));
	json_put_text(j, "what", said->what);
	json_put_time(j, "since",
	    said->activity != ACTIVITY_UNKNOWN ? said->since_ms : 0);
	json_out_close(j, '}');
}

void
agent_watch_explain(const struct agent_watch *w, struct json_out *j)
{
	json_out_open(j, '{');
	manifest_put_agent(&w->session->manifest, j);
	json_put_open(j, "sources", '[');
	for (int i = AGENT_SOURCE_NONE + 1;
	     w->seen.profile != NULL && i < AGENT_SOURCES; i++)
		put_source(j, (enum agent_source)i, &w->seen.evidence.by[i]);
	json_out_close(j, ']');
	json_put_text(j, "box", agent_box_name(w->seen.look.box));
	json_put_text(j, "why", json_filled(w->seen.look.why));
	json_out_close(j, '}');
}
