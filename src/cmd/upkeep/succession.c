#include "cmd/upkeep/succession.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "base/version.h"
#include "client/conn.h"
#include "cmd/line/cmd.h"
#include "cmd/target/target.h"
#include "session/manifest.h"
#include "home/words.h"

#define OPEN_MS 10000
#define CHANGE_MS 30000 /* longer than the timeouts of keeper and host */

static int
open_conn(struct conn *c, int dirfd, struct succession *s)
{
	struct hello hello;
	int rc;

	hello_init(&hello);
	hello.mode = HELLO_CONTROL;
	hello.features = HELLO_HANDOVER;
	snprintf(hello.client, sizeof(hello.client), "tend %s", TEND_VERSION);
	rc = conn_open(c, dirfd, &hello, OPEN_MS, &s->why);
	if (rc < 0)
		s->failure = handle_conn_failure(rc);
	return rc;
}

/* The number with this key in an operation's answer; -1. */
static int64_t
ask_number(struct conn *c, const char *op, const char *key,
    struct succession *s)
{
	auto_free char *text = NULL;
	char code[32];
	int64_t number = -1;
	json_t *tree;
	int rc = conn_call(c, op, "{}", &text, code, &s->why);

	if (rc < 0) {
		s->failure = rc == -EREMOTEIO ? failure_called(code) :
						handle_conn_failure(rc);
		return -1;
	}
	tree = json_loads(text, 0, NULL);
	if (json_is_integer(json_object_get(tree, key)))
		number = json_integer_value(json_object_get(tree, key));
	json_decref(tree);
	if (number < 0) {
		s->failure = FAIL_PROTOCOL;
		error_set(&s->why, EPROTO, "the host's answer to %s lacks %s",
		    op, key);
	}
	return number;
}

/* A host that does not know BYE cannot hand over either. */
static bool
can_leave(const struct conn *c, struct succession *s)
{
	if (c->welcome.features & HELLO_HANDOVER)
		return true;
	s->failure = FAIL_PROTOCOL;
	error_set(&s->why, EPROTO,
	    "its host (%s) is too old to hand over a running session; "
	    "it serves until the session ends, and 'tend rerun' then "
	    "starts it with the installed version",
	    c->welcome.host);
	return false;
}

/* Ask the old host; it exits when the next is ready. */
static int
ask_to_leave(int dirfd, const char *op, int program, struct succession *s)
{
	struct conn c;
	int64_t pid = -1;

	if (open_conn(&c, dirfd, s) < 0)
		return -1;
	snprintf(s->from, sizeof(s->from), "%s", c.welcome.host);
	c.timeout_ms = CHANGE_MS;
	c.give = program;
	if (can_leave(&c, s))
		pid = ask_number(&c, op, "pid", s);
	conn_close(&c);
	s->pid = (pid_t)pid;
	return pid < 0 ? -1 : 0;
}

/* The next host should be the one that was announced. */
static int
meet_next(int dirfd, struct succession *s)
{
	struct conn c;
	int64_t pid;

	if (open_conn(&c, dirfd, s) < 0)
		return -1;
	snprintf(s->to, sizeof(s->to), "%s", c.welcome.host);
	pid = ask_number(&c, "session.get", "host_pid", s);
	conn_close(&c);
	if (pid < 0)
		return -1;
	if (pid == s->pid)
		return 0;
	s->failure = FAIL_INTERNAL;
	return error_set(&s->why, ECANCELED,
	    "the new host ended at once, and a host of the old version "
	    "serves again; host.log in the session's directory may say "
	    "why");
}

/* A missing answer may mean that the session has ended. */
static void
look_for_its_end(int dirfd, struct succession *s)
{
	struct manifest m;

	if (s->failure != FAIL_TIMEOUT && s->failure != FAIL_UNREACHABLE)
		return;
	manifest_init(&m);
	if (manifest_read_now(dirfd, &m, NULL) == 0 &&
	    !status_is_active(m.status)) {
		s->failure = FAIL_NOT_RUNNING;
		error_set(&s->why, ESRCH, "its program has ended");
	}
	manifest_finish(&m);
}

void
succession_make(int dirfd, const char *op, int program, struct succession *s)
{
	int64_t began = clock_ms(CLOCK_MONOTONIC);

	*s = (struct succession){ .failure = FAIL_INTERNAL };
	s->done = ask_to_leave(dirfd, op, program, s) == 0 &&
	    meet_next(dirfd, s) == 0;
	if (!s->done)
		look_for_its_end(dirfd, s);
	s->ms = clock_ms(CLOCK_MONOTONIC) - began;
}

void
succession_words(const struct succession *s, const struct manifest *m,
    struct buf *out)
{
	words_put_safe(out, m->name);
	if (!s->done) {
		buf_puts(out, ": not moved: ");
		words_put_safe(out, s->why.msg);
		buf_putc(out, '\n');
		return;
	}
	buf_puts(out, ": now on ");
	words_put_safe(out, s->to);
	buf_printf(out, " (%" PRId64 " ms", s->ms);
	if (strcmp(s->from, s->to) != 0) {
		buf_puts(out, ", before: ");
		words_put_safe(out, s->from);
	}
	buf_puts(out, ")\n");
}

void
succession_json(const struct succession *s, const struct manifest *m,
    struct json_out *j)
{
	json_out_open(j, '{');
	json_put_text(j, "id", m->id);
	json_put_text(j, "name", m->name);
	json_put_text(j, "from", s->from);
	json_put_text(j, "to", s->to);
	json_put_int(j, "host_pid", s->pid);
	json_put_int(j, "ms", s->ms);
	json_put_text(j, "error", s->done ? NULL : s->why.msg);
	json_out_close(j, '}');
}

int
succession_answer(struct call *call, const struct succession *s)
{
	struct handle *t = call->target;
	struct json_out j;

	if (!s->done)
		return out_fail(call->out, s->failure, "session %s: %s",
		    handle_name(t), s->why.msg);
	if (call->out->json) {
		out_begin(call->out, &j);
		succession_json(s, &t->session, &j);
	} else {
		succession_words(s, &t->session, &call->out->buf);
	}
	return out_send(call->out);
}
