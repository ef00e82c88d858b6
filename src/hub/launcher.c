#include "hub/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/failpoint.h"
#include "base/fd.h"
#include "base/json_tree.h"
#include "base/list.h"
#include "base/loop.h"
#include "base/mem.h"
#include "home/fault.h"
#include "home/operation.h"
#include "home/report.h"
#include "op/failure.h"
#include "op/ops.h"

/* A message: its length, u32 big endian, and a JSON object. */
#define MESSAGE_MAX (32u << 20)
#define CALLS_MAX 64

#define OWN_FD 3 /* the socket, in the launcher */

/* ----------------------------------------------------------------- messages */

/* One side of the socket, on a loop. */
struct pipe_end {
	int fd;
	struct watch *watch;
	struct buf in, out;
	size_t sent;
	void (*on_message)(void *arg, const json_t *m);
	void (*on_end)(void *arg);
	void *arg;
	bool ended;
};

static void
pipe_want(struct pipe_end *p)
{
	watch_want(p->watch,
	    LOOP_READ | (p->out.len > p->sent ? LOOP_WRITE : 0));
}

static void
pipe_finish(struct pipe_end *p)
{
	watch_remove(p->watch);
	p->watch = NULL;
	fd_close(&p->fd);
	buf_finish(&p->in);
	buf_finish(&p->out);
}

static void
pipe_end(struct pipe_end *p)
{
	if (p->ended)
		return;
	p->ended = true;
	watch_want(p->watch, 0);
	p->on_end(p->arg);
}

static void
pipe_write(struct pipe_end *p)
{
	ssize_t n = send(p->fd, p->out.data + p->sent, p->out.len - p->sent,
	    MSG_NOSIGNAL);

	if (n > 0)
		p->sent += (size_t)n;
	else if (errno != EAGAIN && errno != EINTR)
		pipe_end(p);
	if (p->sent == p->out.len) {
		buf_clear(&p->out);
		p->sent = 0;
	}
}

static void
pipe_send(struct pipe_end *p, json_t *m)
{
	auto_free char *text = json_dumps(m, JSON_COMPACT);
	uint8_t head[4];

	put_u32be(head, (uint32_t)strlen(text));
	(void)buf_append(&p->out, head, sizeof(head));
	(void)buf_puts(&p->out, text);
	json_decref(m);
	if (!p->ended)
		pipe_want(p);
}

static void
pipe_take(struct pipe_end *p)
{
	while (!p->ended && p->in.len >= 4) {
		uint32_t len = get_u32be(p->in.data);
		auto_json json_t *m = NULL;

		if (len > MESSAGE_MAX) {
			pipe_end(p);
			return;
		}
		if (p->in.len - 4 < len)
			return;
		m = json_tree_object((const char *)p->in.data + 4, len, NULL);
		buf_consume(&p->in, 4 + (size_t)len);
		if (m != NULL)
			p->on_message(p->arg, m);
	}
}

static void
on_pipe(void *arg, enum loop_events ready)
{
	struct pipe_end *p = arg;
	uint8_t part[16384];
	ssize_t n;

	if ((ready & LOOP_WRITE) && p->out.len > p->sent)
		pipe_write(p);
	if (!p->ended && (ready & LOOP_READ)) {
		n = recv(p->fd, part, sizeof(part), 0);
		if (n > 0)
			(void)buf_append(&p->in, part, (size_t)n);
		else if (n == 0 || (errno != EAGAIN && errno != EINTR))
			pipe_end(p);
		pipe_take(p);
	}
	if (!p->ended)
		pipe_want(p);
}

static int
pipe_init(struct pipe_end *p, struct loop *loop, int *fd)
{
	buf_init(&p->in, 2 * MESSAGE_MAX);
	buf_init(&p->out, 4 * MESSAGE_MAX);
	p->watch = loop_fd(loop, *fd, LOOP_READ, on_pipe, p);
	if (p->watch == NULL)
		return -errno;
	p->fd = fd_take(fd);
	return 0;
}

/* ---------------------------------------------------------- in the launcher */

struct server {
	struct loop *loop;
	struct calls *calls;
	struct pipe_end pipe;
	const char *home;
	bool ended; /* the hub has gone */
};

/* A call of the hub. */
struct job {
	struct server *server;
	json_int_t id;
};

static void
answer_fault(struct server *s, json_int_t id, const struct fault *f)
{
	pipe_send(&s->pipe,
	    json_pack("{s:I, s:i, s:s, s:s}", "id", id, "failure",
		(int)f->failure, "argument", f->argument, "message", f->msg));
}

static void
on_done(void *arg, const struct calls_answer *a)
{
	struct job *job = arg;
	struct server *s = job->server;

	failpoint("launcher-done");
	if (a->result != NULL)
		pipe_send(&s->pipe,
		    json_pack("{s:I, s:O}", "id", job->id, "result",
			a->result));
	else
		answer_fault(s, job->id, a->fault);
	free(job);
}

static void
on_request(void *arg, const json_t *m)
{
	extern char **environ;
	struct server *s = arg;
	json_t *args = json_object_get(m, "args");
	const struct operation o = {
		.op = op_find(json_string_value(json_object_get(m, "op"))),
		.home = s->home,
		.session = json_string_value(json_object_get(m, "session")),
		.args = args,
		.environ = environ,
		.granted = (unsigned)json_integer_value(
		    json_object_get(m, "granted")),
		.principal = json_string_value(json_object_get(m, "principal")),
		.verified = json_string_value(json_object_get(m, "verified")),
	};
	struct job *job = xcalloc(1, sizeof(*job));
	struct calling *call;
	struct fault f;

	job->server = s;
	job->id = json_integer_value(json_object_get(m, "id"));
	failpoint("launcher-request");
	if (calls_start(s->calls, &o, on_done, job, &call, &f) < 0) {
		answer_fault(s, job->id, &f);
		free(job);
	}
}

static void
on_hub_end(void *arg)
{
	struct server *s = arg;

	s->ended = true;
}

/*
 * Without a hub, complete the calls under way, then end.  A call is counted until
 * its callback has returned.
 */
static void
on_settle(void *arg)
{
	const struct server *s = arg;

	if (s->ended && calls_count(s->calls) == 0)
		loop_stop(s->loop);
}

/* New sessions without a directory of their own begin here. */
static void
go_home(void)
{
	const char *home = getenv("HOME");
	const struct passwd *pw;

	if (home == NULL || home[0] != '/') {
		pw = getpwuid(getuid());
		home = pw != NULL ? pw->pw_dir : "/";
	}
	if (chdir(home) < 0 && chdir("/") < 0)
		_exit(1);
}

static int
serve(const char *home, int fd)
{
	static const struct calls_options options = { .client = "tend hub",
		.max = CALLS_MAX,
		.threads = CALLS_MAX };
	struct server s = { .pipe.fd = -1, .home = home };

	s.loop = loop_create();
	if (s.loop == NULL)
		return 1;
	s.calls = calls_create(s.loop, &options);
	s.pipe.on_message = on_request;
	s.pipe.on_end = on_hub_end;
	s.pipe.arg = &s;
	if (s.calls == NULL || pipe_init(&s.pipe, s.loop, &fd) < 0)
		return 1;
	loop_settle(s.loop, on_settle, &s);
	loop_run(s.loop);
	calls_destroy(s.calls);
	pipe_finish(&s.pipe);
	loop_destroy(s.loop);
	return 0;
}

/*
 * Close everything else: the lock of the hub, its home and the pipe of its
 * starter must not outlive the hub while a session is being made.
 */
static void
keep_only(int *fd)
{
	if (*fd != OWN_FD && dup3(*fd, OWN_FD, O_CLOEXEC) < 0)
		_exit(1);
	*fd = OWN_FD;
	close_range(OWN_FD + 1, ~0u, 0);
}

int
launcher_fork(const char *home, int *fd, pid_t *pid, struct error *err)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return error_set(err, errno, "cannot make a socket: %s",
		    strerror(errno));
	*pid = fork();
	if (*pid < 0) {
		close(pair[0]);
		close(pair[1]);
		return error_set(err, errno, "cannot start the launcher: %s",
		    strerror(errno));
	}
	if (*pid == 0) {
		keep_only(&pair[1]);
		prctl(PR_SET_NAME, "tend-launcher");
		/* The terminal's C-c is for the hub, which ends in order. */
		signal(SIGINT, SIG_IGN);
		signal(SIGTERM, SIG_IGN);
		signal(SIGHUP, SIG_IGN);
		go_home();
		_exit(serve(home, pair[1]));
	}
	close(pair[1]);
	*fd = pair[0];
	return 0;
}

/* --------------------------------------------------------------- in the hub */

struct launch_call {
	struct list link;
	uint64_t id;
	calls_done_fn *fn; /* NULL: cancelled */
	void *arg;
};

struct launcher {
	struct pipe_end pipe;
	struct list calls;
	size_t n;
	uint64_t next_id;
	void (*on_end)(void *arg);
	void *arg;
};

static void
finish_call(struct launcher *l, struct launch_call *c, json_t *result,
    const struct fault *f)
{
	struct report r;
	struct calls_answer a = { .result = result, .fault = f, .report = &r };

	list_remove(&c->link);
	l->n--;
	report_init(&r, NULL, NULL);
	if (c->fn != NULL)
		c->fn(c->arg, &a);
	report_finish(&r);
	free(c);
}

static void
on_answer(void *arg, const json_t *m)
{
	struct launcher *l = arg;
	uint64_t id = (uint64_t)json_integer_value(json_object_get(m, "id"));
	const char *argument = json_string_value(
	    json_object_get(m, "argument"));
	const char *message = json_string_value(json_object_get(m, "message"));
	struct fault f;

	failpoint("hub-launch-answered");
	list_for_each(it, &l->calls) {
		struct launch_call *c = container_of(it, struct launch_call,
		    link);

		if (c->id != id)
			continue;
		if (message == NULL) {
			finish_call(l, c, json_object_get(m, "result"), NULL);
			return;
		}
		fault_set(&f,
		    (enum failure)json_integer_value(
			json_object_get(m, "failure")),
		    "%s", message);
		snprintf(f.argument, sizeof(f.argument), "%s",
		    argument != NULL ? argument : "");
		finish_call(l, c, NULL, &f);
		return;
	}
}

static void
on_launcher_end(void *arg)
{
	struct launcher *l = arg;
	struct fault f;

	fault_set(&f, FAIL_UNKNOWN,
	    "the launcher ended before it answered; it is not known whether "
	    "it has done this");
	while (!list_is_empty(&l->calls))
		finish_call(l,
		    container_of(l->calls.next, struct launch_call, link), NULL,
		    &f);
	l->on_end(l->arg);
}

struct launcher *
launcher_create(struct loop *loop, int *fd, void (*on_end)(void *arg),
    void *arg)
{
	struct launcher *l = xcalloc(1, sizeof(*l));

	list_init(&l->calls);
	l->next_id = 1;
	l->on_end = on_end;
	l->arg = arg;
	l->pipe.fd = -1;
	l->pipe.on_message = on_answer;
	l->pipe.on_end = on_launcher_end;
	l->pipe.arg = l;
	if (pipe_init(&l->pipe, loop, fd) < 0) {
		free(l);
		return NULL;
	}
	return l;
}

void
launcher_destroy(struct launcher *l)
{
	if (l == NULL)
		return;
	list_for_each_safe(it, &l->calls)
		free(container_of(it, struct launch_call, link));
	pipe_finish(&l->pipe);
	free(l);
}

bool
launcher_runs(const struct operation *o)
{
	static const enum op_id ids[] = { OP_ID_session_create,
		OP_ID_session_rerun, OP_ID_session_upgrade,
		OP_ID_session_revive, OP_ID_home_upgrade, OP_ID_home_list,
		OP_ID_home_forget, OP_ID_home_check };

	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		if (o->op == &ops[ids[i]])
			return true;
	}
	return op_bool(o->args, "all_homes", false);
}

int
launcher_start(struct launcher *l, const struct operation *o, calls_done_fn *fn,
    void *arg, struct launch_call **call, struct fault *f)
{
	struct launch_call *c;

	if (operation_check(o, f) < 0)
		return -1;
	if (l->pipe.ended)
		return fault_set(f, FAIL_UNREACHABLE,
		    "the hub's launcher has ended");
	if (l->n >= CALLS_MAX)
		return fault_set(f, FAIL_BUSY,
		    "the hub runs %d such operations already", CALLS_MAX);
	c = xcalloc(1, sizeof(*c));
	c->id = l->next_id++;
	c->fn = fn;
	c->arg = arg;
	list_append(&l->calls, &c->link);
	l->n++;
	pipe_send(&l->pipe,
	    json_pack("{s:I, s:s, s:s?, s:O?, s:I, s:s?, s:s?}", "id",
		(json_int_t)c->id, "op", o->op->name, "session", o->session,
		"args", o->args, "granted", (json_int_t)o->granted, "principal",
		o->principal, "verified", o->verified));
	failpoint("hub-launch-sent");
	*call = c;
	return 0;
}

void
launcher_cancel(struct launch_call *call)
{
	call->fn = NULL;
}
