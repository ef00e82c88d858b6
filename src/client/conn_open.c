#include "client/conn.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "op/failure.h"
#include "session/manifest.h"

/* From the session's directory to a connection whose host has welcomed us. */

#define RETRY_MS 5

/* ------------------------------------------------------------- connecting */

/* The path fits, however long the home's path is. */
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
		return error_set(err, errno,
		    "cannot find the owner of the socket");
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
 * There is no listener.  While part of the session lives, its keeper will
 * restore the host or the socket: 0 to try again.
 */
static int
explain(int dirfd, int errnum, bool again, struct error *err)
{
	struct manifest m;
	int rc = manifest_read_now(dirfd, &m, err);

	if (rc < 0)
		return rc;
	if (!status_has_live_host(m.status))
		rc = not_running(&m, errnum, err);
	else if (!again)
		rc = error_set(err, ETIMEDOUT, "the host of session %s is away",
		    m.name[0] != '\0' ? m.name : m.id);
	manifest_finish(&m);
	return rc;
}

/* One try: connected; or 0 without a descriptor, to try again. */
static int
reach(struct conn *c, bool late, struct error *err)
{
	int why = try_connect(c->dirfd, &c->fd);

	if (why == 0)
		return check_peer(c->fd, err);
	if (why != -ECONNREFUSED && why != -ENOENT && why != -EAGAIN)
		return error_set(err, -why, "cannot connect: %s",
		    strerror(-why));
	return explain(c->dirfd, why == -EAGAIN ? ETIMEDOUT : -why, !late, err);
}

/* ------------------------------------------------------------ first lines */

static int
refusal_errno(const char *code)
{
	switch (failure_called(code)) {
	case FAIL_DENIED:
		return EACCES;
	case FAIL_NOT_FOUND:
		return ENOENT;
	case FAIL_NOT_RUNNING:
		return ECONNREFUSED;
	case FAIL_TIMEOUT:
		return ETIMEDOUT;
	case FAIL_BUSY:
		return EBUSY;
	default:
		return EPROTO;
	}
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

/* The line's length with its newline; 0 while it is incomplete. */
static size_t
line_length(const struct conn *c)
{
	const uint8_t *end = c->in.len > 0 ?
	    memchr(c->in.data, '\n', c->in.len) :
	    NULL;

	return end != NULL ? (size_t)(end - c->in.data) + 1 : 0;
}

/* 1 if the welcome has come, 0 if not yet. */
static int
read_welcome(struct conn *c, bool late, struct error *err)
{
	struct error why;
	size_t len;
	int rc;

	while ((len = line_length(c)) == 0 && c->in.len < FRAME_LINE_MAX) {
		rc = conn_fill(c, false, err);
		if (rc == 0 && late)
			return error_set(err, ETIMEDOUT,
			    "the host does not answer");
		if (rc <= 0)
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
		return error_set(err, refusal_errno(c->welcome.code), "%s",
		    c->welcome.message);
	return 1;
}

void
conn_begin(struct conn *c, int dirfd, const struct hello *h, int timeout_ms)
{
	*c = (struct conn){ .fd = -1,
		.timeout_ms = timeout_ms,
		.open_ms = timeout_ms,
		.next_id = 1,
		.give = -1,
		.dirfd = dirfd,
		.hello = *h };
	c->open_until = clock_ms(CLOCK_MONOTONIC) + timeout_ms;
	buf_init(&c->in, CONN_IN_MAX);
	/* The largest request, and a PING behind it. */
}

int
conn_proceed(struct conn *c, struct error *err)
{
	int64_t now = clock_ms(CLOCK_MONOTONIC);
	bool late = now >= c->open_until;
	int rc = 0;

	c->next_try = c->open_until;
	if (c->fd < 0) {
		c->next_try = now + RETRY_MS;
		rc = reach(c, late, err);
		if (rc == 0 && c->fd >= 0) {
			c->next_try = c->open_until;
			rc = send_hello(c, &c->hello, err);
		}
	}
	if (rc == 0 && c->fd >= 0)
		rc = read_welcome(c, late, err);
	if (rc < 0)
		conn_close(c);
	return rc;
}

/* The blocking variant. */
static int
proceed_until_open(struct conn *c, struct error *err)
{
	int rc;

	while ((rc = conn_proceed(c, err)) == 0) {
		rc = conn_await(c, POLLIN, c->next_try);
		if (rc < 0 && rc != -ETIMEDOUT) {
			conn_close(c);
			return error_set(err, -rc, "the host does not answer");
		}
	}
	return rc < 0 ? rc : 0;
}

int
conn_open(struct conn *c, int dirfd, const struct hello *h, int timeout_ms,
    struct error *err)
{
	conn_begin(c, dirfd, h, timeout_ms);
	return proceed_until_open(c, err);
}

int
conn_reopen(struct conn *c, struct error *err)
{
	struct conn old = *c;
	int rc;

	conn_close(c);
	conn_begin(c, old.dirfd, &old.hello, old.open_ms);
	c->timeout_ms = old.timeout_ms;
	c->next_id = old.next_id;
	c->cancel_fd = old.cancel_fd;
	c->slow_ms = old.slow_ms;
	c->on_slow = old.on_slow;
	c->slow_arg = old.slow_arg;
	rc = proceed_until_open(c, err);
	c->give = old.give;
	if (rc < 0)
		c->welcome.features = old.welcome.features;
	return rc;
}
