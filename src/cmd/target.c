#include "cmd/target.h"

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
#include "cmd/cmd.h"
#include "cmd/damage.h"
#include "cmd/near.h"
#include "cmd/out.h"
#include "cmd/words.h"
#include "log/reader.h"
#include "session/around.h"
#include "session/find.h"

#define HOST_TIMEOUT_MS 10000
#define TRY_TIMEOUT_MS 2000
#define FLUSH_TIMEOUT_MS 500
#define GONE_MARGIN_MS 10000
#define LOOK_AGAIN_NS 5000000

void
target_init(struct target *t, const char *home_option)
{
	memset(t, 0, sizeof(*t));
	t->home_option = home_option;
	t->dirfd = -1;
	t->conn.fd = -1;
	manifest_init(&t->session);
}

void
target_leave_session(struct target *t)
{
	if (t->conn.fd >= 0)
		conn_close(&t->conn);
	manifest_finish(&t->session);
	manifest_init(&t->session);
	fd_close(&t->dirfd);
	t->conn.fd = t->dirfd = -1;
}

void
target_finish(struct target *t)
{
	target_leave_session(t);
	manifest_finish(&t->session);
	if (t->has_home)
		home_close(&t->home);
}

const char *
target_name(const struct target *t)
{
	return t->session.name[0] != '\0' ? t->session.name : t->session.id;
}

/* A directory that is not ours to use, or one that cannot be made. */
static enum failure
home_failure(int result)
{
	if (result == -EACCES || result == -EPERM)
		return FAIL_DENIED;
	if (result == -EINVAL || result == -ENAMETOOLONG)
		return FAIL_USAGE;
	return FAIL_STORAGE;
}

int
target_open_home(struct call *call, bool create)
{
	struct target *t = call->target;
	struct error err = { 0 };
	int result;

	result = home_open(&t->home, t->home_option, create, &err);
	if (result < 0)
		return out_fail(call->out, home_failure(result), "%s", err.msg);
	t->has_home = true;
	return 0;
}

/* Looks at the names of sessions that could have been meant. */
struct guess {
	const struct home *home;
	struct near near;
};

static int
on_guess(void *arg, const char *id)
{
	struct guess *g = arg;
	auto_close int fd = home_session_dir(g->home, id, NULL);
	struct manifest m;

	if (fd < 0 || manifest_read(fd, &m, NULL) < 0)
		return 0;
	if (m.status != STATUS_DESTROYED)
		near_look(&g->near, m.name);
	manifest_finish(&m);
	return 0;
}

static int
not_found(struct call *call, const char *arg, const struct error *err)
{
	struct guess g = { .home = &call->target->home };

	if (arg == NULL)
		return out_fail(call->out, FAIL_NOT_FOUND,
		    "%s; 'tend run COMMAND' starts one", err->msg);
	near_init(&g.near, arg);
	if (name_check(arg, NULL) == 0)
		(void)home_each(g.home, on_guess, &g, NULL);
	if (g.near.best[0] != '\0')
		return out_fail(call->out, FAIL_NOT_FOUND,
		    "%s (did you mean \"%s\"?)", err->msg, g.near.best);
	return out_fail(call->out, FAIL_NOT_FOUND,
	    "%s; 'tend ls -a' lists them", err->msg);
}

/*
 * People abbreviate names; a program that says the name of a session which is
 * not there must not type into another, or end it.
 */
static bool
may_abbreviate(const struct call *call, unsigned needs)
{
	if (call->out->json)
		return false;
	return (needs & CMD_NEWEST) || isatty(STDERR_FILENO);
}

static int
find(struct call *call, const char *arg, unsigned needs)
{
	unsigned flags = needs & CMD_NEWEST ? FIND_NEWEST_OK : 0;
	struct target *t = call->target;
	struct error err = { 0 };
	char id[ID_SIZE];
	int result;

	if ((needs & CMD_FINDS_DESTROYED) && arg != NULL &&
	    id_parse(arg, id) == 0)
		flags |= FIND_DESTROYED;
	if (may_abbreviate(call, needs))
		flags |= FIND_BEGINNING;
	result = find_session(&t->home, arg, flags, &t->session, &t->dirfd,
	    &err);
	if (result == 0) {
		if (needs & CMD_NEWEST) /* one that reads */
			damage_tell_manifest(call->out, &t->session);
		return 0;
	}
	if (result == -EBADMSG)
		return out_fail(call->out, FAIL_REPLAY, "%s", err.msg);
	if (result == -ENOENT)
		return not_found(call, arg, &err);
	if (result == -ENOTUNIQ || result == -EINVAL)
		return out_fail(call->out, FAIL_USAGE, "%s", err.msg);
	return out_fail(call->out, FAIL_STORAGE, "%s", err.msg);
}

int
target_find_session(struct call *call, const char *id)
{
	return find(call, id, 0);
}

/* The session whose shell the command was typed in, if it is in this home. */
static bool
take_around(struct call *call)
{
	struct target *t = call->target;
	char id[ID_SIZE];

	return around_session(id) &&
	    find_session(&t->home, id, 0, &t->session, &t->dirfd, NULL) == 0;
}

int
target_take_session(struct call *call, unsigned needs)
{
	const unsigned reads = CMD_NEEDS_SESSION | CMD_NEWEST;
	const char *arg = call->argc > 0 ? call->argv[0] : NULL;
	int status;

	if (arg == NULL && (needs & reads) == reads && take_around(call))
		return 0;
	if (arg == NULL && !(needs & CMD_NEWEST))
		return out_fail(call->out, FAIL_USAGE,
		    "which session? give its name or id; 'tend ls' lists them");
	status = find(call, arg, needs);
	if (status == 0 && arg != NULL) {
		call->argc--;
		call->argv++;
	}
	return status;
}

int
target_not_running(struct call *call)
{
	struct target *t = call->target;
	char how[WORDS_MAX];

	words_outcome(&t->session, how, sizeof(how));
	return out_fail(call->out, FAIL_NOT_RUNNING,
	    "session %s %s; 'tend log %s' and 'tend snapshot %s' still show it",
	    target_name(t), how, target_name(t), target_name(t));
}

enum failure
target_conn_failure(int result)
{
	switch (result) {
	case -ETIMEDOUT:
		return FAIL_TIMEOUT;
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

static int
connect_host(struct target *t, int timeout_ms, struct error *err)
{
	struct hello hello;
	int result;

	hello_init(&hello);
	hello.mode = HELLO_CONTROL;
	hello.features = HELLO_HANDOVER;
	snprintf(hello.client, sizeof(hello.client), "tend %s", TEND_VERSION);
	result = conn_open(&t->conn, t->dirfd, &hello, timeout_ms, err);
	if (result < 0)
		t->conn.fd = -1;
	return result;
}

int
target_reach(struct target *t, struct error *err)
{
	return connect_host(t, HOST_TIMEOUT_MS, err);
}

int
target_reach_within(struct target *t, int timeout_ms, struct error *err)
{
	return connect_host(t, timeout_ms, err);
}

static int
not_reached(struct call *call, int result, const struct error *err)
{
	return out_fail(call->out, target_conn_failure(result),
	    "cannot reach session %s: %s", target_name(call->target), err->msg);
}

int
target_connect(struct call *call)
{
	struct target *t = call->target;
	struct error err = { 0 };
	int result;

	if (!status_is_active(t->session.status))
		return target_not_running(call);
	result = target_reach(t, &err);
	if (result == 0)
		return 0;
	/* It may have ended while we were on our way. */
	if (target_refresh(t, NULL) == 0 &&
	    !status_is_active(t->session.status))
		return target_not_running(call);
	return not_reached(call, result, &err);
}

int
target_prepare(struct call *call, unsigned needs)
{
	int status = 0;

	if (needs & ~(unsigned)CMD_READS_CONFIG)
		status = target_open_home(call, false);
	if (status == 0 && (needs & CMD_NEEDS_SESSION))
		status = target_take_session(call, needs);
	if (status == 0 && (needs & CMD_NEEDS_HOST))
		status = target_connect(call);
	return status;
}

static enum failure
refusal(const struct conn *c, const char *code)
{
	enum failure failure = failure_called(code);

	return failure == FAIL_BUSY && !c->retryable ? FAIL_STALE : failure;
}

/* Report why an operation was not answered. */
static int
not_answered(struct call *call, int result, const char *code,
    const struct error *err)
{
	struct target *t = call->target;

	if (result == -EREMOTEIO)
		return out_fail(call->out, refusal(&t->conn, code), "%s: %s",
		    target_name(t), err->msg);
	return out_fail(call->out, target_conn_failure(result),
	    "session %s: %s", target_name(t), err->msg);
}

int
target_ask(struct call *call, const char *op, const char *args, char **result)
{
	struct target *t = call->target;
	struct error err = { 0 };
	char code[32] = "";
	int r;

	r = conn_call(&t->conn, op, args, result, code, &err);
	if (r == 0)
		return 0;
	if (r != -EREMOTEIO && target_refresh(t, NULL) == 0 &&
	    !status_is_active(t->session.status))
		return target_not_running(call);
	if (r == -ECONNRESET)
		return out_fail(call->out, FAIL_CUT_OFF,
		    "session %s: its host ended before it answered; it may "
		    "have been done all the same, see tend log --events %s",
		    target_name(t), target_name(t));
	return not_answered(call, r, code, &err);
}

int
target_ask_live(struct call *call, const char *op, const char *args,
    char **result)
{
	struct target *t = call->target;
	struct error err = { 0 };
	char code[32] = "";
	int reached = target_reach(t, &err), r = reached;

	*result = NULL;
	if (r == 0)
		r = conn_call(&t->conn, op, args, result, code, &err);
	if (r == 0)
		return 0;
	if (r != -EREMOTEIO && target_refresh(t, NULL) == 0 &&
	    !status_has_live_host(t->session.status))
		return 0;
	return reached < 0 ? not_reached(call, r, &err) :
			     not_answered(call, r, code, &err);
}

static char *
try_for(struct target *t, int timeout_ms, const char *op, const char *args)
{
	char *result = NULL, code[32];

	if (connect_host(t, timeout_ms, NULL) < 0)
		return NULL;
	if (conn_call(&t->conn, op, args, &result, code, NULL) < 0)
		return NULL;
	return result;
}

char *
target_try(struct target *t, const char *op, const char *args)
{
	return try_for(t, TRY_TIMEOUT_MS, op, args);
}

int
target_tell(struct call *call, const char *op, const char *args)
{
	auto_free char *result = NULL;
	struct json_out j;
	int status;

	status = target_ask(call, op, args, &result);
	if (status != 0)
		return status;
	if (call->out->json) {
		out_begin(call->out, &j);
		json_out_json(&j, result);
	}
	return out_send(call->out);
}

/*
 * Who saw something on the screen finds it in the log, which is some
 * milliseconds behind.  A host that does not answer holds nobody up for long.
 */
static void
flush_log(struct target *t)
{
	if (status_has_live_host(t->session.status))
		free(try_for(t, FLUSH_TIMEOUT_MS, "session.flush", "{}"));
}

int
target_open_log(struct call *call, struct log_reader **out)
{
	struct target *t = call->target;
	struct error err = { 0 };
	auto_close int fd = openat(t->dirfd, "log",
	    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int result;

	flush_log(t);
	if (fd < 0)
		return out_fail(call->out, FAIL_REPLAY,
		    "cannot open the log of session %s: %s", target_name(t),
		    strerror(errno));
	result = log_reader_open(out, fd, &err);
	if (result < 0)
		return out_fail(call->out, FAIL_REPLAY,
		    "cannot read the log of session %s: %s", target_name(t),
		    err.msg);
	damage_expect(&t->session, *out);
	return 0;
}

int
target_no_moment(struct call *call, const char *what, const struct error *err)
{
	const char *name = target_name(call->target);

	if (err->code == ENOKEY && call->out->damage.len == 0)
		return out_fail(call->out, FAIL_NOT_FOUND,
		    "%s %s: %s; 'tend mark %s' lists them", what, name,
		    err->msg, name);
	return out_fail(call->out, FAIL_REPLAY, "%s %s: %s", what, name,
	    err->msg);
}

uint64_t
target_log_now(const struct target *t)
{
	uint64_t now = (uint64_t)clock_ns(CLOCK_BOOTTIME);

	uint64_t began = t->session.began_ns;

	if (!status_has_live_host(t->session.status) || began == 0)
		return 0;
	return now > began ? now - began : 0;
}

bool
target_is_gone(const struct target *t)
{
	auto_close int fd = home_session_dir(&t->home, t->session.id, NULL);
	struct stat now, then;

	if (fd == -ENOENT)
		return true;
	return fd >= 0 && fstat(fd, &now) == 0 && fstat(t->dirfd, &then) == 0 &&
	    now.st_ino != then.st_ino;
}

/* Only what has ended is removed; how it ended was written there alone. */
static void
note_removal(struct manifest *m)
{
	m->status = STATUS_DESTROYED;
	m->keeper = m->host = m->child = (struct process){ 0 };
}

int
target_refresh(struct target *t, struct error *err)
{
	struct manifest m;
	int result;

	manifest_init(&m);
	result = manifest_read_now(t->dirfd, &m, err);
	if (result < 0) {
		manifest_finish(&m);
		if (result != -ENOENT || !target_is_gone(t))
			return result;
		note_removal(&t->session);
		return 0;
	}
	manifest_finish(&t->session);
	t->session = m;
	return 0;
}

/* What still comes is read and dropped; only the end matters. */
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

int
target_wait_end(struct target *t, int timeout_ms, struct error *err)
{
	int64_t end = clock_ms(CLOCK_MONOTONIC) + timeout_ms, left;

	do {
		struct pollfd p = { .fd = t->conn.fd, .events = POLLIN };

		left = end - clock_ms(CLOCK_MONOTONIC);
		if (left <= 0)
			return error_set(err, ETIMEDOUT,
			    "it has not ended after %d s", timeout_ms / 1000);
		if (poll(&p, 1, (int)left) < 0 && errno != EINTR)
			return error_set(err, errno, "cannot wait: %s",
			    strerror(errno));
	} while (!is_closed(&t->conn));
	return target_refresh(t, err);
}

static int
wait_gone(struct target *t, struct error *err)
{
	const struct timespec pause = { .tv_nsec = LOOK_AGAIN_NS };
	int64_t end = clock_ms(CLOCK_MONOTONIC) + t->session.linger_ms +
	    GONE_MARGIN_MS;
	int result = target_refresh(t, err);

	while (result == 0 && t->session.host.pid != 0) {
		if (clock_ms(CLOCK_MONOTONIC) > end)
			return error_set(err, ETIMEDOUT,
			    "its host is still there, pid %d",
			    (int)t->session.host.pid);
		nanosleep(&pause, NULL);
		result = target_refresh(t, err);
	}
	return result;
}

int
target_wait_gone(struct call *call)
{
	struct error err;

	if (wait_gone(call->target, &err) < 0)
		return out_fail(call->out, FAIL_TIMEOUT, "session %s: %s",
		    target_name(call->target), err.msg);
	return 0;
}
