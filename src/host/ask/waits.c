#include "host/ask/waits.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/list.h"
#include "base/mem.h"
#include "host/core/session.h"
#include "host/serve/connection.h"
#include "host/serve/requests.h"
#include "host/serve/server.h"
#include "host/store/event_log.h"
#include "log/replay.h"
#include "op/ledger.h"
#include "op/sight.h"
#include "vt/happenings.h"
#include "vt/story.h"
#include "vt/vt.h"

struct wait {
	struct list link;
	struct waits *all;
	uint64_t client, request;
	struct condition c;
	uint64_t begun_seq;
	int64_t deadline_ms;

	/* A match in a slice is reported with the next frame. */
	bool seen;
	struct glimpse glimpse;
	struct finding found;
	unsigned missed; /* matches that did not count, recently */
	int error;       /* -ELOOP: the pattern takes too long; 0: none */
};

/*
 * The end of a command.  ENDS_KEPT of them are kept, so that a late wait gets
 * the status of the first command after its event; if that is no longer kept,
 * the status of the oldest.
 */
#define ENDS_KEPT 32

struct waits {
	struct session *session;
	struct server *server;
	struct list list;
	unsigned n_seen;   /* waits that want slices */
	unsigned n_stable; /* waits with a stable time */

	uint64_t first_seq;  /* this host has not seen events up to it */
	uint64_t generation; /* of the last frame */
	uint64_t shown_seq;  /* of the event that showed it; 0: unknown */
	int64_t shown_ns;    /* CLOCK_BOOTTIME of that; 0: unknown */
	struct happenings happened;
	struct happening ends[ENDS_KEPT]; /* of commands, by done_count */
	uint64_t done_count;
	bool drawing;   /* an update was under way at the last check */
	bool alternate; /* the alternate screen was last, for slices */

	/* The last frame, if the ledger does not have it yet. */
	bool due;
	uint64_t due_seq;
	int64_t due_ms;

	struct buf text;    /* while n_stable > 0: the last visible text */
	int64_t changed_ms; /* time of its last change */
	int64_t next_ms;    /* next time to check; CLOCK_NEVER */
};

static int64_t
now_ms(void)
{
	return clock_ms(CLOCK_MONOTONIC);
}

static struct wait *
wait_of(struct list *link)
{
	return container_of(link, struct wait, link);
}

/* If the program ended within an update, that update is the last frame. */
static bool
is_at_frame(const struct waits *w)
{
	return w->session->display.vt == NULL || w->session->ended ||
	    !vt_in_sync(w->session->display.vt);
}

static uint64_t
generation(const struct waits *w)
{
	return w->session->display.vt != NULL ?
	    vt_generation(w->session->display.vt) :
	    0;
}

/*
 * The log's time, because a replay of the log may have filled the ledger
 * before.
 */
static int64_t
story_ms(const struct waits *w)
{
	return (int64_t)(session_now_ns(w->session) / 1000000);
}

/* Keep the end of a command that `happened` has got since `before`. */
static void
note_end(struct waits *w, uint64_t before)
{
	const struct happening *done = &w->happened.last[HAPPENING_DONE];

	if (done->seq > before)
		w->ends[w->done_count++ % ENDS_KEPT] = *done;
}

/* The status of the first command that ended after this event. */
static int
status_after(const struct waits *w, uint64_t seq)
{
	uint64_t n = w->done_count < ENDS_KEPT ? w->done_count : ENDS_KEPT;

	for (uint64_t i = w->done_count - n; i < w->done_count; i++)
		if (w->ends[i % ENDS_KEPT].seq > seq)
			return w->ends[i % ENDS_KEPT].value;
	return -1;
}

void
waits_catch_up(struct waits *w)
{
	if (w->due && w->session->display.vt != NULL)
		ledger_story.frame(w->session->display.ledger,
		    w->session->display.vt, w->due_seq, w->due_ms);
	w->due = false;
}

/*
 * This event has shown the present screen.  Comparing two frames takes longer
 * than an echo may; so while no client waits, viewers are served first.
 */
static void
note_frame(struct waits *w, uint64_t seq)
{
	waits_catch_up(w);
	w->due = true;
	w->due_seq = seq;
	w->due_ms = story_ms(w);
	if (!list_is_empty(&w->list))
		waits_catch_up(w);
}

struct waits *
waits_create(struct session *session, struct server *server)
{
	struct waits *w = xcalloc(1, sizeof(*w));

	w->session = session;
	w->server = server;
	w->next_ms = CLOCK_NEVER;
	w->first_seq = event_log_seq(session->event_log);
	w->generation = generation(w);
	happenings_init(&w->happened);
	list_init(&w->list);
	buf_init(&w->text, SIZE_MAX);
	if (session->display.vt != NULL && session->display.ledger->vt == NULL)
		ledger_story.begun(session->display.ledger,
		    session->display.vt);
	else if (session->display.vt != NULL)
		note_frame(w, w->first_seq); /* a resize may have come before */
	return w;
}

/* ------------------------------------------------------------- one wait */

static void
add(struct waits *w, struct wait *wait)
{
	wait->all = w;
	w->n_seen += wait->c.seen;
	w->n_stable += condition_wants(&wait->c, CONDITION_STABLE);
	list_append(&w->list, &wait->link);
}

static void
drop(struct wait *wait)
{
	struct waits *w = wait->all;

	w->n_seen -= wait->c.seen;
	w->n_stable -= condition_wants(&wait->c, CONDITION_STABLE);
	list_remove(&wait->link);
	event_log_forget(w->session->event_log, wait);
	glimpse_finish(&wait->glimpse);
	finding_finish(&wait->found);
	condition_finish(&wait->c);
	free(wait);
}

void
waits_destroy(struct waits *w)
{
	if (w == NULL)
		return;
	list_for_each_safe(it, &w->list)
		drop(wait_of(it));
	buf_finish(&w->text);
	free(w);
}

/*
 * The client that waits, or NULL.  Sending may close the connection, so the
 * wait gives it up first.
 */
static struct connection *
take_client(struct wait *wait)
{
	struct connection *c = server_connection(wait->all->server,
	    wait->client);

	wait->client = 0;
	return c;
}

/* Answer the client, and drop the wait. */
static void
answer(struct wait *wait, const struct verdict *v, struct sight *s)
{
	struct connection *c = take_client(wait);
	struct json_out j;
	struct buf b;

	if (c != NULL) {
		requests_begin_answer(&b, &j, wait->request);
		verdict_json(v, s, &j);
		requests_send_logged(c, &b, wait->request, v->seq);
		buf_finish(&b);
	}
	drop(wait);
}

static void
refuse(struct wait *wait, const struct error *err)
{
	struct connection *c = take_client(wait);

	if (c != NULL)
		requests_refuse(c, wait->request, err);
	drop(wait);
}

static int
too_hard(struct error *err)
{
	return error_set(err, EINVAL,
	    "session.wait: 'regex' takes too long on this screen; avoid "
	    "repeats inside repeats");
}

static void
refuse_hard(struct wait *wait)
{
	struct error err;

	too_hard(&err);
	refuse(wait, &err);
}

/* -------------------------------------------------------------- looking */

/*
 * While no wait needs it, the text counts as old as the last change of any
 * kind.
 */
static void
note_text(struct waits *w, struct sight *s, int64_t now)
{
	const struct buf *text = sight_text(s);

	if (buf_equals(text, &w->text))
		return;
	buf_clear(&w->text);
	buf_append(&w->text, text->data, text->len);
	w->changed_ms = now;
}

static void
begin_stable(struct waits *w)
{
	struct sight s;

	sight_init(&s, w->session->display.vt);
	note_text(w, &s, 0);
	w->changed_ms = w->session->active_ms;
	sight_finish(&s);
}

static void
see(struct waits *w, struct sight *s, int64_t now)
{
	sight_init(s, w->session->display.vt);
	s->ledger = w->session->display.ledger;
	s->shown_seq = w->shown_seq;
	s->happened = w->happened;
	s->activity = manifest_activity(&w->session->manifest);
	s->ended = w->session->ended;
	if (s->ended && w->session->manifest.has_exit) {
		s->exit_code = w->session->manifest.exit_code;
		s->exit_signal = w->session->manifest.exit_signal;
	}
	s->shown_ns = w->shown_ns;
	s->now_ns = s->ended && w->session->ended_ns != 0 ?
	    w->session->ended_ns :
	    clock_ns(CLOCK_BOOTTIME);
	s->idle_ms = now - w->session->active_ms;
	if (w->n_stable == 0)
		return;
	if (is_at_frame(w))
		note_text(w, s, now);
	s->stable_ms = now - w->changed_ms;
}

/* 1 and the verdict if the wait is over, 0 if not, or -ELOOP. */
static int
judge(struct wait *wait, struct sight *s, int64_t now, struct verdict *v)
{
	int rc = wait->error;

	*v = (struct verdict){ .conditions = wait->c.wanted,
		.seq = event_log_seq(wait->all->session->event_log) };
	if (rc == 0 && is_at_frame(wait->all)) {
		if (wait->seen)
			rc = 1;
		else
			rc = sight_test(s, &wait->c, wait->begun_seq,
			    &wait->found);
		glimpse_drop(&wait->glimpse);
		wait->missed |= s->missed | wait->glimpse.missed;
	}
	v->matched = rc == 1;
	v->found = wait->found;
	s->happened.last[HAPPENING_DONE].value = status_after(wait->all,
	    wait->c.has_after ? wait->c.after : wait->begun_seq);
	if (rc != 0)
		return rc;
	if (!s->ended && now < wait->deadline_ms)
		return 0;
	v->timed_out = !s->ended;
	v->conditions = sight_unmet(s, &wait->c, wait->begun_seq);
	v->missed = wait->missed | s->missed;
	return 1;
}

/* The next time to check this wait if nothing happens before. */
static int64_t
next_of(const struct wait *wait, const struct sight *s, int64_t now)
{
	int64_t left = sight_left_ms(s, &wait->c);

	return left < wait->deadline_ms - now ? now + left : wait->deadline_ms;
}

static void
look(struct waits *w)
{
	int64_t now = now_ms();
	struct verdict v;
	struct sight s;

	if (list_is_empty(&w->list))
		return;
	see(w, &s, now);
	w->next_ms = CLOCK_NEVER;
	list_for_each_safe(it, &w->list) {
		struct wait *wait = wait_of(it);
		int64_t next = next_of(wait, &s, now);
		int rc = judge(wait, &s, now, &v);

		if (rc < 0)
			refuse_hard(wait);
		else if (rc > 0)
			answer(wait, &v, &s);
		else if (next < w->next_ms)
			w->next_ms = next;
	}
	sight_finish(&s);
}

/* Check a moment between frames, for a wait that wants to see them. */
static void
check_now(struct wait *wait, const struct moment *m)
{
	int rc;

	if (!wait->c.seen || wait->seen || wait->error != 0 ||
	    (wait->c.has_after && m->seq <= wait->c.after))
		return;
	rc = glimpse_look(&wait->glimpse, m, &wait->c, &wait->found);
	wait->seen = rc == 1;
	wait->error = rc < 0 ? rc : 0;
}

/* --------------------------------------------------------- looking back */

struct past_look {
	struct wait *wait;
	struct ledger ledger; /* at that time */
	uint64_t begun;       /* offset of the first output that counts */
	bool has_begun;
	uint64_t shown_seq; /* of the last frame; 0: none */
	bool found;
};

static bool
is_enough(struct past_look *p, const struct replay *at)
{
	if (!p->has_begun) {
		p->has_begun = true;
		p->begun = at->offset;
	}
	return at->offset - p->begun > WAITS_BACK;
}

/* Check a past moment; false: stop. */
static bool
on_past(void *arg, const struct replay *at, bool frame)
{
	struct past_look *p = arg;
	struct wait *wait = p->wait;
	struct sight s;

	if (!frame) {
		check_now(wait,
		    &(struct moment){ at->vt, &p->ledger, at->seq + 1, false });
		return true;
	}
	glimpse_drop(&wait->glimpse);
	sight_init(&s, at->vt);
	s.ledger = &p->ledger;
	s.shown_seq = p->shown_seq = at->seq;
	s.happened = at->happened;
	p->found = wait->seen;
	if (!p->found && wait->error == 0) {
		int rc = sight_test(&s, &wait->c, 0, &wait->found);

		p->found = rc == 1;
		wait->error = rc < 0 ? rc : 0;
		wait->missed |= s.missed;
	}
	sight_finish(&s);
	return !p->found && wait->error == 0 && !is_enough(p, at);
}

static void
answer_past(struct wait *wait, const struct replay *at)
{
	struct verdict v = {
		.matched = true,
		.conditions = wait->c.wanted,
		.found = wait->found,
		.seq = at->seq,
	};
	struct sight s;

	sight_init(&s, at->vt);
	s.shown_ns = (int64_t)(wait->all->session->began_ns + at->time_ns);
	s.happened = at->happened;
	answer(wait, &v, &s);
	sight_finish(&s);
}

/*
 * Use what the log knows and this host has not seen; it may complete the wait.
 */
static void
learn(struct waits *w, const struct past_look *p, const struct replay *at)
{
	uint64_t done = w->happened.last[HAPPENING_DONE].seq;

	if (w->shown_seq < p->shown_seq)
		w->shown_seq = p->shown_seq;
	happenings_learn(&w->happened, &at->happened);
	note_end(w, done);
	ledger_learn(w->session->display.ledger, &p->ledger);
	look(w);
}

/* The log now has everything that was shown before the wait came. */
static void
on_logged(void *arg, uint64_t seq)
{
	struct wait *wait = arg;
	struct waits *w = wait->all;
	struct past_look look = { .wait = wait };
	const struct replay_watch watch = {
		.after = wait->c.after,
		.slices = wait->c.seen,
		.fn = on_past,
		.arg = &look,
		.story = &ledger_story,
		.story_arg = &look.ledger,
	};
	struct replay at = { 0 };
	struct log_reader *r;

	if (log_reader_open(&r, w->session->log_dirfd, NULL) < 0)
		return;
	if (replay_watched(r, seq, &watch, &at, NULL) == 0) {
		if (look.found)
			answer_past(wait, &at);
		else if (wait->error != 0)
			refuse_hard(wait);
		else
			learn(w, &look, &at);
	}
	ledger_finish(&look.ledger);
	vt_destroy(at.vt);
	log_reader_close(r);
}

/*
 * True if the log can answer more: about past frames (but not how long nothing
 * has happened), and about the time before this host.
 */
static bool
asks_of_past(const struct wait *wait)
{
	const unsigned now_only = condition_having(CONDITION_OF_NOW);
	const struct waits *w = wait->all;
	bool frames = (wait->c.wanted & now_only) == 0 &&
	    (w->shown_seq == 0 || w->shown_seq > wait->c.after);

	return wait->c.has_after && (frames || wait->c.after < w->first_seq) &&
	    event_log_unlogged_since(w->session->event_log) == 0;
}

/* ------------------------------------------------------------ beginning */

static struct wait *
create(struct waits *w, const struct op_call *call, struct condition *c)
{
	struct wait *wait = xcalloc(1, sizeof(*wait));

	wait->client = call->client->number;
	wait->request = call->id;
	wait->c = *c;
	wait->begun_seq = event_log_seq(w->session->event_log);
	wait->deadline_ms = now_ms() + c->timeout_ms;
	glimpse_init(&wait->glimpse);
	*c = (struct condition){ 0 };
	add(w, wait);
	return wait;
}

/* Conditions on the screen need a screen; a seq must be known. */
static int
check(const struct waits *w, const struct condition *c, struct error *err)
{
	const unsigned blind = condition_having(CONDITION_BLIND);
	uint64_t last = event_log_seq(w->session->event_log);

	if (c->has_after && c->after > last)
		return error_set(err, EINVAL,
		    "session.wait: 'after' %" PRIu64 " is no event of this "
		    "session yet: the last is %" PRIu64,
		    c->after, last);
	if (w->session->display.vt == NULL && (c->wanted & ~blind) != 0)
		return error_set(err, ENOENT,
		    "the session has no screen: its engine is off");
	return 0;
}

int
waits_begin(struct waits *w, struct op_call *call, struct condition *c,
    struct error *err)
{
	int64_t now = now_ms(), next;
	struct wait *wait;
	struct verdict v;
	struct sight s;
	int rc = check(w, c, err);

	if (rc < 0) {
		condition_finish(c);
		return rc;
	}
	waits_catch_up(w);
	if (w->n_stable == 0 && condition_wants(c, CONDITION_STABLE))
		begin_stable(w);
	wait = create(w, call, c);
	see(w, &s, now);
	rc = judge(wait, &s, now, &v);
	if (rc == 1) {
		verdict_json(&v, &s, &call->result);
		call->seq = v.seq;
	}
	next = next_of(wait, &s, now);
	sight_finish(&s);
	if (rc != 0) {
		drop(wait);
		return rc < 0 ? too_hard(err) : 0;
	}
	if (next < w->next_ms)
		w->next_ms = next;
	turn_wake_at(&w->session->turn, w->next_ms);
	if (asks_of_past(wait))
		event_log_after(w->session->event_log, wait->begun_seq,
		    on_logged, wait);
	return REQUEST_LATER;
}

void
waits_forget(struct waits *w, uint64_t client)
{
	list_for_each_safe(it, &w->list)
		if (wait_of(it)->client == client)
			drop(wait_of(it));
}

void
waits_leave(struct waits *w, uint64_t client)
{
	struct error err;

	error_set(&err, EBUSY,
	    "another host takes over the session; ask again");
	list_for_each_safe(it, &w->list)
		if (wait_of(it)->client == client)
			refuse(wait_of(it), &err);
}

/* --------------------------------------------------------------- events */

bool
waits_want_slices(const struct waits *w)
{
	return w->n_seen > 0;
}

/* The other screen may show old text. */
void
waits_slice(struct waits *w)
{
	struct session *session = w->session;
	const struct moment m = {
		.vt = session->display.vt,
		.ledger = session->display.ledger,
		.seq = event_log_seq(session->event_log) + 1,
		.all = vt_alt_screen(session->display.vt) != w->alternate,
	};

	w->alternate = vt_alt_screen(session->display.vt);
	list_for_each(it, &w->list)
		check_now(wait_of(it), &m);
}

void
waits_output(struct waits *w, uint64_t seq, bool frame)
{
	uint64_t done = w->happened.last[HAPPENING_DONE].seq;

	if (seq == 0)
		seq = event_log_seq(w->session->event_log) + 1;
	happenings_number(&w->happened, seq);
	note_end(w, done);
	w->drawing = !frame;
	if (!frame)
		return;
	w->shown_seq = seq;
	w->shown_ns = clock_ns(CLOCK_BOOTTIME);
	w->generation = generation(w);
	note_frame(w, seq);
	if (w->session->display.vt != NULL)
		w->alternate = vt_alt_screen(w->session->display.vt);
	look(w);
}

void
waits_event(struct waits *w, const struct vt_event *ev)
{
	happenings_note(&w->happened, ev);
	if (ev->type != VT_EVENT_MARK)
		return;
	assert(!w->due);
	ledger_story.marked(w->session->display.ledger, w->session->display.vt,
	    ev->number);
}

void
waits_typed(struct waits *w, const uint8_t *p, size_t len)
{
	waits_catch_up(w);
	if (w->session->display.vt != NULL)
		ledger_story.typed(w->session->display.ledger,
		    w->session->display.vt,
		    event_log_seq(w->session->event_log), story_ms(w), p, len);
}

/*
 * At once: output that is shown next in this turn must not look like a part of
 * it.
 */
void
waits_resized(struct waits *w)
{
	note_frame(w, event_log_seq(w->session->event_log));
}

void
waits_engine_changed(struct waits *w)
{
	w->generation = UINT64_MAX;
	w->due = false;
	if (w->session->display.vt != NULL)
		ledger_story.begun(w->session->display.ledger,
		    w->session->display.vt);
}

/*
 * The screen has changed without output: by a resize, or an update that was
 * given up.
 */
static bool
has_changed(struct waits *w)
{
	if (!is_at_frame(w) || (!w->drawing && generation(w) == w->generation))
		return false;
	w->drawing = false;
	w->generation = generation(w);
	w->shown_seq = event_log_seq(w->session->event_log);
	w->shown_ns = clock_ns(CLOCK_BOOTTIME);
	note_frame(w, w->shown_seq);
	return true;
}

void
waits_activity(struct waits *w)
{
	waits_catch_up(w);
	look(w);
}

void
waits_settle(struct waits *w)
{
	if (has_changed(w) || w->session->ended || now_ms() >= w->next_ms)
		look(w);
	if (list_is_empty(&w->list))
		return;
	turn_look(&w->session->turn);
	turn_wake_at(&w->session->turn, w->next_ms);
}
