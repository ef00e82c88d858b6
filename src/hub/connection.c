#include "hub/connection.h"

#include <errno.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/loop.h"
#include "base/mem.h"
#include "hub/hub.h"
#include "hub/refusal.h"
#include "web/http.h"
#include "web/tls.h"

/* Free memory of an idle connection above this. */
#define KEEP_OUT (16u << 10)
#define STALL_LOOKS 3 /* at a client that accepts nothing */

size_t
connection_queued(const struct connection *c)
{
	return c->plain.len + c->out.len - c->sent;
}

struct buf *
connection_out(struct connection *c)
{
	return c->tls != NULL ? &c->plain : &c->out;
}

void
connection_soon(struct connection *c)
{
	if (!c->dead && list_is_empty(&c->soon))
		list_append(&c->hub->soon, &c->soon);
}

void
connection_end(struct connection *c)
{
	const struct connection_request *request = c->request;
	const struct connection_flow *flow = c->flow;

	if (c->dead)
		return;
	c->dead = true;
	list_remove(&c->soon);
	watch_remove(c->watch);
	watch_remove(c->timer);
	fd_close(&c->fd);
	c->door->on_ended(c);
	list_append(&c->hub->dead, &c->link);
	c->request = NULL;
	c->flow = NULL;
	if (request != NULL)
		request->gone(c->arg);
	else if (flow != NULL)
		flow->gone(c->arg);
}

void
connection_free(struct connection *c)
{
	list_remove(&c->link);
	tls_destroy(c->tls);
	http_destroy(c->http);
	buf_finish(&c->in);
	buf_finish(&c->plain);
	buf_finish(&c->out);
	free(c);
}

/* ------------------------------------------------------------------ output */

/* True if the client's bytes can be used now. */
static bool
reads(const struct connection *c)
{
	if (c->lingering)
		return true;
	if (c->in.len > 0 || c->eof)
		return false;
	/*
	 * A client that reads nothing must not fill the memory: its next
	 * request waits until the answers have been sent, and its messages
	 * until there is room for what they cause, such as pongs.
	 */
	if (c->flow != NULL)
		return connection_queued(c) < CONNECTION_UNREAD_MAX;
	return connection_queued(c) == 0 &&
	    (c->request == NULL || c->request->wants_body(c->arg));
}

/*
 * Bytes that come too early are left unread only when they come, because to
 * change what is watched costs system calls for every request.
 */
static void
want(struct connection *c)
{
	enum loop_events events = c->eof ? 0 : LOOP_HANGUP;

	if (c->dead)
		return;
	if (c->eof &&
	    (c->request != NULL ||
		(connection_queued(c) == 0 && c->in.len == 0))) {
		connection_end(c);
		return;
	}
	c->reading = !c->eof && (c->reading || reads(c));
	if (c->reading)
		events |= LOOP_READ;
	if (c->out.len > c->sent)
		events |= LOOP_WRITE;
	watch_want(c->watch, events);
}

/* A linger lets the client read the answer before a reset. */
static void
linger(struct connection *c)
{
	c->lingering = true;
	shutdown(c->fd, SHUT_WR);
	watch_rearm(c->timer, CONNECTION_LINGER_MS);
}

/* Bytes that the kernel has taken and the client has not. */
static int
in_kernel(const struct connection *c)
{
	int n = 0;

	return ioctl(c->fd, SIOCOUTQ, &n) == 0 ? n : 0;
}

static void
await_progress(struct connection *c)
{
	c->in_kernel = in_kernel(c);
	c->looks = 0;
	watch_rearm(c->timer, CONNECTION_STALL_MS / STALL_LOOKS);
}

/* The kernel accepts nothing more: wait on, if the client may still read. */
static bool
is_reading(struct connection *c)
{
	if (in_kernel(c) < c->in_kernel)
		await_progress(c);
	else if (++c->looks < STALL_LOOKS)
		watch_rearm(c->timer, CONNECTION_STALL_MS / STALL_LOOKS);
	else
		return false;
	return true;
}

/* Bytes wait to be sent; `progress`: the kernel has accepted some. */
static void
watch_stall(struct connection *c, bool progress)
{
	if (c->out.len == c->sent)
		return;
	if ((progress || !c->stalled) && !c->doomed)
		await_progress(c);
	c->stalled = true;
}

static void
sent_all(struct connection *c)
{
	buf_clear(&c->out);
	c->sent = 0;
	if (c->stalled && !c->doomed)
		watch_rearm(c->timer,
		    c->flow != NULL ? -1 : CONNECTION_IDLE_MS);
	c->stalled = false;
	if (c->out.cap > KEEP_OUT)
		buf_finish(&c->out);
	if (c->closing && !c->lingering)
		linger(c);
	else if (c->in.len > 0)
		connection_soon(c);
}

/* Encrypt what waits; false if that fails. */
static bool
encrypt(struct connection *c)
{
	if (c->plain.len > 0) {
		if (tls_send(c->tls, c->plain.data, c->plain.len, &c->out) < 0)
			return false;
		buf_clear(&c->plain);
		if (c->plain.cap > KEEP_OUT)
			buf_finish(&c->plain);
	}
	if (c->closing && !c->announced && c->tls != NULL) {
		c->announced = true;
		tls_close(c->tls, &c->out);
	}
	return true;
}

void
connection_flush(struct connection *c)
{
	size_t before;
	ssize_t n;

	if (c->dead)
		return;
	if (!encrypt(c)) {
		connection_end(c);
		return;
	}
	before = c->out.len - c->sent;
	if (before > 0) {
		n = send(c->fd, c->out.data + c->sent, before, MSG_NOSIGNAL);
		if (n < 0 && errno != EAGAIN && errno != EINTR) {
			connection_end(c);
			return;
		}
		if (n > 0) {
			c->sent += (size_t)n;
			c->hub->bytes_out += (size_t)n;
		}
		watch_stall(c, n > 0);
	}
	if (c->out.len == c->sent && (before > 0 || c->closing))
		sent_all(c);
	if (c->flow != NULL)
		c->flow->progress(c->arg);
	want(c);
}

/* ------------------------------------------------------------------- input */

void
connection_to_request(struct connection *c,
    const struct connection_request *request, void *arg)
{
	c->request = request;
	c->arg = arg;
}

void
connection_answered(struct connection *c, bool keep)
{
	c->request = NULL;
	if (c->dead)
		return;
	if (!keep)
		c->closing = true;
	else
		http_next(c->http);
	c->half = false;
	watch_rearm(c->timer,
	    c->stalled ? CONNECTION_STALL_MS : CONNECTION_IDLE_MS);
	connection_soon(c);
}

void
connection_to_flow(struct connection *c, const struct connection_flow *flow,
    void *arg)
{
	c->request = NULL;
	c->flow = flow;
	c->arg = arg;
	watch_rearm(c->timer, -1);
	connection_soon(c);
}

void
connection_flow_ended(struct connection *c)
{
	c->flow = NULL;
	c->closing = true;
	connection_soon(c);
}

void
connection_set_verified(struct connection *c, const struct identity *who)
{
	c->who = *who;
	if (!c->verified)
		c->door->on_verified(c);
	c->verified = true;
}

/* A request that cannot be read; nothing after it can be, either. */
static void
refuse(struct connection *c)
{
	refusal_put(connection_out(c), http_status(c->http), "protocol",
	    http_reason(c->http));
	hub_count_request(c->hub, "unreadable", http_status(c->http));
	c->closing = true;
}

static void
take_head(struct connection *c)
{
	c->half = false;
	c->body = 0;
	watch_rearm(c->timer, CONNECTION_BODY_MS);
	c->door->on_request(c, http_request(c->http));
}

/* A thin link may need long for a large body. */
static void
count_body(struct connection *c, size_t n)
{
	c->body += n;
	if (c->body >> 20 != (c->body - n) >> 20)
		watch_rearm(c->timer, CONNECTION_BODY_MS);
}

/* Returns false if no more can be used now. */
static bool
take_http(struct connection *c, const uint8_t *p, size_t len, size_t *used)
{
	const uint8_t *body;
	size_t n;

	*used = 0;
	if (c->request != NULL && !c->request->wants_body(c->arg))
		return false;
	if (c->request == NULL && connection_queued(c) > CONNECTION_AHEAD_MAX)
		return false;
	if (!c->half && c->request == NULL) {
		c->half = true;
		watch_rearm(c->timer, CONNECTION_HEAD_MS);
	}
	switch (http_read(c->http, p, len, used)) {
	case HTTP_MORE:
		return *used > 0;
	case HTTP_GOT_HEAD:
		take_head(c);
		return true;
	case HTTP_GOT_BODY:
		http_body(c->http, &body, &n);
		count_body(c, n);
		if (c->request != NULL)
			c->request->take_body(c->arg, body, n);
		return true;
	case HTTP_END:
	case HTTP_UPGRADED:
		if (c->request != NULL)
			c->request->complete(c->arg);
		return true;
	case HTTP_BAD:
		if (c->request != NULL)
			c->request->bad(c->arg, http_status(c->http),
			    http_reason(c->http));
		else
			refuse(c);
		return false;
	}
	return false;
}

/* The end of a request needs no more bytes: a head may be all of it. */
static bool
may_end(const struct connection *c)
{
	return c->request != NULL && c->request->wants_body(c->arg);
}

/* Use the bytes of c->in as far as possible. */
static void
take(struct connection *c)
{
	size_t at = 0, used = 0;
	bool more = false;

	while (!c->dead && !c->closing &&
	    (at < c->in.len || (more && may_end(c)))) {
		if (c->flow != NULL) {
			used = c->in.len - at;
			if (!c->flow->take(c->arg, c->in.data + at, used))
				c->closing = true;
		} else {
			more = take_http(c, c->in.data + at, c->in.len - at,
			    &used);
			if (!more && used == 0)
				break;
		}
		at += used;
	}
	if (c->closing)
		at = c->in.len;
	buf_consume(&c->in, at);
	if (c->in.len == 0 && c->in.cap > 0)
		buf_finish(&c->in);
}

/*
 * The client sends no more.  One that waits for an answer has left, as far as
 * anybody can tell; one that still takes answers gets them.
 */
static void
on_eof(struct connection *c)
{
	c->eof = true;
	if (c->lingering || c->flow != NULL)
		connection_end(c);
	else
		want(c);
}

/* "GET /" and the like, from a client that should have begun TLS. */
static bool
is_plain_http(const uint8_t *p, size_t len)
{
	size_t n = 0;

	while (n < len && p[n] >= 'A' && p[n] <= 'Z')
		n++;
	return n > 0 && n + 1 < len && p[n] == ' ' && p[n + 1] == '/';
}

static void
refuse_plain_http(struct connection *c)
{
	buf_clear(&c->out);
	refusal_put(&c->out, 400, "protocol",
	    "the hub has TLS here: use https:// instead of http://");
}

/* Decrypt bytes if necessary; false: nothing can be used. */
static bool
accept_bytes(struct connection *c, const uint8_t *p, size_t len)
{
	int rc = 0;

	if (c->tls == NULL)
		(void)buf_append(&c->in, p, len);
	else
		rc = tls_feed(c->tls, p, len, &c->in, &c->out);
	if (rc < 0) {
		c->closing = c->announced = true;
		if (is_plain_http(p, len) && c->sent == 0)
			refuse_plain_http(c);
	}
	c->ended = rc > 0;
	return rc >= 0;
}

static void
receive(struct connection *c)
{
	uint8_t *part = c->hub->scratch;
	ssize_t n = recv(c->fd, part, CONNECTION_READ_SIZE, 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0) {
		connection_end(c);
		return;
	}
	if (n == 0) {
		on_eof(c);
		return;
	}
	if (c->lingering)
		return; /* the rest of a request that was refused */
	if (accept_bytes(c, part, (size_t)n))
		take(c);
	connection_flush(c);
	if (c->ended && !c->dead)
		on_eof(c);
}

static void
on_ready(void *arg, enum loop_events ready)
{
	struct connection *c = arg;

	if (ready & LOOP_WRITE)
		connection_flush(c);
	if (c->dead)
		return;
	if ((ready & LOOP_READ) && reads(c)) {
		receive(c);
	} else if (ready & LOOP_HANGUP) {
		on_eof(c);
	} else if (ready & LOOP_READ) {
		c->reading = false;
		want(c);
	}
}

/* An answer to a client that is too slow. */
static void
time_out(struct connection *c)
{
	c->half = false;
	if (c->request != NULL)
		c->request->bad(c->arg, 408,
		    "the body of the request did not come in time");
	else
		refusal_put(connection_out(c), 408, "timeout",
		    "the head of the request did not come in time");
	c->closing = true;
	connection_flush(c);
	if (!c->dead)
		watch_rearm(c->timer, CONNECTION_LINGER_MS);
}

/* The client is too slow, or the connection was idle for too long. */
static void
on_timer(void *arg)
{
	struct connection *c = arg;
	bool busy = c->request != NULL || c->flow != NULL;

	if (c->doomed || c->closing || c->lingering)
		connection_end(c);
	else if (c->half ||
	    (c->request != NULL && c->request->wants_body(c->arg)))
		time_out(c);
	else if ((!busy || connection_queued(c) > 0) &&
	    !(c->stalled && is_reading(c)))
		connection_end(c);
	/* Otherwise the answer takes as long as it takes. */
}

/* The turn after an answer: there may be another request already. */
void
connection_go_on(struct connection *c)
{
	if (c->dead)
		return;
	take(c);
	connection_flush(c);
}

struct connection *
connection_create(int *fd, const struct connection_peer *peer,
    const struct connection_door *door)
{
	struct connection *c = xcalloc(1, sizeof(*c));

	c->hub = door->hub;
	c->door = door;
	c->peer = *peer;
	c->fd = -1;
	list_init(&c->link);
	list_init(&c->soon);
	c->since_ms = clock_ms(CLOCK_MONOTONIC);
	buf_init(&c->in, SIZE_MAX);
	buf_init(&c->plain, CONNECTION_OUT_MAX);
	buf_init(&c->out, CONNECTION_OUT_MAX);
	c->watch = loop_fd(c->hub->loop, *fd, LOOP_READ | LOOP_HANGUP, on_ready,
	    c);
	if (c->watch == NULL) {
		free(c);
		return NULL;
	}
	c->fd = fd_take(fd);
	c->timer = loop_timer(c->hub->loop, CONNECTION_HEAD_MS, on_timer, c);
	c->reading = true;
	c->http = http_create();
	if (door->tls != NULL)
		c->tls = tls_create(door->tls);
	return c;
}
