#include "hub/socket.h"

#include <errno.h>
#include <stdlib.h>

#include "base/loop.h"
#include "base/mem.h"
#include "hub/connection.h"
#include "hub/socket_state.h"
#include "web/ws.h"

#define CLOSE_MS 5000   /* for the client to answer a close frame */
#define VERIFY_MS 10000 /* for the client to prove who it is */

struct socket {
	struct connection *connection;
	struct ws *ws;
	struct socket_handlers on;
	void *arg;
	bool full;    /* on_room is due */
	bool closing; /* a close frame was sent */
};

static void
on_message(void *arg, bool binary, const uint8_t *p, size_t len)
{
	struct socket *s = arg;

	if (!s->closing)
		s->on.on_message(s->arg, binary, p, len);
}

static void
on_close(void *arg, unsigned code)
{
	struct socket *s = arg;

	(void)code;
	s->closing = true;
}

static bool
on_take(void *arg, const void *p, size_t len)
{
	struct socket *s = arg;

	return ws_feed(s->ws, p, len) == 0;
}

static void
on_progress(void *arg)
{
	struct socket *s = arg;

	if (!s->full || connection_queued(s->connection) >= SOCKET_LOW)
		return;
	s->full = false;
	if (!s->closing)
		s->on.on_room(s->arg);
}

static void
on_gone(void *arg)
{
	struct socket *s = arg;

	s->on.on_gone(s->arg);
	ws_destroy(s->ws);
	free(s);
}

struct socket *
socket_create(struct connection *c, const struct socket_handlers *on, void *arg)
{
	static const struct ws_handlers handlers = { on_message, on_close };
	static const struct connection_flow user = { on_take, on_progress,
		on_gone };
	struct socket *s = xcalloc(1, sizeof(*s));

	s->connection = c;
	s->on = *on;
	s->arg = arg;
	s->ws = ws_create(SOCKET_FIRST_MAX, &handlers, s, connection_out(c));
	connection_to_flow(c, &user, s);
	return s;
}

void
socket_send(struct socket *s, bool binary, const void *head, size_t head_len,
    const void *p, size_t len)
{
	struct connection *c = s->connection;
	size_t queued;

	if (s->closing)
		return;
	ws_send(s->ws, binary, head, head_len, p, len);
	queued = connection_queued(c);
	if (queued >= SOCKET_HIGH)
		s->full = true;
	if (queued > SOCKET_MAX)
		socket_close(s, 1013, "the client reads too slowly");
	connection_soon(c);
}

size_t
socket_queued(const struct socket *s)
{
	return connection_queued(s->connection);
}

void
socket_close(struct socket *s, unsigned code, const char *reason)
{
	if (s->closing)
		return;
	s->closing = true;
	ws_close(s->ws, code, reason);
	s->connection->doomed = true;
	watch_rearm(s->connection->timer, CLOSE_MS);
	connection_soon(s->connection);
}

void
socket_set_max(struct socket *s, size_t max)
{
	ws_set_max(s->ws, max);
}

void
socket_set_verified(struct socket *s, const struct identity *who)
{
	struct connection *c = s->connection;

	connection_set_verified(c, who);
	if (!s->closing && c->doomed) {
		c->doomed = false;
		watch_rearm(c->timer, c->stalled ? SOCKET_STALL_MS : -1);
	}
}

void
socket_must_verify(struct socket *s)
{
	s->connection->doomed = true;
	watch_rearm(s->connection->timer, VERIFY_MS);
}

const char *
socket_from(const struct socket *s)
{
	return s->connection->peer.from;
}
