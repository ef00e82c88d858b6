#include "home/handle.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/id.h"
#include "base/mem.h"
#include "base/version.h"
#include "home/damage.h"
#include "home/fault.h"
#include "home/permit.h"
#include "home/report.h"
#include "home/suggest.h"
#include "home/words.h"
#include "log/reader.h"
#include "session/find.h"

#define HOST_TIMEOUT_MS 10000
#define TRY_TIMEOUT_MS 2000
#define FLUSH_TIMEOUT_MS 500
#define GONE_MARGIN_MS 10000
#define LOOK_AGAIN_MS 5

void
handle_init(struct handle *h, const char *home_option)
{
	memset(h, 0, sizeof(*h));
	h->home_option = home_option;
	h->dirfd = -1;
	h->conn.fd = -1;
	manifest_init(&h->session);
}

void
handle_leave_session(struct handle *h)
{
	if (h->conn.fd >= 0)
		conn_close(&h->conn);
	manifest_finish(&h->session);
	manifest_init(&h->session);
	fd_close(&h->dirfd);
	h->conn.fd = h->dirfd = -1;
}

void
handle_finish(struct handle *h)
{
	handle_leave_session(h);
	manifest_finish(&h->session);
	if (h->has_home)
		home_close(&h->home);
}

const char *
handle_name(const struct handle *h)
{
	return h->session.name[0] != '\0' ? h->session.name : h->session.id;
}

/* The directory may belong to another user, or cannot be created. */
static enum failure
home_failure(int result)
{
	if (result == -EACCES || result == -EPERM)
		return FAIL_DENIED;
	if (result == -EINVAL || result == -ENAMETOOLONG)
		return FAIL_USAGE;
	return fault_shortage(-result, FAIL_STORAGE);
}

int
handle_open_home(struct handle *h, bool create, struct fault *f)
{
	struct error err = { 0 };
	int result = home_open(&h->home, h->home_option, create, &err);

	if (result < 0)
		return fault_set(f, home_failure(result), "%s", err.msg);
	h->has_home = true;
	return 0;
}

/* The search for a session name that was probably meant. */
struct guess {
	const struct home *home;
	struct permit permit;
	struct suggest near;
};

static int
on_guess(void *arg, const char *id)
{
	struct guess *g = arg;
	auto_close int fd = home_session_dir(g->home, id, NULL);
	struct manifest m;

	if (fd < 0 || manifest_read(fd, &m, NULL) < 0)
		return 0;
	if (m.status != STATUS_DESTROYED && permit_sees(&g->permit, &m))
		suggest_look(&g->near, m.name);
	manifest_finish(&m);
	return 0;
}

static int
not_found(const struct handle *h, const char *arg, const struct error *err,
    struct fault *f)
{
	struct guess g = { .home = &h->home };

	if (arg == NULL)
		return fault_set(f, FAIL_NOT_FOUND,
		    "%s; 'tend run COMMAND' starts one", err->msg);
	suggest_init(&g.near, arg);
	permit_init(&g.permit, g.home);
	if (name_check(arg, NULL) == 0)
		(void)home_each(g.home, on_guess, &g, NULL);
	permit_finish(&g.permit);
	if (g.near.best[0] != '\0')
		return fault_set(f, FAIL_NOT_FOUND, "%s (did you mean \"%s\"?)",
		    err->msg, g.near.best);
	return fault_set(f, FAIL_NOT_FOUND, "%s; 'tend ls -a' lists them",
	    err->msg);
}

int
handle_find(struct handle *h, const char *arg, unsigned flags, struct fault *f)
{
	struct error err = { 0 };
	int result = find_session(&h->home, arg, flags, &h->session, &h->dirfd,
	    &err);

	switch (result) {
	case 0:
		return permit_find(&h->home, &h->session, f);
	case -ENOENT:
		return not_found(h, arg, &err, f);
	case -EBADMSG:
		return fault_set(f, FAIL_REPLAY, "%s", err.msg);
	case -ENOTUNIQ:
	case -EINVAL:
		return fault_set(f, FAIL_USAGE, "%s", err.msg);
	default:
		return fault_set(f, FAIL_STORAGE, "%s", err.msg);
	}
}

int
handle_not_running(const struct handle *h, struct fault *f)
{
	char how[WORDS_MAX];

	words_outcome(&h->session, how, sizeof(how));
	return fault_set(f, FAIL_NOT_RUNNING,
	    "session %s %s; 'tend log %s' and 'tend snapshot %s' still show it",
	    handle_name(h), how, handle_name(h), handle_name(h));
}

enum failure
handle_conn_failure(int result)
{
	switch (result) {
	case -ETIMEDOUT:
		return FAIL_TIMEOUT;
	case -ECANCELED:
		return FAIL_CANCELLED;
	case -EACCES:
	case -EPERM:
		return FAIL_DENIED;
	case -EPROTO:
	case -EINVAL:
		return FAIL_PROTOCOL;
	default:
		return FAIL_UNREACHABLE;
	}
}

/* Like conn_open, but handle.cancel_fd cancels it. */
static int
open_conn(struct handle *h, const struct hello *hello, int timeout_ms,
    struct error *err)
{
	int rc;

	if (h->cancel_fd <= 0)
		return conn_open(&h->conn, h->dirfd, hello, timeout_ms, err);
	conn_begin(&h->conn, h->dirfd, hello, timeout_ms);
	while ((rc = conn_proceed(&h->conn, err)) == 0) {
		struct pollfd p[] = {
			{ .fd = h->conn.fd, .events = POLLIN },
			{ .fd = h->cancel_fd, .events = POLLIN },
		};
		int64_t left = h->conn.next_try - clock_ms(CLOCK_MONOTONIC);

		(void)poll(p, 2, left > 0 ? (int)left : 0);
		if (p[1].revents != 0) {
			conn_close(&h->conn);
			return error_set(err, ECANCELED, "cancelled");
		}
	}
	return rc < 0 ? rc : 0;
}

void
handle_hello(const struct handle *h, struct hello *out)
{
	hello_init(out);
	out->mode = HELLO_CONTROL;
	out->features = HELLO_HANDOVER;
	snprintf(out->client, sizeof(out->client), "tend %s", TEND_VERSION);
	if (h->principal != NULL)
		snprintf(out->principal, sizeof(out->principal), "%s",
		    h->principal);
	if (h->verified != NULL)
		snprintf(out->verified, sizeof(out->verified), "%s",
		    h->verified);
}

static int
connect_host(struct handle *h, int timeout_ms, struct error *err)
{
	struct hello hello;
	int result;

	handle_hello(h, &hello);
	result = open_conn(h, &hello, timeout_ms, err);
	if (result < 0)
		h->conn.fd = -1;
	else
		h->conn.cancel_fd = h->cancel_fd;
	return result;
}

int
handle_reach(struct handle *h, struct error *err)
{
	return connect_host(h, HOST_TIMEOUT_MS, err);
}

int
handle_reach_within(struct handle *h, int timeout_ms, struct error *err)
{
	return connect_host(h, timeout_ms, err);
}

static int
not_reached(const struct handle *h, int result, const struct error *err,
    struct fault *f)
{
	return fault_set(f, handle_conn_failure(result),
	    "cannot reach session %s: %s", handle_name(h), err->msg);
}

int
handle_connect(struct handle *h, struct fault *f)
{
	struct error err = { 0 };
	int result;

	if (!status_is_active(h->session.status))
		return handle_not_running(h, f);
	result = handle_reach(h, &err);
	if (result == 0)
		return 0;
	/* The session may have ended meanwhile. */
	if (handle_refresh(h, NULL) == 0 &&
	    !status_is_active(h->session.status))
		return handle_not_running(h, f);
	return not_reached(h, result, &err, f);
}

enum failure
handle_refusal(const char *code, bool retryable)
{
	enum failure failure = failure_called(code);

	return failure == FAIL_BUSY && !retryable ? FAIL_STALE : failure;
}

/* Report why an operation was not answered. */
static int
not_answered(const struct handle *h, int result, const char *code,
    const struct error *err, struct fault *f)
{
	if (result == -EREMOTEIO)
		return fault_set(f, handle_refusal(code, h->conn.retryable),
		    "%s: %s", handle_name(h), err->msg);
	return fault_set(f, handle_conn_failure(result), "session %s: %s",
	    handle_name(h), err->msg);
}

int
handle_ask(struct handle *h, const char *op, const char *args, char **result,
    struct fault *f)
{
	struct error err = { 0 };
	char code[32] = "";
	int r;

	r = conn_call(&h->conn, op, args, result, code, &err);
	if (r == 0)
		return 0;
	if (r != -EREMOTEIO && handle_refresh(h, NULL) == 0 &&
	    !status_is_active(h->session.status))
		return handle_not_running(h, f);
	if (r == -ECONNRESET)
		return fault_set(f, FAIL_CUT_OFF,
		    "session %s: the host ended before it answered; the "
		    "request may have taken effect, see tend log --events %s",
		    handle_name(h), handle_name(h));
	return not_answered(h, r, code, &err, f);
}

int
handle_ask_live(struct handle *h, const char *op, const char *args,
    char **result, struct fault *f)
{
	struct error err = { 0 };
	char code[32] = "";
	int reached = handle_reach(h, &err), r = reached;

	*result = NULL;
	if (r == 0)
		r = conn_call(&h->conn, op, args, result, code, &err);
	if (r == 0)
		return 0;
	if (r != -EREMOTEIO && handle_refresh(h, NULL) == 0 &&
	    !status_has_live_host(h->session.status))
		return 0;
	return reached < 0 ? not_reached(h, r, &err, f) :
			     not_answered(h, r, code, &err, f);
}

static char *
try_for(struct handle *h, int timeout_ms, const char *op, const char *args)
{
	char *result = NULL, code[32];

	if (connect_host(h, timeout_ms, NULL) < 0)
		return NULL;
	if (conn_call(&h->conn, op, args, &result, code, NULL) < 0)
		return NULL;
	return result;
}

char *
handle_try(struct handle *h, const char *op, const char *args)
{
	return try_for(h, TRY_TIMEOUT_MS, op, args);
}

/*
 * Text that a user saw on the screen must be in the log, which is some
 * milliseconds behind.  An unresponsive host delays this only briefly.
 */
static void
flush_log(struct handle *h)
{
	if (status_has_live_host(h->session.status))
		free(try_for(h, FLUSH_TIMEOUT_MS, "session.flush", "{}"));
}

int
handle_open_log(struct handle *h, struct log_reader **out, struct fault *f)
{
	struct error err = { 0 };
	auto_close int fd = openat(h->dirfd, "log",
	    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int result;

	flush_log(h);
	if (fd < 0)
		return fault_set(f, FAIL_REPLAY,
		    "cannot open the log of session %s: %s", handle_name(h),
		    strerror(errno));
	result = log_reader_open(out, fd, &err);
	if (result < 0)
		return fault_set(f, FAIL_REPLAY,
		    "cannot read the log of session %s: %s", handle_name(h),
		    err.msg);
	damage_expect(&h->session, *out);
	return 0;
}

int
handle_no_moment(const struct handle *h, const char *what,
    const struct report *r, const struct error *err, struct fault *f)
{
	const char *name = handle_name(h);

	if (err->code == ENOKEY && r->damage.len == 0)
		return fault_set(f, FAIL_NOT_FOUND,
		    "%s %s: %s; 'tend mark %s' lists them", what, name,
		    err->msg, name);
	return fault_set(f, FAIL_REPLAY, "%s %s: %s", what, name, err->msg);
}

uint64_t
handle_log_now(const struct handle *h)
{
	uint64_t now = (uint64_t)clock_ns(CLOCK_BOOTTIME);

	uint64_t began = h->session.began_ns;

	if (!status_has_live_host(h->session.status) || began == 0)
		return 0;
	return now > began ? now - began : 0;
}

bool
handle_is_gone(const struct handle *h)
{
	auto_close int fd = home_session_dir(&h->home, h->session.id, NULL);
	struct stat now, then;

	if (fd == -ENOENT)
		return true;
	return fd >= 0 && fstat(fd, &now) == 0 && fstat(h->dirfd, &then) == 0 &&
	    now.st_ino != then.st_ino;
}

/* Only ended sessions are removed; their exit status is lost with them. */
static void
note_removal(struct manifest *m)
{
	m->status = STATUS_DESTROYED;
	m->keeper = m->host = m->child = (struct process){ 0 };
}

int
handle_refresh(struct handle *h, struct error *err)
{
	struct manifest m;
	int result;

	manifest_init(&m);
	result = manifest_read_now(h->dirfd, &m, err);
	if (result < 0) {
		manifest_finish(&m);
		if (result != -ENOENT || !handle_is_gone(h))
			return result;
		note_removal(&h->session);
		return 0;
	}
	manifest_finish(&h->session);
	h->session = m;
	return 0;
}

/* Drop further messages; only the end of the connection matters. */
static bool
is_closed(struct conn *c)
{
	struct frame f;

	if (conn_fill(c, false, NULL) < 0)
		return true;
	while (conn_next(c, &f, NULL) > 0)
		continue;
	return false;
}

static int
wait_end(struct handle *h, int timeout_ms, struct error *err)
{
	int64_t end = clock_ms(CLOCK_MONOTONIC) + timeout_ms;
	int rc;

	do {
		rc = conn_await(&h->conn, POLLIN, end);
		if (rc == -ETIMEDOUT)
			return error_set(err, ETIMEDOUT,
			    "the session has not ended after %d s",
			    timeout_ms / 1000);
		if (rc < 0)
			return error_set(err, -rc, "cannot wait: %s",
			    strerror(-rc));
	} while (!is_closed(&h->conn));
	return handle_refresh(h, err);
}

static int
not_waited(const struct handle *h, const struct error *err, struct fault *f)
{
	return fault_set(f,
	    err->code == ECANCELED ? FAIL_CANCELLED : FAIL_TIMEOUT,
	    "session %s: %s", handle_name(h), err->msg);
}

int
handle_wait_end(struct handle *h, int timeout_ms, struct fault *f)
{
	struct error err;

	if (wait_end(h, timeout_ms, &err) < 0)
		return not_waited(h, &err, f);
	return 0;
}

static int
wait_gone(struct handle *h, struct error *err)
{
	struct pollfd cancel = { .fd = h->cancel_fd > 0 ? h->cancel_fd : -1,
		.events = POLLIN };
	int64_t end = clock_ms(CLOCK_MONOTONIC) + h->session.linger_ms +
	    GONE_MARGIN_MS;
	int result = handle_refresh(h, err);

	while (result == 0 && h->session.host.pid != 0) {
		if (clock_ms(CLOCK_MONOTONIC) > end)
			return error_set(err, ETIMEDOUT,
			    "its host is still running, pid %d",
			    (int)h->session.host.pid);
		if (poll(&cancel, 1, LOOK_AGAIN_MS) > 0)
			return error_set(err, ECANCELED, "cancelled");
		result = handle_refresh(h, err);
	}
	return result;
}

int
handle_wait_gone(struct handle *h, struct fault *f)
{
	struct error err;

	if (wait_gone(h, &err) < 0)
		return not_waited(h, &err, f);
	return 0;
}
