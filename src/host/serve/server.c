#include "host/serve/server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/loop.h"
#include "base/mem.h"
#include "host/core/session.h"
#include "host/input/input.h"
#include "host/serve/connection.h"
#include "host/serve/requests.h"
#include "host/serve/server_state.h"
#include "host/serve/size.h"
#include "host/serve/viewer.h"
#include "host/serve/viewer_event.h"
#include "host/stream/engine.h"
#include "session/confinement.h"

#define ACCEPT_AGAIN_MS 1000
#define ACCEPT_A_TURN 16

/* The time for clients of the previous host to reconnect. */
#define RETURN_MS 300

/* ------------------------------------------------------------ accepting */

static unsigned
count_new(const struct server *s)
{
	unsigned n = 0;

	list_for_each(it, &s->clients)
		n += connection_of(it)->state == CONNECTION_NEW;
	return n;
}

/*
 * A peer that may do nothing here must not take the place of one that is about
 * to send its first line.
 */
static void
check_client(struct server *s, struct connection *c, bool busy)
{
	struct error err;

	if (c->peer.busy)
		connection_fail(c, FAIL_BUSY,
		    "the host has no free descriptor to look at the client");
	else if (peer_check_any(&c->peer, s->owner.own,
		     s->session->manifest.name, &err) < 0)
		connection_fail(c, FAIL_DENIED, err.msg);
	else if (busy)
		connection_fail(c, FAIL_BUSY,
		    "the session has too many connections");
}

static void
add_client(struct server *s, int fd)
{
	bool busy = s->n_clients >= SERVER_CLIENTS_MAX ||
	    count_new(s) >= SERVER_NEW_MAX;
	struct connection *c = NULL;
	struct peer peer = { 0 };

	if (s->n_clients < SERVER_CLIENTS_MAX * 2 && peer_find(&peer, fd))
		c = connection_create(&s->owner, fd, &peer, s->last_number + 1);
	if (c == NULL) {
		peer_finish(&peer);
		close(fd);
		return;
	}
	s->last_number++;
	s->n_clients++;
	list_append(&s->clients, &c->link);
	turn_wake_at(&s->session->turn, c->deadline_ms);
	check_client(s, c, busy);
}

/*
 * Without a free descriptor, accept(2) fails and the socket stays readable:
 * stop watching it until a client disconnects, or for a second.
 */
static void
pause_accept(struct server *s)
{
	s->accept_paused = true;
	s->accept_at_ms = s->session->turn.now_ms + ACCEPT_AGAIN_MS;
	watch_want(s->watch, 0);
	turn_wake_at(&s->session->turn, s->accept_at_ms);
}

void
server_resume_accept(struct server *s)
{
	if (!s->accept_paused || s->leaving)
		return;
	if (s->session->turn.now_ms < s->accept_at_ms) {
		turn_wake_at(&s->session->turn, s->accept_at_ms);
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
	turn_look(&s->session->turn);
	for (int i = 0; i < ACCEPT_A_TURN; i++) {
		int fd = accept4(s->listen, NULL, NULL,
		    SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd >= 0)
			add_client(s, fd);
		else if (fd_is_shortage(errno))
			pause_accept(s);
		if (fd < 0)
			return;
	}
}

static void
begin_accept(struct server *s)
{
	watch_remove(s->watch);
	s->accept_paused = false;
	s->watch = loop_fd(s->session->loop, s->listen, LOOP_READ,
	    on_connection, s);
}

void
server_listen(struct server *s, int *fd)
{
	int old = s->listen;

	s->listen = *fd;
	*fd = old;
	begin_accept(s);
}

/* -------------------------------------------------------------- clients */

struct connection *
server_connection(struct server *s, uint64_t number)
{
	list_for_each(it, &s->clients) {
		struct connection *c = connection_of(it);

		if (c->number == number && c->state == CONNECTION_OPEN)
			return c;
	}
	return NULL;
}

unsigned
server_viewers(const struct server *s)
{
	unsigned n = 0;

	list_for_each(it, &s->clients) {
		const struct connection *c = connection_of(it);

		n += c->viewer != NULL && c->state == CONNECTION_OPEN;
	}
	return n;
}

size_t
server_list_viewers(const struct server *s, struct manifest_viewer *out,
    size_t max)
{
	size_t n = 0;

	list_for_each(it, &s->clients) {
		const struct connection *c = connection_of(it);

		if (n < max && c->viewer != NULL && c->state == CONNECTION_OPEN)
			out[n++] = (struct manifest_viewer){
				.client = c->number,
				.principal = c->hello.principal,
				.verified = c->hello.verified,
				.peer = c->peer.name,
				.readonly = !connection_may_type(c),
				.since_ms = c->since_ms,
			};
	}
	return n;
}

bool
server_is_followed(const struct server *s)
{
	list_for_each(it, &s->clients) {
		const struct connection *c = connection_of(it);

		if (c->viewer != NULL && viewer_keeps_up(c->viewer))
			return true;
	}
	return false;
}

/* Attach the client, unless it is a control connection or was detached. */
static void
on_open(struct connection *c)
{
	struct server *s = c->server;

	if (c->hello.mode != HELLO_ATTACH || server_turn_away(s, c))
		return;
	c->viewer = viewer_create(c, &s->recent);
	if (connection_may_type(c))
		server_claim_lease(s, c);
}

/* Its vote ends, and its place is free. */
static void
on_close(struct connection *c)
{
	struct server *s = c->server;

	s->n_clients--;
	s->size_changed |= c->viewer != NULL;
	s->accept_at_ms = s->session->turn.now_ms;
	server_lose_lease(s, c);
	s->hooks->on_client_gone(s->arg, c->number);
}

static const struct connection_hooks connection_hooks = {
	.on_open = on_open,
	.on_frame = server_handle_frame,
	.on_half_key = server_let_go,
	.on_close = on_close,
};

static void
drop(struct connection *c)
{
	connection_close(c);
	requests_forget(c);
	viewer_destroy(c->viewer);
	connection_destroy(c);
}

/* ----------------------------------------------------------------- size */

void
server_vote(struct server *s, struct connection *c)
{
	if (c->viewer == NULL)
		return;
	c->viewer->vote.at = ++s->votes;
	s->size_changed = true;
}

/* Choose the size from the viewers that may vote. */
static void
count_votes(struct server *s)
{
	struct size_vote votes[SERVER_CLIENTS_MAX];
	struct session *session = s->session;
	unsigned cols, rows;
	size_t n = 0;

	s->size_changed = false;
	list_for_each(it, &s->clients) {
		const struct connection *c = connection_of(it);

		if (c->state == CONNECTION_OPEN && c->viewer != NULL &&
		    viewer_votes(c->viewer))
			votes[n++] = c->viewer->vote;
	}
	if (s->ended ||
	    !size_decide(session->manifest.size, votes, n, &cols, &rows))
		return;
	if (cols != session->manifest.cols || rows != session->manifest.rows)
		engine_resize(session, cols, rows, "viewers", NULL);
}

/*
 * Clients of the previous host reconnect one after the other, and disconnect
 * so when we leave.  The program must not see the sizes in between.
 */
static void
settle_size(struct server *s)
{
	if (s->leaving)
		return;
	if (s->session->turn.now_ms >= s->sizes_after_ms)
		count_votes(s);
	else
		turn_wake_at(&s->session->turn, s->sizes_after_ms);
}

void
server_resized(struct server *s)
{
	struct buf b;

	buf_init(&b, VIEWER_EVENT_MAX);
	viewer_event_resized(&b, s->session);
	server_event(s, &b);
	buf_finish(&b);
	list_for_each(it, &s->clients) {
		if (connection_of(it)->viewer != NULL)
			viewer_resized(connection_of(it)->viewer);
	}
	turn_wake_at(&s->session->turn, 0);
}

/* --------------------------------------------------------------- a turn */

void
server_output(struct server *s, uint64_t offset, size_t len)
{
	recent_output_output(&s->recent, offset, len);
}

/* The session has ended: close control connections once they are answered. */
static void
end_control(struct connection *c)
{
	if (c->server->ended && c->viewer == NULL &&
	    c->state == CONNECTION_OPEN && c->number <= c->server->ended_after)
		connection_finish(c);
}

static void
attend(struct server *s, struct connection *c)
{
	if (viewer_flush(c->viewer))
		server_vote(s, c);
}

static void
flush_client(struct server *s, struct connection *c)
{
	if (c->deadline_ms <= s->session->turn.now_ms)
		connection_expire(c);
	else
		turn_wake_at(&s->session->turn, c->deadline_ms);
	requests_run(c);
	server_part(s, c);
	end_control(c);
	if (c->blocked || c->state == CONNECTION_GONE)
		return;
	if (c->events_lost && c->out.len == c->out_sent) {
		c->events_lost = false;
		server_send_state(s, c);
	}
	if (c->viewer != NULL && c->state == CONNECTION_OPEN &&
	    c->bye == CONNECTION_STAYS)
		attend(s, c);
	else
		connection_flush(c);
}

/* Free closed connections.  True if a viewer still needs this turn's bytes. */
static bool
sweep(struct server *s, bool *holds)
{
	bool wanted = false;
	int watching = 0;

	list_for_each_safe(it, &s->clients) {
		struct connection *c = connection_of(it);

		if (c->state == CONNECTION_GONE) {
			drop(c);
		} else if (c->viewer != NULL) {
			watching += c->state == CONNECTION_OPEN;
			wanted |= viewer_wants(c->viewer);
			*holds |= viewer_holds(c->viewer,
			    s->session->turn.now_ms);
		}
	}
	/* Listings read the number of viewers from session.json. */
	if (watching != s->session->manifest.observers && !s->session->ended)
		session_save_later(s->session);
	return wanted;
}

void
server_flush(struct server *s)
{
	bool holds = false, wanted;

	turn_look(&s->session->turn);
	server_send_changes(s);
	server_expire_lease(s);
	list_for_each(it, &s->clients)
		flush_client(s, connection_of(it));
	wanted = sweep(s, &holds);
	recent_output_settle(&s->recent, wanted);
	if (list_is_empty(&s->clients))
		recent_output_rest(&s->recent);
	if (holds != s->holds)
		output_flow_hold(&s->session->output_flow, holds);
	s->holds = holds;
	if (s->size_changed)
		settle_size(s);
	server_resume_accept(s);
}

void
server_ended(struct server *s)
{
	if (s->ended)
		return;
	s->ended = true;
	recent_output_close(&s->recent, s->session->display.shown);
	s->ended_after = s->last_number;
	input_end(s->input);
	turn_wake_at(&s->session->turn, 0);
}

bool
server_is_drained(const struct server *s)
{
	list_for_each(it, &s->clients) {
		const struct connection *c = connection_of(it);

		if (c->state != CONNECTION_NEW && !c->shut &&
		    c->number <= s->ended_after)
			return false;
	}
	return true;
}

/* ------------------------------------------------------------- lifetime */

/*
 * The keeper's words count, because programs can write session.json.  An older
 * keeper has none, and a session may have lost its keeper.  A grant never
 * matches a home that cannot be read.
 */
static struct confinement *
find_own(const struct session *session)
{
	struct confinement *own = xcalloc(1, sizeof(*own));
	const struct manifest *m = &session->manifest;
	struct stat st = { 0 };

	if (m->keeper.pid > 1 && around_read_keeper(m->keeper.pid, own) &&
	    strcmp(own->id, m->id) == 0)
		return confinement_shrink(own);
	(void)fstatat(session->dirfd, "..", &st, 0);
	confinement_of(own, m, st.st_dev, st.st_ino);
	return confinement_shrink(own);
}

struct server *
server_create(const struct server_config *c, struct error *err)
{
	struct server *s = xcalloc(1, sizeof(*s));
	struct session *session = c->session;

	s->session = session;
	s->input = c->input;
	s->listen = c->listen;
	s->hooks = c->hooks;
	s->arg = c->arg;
	s->owner = (struct connection_owner){
		.session = session,
		.server = s,
		.handlers = c->handlers,
		.host = c->host,
		.hooks = &connection_hooks,
		.bytes = xmalloc(CONNECTION_READ_SIZE),
		.own = find_own(session),
	};
	list_init(&s->clients);
	recent_output_init(&s->recent, &session->terminal.ring,
	    session->display.shown);
	turn_look(&session->turn);
	if (session->manifest.seq > 0)
		s->sizes_after_ms = session->turn.now_ms + RETURN_MS;
	server_begin_typing(s);
	server_begin_answers(s);
	begin_accept(s);
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
	list_for_each_safe(it, &s->clients)
		drop(connection_of(it));
	server_end_typing(s);
	server_end_answers(s);
	watch_remove(s->watch);
	recent_output_finish(&s->recent);
	detached_finish(&s->detached);
	free(s->owner.bytes);
	free(s->owner.own);
	free(s);
}
