#include "host/serve/connection.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/json_out.h"
#include "base/loop.h"
#include "base/mem.h"
#include "base/version.h"
#include "host/core/session.h"
#include "vt/vt.h"
#include "wire/frame.h"

#define IN_MAX (FRAME_MAX_CLIENT + FRAME_HEADER + CONNECTION_READ_SIZE)
#define OUT_MAX (FRAME_MAX_HOST + FRAME_HEADER + CONNECTION_BACKLOG)
#define KEEP_MEMORY 4096 /* larger buffers are freed when empty */

static void
want(struct connection *c)
{
	enum loop_events read = c->bye == CONNECTION_HEARD ? 0 : LOOP_READ;

	watch_want(c->watch, read | (c->blocked ? LOOP_WRITE : 0));
}

void
connection_close(struct connection *c)
{
	if (c->state == CONNECTION_GONE)
		return;
	c->owner->hooks->on_close(c);
	c->state = CONNECTION_GONE;
	watch_remove(c->watch);
	c->watch = NULL;
	close(c->fd);
	c->fd = -1;
	fd_close(&c->given);
}

void
connection_finish(struct connection *c)
{
	if (c->state >= CONNECTION_CLOSING)
		return;
	c->state = CONNECTION_CLOSING;
	c->deadline_ms = c->session->turn.now_ms + CONNECTION_CLOSE_MS;
	turn_wake_at(&c->session->turn, c->deadline_ms);
}

/* ------------------------------------------------------------- sending */

static size_t
backlog(const struct connection *c)
{
	return c->out.len - c->out_sent + c->held.len;
}

struct buf *
connection_out(struct connection *c)
{
	return c->in_history ? &c->held : &c->out;
}

void
connection_put_done(struct connection *c)
{
	if (c->out.full || c->held.full)
		connection_close(c);
}

/*
 * Requests that run side by side may all be answered at once.  Their number is
 * limited, so a client with many answers does not count as one that never
 * reads.
 */
static bool
is_giant(const struct connection *c, uint8_t type, size_t len)
{
	return len >= CONNECTION_BACKLOG ||
	    (type == FRAME_RESPONSE && (c->features & HELLO_PARALLEL));
}

void
connection_put(struct connection *c, uint8_t type, const void *p, size_t len)
{
	if (c->state == CONNECTION_GONE)
		return;
	frame_put(connection_out(c), type, p, len);
	c->owes |= type == FRAME_RESPONSE;
	if (!is_giant(c, type, len) &&
	    backlog(c) > c->large + CONNECTION_BACKLOG)
		connection_close(c);
	if (is_giant(c, type, len))
		c->large += FRAME_HEADER + len;
	connection_put_done(c);
}

void
connection_put_event(struct connection *c, const char *json, size_t len)
{
	if (c->viewer == NULL || !(c->features & HELLO_EVENTS))
		return;
	if (backlog(c) > c->large + CONNECTION_EVENTS_MAX)
		c->events_lost = true;
	else
		connection_put(c, FRAME_EVENT, json, len);
}

void
connection_put_taken(struct connection *c, const struct frame_taken *t)
{
	if (t->id == 0 || c->state == CONNECTION_GONE)
		return;
	frame_put_taken(connection_out(c), t);
	c->owes = true;
	if (backlog(c) > c->large + CONNECTION_BACKLOG)
		connection_close(c);
	connection_put_done(c);
}

/* Everything is sent: free the memory. */
static void
drained(struct connection *c)
{
	c->out_sent = 0;
	c->large = 0;
	c->owes = c->held.len > 0;
	if (c->out.cap > KEEP_MEMORY) {
		buf_finish(&c->out);
		buf_init(&c->out, OUT_MAX);
	}
	buf_clear(&c->out);
}

/* HISTORY is complete: send the frames that waited for it. */
static void
release_held(struct connection *c)
{
	struct buf held = c->held;

	if (held.len == 0 || c->out.len > 0 || connection_out(c) == &c->held)
		return;
	c->held = c->out;
	c->out = held;
}

void
connection_block(struct connection *c)
{
	c->blocked = true;
	want(c);
}

bool
connection_flush(struct connection *c)
{
	release_held(c);
	while (c->state != CONNECTION_GONE && c->out_sent < c->out.len) {
		ssize_t n = send(c->fd, c->out.data + c->out_sent,
		    c->out.len - c->out_sent, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN) {
			connection_block(c);
			return false;
		}
		if (n < 0) {
			connection_close(c);
			return false;
		}
		c->out_sent += (size_t)n;
		if (c->out_sent == c->out.len)
			drained(c);
	}
	if (c->state == CONNECTION_CLOSING && !c->shut) {
		shutdown(c->fd, SHUT_WR);
		c->shut = true;
	}
	return c->state == CONNECTION_OPEN;
}

/* --------------------------------------------------------- first lines */

static void
refuse(struct connection *c, enum failure failure, const char *message)
{
	struct welcome w = { .version = HELLO_VERSION };

	snprintf(w.code, sizeof(w.code), "%s", failure_code(failure));
	snprintf(w.message, sizeof(w.message), "%s", message);
	w.retryable = failure_is_retryable(failure);
	welcome_write(&w, &c->out);
	connection_finish(c);
}

void
connection_put_error(struct json_out *j, enum failure failure,
    const struct error *err)
{
	json_put_bool(j, "ok", false);
	json_put_open(j, "error", '{');
	json_put_text(j, "code", failure_code(failure));
	json_put_text(j, "message", err->msg);
	json_put_bool(j, "retryable", failure_is_retryable(failure));
	json_put_open(j, "details", '{');
	json_out_close(j, '}');
	json_out_close(j, '}');
}

void
connection_refuse(struct connection *c, uint64_t id, enum failure failure,
    const struct error *err)
{
	struct json_out j;
	struct buf b;

	request_queue_done(&c->requests, id);
	buf_init(&b, CONNECTION_RESPONSE_MAX);
	json_out_init(&j, &b);
	json_out_open(&j, '{');
	json_put_number(&j, "id", id);
	connection_put_error(&j, failure, err);
	json_out_close(&j, '}');
	connection_put(c, FRAME_RESPONSE, b.data, b.len);
	buf_finish(&b);
}

void
connection_fail(struct connection *c, enum failure failure, const char *message)
{
	struct error err = { 0 };

	if (c->state == CONNECTION_NEW) {
		refuse(c, failure, message);
		return;
	}
	snprintf(err.msg, sizeof(err.msg), "%s", message);
	connection_refuse(c, 0, failure, &err);
	connection_finish(c);
}

static unsigned
common_features(const struct connection *c)
{
	unsigned ours = HELLO_OFFSET | HELLO_KEYFRAME | HELLO_EVENTS |
	    HELLO_HANDOVER | HELLO_PARALLEL;

	if (c->hello.engine != VT_ENGINE_VERSION ||
	    c->session->display.vt == NULL)
		ours &= ~(unsigned)HELLO_KEYFRAME;
	return ours & c->hello.features;
}

static void
welcome(struct connection *c)
{
	const struct manifest *m = &c->session->manifest;
	struct welcome w = { .ok = true, .version = HELLO_VERSION };

	if (c->hello.version < w.version)
		w.version = c->hello.version;
	w.features = c->features;
	w.readonly = c->hello.readonly;
	snprintf(w.host, sizeof(w.host), "tend %s", TEND_VERSION);
	snprintf(w.id, sizeof(w.id), "%s", m->id);
	snprintf(w.name, sizeof(w.name), "%s", m->name);
	welcome_write(&w, &c->out);
}

/*
 * Check the client's claimed principal and its permission before it is
 * admitted.
 */
static int
admit(struct connection *c, struct error *err)
{
	int rc = peer_claim(&c->peer, &c->hello, c->by, err);

	if (rc == 0)
		rc = peer_check_any(&c->peer, c->owner->own,
		    c->session->manifest.name, err);
	/* The answer contains what was granted. */
	if (rc == 0 && c->hello.mode == HELLO_ATTACH)
		c->hello.readonly |= connection_check(c, OP_DRIVE, NULL) < 0;
	return rc;
}

static void
open_client(struct connection *c)
{
	c->state = CONNECTION_OPEN;
	c->deadline_ms = INT64_MAX;
	c->features = common_features(c);
	welcome(c);
	c->owner->hooks->on_open(c);
}

/*
 * Returns how many bytes of p belong to the first line; all if it is
 * incomplete.
 */
static size_t
take_line(struct connection *c, const uint8_t *p, size_t len)
{
	const uint8_t *end = memchr(p, '\n', len);
	size_t n = end != NULL ? (size_t)(end - p) + 1 : len;
	struct error err;

	if (c->in.len + n > FRAME_LINE_MAX) {
		refuse(c, FAIL_PROTOCOL, "the first line is too long");
		return len;
	}
	buf_append(&c->in, p, n);
	if (end == NULL)
		return n;
	if (hello_read(&c->hello, (const char *)c->in.data, c->in.len - 1,
		&err) < 0) {
		refuse(c, FAIL_PROTOCOL, err.msg);
		return len;
	}
	buf_clear(&c->in);
	if (admit(c, &err) < 0) {
		refuse(c, FAIL_DENIED, err.msg);
		return len;
	}
	open_client(c);
	return n;
}

/* ----------------------------------------------------------- receiving */

/* Handle the whole frames in p.  Returns how many bytes they were. */
static size_t
take_frames(struct connection *c, const uint8_t *p, size_t len)
{
	size_t at = 0;
	struct frame f;

	while (c->state == CONNECTION_OPEN) {
		switch (frame_parse(p + at, len - at, FRAME_MAX_CLIENT, &f)) {
		case FRAME_WHOLE:
			at += FRAME_HEADER + f.len;
			c->owner->hooks->on_frame(c, &f);
			continue;
		case FRAME_PART:
			return at;
		case FRAME_TOO_LONG:
			connection_fail(c, FAIL_PROTOCOL,
			    "a frame is too long");
			break;
		}
	}
	return len;
}

static void
take_bytes(struct connection *c, const uint8_t *p, size_t len)
{
	size_t n;

	if (c->state == CONNECTION_NEW) {
		n = take_line(c, p, len);
		p += n;
		len -= n;
	}
	if (c->state != CONNECTION_OPEN || len == 0)
		return;
	if (c->in.len == 0) {
		n = take_frames(c, p, len);
		buf_append(&c->in, p + n, len - n);
		return;
	}
	buf_append(&c->in, p, len);
	buf_consume(&c->in, take_frames(c, c->in.data, c->in.len));
	if (c->in.len == 0 && c->in.cap > KEEP_MEMORY) {
		buf_finish(&c->in);
		buf_init(&c->in, IN_MAX);
	}
}

void
connection_heard_bye(struct connection *c)
{
	if (reply_filter_holds(&c->filter))
		c->owner->hooks->on_half_key(c);
	c->bye = CONNECTION_HEARD;
	want(c);
	turn_wake_at(&c->session->turn, 0);
}

void
connection_cut(struct connection *c)
{
	c->bye = CONNECTION_CUT;
	shutdown(c->fd, SHUT_RD);
}

/* Read.  Only a control connection may send descriptors, one at a time. */
static ssize_t
receive(struct connection *c, void *p, size_t size)
{
	struct iovec iov = { p, size };
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} with;
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &with,
		.msg_controllen = CMSG_LEN(sizeof(int)),
	};
	struct cmsghdr *h;
	ssize_t n;

	if (c->viewer != NULL)
		return recv(c->fd, p, size, 0);
	n = recvmsg(c->fd, &msg, MSG_CMSG_CLOEXEC);
	h = n < 0 ? NULL : CMSG_FIRSTHDR(&msg);
	if (h != NULL && h->cmsg_level == SOL_SOCKET &&
	    h->cmsg_type == SCM_RIGHTS &&
	    h->cmsg_len == CMSG_LEN(sizeof(int))) {
		fd_close(&c->given);
		memcpy(&c->given, CMSG_DATA(h), sizeof(int));
	}
	return n;
}

static void
on_ready(void *arg, enum loop_events ready)
{
	struct connection *c = arg;
	uint8_t *bytes = c->owner->bytes;
	ssize_t n;

	turn_look(&c->session->turn);
	if (ready & LOOP_WRITE) {
		c->blocked = false;
		want(c);
	}
	if (!(ready & LOOP_READ) || c->state == CONNECTION_GONE)
		return;
	n = receive(c, bytes, CONNECTION_READ_SIZE);
	if (n > 0) {
		c->heard_ms = c->session->turn.now_ms;
		take_bytes(c, bytes, (size_t)n);
	} else if (n == 0 && c->bye == CONNECTION_CUT) {
		connection_heard_bye(c);
	} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
		connection_close(c);
	}
}

struct connection *
connection_create(const struct connection_owner *owner, int fd,
    const struct peer *peer, uint64_t number)
{
	struct connection *c = xcalloc(1, sizeof(*c));

	c->owner = owner;
	c->session = owner->session;
	c->server = owner->server;
	c->number = number;
	c->fd = fd;
	c->given = -1;
	c->deadline_ms = c->session->turn.now_ms + CONNECTION_HELLO_MS;
	c->peer = *peer;
	c->since_ms = clock_ms(CLOCK_REALTIME);
	snprintf(c->by, sizeof(c->by), "%s", peer->name);
	buf_init(&c->in, IN_MAX);
	buf_init(&c->out, OUT_MAX);
	buf_init(&c->held, OUT_MAX);
	request_queue_init(&c->requests);
	held_answers_init(&c->held_answers);
	c->watch = loop_fd(c->session->loop, fd, LOOP_READ, on_ready, c);
	if (c->watch == NULL) {
		free(c);
		return NULL;
	}
	return c;
}

void
connection_destroy(struct connection *c)
{
	connection_close(c);
	list_remove(&c->link);
	peer_finish(&c->peer);
	buf_finish(&c->in);
	buf_finish(&c->out);
	buf_finish(&c->held);
	free(c);
}

bool
connection_may_type(const struct connection *c)
{
	return !c->hello.readonly && connection_check(c, OP_DRIVE, NULL) == 0;
}

int
connection_check(const struct connection *c, enum op_permission permission,
    struct error *err)
{
	return peer_check(&c->peer, c->owner->own, c->session->manifest.name,
	    permission, err);
}

void
connection_expire(struct connection *c)
{
	c->deadline_ms = INT64_MAX;
	if (c->state == CONNECTION_NEW)
		refuse(c, FAIL_TIMEOUT, "the first line did not come in time");
	else if (c->state == CONNECTION_CLOSING)
		connection_close(c);
	else
		c->owner->hooks->on_half_key(c);
}
