#include "client/conn.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/json_out.h"
#include "base/json_tree.h"
#include "op/failure.h"

/* The deadline of a call that begins now. */
static int64_t
due_ms(const struct conn *c)
{
	return clock_ms(CLOCK_MONOTONIC) + c->timeout_ms;
}

int
conn_await(const struct conn *c, short events, int64_t until)
{
	struct pollfd p[] = {
		{ .fd = c->fd, .events = events },
		{ .fd = c->cancel_fd > 0 ? c->cancel_fd : -1,
		    .events = POLLIN },
	};
	int64_t left;
	int n;

	do {
		left = until - clock_ms(CLOCK_MONOTONIC);
		if (left < 0)
			left = 0;
		n = poll(p, 2, left < INT_MAX ? (int)left : INT_MAX);
	} while ((n < 0 && errno == EINTR) || (n == 0 && left > INT_MAX));
	if (n < 0)
		return -errno;
	if (p[1].revents != 0)
		return -ECANCELED;
	return n == 0 ? -ETIMEDOUT : 0;
}

void
conn_close(struct conn *c)
{
	fd_close(&c->fd);
	buf_finish(&c->in);
	c->in_taken = 0;
}

/* ----------------------------------------------------------------- frames */

static int
fill_until(struct conn *c, int64_t until, bool wait, struct error *err)
{
	uint8_t *room;
	ssize_t n;
	int rc;

	buf_consume(&c->in, c->in_taken);
	c->in_taken = 0;
	room = buf_reserve(&c->in, CONN_READ_SIZE);
	if (room == NULL)
		return error_set(err, EPROTO, "the host sent too long a frame");
	while ((n = recv(c->fd, room, CONN_READ_SIZE, MSG_DONTWAIT)) < 0) {
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return error_set(err, errno, "lost the host: %s",
			    strerror(errno));
		if (!wait)
			return 0;
		rc = conn_await(c, POLLIN, until);
		if (rc < 0)
			return error_set(err, -rc, "the host does not answer");
	}
	if (n == 0)
		return error_set(err, ECONNRESET,
		    "the host closed the connection");
	buf_commit(&c->in, (size_t)n);
	return 1;
}

int
conn_fill(struct conn *c, bool wait, struct error *err)
{
	return fill_until(c, due_ms(c), wait, err);
}

void
conn_rest(struct conn *c)
{
	if (c->in_taken < c->in.len)
		return;
	c->in_taken = 0;
	buf_finish(&c->in);
	buf_init(&c->in, CONN_IN_MAX);
}

int
conn_next(struct conn *c, struct frame *f, struct error *err)
{
	size_t left = c->in.len - c->in_taken;

	if (left == 0)
		return 0;
	switch (
	    frame_parse(c->in.data + c->in_taken, left, FRAME_MAX_HOST, f)) {
	case FRAME_WHOLE:
		c->in_taken += FRAME_HEADER + f->len;
		return 1;
	case FRAME_PART:
		return 0;
	default:
		return error_set(err, EPROTO, "the host sent too long a frame");
	}
}

/* A descriptor to pass goes along with the first byte. */
static ssize_t
send_some(struct conn *c, const void *p, size_t len)
{
	struct iovec iov = { (void *)(uintptr_t)p, len };
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} with = { 0 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n;

	if (c->give >= 0) {
		with.head.cmsg_level = SOL_SOCKET;
		with.head.cmsg_type = SCM_RIGHTS;
		with.head.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&with.head), &c->give, sizeof(int));
		msg.msg_control = &with;
		msg.msg_controllen = sizeof(with.space);
	}
	n = sendmsg(c->fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (n > 0)
		c->give = -1;
	return n;
}

/* Send as much as fits now: the number of bytes, or -errno if none. */
static ssize_t
send_now(struct conn *c, const uint8_t *p, size_t len, struct error *err)
{
	size_t sent = 0;

	while (sent < len) {
		ssize_t n = send_some(c, p + sent, len - sent);

		if (n >= 0)
			sent += (size_t)n;
		else if (errno == EAGAIN || (errno != EINTR && sent > 0))
			break;
		else if (errno != EINTR)
			return error_set(err, errno, "lost the host: %s",
			    strerror(errno));
	}
	return (ssize_t)sent;
}

static int
send_until(struct conn *c, const void *p, size_t len, int64_t until,
    struct error *err)
{
	const uint8_t *next = p;
	int rc;

	while (len > 0) {
		ssize_t n = send_now(c, next, len, err);

		if (n < 0)
			return next == p ? -EPIPE : -ECONNRESET;
		next += n;
		len -= (size_t)n;
		rc = len > 0 && n == 0 ? conn_await(c, POLLOUT, until) : 0;
		if (rc < 0)
			return error_set(err, -rc, "the host accepts no data");
	}
	return 0;
}

int
conn_send(struct conn *c, const void *p, size_t len, struct error *err)
{
	return send_until(c, p, len, due_ms(c), err);
}

/* ------------------------------------------------------------- operations */

int
conn_put_request(struct buf *out, uint64_t id, const char *op, const char *args,
    struct error *err)
{
	struct json_out j;
	struct buf json;
	int rc = -ENOBUFS;

	buf_init(&json, FRAME_MAX_CLIENT);
	json_out_init(&j, &json);
	json_out_open(&j, '{');
	json_put_number(&j, "id", id);
	json_put_text(&j, "op", op);
	json_out_key(&j, "args");
	buf_puts(&json, args);
	json_out_close(&j, '}');
	if (!json.full)
		rc = frame_put(out, FRAME_REQUEST, json.data, json.len);
	buf_finish(&json);
	return rc < 0 ?
	    error_set(err, E2BIG, "%s: the arguments are too long", op) :
	    0;
}

static int
send_request(struct conn *c, uint64_t id, const char *op, const char *args,
    int64_t until, struct error *err)
{
	struct buf frame;
	int rc;

	buf_init(&frame, FRAME_HEADER + FRAME_MAX_CLIENT);
	rc = conn_put_request(&frame, id, op, args, err);
	if (rc == 0)
		rc = send_until(c, frame.data, frame.len, until, err);
	buf_finish(&frame);
	return rc;
}

/* A host that has left reads nothing: ask the next one. */
static int
send_to_somebody(struct conn *c, uint64_t id, const char *op, const char *args,
    int64_t until, struct error *err)
{
	int rc = c->left ? -EPIPE : send_request(c, id, op, args, until, err);

	if (rc != -EPIPE || !(c->welcome.features & HELLO_HANDOVER))
		return rc;
	rc = conn_reopen(c, err);
	return rc < 0 ? rc : send_request(c, id, op, args, until, err);
}

static int
answer_bye(struct conn *c, struct error *err)
{
	uint8_t header[FRAME_HEADER];

	c->left = true;
	frame_header(header, FRAME_BYE, 0);
	return conn_send(c, header, sizeof(header), err);
}

/* The host's refusal. */
static int
refused(struct conn *c, const json_t *response, char code[32],
    struct error *err)
{
	const json_t *why = json_object_get(response, "error");
	const char *name = json_string_value(json_object_get(why, "code"));
	const char *text = json_string_value(json_object_get(why, "message"));

	if (name == NULL || text == NULL)
		return error_set(err, EPROTO, "the host's answer is malformed");
	snprintf(code, 32, "%s", name);
	c->retryable = json_is_true(json_object_get(why, "retryable"));
	return error_set(err, EREMOTEIO, "%s", text);
}

/* 1 if it answers the request, 0 if it answers another. */
static int
read_response(struct conn *c, const struct frame *f, uint64_t id, char **result,
    char code[32], struct error *err)
{
	auto_json json_t *o = json_tree_object((const char *)f->payload, f->len,
	    err);
	const json_t *ok, *value;

	if (o == NULL)
		return -EPROTO;
	if (json_integer_value(json_object_get(o, "id")) != (json_int_t)id)
		return 0;
	ok = json_object_get(o, "ok");
	value = json_object_get(o, "result");
	if (json_is_false(ok))
		return refused(c, o, code, err);
	if (!json_is_true(ok))
		return error_set(err, EPROTO, "the host's answer is malformed");
	*result = value != NULL ?
	    json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) :
	    strdup("null");
	return *result != NULL ? 1 : error_set(err, ENOMEM, "out of memory");
}

int
conn_ask(struct conn *c, const char *op, const char *args, uint64_t *id,
    struct error *err)
{
	*id = c->next_id++;
	return send_to_somebody(c, *id, op, args, due_ms(c), err);
}

int
conn_answer(struct conn *c, uint64_t id, char **result, char code[32],
    struct error *err)
{
	struct frame f;
	int rc = 0;

	code[0] = '\0';
	while (rc == 0) {
		rc = conn_next(c, &f, err);
		if (rc <= 0)
			return rc;
		rc = 0;
		if (f.type == FRAME_RESPONSE)
			rc = read_response(c, &f, id, result, code, err);
		else if (f.type == FRAME_BYE)
			rc = answer_bye(c, err);
		else if (f.type == FRAME_PONG)
			c->pongs++;
	}
	return rc;
}

int
conn_ping(struct conn *c, struct error *err)
{
	uint8_t header[FRAME_HEADER];

	frame_header(header, FRAME_PING, 0);
	if (send_now(c, header, sizeof(header), err) == sizeof(header))
		return 0;
	return error_set(err, EAGAIN, "the host accepts no data");
}

bool
conn_was_left(const struct conn *c, int result, const char *code)
{
	return result == -EREMOTEIO && c->left &&
	    strcmp(code, failure_code(FAIL_BUSY)) == 0;
}

/* Wait for the answer; call on_slow once if it takes long. */
static int
fill_patiently(struct conn *c, int64_t until, int64_t *slow, struct error *err)
{
	int rc;

	if (*slow == 0 || *slow >= until)
		return fill_until(c, until, true, err);
	rc = fill_until(c, *slow, true, err);
	if (rc != -ETIMEDOUT)
		return rc;
	*slow = 0;
	c->on_slow(c->slow_arg);
	return fill_until(c, until, true, err);
}

int
conn_call(struct conn *c, const char *op, const char *args, char **result,
    char code[32], struct error *err)
{
	int64_t until = due_ms(c), slow = 0;
	uint64_t id;
	int rc;

	if (c->slow_ms > 0)
		slow = clock_ms(CLOCK_MONOTONIC) + c->slow_ms;
	do {
		code[0] = '\0';
		rc = conn_ask(c, op, args, &id, err);
		while (rc >= 0) {
			rc = conn_answer(c, id, result, code, err);
			if (rc != 0)
				break;
			rc = fill_patiently(c, until, &slow, err);
		}
	} while (conn_was_left(c, rc, code));
	return rc < 0 ? rc : 0;
}
