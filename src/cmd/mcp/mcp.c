#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/json_out.h"
#include "base/json_tree.h"
#include "base/list.h"
#include "base/loop.h"
#include "base/mem.h"
#include "cmd/line/cmd.h"
#include "cmd/line/operands.h"
#include "cmd/line/out.h"
#include "cmd/line/signals.h"
#include "cmd/mcp/inout.h"
#include "cmd/target/target.h"
#include "home/calls.h"
#include "home/fault.h"
#include "home/operation.h"
#include "home/report.h"
#include "mcp/lines.h"
#include "mcp/server.h"
#include "mcp/tool.h"

/*
 * Read the client's lines, run its calls and write the answers.  A call beyond
 * the limit is refused.  Unread answers are kept; while there are too many
 * bytes of them, no more lines are read.
 */
#define CALLS_MAX 64
#define BACKLOG (4u << 20)
#define READ_SIZE (64u << 10)

struct server {
	const char *home;
	struct loop *loop;
	struct calls *calls;
	struct inout inout;
	struct lines in;
	struct buf out;
	size_t sent; /* bytes of out */
	struct list jobs;
	int signals;
	int status;   /* exit status of the server */
	bool no_more; /* the client has closed its input */
	bool gone;    /* the client stopped reading, or we must exit */
};

/* A tool call whose answer the client expects. */
struct job {
	struct list link;
	struct server *server;
	struct mcp_call call; /* the client's */
	struct calling *run;
};

/* A random text that no program could have printed before. */
static void
draw_fence(char out[24])
{
	uint64_t n = 0;

	if (getrandom(&n, sizeof(n), 0) != sizeof(n))
		n = (uint64_t)clock_ms(CLOCK_MONOTONIC);
	snprintf(out, 24, "%016" PRIx64, n);
}

/* ------------------------------------------------------------------- jobs */

static void
job_free(struct job *job)
{
	list_remove(&job->link);
	mcp_call_finish(&job->call);
	free(job);
}

/* Arguments have the names of the tool's schema. */
static void
refuse(struct job *job, const struct fault *f)
{
	char name[FAULT_ARGUMENT_SIZE + 2], words[FAULT_WORDS_MAX];

	snprintf(name, sizeof(name), "'%s'", f->argument);
	fault_words(f, name, "", words);
	mcp_fail(&job->call, words, &job->server->out);
}

/* A model reads the damage and the notes as members of the result. */
static void
put_report(const struct report *r, json_t *value)
{
	auto_json json_t *members = NULL;
	struct json_out j;
	struct buf b;

	buf_init(&b, SIZE_MAX);
	json_out_init(&j, &b);
	json_out_open(&j, '{');
	report_json(r, &j);
	json_out_close(&j, '}');
	members = json_tree_object((const char *)b.data, b.len, NULL);
	buf_finish(&b);
	if (members != NULL)
		json_object_update(value, members);
}

static void
on_answer(void *arg, const struct calls_answer *a)
{
	struct job *job = arg;
	char fence[24];

	if (a->result != NULL) {
		put_report(a->report, a->result);
		draw_fence(fence);
		mcp_answer(&job->call, a->result, fence, &job->server->out);
	} else {
		refuse(job, a->fault);
	}
	job_free(job);
}

static struct job *
job_of(struct server *s, const json_t *id)
{
	list_for_each(it, &s->jobs) {
		struct job *job = container_of(it, struct job, link);

		if (json_equal(job->call.id, id))
			return job;
	}
	return NULL;
}

static int
start(struct job *job, struct fault *f)
{
	extern char **environ;
	const struct operation o = { .op = job->call.tool->op,
		.home = job->server->home,
		.session = job->call.session,
		.args = job->call.args,
		.environ = environ,
		.granted = OP_EVERY_PERMISSION };

	return calls_start(job->server->calls, &o, on_answer, job, &job->run,
	    f);
}

static void
start_job(struct server *s, struct mcp_call *call)
{
	struct job *job;
	struct fault f;

	if (job_of(s, call->id) != NULL) {
		mcp_fail(call, "a call with this id is running", &s->out);
		mcp_call_finish(call);
		return;
	}
	job = xcalloc(1, sizeof(*job));
	job->server = s;
	job->call = *call;
	list_append(&s->jobs, &job->link);
	if (start(job, &f) < 0) {
		refuse(job, &f);
		job_free(job);
	}
}

static void
cancel(struct server *s, const json_t *id)
{
	struct job *job = job_of(s, id);

	if (job == NULL)
		return;
	calls_cancel(job->run);
	job_free(job);
}

/* ------------------------------------------------------------------ lines */

static void
take_line(struct server *s, enum lines_next what, const char *p, size_t len)
{
	struct mcp_call call;

	if (what == LINES_TOO_LONG) {
		mcp_refuse_long(&s->out);
		return;
	}
	switch (mcp_take(p, len, &call, &s->out)) {
	case MCP_CALL:
		start_job(s, &call);
		break;
	case MCP_CANCEL:
		cancel(s, call.id);
		mcp_call_finish(&call);
		break;
	case MCP_DONE:
		break;
	}
}

static void
read_lines(struct server *s)
{
	char part[READ_SIZE];
	ssize_t n = read(STDIN_FILENO, part, sizeof(part));
	enum lines_next what;
	const char *p;
	size_t len;

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		s->no_more = true;
		what = lines_rest(&s->in, &p, &len);
		if (what != LINES_NONE)
			take_line(s, what, p, len);
		return;
	}
	lines_add(&s->in, part, (size_t)n);
	while ((what = lines_next(&s->in, &p, &len)) != LINES_NONE)
		take_line(s, what, p, len);
}

static size_t
unsent(const struct server *s)
{
	return s->out.len - s->sent;
}

static void
write_some(struct server *s)
{
	size_t left = unsent(s), room = inout_room(&s->inout);
	ssize_t n = write(STDOUT_FILENO, s->out.data + s->sent,
	    left < room ? left : room);

	if (n >= 0)
		s->sent += (size_t)n;
	else if (errno != EINTR && errno != EAGAIN)
		s->gone = true;
	if (s->sent > s->out.len / 2) {
		buf_consume(&s->out, s->sent);
		s->sent = 0;
	}
}

/* ------------------------------------------------------------------- turn */

static void
on_inout(void *arg, unsigned ready)
{
	struct server *s = arg;

	if (ready & INOUT_GONE)
		s->gone = true;
	if (ready & INOUT_IN)
		read_lines(s);
	if (ready & INOUT_OUT)
		write_some(s);
}

static void
on_signal(void *arg, enum loop_events ready)
{
	struct server *s = arg;

	(void)ready;
	s->status = signals_status(s->signals);
	s->gone = true;
}

/* Calls that were cancelled but go on are waited for as well. */
static void
on_settle(void *arg)
{
	struct server *s = arg;
	bool reads = !s->no_more && unsent(s) <= BACKLOG;

	if (s->gone ||
	    (s->no_more && calls_count(s->calls) == 0 && unsent(s) == 0))
		loop_stop(s->loop);
	else
		inout_want(&s->inout,
		    (reads ? INOUT_IN : 0) | (unsent(s) > 0 ? INOUT_OUT : 0));
}

/* Returns 0, or -errno. */
static int
prepare(struct server *s)
{
	static const struct calls_options options = { .client = "tend mcp",
		.max = CALLS_MAX,
		.threads = CALLS_MAX };

	s->loop = loop_create();
	if (s->loop == NULL)
		return -errno;
	s->calls = calls_create(s->loop, &options);
	s->signals = signals_catch();
	if (s->calls == NULL || s->signals < 0 ||
	    loop_fd(s->loop, s->signals, LOOP_READ, on_signal, s) == NULL)
		return -errno;
	loop_settle(s->loop, on_settle, s);
	return inout_init(&s->inout, s->loop, on_inout, s);
}

static void
finish(struct server *s)
{
	calls_destroy(s->calls);
	list_for_each_safe(it, &s->jobs)
		job_free(container_of(it, struct job, link));
	inout_finish(&s->inout);
	loop_destroy(s->loop);
	lines_finish(&s->in);
	buf_finish(&s->out);
	fd_close(&s->signals);
}

static int
run(struct call *call)
{
	struct server s = { .home = call->target->home_option,
		.signals = -1,
		.inout.epoll = -1 };
	int rc;

	s.status = operands_check(call, 0, 0, "");
	if (s.status != 0)
		return s.status;
	if (isatty(STDIN_FILENO))
		out_note(call->out,
		    "this is a server for agents: add 'tend mcp' to your "
		    "agent's configuration; C-d ends it");
	list_init(&s.jobs);
	lines_init(&s.in, MCP_LINE_MAX);
	buf_init(&s.out, SIZE_MAX);
	rc = prepare(&s);
	if (rc == 0) {
		inout_want(&s.inout, INOUT_IN);
		loop_run(s.loop);
	} else {
		s.status = out_fail(call->out, FAIL_INTERNAL,
		    "cannot begin to serve: %s", strerror(-rc));
	}
	finish(&s);
	return s.status;
}

const struct cmd cmd_mcp = {
	.name = "mcp",
	.usage = "[--home DIR]",
	.summary = "serve sessions as tools of the Model Context Protocol",
	.details =
	    "tend mcp speaks JSON-RPC on standard input and output, one message\n"
	    "per line, until its input ends.  Add it to an agent's configuration:\n"
	    "\n"
	    "  {\"mcpServers\":{\"tend\":{\"command\":\"tend\",\"args\":[\"mcp\"]}}}\n"
	    "\n"
	    "docs/operations.md describes the tools.  tend marks the output of\n"
	    "programs as untrusted and reports text that cannot be seen.\n",
	.needs = CMD_NEEDS_HOME,
	.run = run,
};
