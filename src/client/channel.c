#include "client/channel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/json_tree.h"
#include "base/list.h"
#include "base/loop.h"
#include "base/mem.h"
#include "client/conn.h"
#include "op/failure.h"
#include "wire/event.h"
#include "wire/frame.h"

#define RETRY_MS 5       /* before the second try to connect */
#define RETRY_MAX_MS 200 /* each try waits twice as long, up to this */

#define UNKNOWN \
	"the host ended before it answered; it is not known whether it has " \
	"done this"

enum state { OPENING, OPEN, CLOSED };

struct request {
	struct list link;
	uint64_t id;
	channel_answer_fn *fn; /* NULL: forgotten */
	void *arg;
	bool plain;       /* it has no answer */
	struct buf frame; /* kept to send it to the next host */
	size_t sent;      /* bytes of it that were sent */
	bool taken;       /* all was sent: the host has it */
	int64_t taken_ms; /* when; CLOCK_MONOTONIC */
};

struct channel {
	struct loop *loop;
	struct conn conn;
	struct watch *watch; /* of conn.fd; NULL: not watched */
	struct watch *timer; /* the next try to connect, or its timeout */
	struct channel_handlers on;
	void *arg;
	enum state state;
	int64_t open_until; /* CLOCK_MONOTONIC */
	unsigned tries;     /* to connect since the last frame */

	struct list requests; /* by id */
	size_t n, n_taken, bytes;
	uint64_t next_id;

	bool leaving; /* the host has sent BYE */
	size_t bye;   /* bytes of our BYE that were sent */
	bool mute;    /* the host reads nothing more; it may answer */

	bool paused; /* nothing is read */

	bool has_offset; /* of the received output */
	uint64_t offset;

	int rc; /* the reason for closing, also if imminent */
	struct error err;

	bool called; /* inside a callback from the loop */
	bool dead;   /* destroyed there: call nothing more */
};

static struct request *
request_of(struct list *link)
{
	return container_of(link, struct request, link);
}

static int64_t
now_ms(void)
{
	return clock_ms(CLOCK_MONOTONIC);
}

/* --------------------------------------------------------------- requests */

static struct request *
find(const struct channel *c, uint64_t id)
{
	list_for_each(it, &c->requests) {
		if (request_of(it)->id == id)
			return request_of(it);
	}
	return NULL;
}

static void
drop(struct channel *c, struct request *r)
{
	c->n--;
	c->n_taken -= r->taken;
	c->bytes -= r->frame.len;
	list_remove(&r->link);
	buf_finish(&r->frame);
	free(r);
}

/* It may be sent to another host. */
static void
take_back(struct channel *c, struct request *r)
{
	c->n_taken -= r->taken;
	r->taken = false;
	r->sent = 0;
	/* The first line to the next host has what a plain frame said. */
	if (r->fn == NULL)
		drop(c, r);
}

/* Its timeout began with the host that hands it back. */
static void
shorten_timeout(struct channel *c, struct request *r)
{
	auto_json json_t *o = json_tree_object((const char *)r->frame.data +
		FRAME_HEADER,
	    r->frame.len - FRAME_HEADER, NULL);
	json_t *args = json_object_get(o, "args");
	json_t *ms = json_object_get(args, "timeout_ms");
	auto_free char *text = NULL;
	json_int_t left;

	if (!json_is_integer(ms))
		return;
	left = json_integer_value(ms) - (now_ms() - r->taken_ms);
	json_integer_set(ms, left > 1 ? left : 1);
	text = json_dumps(args, JSON_COMPACT);
	c->bytes -= r->frame.len;
	buf_consume(&r->frame, r->frame.len);
	(void)conn_put_request(&r->frame, r->id,
	    json_string_value(json_object_get(o, "op")), text, NULL);
	c->bytes += r->frame.len;
}

static void
hand_back(struct channel *c, struct request *r)
{
	shorten_timeout(c, r);
	take_back(c, r);
}

static void
answer(struct channel *c, struct request *r, struct channel_answer a)
{
	channel_answer_fn *fn = c->dead ? NULL : r->fn;
	void *arg = r->arg;

	a.id = r->id;
	drop(c, r);
	if (fn != NULL)
		fn(arg, &a);
}

static struct request *
first_taken(const struct channel *c)
{
	list_for_each(it, &c->requests) {
		if (request_of(it)->taken)
			return request_of(it);
	}
	return NULL;
}

/* The host has ended: it may have carried out all requests that it took. */
static void
answer_taken(struct channel *c)
{
	const struct channel_answer unknown = { .outcome = CHANNEL_UNKNOWN,
		.rc = -ECONNRESET,
		.code = "",
		.message = UNKNOWN };
	struct request *r;

	while ((r = first_taken(c)) != NULL)
		answer(c, r, unknown);
	list_for_each_safe(it, &c->requests)
		take_back(c, request_of(it));
}

static void
answer_unsent(struct channel *c)
{
	const struct channel_answer unsent = { .outcome = CHANNEL_NOT_SENT,
		.rc = c->rc,
		.code = "",
		.message = c->err.msg };

	while (!list_is_empty(&c->requests))
		answer(c, request_of(c->requests.next), unsent);
}

/* ---------------------------------------------------------------- closing */

static void
disconnect(struct channel *c)
{
	watch_remove(c->watch);
	c->watch = NULL;
	watch_rearm(c->timer, -1);
	conn_close(&c->conn);
	c->leaving = c->mute = false;
	c->bye = 0;
}

static void
close_for_good(struct channel *c, int rc)
{
	c->state = CLOSED;
	c->rc = rc;
	disconnect(c);
	answer_taken(c);
	answer_unsent(c);
	if (!c->dead && c->on.on_close != NULL)
		c->on.on_close(c->arg, rc, &c->err);
}

static void
finish(struct channel *c)
{
	disconnect(c);
	list_for_each_safe(it, &c->requests)
		drop(c, request_of(it));
	watch_remove(c->timer);
	free(c);
}

void
channel_destroy(struct channel *c)
{
	if (c == NULL)
		return;
	if (c->called)
		c->dead = true;
	else
		finish(c);
}

/* ---------------------------------------------------------------- opening */

static int64_t
delay_ms(const struct channel *c)
{
	int64_t ms = c->tries == 0 ? 0 : RETRY_MS;

	for (unsigned i = 1; i < c->tries && ms < RETRY_MAX_MS; i++)
		ms *= 2;
	return ms < RETRY_MAX_MS ? ms : RETRY_MAX_MS;
}

/* Do not request output that has already come. */
static void
begin(struct channel *c)
{
	struct hello h = c->conn.hello;

	if (c->has_offset) {
		h.replay = HELLO_NONE;
		h.steal = false;
		h.has_from = true;
		h.from = c->offset;
	}
	conn_begin(&c->conn, c->conn.dirfd, &h, CHANNEL_OPEN_MS);
	c->conn.open_until = c->open_until;
	watch_rearm(c->timer, delay_ms(c));
	c->tries++;
}

/* The host has ended; another will follow while the session lives. */
static void
lose(struct channel *c)
{
	disconnect(c);
	answer_taken(c);
	if (c->dead)
		return;
	if (c->rc != 0) {
		close_for_good(c, c->rc);
		return;
	}
	c->state = OPENING;
	c->open_until = now_ms() + CHANNEL_OPEN_MS;
	begin(c);
}

/* ---------------------------------------------------------------- sending */

/* Send the rest of p: 1 when all was sent, 0 if not. */
static int
send_rest(struct channel *c, const uint8_t *p, size_t len, size_t *sent)
{
	while (*sent < len && !c->mute) {
		ssize_t n = send(c->conn.fd, p + *sent, len - *sent,
		    MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n >= 0)
			*sent += (size_t)n;
		else if (errno == EAGAIN)
			return 0;
		else if (errno != EINTR)
			c->mute = true;
	}
	return *sent == len;
}

/* A request that was begun is sent completely, even to a leaving host. */
static bool
may_send(const struct channel *c, const struct request *r)
{
	return r->sent > 0 || (!c->leaving && c->n_taken < CHANNEL_FLIGHT_MAX);
}

static void
flush(struct channel *c)
{
	uint8_t bye[FRAME_HEADER];

	list_for_each_safe(it, &c->requests) {
		struct request *r = request_of(it);

		if (r->taken)
			continue;
		if (!may_send(c, r))
			break;
		if (!send_rest(c, r->frame.data, r->frame.len, &r->sent))
			return;
		if (r->plain) {
			drop(c, r);
			continue;
		}
		r->taken = true;
		r->taken_ms = now_ms();
		c->n_taken++;
	}
	frame_header(bye, FRAME_BYE, 0);
	if (c->leaving)
		(void)send_rest(c, bye, sizeof(bye), &c->bye);
}

static bool
wants_to_send(const struct channel *c)
{
	if (c->mute)
		return false;
	return c->leaving ?
	    c->bye < FRAME_HEADER :
	    c->n > c->n_taken && c->n_taken < CHANNEL_FLIGHT_MAX;
}

static void
want(struct channel *c)
{
	if (c->watch != NULL)
		watch_want(c->watch,
		    (c->paused ? 0 : LOOP_READ) |
			(wants_to_send(c) ? LOOP_WRITE : 0));
}

/* -------------------------------------------------------------- receiving */

static int
malformed(struct channel *c)
{
	return error_set(&c->err, EPROTO, "the host's answer is malformed");
}

static int
take_refusal(struct channel *c, struct request *r, const struct frame *f,
    const json_t *why)
{
	struct channel_answer a = { .outcome = CHANNEL_REFUSED,
		.rc = -EREMOTEIO,
		.bytes = f->len,
		.code = json_string_value(json_object_get(why, "code")),
		.message = json_string_value(json_object_get(why, "message")),
		.retryable = json_is_true(json_object_get(why, "retryable")) };

	if (a.code == NULL || a.message == NULL)
		return malformed(c);
	if (r == NULL)
		c->rc = error_set(&c->err, EPROTO, "%s", a.message);
	else if (c->leaving && a.retryable &&
	    strcmp(a.code, failure_code(FAIL_BUSY)) == 0)
		hand_back(c, r);
	else
		answer(c, r, a);
	return 0;
}

/* Id 0 belongs to no request: the host says why it closes the connection. */
static int
take_response(struct channel *c, const struct frame *f)
{
	auto_json json_t *o = json_tree_object((const char *)f->payload, f->len,
	    NULL);
	json_int_t id = json_integer_value(json_object_get(o, "id"));
	struct request *r = find(c, (uint64_t)id);
	const json_t *ok = json_object_get(o, "ok");
	json_t *result = json_object_get(o, "result");

	if (o == NULL || !json_is_boolean(ok))
		return malformed(c);
	if (id != 0 && (r == NULL || !r->taken))
		return 0;
	if (json_is_false(ok))
		return take_refusal(c, r, f, json_object_get(o, "error"));
	if (r != NULL)
		answer(c, r,
		    (struct channel_answer){ .outcome = CHANNEL_DONE,
			.result = result != NULL ? result : json_null(),
			.bytes = f->len,
			.code = "",
			.message = "" });
	return 0;
}

static void
take_taken(struct channel *c, const struct frame *f)
{
	struct frame_taken t;
	struct request *r;

	if (!frame_taken(f, &t))
		return;
	r = find(c, t.id);
	if (r != NULL && r->taken)
		answer(c, r,
		    (struct channel_answer){ .outcome = CHANNEL_DONE,
			.result = json_null(),
			.bytes = f->len,
			.code = "",
			.message = "",
			.status = t.status,
			.seq = t.seq });
}

static void
note_offset(struct channel *c, const struct frame *f)
{
	struct frame_screen screen;
	struct frame_gap gap;
	const uint8_t *p;
	uint64_t offset;
	size_t len;

	if (frame_output(f, &offset, &p, &len))
		c->offset = offset + len;
	else if (frame_screen(f, &screen, &p, &len))
		c->offset = screen.offset;
	else if (frame_gap(f, &gap))
		c->offset = gap.to;
	else
		return;
	c->has_offset = true;
}

/* A client that another one has detached must not come back. */
static void
note_detached(struct channel *c, const struct frame *f)
{
	auto_json json_t *o = NULL;
	const char *name;

	if (f->type != FRAME_EVENT)
		return;
	o = json_tree_object((const char *)f->payload, f->len, NULL);
	name = json_string_value(json_object_get(o, "event"));
	if (name != NULL && wire_event_find(name) == WIRE_EVENT_DETACHED)
		c->rc = error_set(&c->err, ECONNABORTED,
		    "another client detached this one");
}

static int
take_frame(struct channel *c, const struct frame *f)
{
	c->tries = 0;
	if (f->type == FRAME_RESPONSE)
		return take_response(c, f);
	if (f->type == FRAME_BYE) {
		c->leaving = true;
		return 0;
	}
	if (f->type == FRAME_TAKEN) {
		take_taken(c, f);
		return 0;
	}
	note_offset(c, f);
	note_detached(c, f);
	if (c->on.on_frame != NULL)
		c->on.on_frame(c->arg, f);
	return 0;
}

static void
take_frames(struct channel *c)
{
	struct frame f;
	int rc = 0;

	while (!c->paused && (rc = conn_next(&c->conn, &f, &c->err)) == 1 &&
	    !c->dead) {
		rc = take_frame(c, &f);
		if (rc < 0)
			break;
	}
	if (c->dead)
		return;
	if (rc < 0) {
		close_for_good(c, rc);
		return;
	}
	conn_rest(&c->conn);
	flush(c); /* requests that callbacks have posted */
	want(c);
}

static void
receive(struct channel *c)
{
	int rc = conn_fill(&c->conn, false, c->rc == 0 ? &c->err : NULL);

	if (rc == 1)
		take_frames(c);
	else if (rc < 0)
		lose(c);
}

/* -------------------------------------------------------------- the loop */

static void on_ready(void *arg, enum loop_events ready);

static bool
watch_connection(struct channel *c)
{
	c->watch = loop_fd(c->loop, c->conn.fd, LOOP_READ, on_ready, c);
	if (c->watch != NULL)
		return true;
	close_for_good(c,
	    error_set(&c->err, errno, "cannot watch the connection: %s",
		strerror(errno)));
	return false;
}

/* Frames may have come with the host's first line. */
static void
serve(struct channel *c)
{
	if (watch_connection(c))
		take_frames(c);
}

static void
welcomed(struct channel *c)
{
	watch_rearm(c->timer, -1);
	c->state = OPEN;
	if (c->on.on_open != NULL)
		c->on.on_open(c->arg, &c->conn.welcome);
	if (!c->dead)
		serve(c);
}

static int64_t
left_ms(const struct channel *c)
{
	int64_t ms = c->open_until - now_ms();

	return ms > 0 ? ms : 0;
}

/* Watch the descriptor only between two steps: a step may close it. */
static void
proceed(struct channel *c)
{
	int rc;

	watch_remove(c->watch);
	c->watch = NULL;
	rc = conn_proceed(&c->conn, &c->err);
	if (rc == 1) {
		welcomed(c);
	} else if (rc == 0 && c->conn.fd >= 0) {
		if (watch_connection(c))
			watch_rearm(c->timer, left_ms(c));
	} else if (rc == 0) {
		watch_rearm(c->timer, delay_ms(c));
		c->tries++;
	} else if ((rc == -ECONNRESET || rc == -EPIPE) &&
	    now_ms() < c->open_until) {
		begin(c);
	} else {
		close_for_good(c, rc);
	}
}

/* Callbacks are called only from here, so that one may destroy the channel. */
static void
enter(struct channel *c)
{
	c->called = true;
}

static void
leave(struct channel *c)
{
	c->called = false;
	if (c->dead)
		finish(c);
}

static void
on_ready(void *arg, enum loop_events ready)
{
	struct channel *c = arg;

	enter(c);
	if (c->state == OPENING) {
		proceed(c);
	} else {
		if (ready & LOOP_WRITE) {
			flush(c);
			want(c);
		}
		if (ready & LOOP_READ)
			receive(c);
	}
	leave(c);
}

static void
on_timer(void *arg)
{
	struct channel *c = arg;

	enter(c);
	if (c->state == OPENING)
		proceed(c);
	else if (c->watch == NULL)
		serve(c);
	else
		take_frames(c);
	leave(c);
}

/* -------------------------------------------------------------- interface */

static struct channel *
create(struct loop *loop, const struct channel_handlers *on, void *arg)
{
	struct channel *c = xcalloc(1, sizeof(*c));

	c->loop = loop;
	c->arg = arg;
	if (on != NULL)
		c->on = *on;
	list_init(&c->requests);
	c->next_id = 1;
	c->timer = loop_timer(loop, -1, on_timer, c);
	return c;
}

struct channel *
channel_create(struct loop *loop, int dirfd, const struct hello *h,
    const struct channel_handlers *on, void *arg)
{
	struct channel *c = create(loop, on, arg);

	c->conn.hello = *h;
	c->conn.hello.features |= HELLO_HANDOVER | HELLO_PARALLEL;
	c->conn.dirfd = dirfd;
	c->conn.fd = -1;
	c->open_until = now_ms() + CHANNEL_OPEN_MS;
	begin(c);
	return c;
}

struct channel *
channel_adopt(struct loop *loop, struct conn *conn,
    const struct channel_handlers *on, void *arg)
{
	struct channel *c = create(loop, on, arg);

	c->conn = *conn;
	c->next_id = conn->next_id;
	c->state = OPEN;
	conn->fd = -1;
	conn->in = (struct buf){ 0 };
	conn->in_taken = 0;
	watch_rearm(c->timer, 0);
	return c;
}

static int
check_limits(const struct channel *c, size_t len, struct error *err)
{
	if (c->n >= CHANNEL_REQUESTS_MAX || c->bytes + len > CHANNEL_BYTES_MAX)
		return error_set(err, EAGAIN,
		    "too many requests wait for an answer");
	return 0;
}

/* Send at the next opportunity.  The frame moves into the request. */
static struct request *
add(struct channel *c, struct buf *frame, channel_answer_fn *fn, void *arg)
{
	struct request *r = xcalloc(1, sizeof(*r));

	*r = (struct request){ .id = c->next_id++,
		.fn = fn,
		.arg = arg,
		.frame = *frame };
	list_append(&c->requests, &r->link);
	c->n++;
	c->bytes += frame->len;
	if (c->state == OPEN)
		want(c);
	return r;
}

int
channel_post(struct channel *c, const char *op, const char *args,
    channel_answer_fn *fn, void *arg, uint64_t *id, struct error *err)
{
	struct buf frame;
	int rc;

	if (c->state == CLOSED)
		return error_set(err, -c->rc, "%s", c->err.msg);
	buf_init(&frame, FRAME_HEADER + FRAME_MAX_CLIENT);
	rc = conn_put_request(&frame, c->next_id, op, args, err);
	if (rc == 0)
		rc = check_limits(c, frame.len, err);
	if (rc < 0) {
		buf_finish(&frame);
		return rc;
	}
	*id = add(c, &frame, fn, arg)->id;
	return 0;
}

int
channel_type(struct channel *c, const void *frame, size_t len,
    channel_answer_fn *fn, void *arg, uint64_t *id, struct error *err)
{
	struct buf copy;
	int rc;

	if (c->state == CLOSED)
		return error_set(err, -c->rc, "%s", c->err.msg);
	rc = check_limits(c, len, err);
	if (rc < 0)
		return rc;
	buf_init(&copy, len);
	(void)buf_append(&copy, frame, len);
	put_u64be(copy.data + FRAME_HEADER, c->next_id);
	*id = add(c, &copy, fn, arg)->id;
	return 0;
}

static void
tell(struct channel *c, struct buf *frame)
{
	if (c->state == CLOSED)
		buf_finish(frame);
	else
		add(c, frame, NULL, NULL)->plain = true;
}

void
channel_resize(struct channel *c, unsigned cols, unsigned rows)
{
	struct buf frame;

	buf_init(&frame, FRAME_HEADER + 4);
	(void)frame_put_resize(&frame, cols, rows);
	c->conn.hello.cols = cols;
	c->conn.hello.rows = rows;
	tell(c, &frame);
}

void
channel_view(struct channel *c, bool visible)
{
	const uint8_t flag = visible;
	struct buf frame;

	buf_init(&frame, FRAME_HEADER + 1);
	(void)frame_put(&frame, FRAME_VIEW, &flag, 1);
	c->conn.hello.hidden = !visible;
	tell(c, &frame);
}

/* The rest of a frame must follow its beginning. */
static bool
is_between_frames(const struct channel *c)
{
	list_for_each(it, &c->requests) {
		const struct request *r = request_of(it);

		if (r->sent > 0 && !r->taken)
			return false;
	}
	return true;
}

void
channel_detach(struct channel *c)
{
	uint8_t header[FRAME_HEADER];
	size_t sent = 0;

	if (c->state != OPEN || c->leaving || !is_between_frames(c))
		return;
	frame_header(header, FRAME_DETACH, 0);
	(void)send_rest(c, header, sizeof(header), &sent);
}

void
channel_pause(struct channel *c, bool pause)
{
	if (c->paused == pause)
		return;
	c->paused = pause;
	if (c->state != OPEN)
		return;
	want(c);
	/* Frames that were read before have no other call. */
	if (!pause && channel_backlog(c) > 0)
		watch_rearm(c->timer, 0);
}

size_t
channel_backlog(const struct channel *c)
{
	int there = 0;

	if (c->conn.fd >= 0 && ioctl(c->conn.fd, FIONREAD, &there) < 0)
		there = 0;
	return c->conn.in.len - c->conn.in_taken + (size_t)there;
}

void
channel_forget(struct channel *c, uint64_t id)
{
	struct request *r = find(c, id);

	if (r == NULL)
		return;
	r->fn = NULL;
	if (r->sent == 0)
		drop(c, r);
}

int
channel_dirfd(const struct channel *c)
{
	return c->conn.dirfd;
}

size_t
channel_pending(const struct channel *c)
{
	return c->n;
}
