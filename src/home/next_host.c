#include "home/next_host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "base/clock.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "client/conn.h"
#include "home/fault.h"
#include "home/handle.h"
#include "session/launch.h"
#include "session/manifest.h"

#define OPEN_MS 10000
#define CHANGE_MS 30000 /* longer than the timeouts of keeper and host */

static int
open_conn(struct conn *c, int dirfd, const struct hello *hello,
    struct next_host *n)
{
	int rc = conn_open(c, dirfd, hello, OPEN_MS, &n->why);

	if (rc < 0)
		n->failure = handle_conn_failure(rc);
	return rc;
}

/* The number with this key in an operation's answer; -1. */
static int64_t
ask_number(struct conn *c, const char *op, const char *key, struct next_host *n)
{
	auto_free char *text = NULL;
	char code[32];
	int64_t number = -1;
	json_t *tree;
	int rc = conn_call(c, op, "{}", &text, code, &n->why);

	if (rc < 0) {
		n->failure = rc == -EREMOTEIO ? failure_called(code) :
						handle_conn_failure(rc);
		return -1;
	}
	tree = json_loads(text, 0, NULL);
	if (json_is_integer(json_object_get(tree, key)))
		number = json_integer_value(json_object_get(tree, key));
	json_decref(tree);
	if (number < 0) {
		n->failure = FAIL_PROTOCOL;
		error_set(&n->why, EPROTO, "the host's answer to %s lacks %s",
		    op, key);
	}
	return number;
}

/* A host that does not know BYE cannot hand over either. */
static bool
can_leave(const struct conn *c, struct next_host *n)
{
	if (c->welcome.features & HELLO_HANDOVER)
		return true;
	n->failure = FAIL_PROTOCOL;
	error_set(&n->why, EPROTO,
	    "its host (%s) is too old to hand over a running session; "
	    "it serves until the session ends, and 'tend rerun' then "
	    "starts it with the installed version",
	    c->welcome.host);
	return false;
}

/* Ask the old host; it exits when the next is ready. */
static int
ask_to_leave(int dirfd, const struct hello *hello, const char *op, int program,
    struct next_host *n)
{
	struct conn c;
	int64_t pid = -1;

	if (open_conn(&c, dirfd, hello, n) < 0)
		return -1;
	snprintf(n->from, sizeof(n->from), "%s", c.welcome.host);
	c.timeout_ms = CHANGE_MS;
	c.give = program;
	if (can_leave(&c, n))
		pid = ask_number(&c, op, "pid", n);
	conn_close(&c);
	if (pid < 0)
		return -1;
	n->pid = (pid_t)pid;
	return 0;
}

/* The next host should be the one that was announced. */
static int
meet_next(int dirfd, const struct hello *hello, struct next_host *n)
{
	struct conn c;
	int64_t pid;

	if (open_conn(&c, dirfd, hello, n) < 0)
		return -1;
	snprintf(n->to, sizeof(n->to), "%s", c.welcome.host);
	pid = ask_number(&c, "session.get", "host_pid", n);
	conn_close(&c);
	if (pid < 0)
		return -1;
	if (pid == n->pid)
		return 0;
	n->failure = FAIL_INTERNAL;
	return error_set(&n->why, ECANCELED,
	    "the new host ended at once, and a host of the old version "
	    "serves again; host.log in the session's directory may say "
	    "why");
}

/* A missing answer may mean that the session has ended. */
static void
look_for_its_end(int dirfd, struct next_host *n)
{
	struct manifest m;

	if (n->failure != FAIL_TIMEOUT && n->failure != FAIL_UNREACHABLE)
		return;
	manifest_init(&m);
	if (manifest_read_now(dirfd, &m, NULL) == 0 &&
	    !status_is_active(m.status)) {
		n->failure = FAIL_NOT_RUNNING;
		error_set(&n->why, ESRCH, "its program has ended");
	}
	manifest_finish(&m);
}

/* Have the host replaced by this operation, with this program or -1. */
static void
replace(struct next_host *n, const struct handle *h, int dirfd, const char *op,
    int program)
{
	int64_t began = clock_ms(CLOCK_MONOTONIC);
	struct hello hello;

	handle_hello(h, &hello);
	*n = (struct next_host){ .failure = FAIL_INTERNAL };
	n->serves = ask_to_leave(dirfd, &hello, op, program, n) == 0 &&
	    meet_next(dirfd, &hello, n) == 0;
	if (!n->serves)
		look_for_its_end(dirfd, n);
	n->ms = clock_ms(CLOCK_MONOTONIC) - began;
}

int
next_host_open(const char *path, struct fault *f)
{
	struct error err;
	int fd;

	if (path == NULL) {
		fd = launch_open_host(&err);
		return fd >= 0 ? fd :
				 fault_set(f, FAIL_INTERNAL, "%s", err.msg);
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fault_argument(f, "program", ": cannot open %s: %s",
		    path, strerror(errno));
	return fd;
}

void
next_host_upgrade(struct next_host *n, const struct handle *h, int dirfd,
    int program)
{
	replace(n, h, dirfd, "session.upgrade", program);
}

static int
take_outcome(const struct next_host *n, const struct handle *h, struct fault *f)
{
	if (n->serves)
		return 0;
	return fault_set(f, n->failure, "session %s: %s", handle_name(h),
	    n->why.msg);
}

int
next_host_upgrade_one(struct next_host *n, const struct handle *h, int program,
    struct fault *f)
{
	if (!status_is_active(h->session.status))
		return handle_not_running(h, f);
	next_host_upgrade(n, h, h->dirfd, program);
	return take_outcome(n, h, f);
}

/* Say what helps a session that no other host can help. */
static int
check_revivable(const struct handle *h, struct fault *f)
{
	const char *name = handle_name(h);

	if (!status_is_active(h->session.status))
		return fault_set(f, FAIL_NOT_RUNNING,
		    "session %s has ended; 'tend rerun %s' starts it again",
		    name, name);
	if (h->session.unkept)
		return fault_set(f, FAIL_UNREACHABLE,
		    "session %s has lost its keeper and cannot be revived; it "
		    "keeps running until its program ends, and you can use and "
		    "stop it as before",
		    name);
	return 0;
}

int
next_host_revive_one(struct next_host *n, const struct handle *h,
    struct fault *f)
{
	if (check_revivable(h, f) < 0)
		return -1;
	replace(n, h, h->dirfd, "session.revive", -1);
	return take_outcome(n, h, f);
}

void
next_host_json(const struct next_host *n, const struct manifest *m,
    struct json_out *j)
{
	json_out_open(j, '{');
	json_put_text(j, "id", m->id);
	json_put_text(j, "name", m->name);
	json_put_text(j, "from", n->from);
	json_put_text(j, "to", n->to);
	json_put_int(j, "host_pid", n->pid);
	json_put_int(j, "ms", n->ms);
	json_put_text(j, "error", n->serves ? NULL : n->why.msg);
	json_out_close(j, '}');
}
