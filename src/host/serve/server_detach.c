#include "base/buf.h"
#include "host/core/session.h"
#include "host/serve/connection.h"
#include "host/serve/server.h"
#include "host/serve/server_state.h"
#include "host/serve/viewer_event.h"
#include "wire/event.h"
#include "wire/frame.h"

/* The server: viewers that another client detaches (session.detach). */

/*
 * The viewer gives up its place at once: the lease, and its vote on the size.
 * The event must not be lost, so it counts as an answer.
 */
static void
send_away(struct server *s, struct connection *c, const char *by)
{
	struct buf b;

	buf_init(&b, VIEWER_EVENT_MAX);
	wire_event_put_text(&b, WIRE_EVENT_DETACHED, by);
	if (c->features & HELLO_EVENTS)
		connection_put(c, FRAME_EVENT, b.data, b.len);
	buf_finish(&b);
	detached_add(&s->detached, c->hello.who, by);
	server_release_lease(s, c);
	s->size_changed = true;
	connection_finish(c);
	turn_wake_at(&s->session->turn, 0);
}

unsigned
server_detach_others(struct server *s, const struct connection *by)
{
	unsigned n = 0;

	list_for_each(it, &s->clients) {
		struct connection *c = connection_of(it);

		if (c == by || c->viewer == NULL || c->state != CONNECTION_OPEN)
			continue;
		send_away(s, c, by->by);
		n++;
	}
	return n;
}

bool
server_turn_away(struct server *s, struct connection *c)
{
	const char *by = detached_by(&s->detached, c->hello.who);

	if (by == NULL)
		return false;
	send_away(s, c, by);
	return true;
}
