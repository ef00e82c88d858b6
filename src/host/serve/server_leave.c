#include "base/loop.h"
#include "host/core/session.h"
#include "host/input/input.h"
#include "host/serve/connection.h"
#include "host/serve/requests.h"
#include "host/serve/server.h"
#include "host/serve/server_state.h"
#include "wire/frame.h"

/*
 * The server: disconnecting clients when another host takes over.  No input
 * may be lost or typed twice.  So either the client says BYE, and sends
 * nothing after it; or it is cut off, and then its writes fail.
 */
#define ANSWER_MS 1000 /* time for a client to answer a BYE */
#define QUIET_MS 50    /* silence before a client without BYE is cut off */
#define TYPE_MS 1000   /* time to type its last input */

bool
server_has_typed(const struct server *s)
{
	return input_is_empty(s->input) && list_is_empty(&s->later) &&
	    s->hooks->has_typed_messages(s->arg);
}

static void
limit(struct server *s, struct connection *c, int64_t ms)
{
	c->bye_by_ms = s->session->turn.now_ms + ms;
	turn_wake_at(&s->session->turn, c->bye_by_ms);
}

static void
cut(struct server *s, struct connection *c)
{
	connection_cut(c);
	limit(s, c, ANSWER_MS);
}

/* A client without BYE is cut off once it is silent. */
static void
begin(struct server *s, struct connection *c)
{
	int64_t quiet_ms = c->heard_ms > s->leaving_ms ? c->heard_ms :
							 s->leaving_ms;

	if (c->features & HELLO_HANDOVER) {
		c->bye = CONNECTION_TOLD;
		connection_put(c, FRAME_BYE, NULL, 0);
		limit(s, c, ANSWER_MS);
	} else if (s->session->turn.now_ms >= quiet_ms + QUIET_MS ||
	    s->session->turn.now_ms >= s->leaving_ms + ANSWER_MS) {
		cut(s, c);
	} else {
		turn_wake_at(&s->session->turn, quiet_ms + QUIET_MS);
		return;
	}
	s->hooks->on_client_leaves(s->arg, c->number);
}

/* Close the client when it has its answers, or when they do not come. */
static void
end(struct server *s, struct connection *c)
{
	bool waits = !request_queue_is_empty(&c->requests) ||
	    !server_has_typed(s);

	if (waits && s->session->turn.now_ms < c->bye_by_ms + TYPE_MS) {
		turn_wake_at(&s->session->turn, c->bye_by_ms + TYPE_MS);
		return;
	}
	requests_hand_back(c);
	connection_finish(c);
	/* In the next turn the handover sees that the client has left. */
	turn_wake_at(&s->session->turn, 0);
}

void
server_part(struct server *s, struct connection *c)
{
	if (c->state == CONNECTION_NEW && s->leaving &&
	    s->session->turn.now_ms >= s->leaving_ms + ANSWER_MS)
		connection_close(c);
	if (c->state != CONNECTION_OPEN)
		return;
	switch (c->bye) {
	case CONNECTION_STAYS:
		if (s->leaving && c->number != s->leaving_for)
			begin(s, c);
		break;
	case CONNECTION_TOLD:
		if (s->session->turn.now_ms >= c->bye_by_ms)
			cut(s, c);
		else
			turn_wake_at(&s->session->turn, c->bye_by_ms);
		break;
	case CONNECTION_CUT:
		if (s->session->turn.now_ms >= c->bye_by_ms)
			connection_close(c);
		break;
	case CONNECTION_HEARD:
		end(s, c);
		break;
	}
}

bool
server_is_leaving(const struct server *s)
{
	return s->leaving;
}

void
server_leave(struct server *s, uint64_t but)
{
	turn_look(&s->session->turn);
	s->leaving = true;
	s->leaving_ms = s->session->turn.now_ms;
	s->leaving_for = but;
	s->accept_paused = true;
	watch_want(s->watch, 0);
	turn_wake_at(&s->session->turn, 0);
}

/*
 * A closing client has everything, or does not read.  Do not wait until it has
 * read its output, which it can get from the next host; only this host has the
 * answers.
 */
static bool
has_gone(const struct connection *c)
{
	return c->state == CONNECTION_GONE ||
	    (c->state == CONNECTION_CLOSING &&
		(c->shut || (c->blocked && !c->owes)));
}

bool
server_has_left(const struct server *s)
{
	list_for_each(it, &s->clients) {
		const struct connection *c = connection_of(it);

		if (c->number != s->leaving_for && !has_gone(c))
			return false;
	}
	return server_has_typed(s);
}

void
server_stay(struct server *s)
{
	s->leaving = false;
	s->accept_at_ms = s->session->turn.now_ms;
	server_resume_accept(s);
	turn_wake_at(&s->session->turn, 0);
}
