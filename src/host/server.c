#include "host/server.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/loop.h"
#include "base/mem.h"
#include "host/client.h"
#include "host/clock.h"
#include "host/frames.h"
#include "host/host.h"
#include "host/input.h"
#include "host/observer.h"
#include "host/requests.h"
#include "host/scribe.h"
#include "host/serve.h"
#include "host/size.h"
#include "host/tell.h"
#include "log/record.h"
#include "vt/vt.h"
#include "wire/frame.h"

#define ACCEPT_AGAIN_MS 1000
#define ACCEPT_A_TURN 16
#define NOTICES_PER_S 10
#define EVENT_MAX (64u << 10)

#define NEVER INT64_MAX

/* An answer that waits until its event is in the log. */
struct later {
	struct list link;
	struct input_done done;
};

static struct client *
client_of(struct list *link)
{
	return container_of(link, struct client, link);
}

/* ----------------------------------------------------------------- time */

void
server_wake_at(struct server *s, int64_t ms)
{
	if (ms >= s->wake_at_ms)
		return;
	s->wake_at_ms = ms;
	watch_rearm(s->wake, ms > s->now_ms ? ms - s->now_ms : 0);
}

static void
on_wake(void *arg)
{
	struct server *s = arg;

	s->wake_at_ms = NEVER;
}

void
server_look_at_clock(struct server *s)
{
	s->now_ms = clock_ms(CLOCK_MONOTONIC);
}

/* ------------------------------------------------------------ accepting */

/* Whether the peer may talk to us: the same user, or root. */
static bool
peer_is_ours(int fd, uid_t *uid)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0)
		return false;
	*uid = cred.uid;
	return cred.uid == 0 || cred.uid == geteuid();
}

static void
add_client(struct server *s, int fd)
{
	bool busy = s->n_clients >= SERVER_CLIENTS_MAX ||
	    s->n_new >= SERVER_NEW_MAX;
	struct client *c;
	uid_t uid;

	c = peer_is_ours(fd, &uid) && s->n_clients < SERVER_CLIENTS_MAX * 2 ?
		  client_create(s, fd, uid, s->last_number + 1) :
		  NULL;
	if (c == NULL) {
		close(fd);
		return;
	}
	s->last_number++;
	s->n_clients++;
	s->n_new++;
	list_append(&s->clients, &c->link);
	server_wake_at(s, c->deadline_ms);
	if (busy)
		client_fail(c, "busy", "the session has too many connections");
}

/*
 * Without a descriptor left, accept(2) fails and the socket stays readable:
 * stop looking at it until a client has gone, or for a second.
 */
static void
pause_accept(struct server *s)
{
	s->accept_paused = true;
	s->accept_at_ms = s->now_ms + ACCEPT_AGAIN_MS;
	watch_want(s->watch, 0);
	server_wake_at(s, s->accept_at_ms);
}

static void
resume_accept(struct server *s)
{
	if (!s->accept_paused)
		return;
	if (s->now_ms < s->accept_at_ms) {
		server_wake_at(s, s->accept_at_ms);
		return;
	}
	s->accept_paused = false;
	watch_want(s->watch, LOOP_READ);
}

static void
on_connection(void *arg, enum loop_events ready)
{
	struct server *s = arg;

	(void)ready;
	server_look_at_clock(s);
	for (int i = 0; i < ACCEPT_A_TURN; i++) {
		int fd = accept4(s->host->listen, NULL, NULL,
		    SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd >= 0)
			add_client(s, fd);
		else if (errno != EINTR && errno != ECONNABORTED)
			break;
	}
	if (errno == EMFILE || errno == ENFILE || errno == ENOMEM ||
	    errno == ENOBUFS)
		pause_accept(s);
}

void
server_listen(struct server *s)
{
	watch_remove(s->watch);
	s->accept_paused = false;
	s->watch = loop_fd(s->host->loop, s->host->listen, LOOP_READ,
	    on_connection, s);
}

/* -------------------------------------------------------------- clients */

struct client *
server_client(struct server *s, uint64_t number)
{
	list_for_each(it, &s->clients) {
		struct client *c = client_of(it);

		if (c->number == number && c->state == CLIENT_OPEN)
			return c;
	}
	return NULL;
}

unsigned
server_observers(const struct server *s)
{
	unsigned n = 0;

	list_for_each(it, &s->clients) {
		const struct client *c = client_of(it);

		n += c->observer != NULL && c->state == CLIENT_OPEN;
	}
	return n;
}

void
server_client_gone(struct server *s, struct client *c)
{
	s->n_clients--;
	s->n_new -= c->state == CLIENT_NEW;
	s->size_changed |= c->observer != NULL;
	s->accept_at_ms = s->now_ms;
	server_release_lease(s, c);
}

static void
tell_all(struct server *s, const struct buf *b)
{
	list_for_each(it, &s->clients)
		client_put_event(client_of(it), (const char *)b->data, b->len);
}

/* ----------------------------------------------------------------- size */

void
server_vote(struct server *s, struct client *c)
{
	if (c->observer == NULL)
		return;
	c->observer->vote.at = ++s->votes;
	s->size_changed = true;
}

/* Let those who may decide on the size. */
static void
count_votes(struct server *s)
{
	struct size_vote votes[SERVER_CLIENTS_MAX];
	struct host *h = s->host;
	unsigned cols, rows;
	size_t n = 0;

	s->size_changed = false;
	list_for_each(it, &s->clients) {
		const struct client *c = client_of(it);

		if (c->state == CLIENT_OPEN && c->observer != NULL &&
		    observer_votes(c->observer))
			votes[n++] = c->observer->vote;
	}
	if (s->ended || !size_decide(h->manifest.size, votes, n, &cols, &rows))
		return;
	if (cols != h->manifest.cols || rows != h->manifest.rows)
		host_resize(h, cols, rows, "viewers", NULL);
}

void
server_resized(struct server *s)
{
	struct buf b;

	buf_init(&b, EVENT_MAX);
	tell_resized(&b, s->host);
	tell_all(s, &b);
	buf_finish(&b);
	list_for_each(it, &s->clients) {
		if (client_of(it)->observer != NULL)
			observer_resized(client_of(it)->observer);
	}
	server_wake_at(s, 0);
}

/* ---------------------------------------------------------------- lease */

static bool
has_lease(const struct server *s)
{
	return s->host->manifest.input == INPUT_POLICY_LEASE;
}

const char *
server_lease_holder(struct server *s, char *out, size_t size)
{
	struct client *c = server_client(s, lease_holder(&s->lease, s->now_ms));

	if (c == NULL)
		return NULL;
	snprintf(out, size, "%s#%" PRIu64, c->by, c->number);
	return out;
}

static void
tell_holder(struct server *s)
{
	char holder[64];
	struct buf b;

	buf_init(&b, EVENT_MAX);
	tell_lease(&b, server_lease_holder(s, holder, sizeof(holder)));
	tell_all(s, &b);
	buf_finish(&b);
}

/* The one who had it is told, and the log knows who took it. */
static void
tell_stolen(struct server *s, struct client *from, const struct client *by)
{
	char json[128];
	struct buf b;
	int len;

	buf_init(&b, EVENT_MAX);
	tell_plain(&b, "replaced");
	client_put_event(from, (const char *)b.data, b.len);
	buf_finish(&b);
	len = snprintf(json, sizeof(json),
	    "{\"trouble\":\"lease-stolen\",\"from\":\"%s\",\"by\":\"%s\"}",
	    from->by, by->by);
	scribe_event(s->host->scribe, RECORD_TROUBLE, 0, json, (size_t)len);
}

bool
server_take_lease(struct server *s, struct client *c, bool steal)
{
	uint64_t holder = lease_holder(&s->lease, s->now_ms);
	struct client *before;

	if (!has_lease(s))
		return true;
	switch (lease_take(&s->lease, c->number, steal, s->now_ms)) {
	case LEASE_DENIED:
		return false;
	case LEASE_KEPT:
		return true;
	case LEASE_GAINED:
		break;
	}
	before = holder != 0 ? server_client(s, holder) : NULL;
	if (before != NULL)
		tell_stolen(s, before, c);
	tell_holder(s);
	return true;
}

void
server_release_lease(struct server *s, struct client *c)
{
	if (lease_release(&s->lease, c->number))
		tell_holder(s);
}

/* Its holder has not typed for too long. */
static void
expire_lease(struct server *s)
{
	if (s->lease.holder == 0)
		return;
	if (lease_holder(&s->lease, s->now_ms) != 0) {
		server_wake_at(s, s->lease.until_ms);
		return;
	}
	s->lease.holder = 0;
	tell_holder(s);
}

/* --------------------------------------------------------------- typing */

/* Whose terminal is typed at decides what the program is told of colours. */
static void
use_colours(struct server *s, const struct client *c)
{
	struct vt *vt = s->host->vt;
	const struct hello *h = &c->hello;

	if (vt == NULL || !h->has_colours || s->colours_of == c->number)
		return;
	s->colours_of = c->number;
	vt_set_default_colours(vt, h->fg, h->bg);
}

int
server_type(struct server *s, struct client *c, struct input_piece *piece,
    uint64_t *seq)
{
	int status;

	if (!client_may_type(c))
		return TAKEN_READ_ONLY;
	if (piece->len == 0)
		return TAKEN_NOTHING;
	if (!server_take_lease(s, c, false))
		return TAKEN_LEASED;
	piece->client = c->number;
	piece->by = c->by;
	status = input_type(s->input, piece, seq);
	use_colours(s, c);
	if (s->host->manifest.size == SIZE_LATEST)
		server_vote(s, c);
	return status;
}

static void
answer(struct server *s, const struct input_done *done)
{
	struct client *c = server_client(s, done->client);

	if (c == NULL)
		return;
	if (done->request)
		requests_typed(c, done);
	else
		frames_typed(c, done);
}

static void
on_logged(void *arg, uint64_t seq)
{
	struct server *s = arg;

	list_for_each_safe(it, &s->later) {
		struct later *l = container_of(it, struct later, link);

		if (l->done.seq > seq)
			break;
		answer(s, &l->done);
		list_remove(&l->link);
		free(l);
	}
}

void
server_typed(struct server *s, const struct input_done *done)
{
	struct later *l;

	if (!s->host->manifest.durable || done->status != TAKEN_WRITTEN ||
	    done->seq == 0) {
		answer(s, done);
		return;
	}
	l = xmalloc(sizeof(*l));
	l->done = *done;
	list_append(&s->later, &l->link);
	scribe_after(s->host->scribe, done->seq, on_logged, s);
}

static void
on_typed(void *arg, const struct input_done *done)
{
	server_typed(arg, done);
}

void
server_reply(struct server *s, const char *p, size_t len)
{
	input_reply(s->input, p, len);
}

/* --------------------------------------------------------------- events */

void
server_event(struct server *s, const char *json, size_t len)
{
	list_for_each(it, &s->clients)
		client_put_event(client_of(it), json, len);
}

void
server_unlogged(struct server *s, int64_t since_ms)
{
	struct buf b;

	buf_init(&b, EVENT_MAX);
	tell_unlogged(&b, since_ms);
	tell_all(s, &b);
	buf_finish(&b);
}

/* A program may not fill its viewers' screens with notices (S7). */
static bool
may_notify(struct server *s)
{
	server_look_at_clock(s);
	if (s->now_ms - s->notices_ms >= 1000) {
		s->notices_ms = s->now_ms;
		s->notices_left = NOTICES_PER_S;
	}
	if (s->notices_left == 0)
		return false;
	s->notices_left--;
	return true;
}

void
server_vt_event(struct server *s, const struct vt_event *ev)
{
	struct buf b;

	s->title_changed |= ev->type == VT_EVENT_TITLE;
	s->bell |= ev->type == VT_EVENT_BELL;
	if (ev->type != VT_EVENT_NOTIFY || !may_notify(s))
		return;
	buf_init(&b, EVENT_MAX);
	tell_notify(&b, ev);
	tell_all(s, &b);
	buf_finish(&b);
}

void
server_engine_changed(struct server *s)
{
	s->title_changed = true;
	s->colours_of = 0;
	server_resized(s);
}

/* The modes that clients want to know of (O-08, O-09). */
static bool
modes_changed(struct server *s)
{
	struct input_modes now = { 0 };
	bool changed;

	if (s->host->vt != NULL)
		vt_input_modes(s->host->vt, &now);
	changed = now.app_cursor != s->told.app_cursor ||
	    now.bracketed_paste != s->told.bracketed_paste;
	s->told = now;
	return changed;
}

/* What has changed in this turn, once each. */
static void
tell_changes(struct server *s)
{
	struct buf b;

	buf_init(&b, EVENT_MAX);
	if (modes_changed(s)) {
		tell_modes(&b, &s->told);
		tell_all(s, &b);
	}
	if (s->title_changed) {
		buf_clear(&b);
		tell_title(&b, s->host);
		tell_all(s, &b);
	}
	if (s->bell) {
		buf_clear(&b);
		tell_plain(&b, "bell");
		tell_all(s, &b);
	}
	s->title_changed = s->bell = false;
	buf_finish(&b);
}

void
server_tell_state(struct server *s, struct client *c)
{
	char holder[64];
	struct buf b;

	buf_init(&b, EVENT_MAX);
	tell_resized(&b, s->host);
	client_put_event(c, (const char *)b.data, b.len);
	buf_clear(&b);
	tell_title(&b, s->host);
	client_put_event(c, (const char *)b.data, b.len);
	buf_clear(&b);
	tell_modes(&b, &s->told);
	client_put_event(c, (const char *)b.data, b.len);
	buf_clear(&b);
	tell_lease(&b, server_lease_holder(s, holder, sizeof(holder)));
	client_put_event(c, (const char *)b.data, b.len);
	buf_finish(&b);
}

/* --------------------------------------------------------------- a turn */

void
server_output(struct server *s, uint64_t offset, const uint8_t *p, size_t len,
    bool frame)
{
	(void)p;
	(void)frame;
	feed_output(&s->feed, offset, len);
}

/* The session has ended: those who only asked are closed, now answered. */
static void
end_control(struct client *c)
{
	if (c->server->ended && c->observer == NULL &&
	    c->state == CLIENT_OPEN && c->number <= c->server->ended_after)
		client_finish(c);
}

static void
flush_client(struct server *s, struct client *c)
{
	if (c->deadline_ms <= s->now_ms)
		client_expire(c);
	else
		server_wake_at(s, c->deadline_ms);
	requests_run(c);
	end_control(c);
	if (c->blocked || c->state == CLIENT_GONE)
		return;
	if (c->events_lost && c->out.len == c->out_sent) {
		c->events_lost = false;
		server_tell_state(s, c);
	}
	if (c->observer != NULL && c->state == CLIENT_OPEN)
		observer_flush(c->observer);
	else
		client_flush(c);
}

/* Free who is gone; whether anybody still needs this turn's bytes. */
static bool
sweep(struct server *s, bool *holds)
{
	bool wanted = false;

	list_for_each_safe(it, &s->clients) {
		struct client *c = client_of(it);

		if (c->state == CLIENT_GONE) {
			client_destroy(c);
		} else if (c->observer != NULL) {
			wanted |= observer_wants(c->observer);
			*holds |= observer_holds(c->observer, s->now_ms);
		}
	}
	return wanted;
}

void
server_flush(struct server *s)
{
	bool holds = false, wanted;

	server_look_at_clock(s);
	if (list_is_empty(&s->clients)) {
		feed_settle(&s->feed, false);
		feed_rest(&s->feed);
		s->title_changed = s->bell = false;
		resume_accept(s);
		return;
	}
	tell_changes(s);
	expire_lease(s);
	list_for_each(it, &s->clients)
		flush_client(s, client_of(it));
	wanted = sweep(s, &holds);
	feed_settle(&s->feed, wanted);
	if (holds != s->holds)
		host_hold(s->host, holds);
	s->holds = holds;
	if (s->size_changed)
		count_votes(s);
	resume_accept(s);
}

void
server_ended(struct server *s)
{
	if (s->ended)
		return;
	s->ended = true;
	s->end = s->host->shown;
	s->ended_after = s->last_number;
	input_end(s->input);
	server_wake_at(s, 0);
}

bool
server_is_drained(const struct server *s)
{
	list_for_each(it, &s->clients) {
		const struct client *c = client_of(it);

		if (c->state != CLIENT_NEW && !c->shut &&
		    c->number <= s->ended_after)
			return false;
	}
	return true;
}

/* ------------------------------------------------------------- lifetime */

struct server *
server_create(struct host *h, struct error *err)
{
	struct server *s = xcalloc(1, sizeof(*s));

	s->host = h;
	s->wake_at_ms = NEVER;
	list_init(&s->clients);
	list_init(&s->later);
	feed_init(&s->feed, &h->ring, h->shown);
	server_look_at_clock(s);
	s->wake = loop_timer(h->loop, -1, on_wake, s);
	modes_changed(s);
	s->input = input_create(h, on_typed, s);
	server_listen(s);
	if (s->watch == NULL) {
		error_set(err, errno, "cannot watch the session's socket: %s",
		    strerror(errno));
		server_destroy(s);
		return NULL;
	}
	return s;
}

void
server_destroy(struct server *s)
{
	if (s == NULL)
		return;
	scribe_forget(s->host->scribe, s);
	list_for_each_safe(it, &s->later)
		free(container_of(it, struct later, link));
	list_for_each_safe(it, &s->clients)
		client_destroy(client_of(it));
	input_destroy(s->input);
	watch_remove(s->watch);
	watch_remove(s->wake);
	feed_finish(&s->feed);
	free(s);
}
