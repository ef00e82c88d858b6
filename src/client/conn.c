#include "client/conn.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/json_out.h"
#include "base/json_tree.h"
#include "session/manifest.h"

#define READ_SIZE (64u << 10)
#define RETRY_MS 5

/* When a call that begins now has taken too long. */
static int64_t
due_ms(const struct conn *c)
{
	return clock_ms(CLOCK_MONOTONIC) + c->timeout_ms;
}

/* Until the host is ready for it: 0, -ETIMEDOUT, -ECANCELED or -errno. */
static int
await(const struct conn *c, short events, int64_t until)
{
	struct pollfd p[] = {
		{ .fd = c->fd, .events = events },
		{ .fd = c->cancel_fd > 0 ? c->cancel_fd : -1,
		    .events = POLLIN },
	};
	int n;

	do {
		int64_t left = until - clock_ms(CLOCK_MONOTONIC);

		n = poll(p, 2, left > 0 ? (int)left : 0);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if (p[1].revents != 0)
		return -ECANCELED;
	return n == 0 ? -ETIMEDOUT : 0;
}

/* ------------------------------------------------------------- connecting */

/* The path fits whatever the home's is. */
static int
try_connect(int dirfd, int *out)
{
	auto_close int fd = socket(AF_UNIX,
	    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un sa = { .sun_family = AF_UNIX };

	if (fd < 0)
		return -errno;
	snprintf(sa.sun_path, sizeof(sa.sun_path), "/proc/self/fd/%d/sock",
	    dirfd);
	if (connect(fd, (struct sockaddr *)&sa, sizeof(sa)) < 0)
		return -errno;
	*out = fd_take(&fd);
	return 0;
}

static int
check_peer(int fd, struct error *err)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0)
		return error_set(err, errno, "cannot tell whose socket it is");
	if (peer.uid != geteuid() && peer.uid != 0 && geteuid() != 0)
		return error_set(err, EACCES,
		    "the session's socket belongs to another user (uid %u)",
		    peer.uid);
	return 0;
}

static int
not_running(const struct manifest *m, int errnum, struct error *err)
{
	const char *outcome = outcome_name(m->outcome);

	return error_set(err, errnum, "session %s is not running: %s",
	    m->name[0] != '\0' ? m->name : m->id,
	    outcome != NULL ? outcome : status_name(m->status));
}

/*
 * Nobody listens.  While something of the session lives, its keeper will put a
 * host or the socket back: 0 to try again.
 */
static int
explain(int dirfd, int errnum, bool again, struct error *err)
{
	struct manifest m;
	int rc = manifest_read(dirfd, &m, err);

	if (rc < 0)
		return rc;
	manifest_reconcile(&m);
	if (!status_has_live_host(m.status))
		rc = not_running(&m, errnum, err);
	else if (!again)
		rc = error_set(err, ETIMEDOUT, "the host of session %s is away",
		    m.name[0] != '\0' ? m.name : m.id);
	manifest_finish(&m);
	return rc;
}

static int
connect_until(int dirfd, int64_t until, int *out, struct error *err)
{
	const struct timespec pause = { 0, RETRY_MS * 1000000 };
	int rc;

	for (;;) {
		int why = try_connect(dirfd, out);

		if (why == 0)
			return 0;
		if (why != -ECONNREFUSED && why != -ENOENT && why != -EAGAIN)
			return error_set(err, -why, "cannot connect: %s",
			    strerror(-why));
		rc = explain(dirfd, why == -EAGAIN ? ETIMEDOUT : -why,
		    clock_ms(CLOCK_MONOTONIC) < until, err);
		if (rc < 0)
			return rc;
		nanosleep(&pause, NULL);
	}
}

/* ------------------------------------------------------------ first lines */

static int
code_to_errno(const char *code)
{
	static const struct {
		const char *code;
		int errnum;
	} codes[] = {
		{ "denied", EACCES },
		{ "not_found", ENOENT },
		{ "not_running", ECONNREFUSED },
		{ "timeout", ETIMEDOUT },
		{ "busy", EBUSY },
	};

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (strcmp(codes[i].code, code) == 0)
			return codes[i].errnum;
	return EPROTO;
}

static int
send_hello(struct conn *c, const struct hello *h, struct error *err)
{
	struct buf line;
	int rc;

	buf_init(&line, FRAME_LINE_MAX);
	rc = hello_write(h, &line);
	rc = rc < 0 ? error_set(err, EPROTO, "the first line is too long") :
		      conn_send(c, line.data, line.len, err);
	buf_finish(&line);
	return rc;
}

/* The line's length with its newline; 0 while there is none. */
static size_t
line_length(const struct conn *c)
{
	const uint8_t *end = c->in.len > 0 ?
	    memchr(c->in.data, '\n', c->in.len) :
	    NULL;

	return end != NULL ? (size_t)(end - c->in.data) + 1 : 0;
}

static int
read_welcome(struct conn *c, struct error *err)
{
	struct error why;
	size_t len;
	int rc;

	while ((len = line_length(c)) == 0 && c->in.len < FRAME_LINE_MAX) {
		rc = conn_fill(c, true, err);
		if (rc < 0)
			return rc;
	}
	if (len == 0)
		return error_set(err, EPROTO,
		    "the host's first line is too long");
	rc = welcome_read(&c->welcome, (char *)c->in.data, len, &why);
	if (rc < 0)
		return error_set(err, EPROTO,
		    "the host's first line is wrong: %s", why.msg);
	c->in_taken = len;
	if (!c->welcome.ok)
		return error_set(err, code_to_errno(c->welcome.code), "%s",
		    c->welcome.message);
	return 0;
}

int
conn_open(struct conn *c, int dirfd, const struct hello *h, int timeout_ms,
    struct error *err)
{
	int rc;

	*c = (struct conn){ .fd = -1,
		.timeout_ms = timeout_ms,
		.next_id = 1,
		.give = -1,
		.dirfd = dirfd,
		.hello = *h };
	buf_init(&c->in, FRAME_HEADER + FRAME_MAX_HOST + READ_SIZE);
	if ((rc = connect_until(dirfd, due_ms(c), &c->fd, err)) < 0 ||
	    (rc = check_peer(c->fd, err)) < 0 ||
	    (rc = send_hello(c, h, err)) < 0 || (rc = read_welcome(c, err)) < 0)
		conn_close(c);
	return rc;
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
	room = buf_reserve(&c->in, READ_SIZE);
	if (room == NULL)
		return error_set(err, EPROTO, "the host sent too long a frame");
	while ((n = recv(c->fd, room, READ_SIZE, MSG_DONTWAIT)) < 0) {
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return error_set(err, errno, "lost the host: %s",
			    strerror(errno));
		if (!wait)
			return 0;
		rc = await(c, POLLIN, until);
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

/* With what is to be given, which goes along with the first byte. */
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

static int
send_until(struct conn *c, const void *p, size_t len, int64_t until,
    struct error *err)
{
	const uint8_t *next = p;
	int rc;

	while (len > 0) {
		ssize_t n = send_some(c, next, len);

		if (n >= 0) {
			next += n;
			len -= (size_t)n;
		} else if (errno == EAGAIN) {
			rc = await(c, POLLOUT, until);
			if (rc < 0)
				return error_set(err, -rc,
				    "the host takes nothing");
		} else if (errno != EINTR) {
			return error_set(err, next == p ? EPIPE : ECONNRESET,
			    "lost the host: %s", strerror(errno));
		}
	}
	return 0;
}

int
conn_send(struct conn *c, const void *p, size_t len, struct error *err)
{
	return send_until(c, p, len, due_ms(c), err);
}

/* ------------------------------------------------------------- operations */

static int
send_request(struct conn *c, uint64_t id, const char *op, const char *args,
    int64_t until, struct error *err)
{
	struct buf json, frame;
	struct json_out j;
	int rc = -ENOBUFS;

	buf_init(&json, FRAME_MAX_CLIENT);
	buf_init(&frame, FRAME_HEADER + FRAME_MAX_CLIENT);
	json_out_init(&j, &json);
	json_out_open(&j, '{');
	json_put_number(&j, "id", id);
	json_put_text(&j, "op", op);
	json_out_key(&j, "args");
	buf_puts(&json, args);
	json_out_close(&j, '}');
	if (!json.full)
		rc = frame_put(&frame, FRAME_REQUEST, json.data, json.len);
	rc = rc < 0 ?
	    error_set(err, E2BIG, "%s: the arguments are too long", op) :
	    send_until(c, frame.data, frame.len, until, err);
	buf_finish(&json);
	buf_finish(&frame);
	return rc;
}

static int
reopen(struct conn *c, struct error *err)
{
	uint64_t next_id = c->next_id;
	int give = c->give, timeout_ms = c->timeout_ms, dirfd = c->dirfd;
	int cancel_fd = c->cancel_fd;
	struct hello hello = c->hello;
	int rc;

	conn_close(c);
	rc = conn_open(c, dirfd, &hello, timeout_ms, err);
	c->next_id = next_id;
	c->give = give;
	c->cancel_fd = cancel_fd;
	return rc;
}

/* A host that has left takes nothing: then it goes to the one that follows. */
static int
send_to_somebody(struct conn *c, uint64_t id, const char *op, const char *args,
    int64_t until, struct error *err)
{
	int rc = c->left ? -EPIPE : send_request(c, id, op, args, until, err);

	if (rc != -EPIPE || !(c->welcome.features & HELLO_HANDOVER))
		return rc;
	rc = reopen(c, err);
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

/* What the host said no with. */
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

/* 1 when it answers the request, 0 when it is another's. */
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
	}
	return rc;
}

bool
conn_was_left(const struct conn *c, int result, const char *code)
{
	return result == -EREMOTEIO && c->left && strcmp(code, "busy") == 0;
}

int
conn_call(struct conn *c, const char *op, const char *args, char **result,
    char code[32], struct error *err)
{
	int64_t until = due_ms(c);
	uint64_t id;
	int rc;

	do {
		code[0] = '\0';
		rc = conn_ask(c, op, args, &id, err);
		while (rc >= 0) {
			rc = conn_answer(c, id, result, code, err);
			if (rc != 0)
				break;
			rc = fill_until(c, until, true, err);
		}
	} while (conn_was_left(c, rc, code));
	return rc < 0 ? rc : 0;
}
