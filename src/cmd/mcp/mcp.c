#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/mem.h"
#include "cmd/line/cmd.h"
#include "cmd/mcp/mcp_job.h"
#include "cmd/line/operands.h"
#include "cmd/line/out.h"
#include "cmd/line/signals.h"
#include "cmd/target/target.h"
#include "mcp/lines.h"
#include "mcp/server.h"
#include "mcp/tool.h"

/*
 * Read the client's lines, run its calls and write the answers.  A call beyond
 * the limit is refused.  Unread answers are kept; while there are too many
 * bytes of them, no more lines are read.
 */
#define JOBS_MAX 64
#define BACKLOG (4u << 20)
#define READ_SIZE (64u << 10)
#define WRITE_SIZE 4096 /* a pipe that polls as writable has this much room */

struct server {
	const char *home;
	struct lines in;
	struct buf out;
	size_t sent;                    /* bytes of out */
	struct mcp_job *jobs[JOBS_MAX]; /* in order of arrival */
	size_t n_jobs;
	int signals;
	int status;   /* exit status of the server */
	bool no_more; /* the client has closed its input */
	bool gone;    /* the client stopped reading, or we must exit */
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
remove_job(struct server *s, size_t i)
{
	mcp_job_finish(s->jobs[i]);
	free(s->jobs[i]);
	s->n_jobs--;
	memmove(&s->jobs[i], &s->jobs[i + 1],
	    (s->n_jobs - i) * sizeof(*s->jobs));
}

/* rc and value are those of mcp_job_step. */
static void
answer(struct server *s, struct mcp_job *job, int rc, json_t *value,
    const struct error *err)
{
	char fence[24];

	draw_fence(fence);
	if (!job->dropped && rc > 0)
		mcp_answer(&job->call, value, fence, &s->out);
	else if (!job->dropped)
		mcp_fail(&job->call, err->msg, &s->out);
	json_decref(value);
}

static size_t
job_of(const struct server *s, const json_t *id)
{
	size_t i = 0;

	while (i < s->n_jobs && !json_equal(s->jobs[i]->call.id, id))
		i++;
	return i;
}

static void
start_job(struct server *s, struct mcp_call *call)
{
	struct mcp_job *job;
	struct error err = { 0 };

	if (s->n_jobs == JOBS_MAX || job_of(s, call->id) < s->n_jobs) {
		mcp_fail(call,
		    s->n_jobs == JOBS_MAX ?
			"too many calls are running; wait for one to end" :
			"a call with this id is running",
		    &s->out);
		mcp_call_finish(call);
		return;
	}
	job = xcalloc(1, sizeof(*job));
	s->jobs[s->n_jobs++] = job;
	if (mcp_job_start(job, call, s->home, &err) < 0) {
		answer(s, job, -1, NULL, &err);
		remove_job(s, s->n_jobs - 1);
	}
}

static void
cancel(struct server *s, const json_t *id)
{
	size_t i = job_of(s, id);

	if (i < s->n_jobs && mcp_job_drop(s->jobs[i]))
		remove_job(s, i);
}

static void
step_job(struct server *s, size_t i)
{
	struct error err = { 0 };
	json_t *value = NULL;
	int rc = mcp_job_step(s->jobs[i], &value, &err);

	if (rc == 0)
		return;
	answer(s, s->jobs[i], rc, value, &err);
	remove_job(s, i);
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
	size_t left = unsent(s);
	ssize_t n = write(STDOUT_FILENO, s->out.data + s->sent,
	    left < WRITE_SIZE ? left : WRITE_SIZE);

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

enum { IN, OUT, SIGNALS, JOBS };

/* The time to the first deadline, for poll; -1: none. */
static int
time_left(const struct server *s)
{
	int64_t first = -1;

	for (size_t i = 0; i < s->n_jobs; i++) {
		int64_t until = mcp_job_until(s->jobs[i]);

		if (until >= 0 && (first < 0 || until < first))
			first = until;
	}
	if (first < 0)
		return -1;
	first -= clock_ms(CLOCK_MONOTONIC);
	return first > 0 ? (int)first : 0;
}

static size_t
gather(const struct server *s, struct pollfd *p)
{
	p[IN] = (struct pollfd){ .fd = STDIN_FILENO, .events = POLLIN };
	if (s->no_more || unsent(s) > BACKLOG)
		p[IN].fd = -1;
	p[OUT] = (struct pollfd){ .fd = STDOUT_FILENO,
		.events = unsent(s) > 0 ? POLLOUT : 0 };
	p[SIGNALS] = (struct pollfd){ .fd = s->signals, .events = POLLIN };
	for (size_t i = 0; i < s->n_jobs; i++)
		p[JOBS + i] = (struct pollfd){ .fd = mcp_job_fd(s->jobs[i]),
			.events = mcp_job_events(s->jobs[i]) };
	return JOBS + s->n_jobs;
}

/* Go backwards, because removing a job moves later ones. */
static void
step_jobs(struct server *s, const struct pollfd *p)
{
	int64_t now = clock_ms(CLOCK_MONOTONIC);

	for (size_t i = s->n_jobs; i-- > 0;) {
		int64_t until = mcp_job_until(s->jobs[i]);

		if (p[JOBS + i].revents != 0 || (until >= 0 && now >= until))
			step_job(s, i);
	}
}

/*
 * Calls reach a session in order of arrival: a call is sent once the session
 * has accepted all earlier ones.
 */
static bool
may_ask(const struct server *s, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (mcp_job_is_ahead(s->jobs[k], s->jobs[i]))
			return false;
	return true;
}

static void
ask(struct server *s)
{
	for (size_t i = 0; i < s->n_jobs;) {
		struct error err = { 0 };
		struct mcp_job *job = s->jobs[i];

		if (job->phase == MCP_JOB_READY && may_ask(s, i) &&
		    mcp_job_ask(job, &err) < 0) {
			answer(s, job, -1, NULL, &err);
			remove_job(s, i);
		} else {
			i++;
		}
	}
}

static void
turn(struct server *s)
{
	struct pollfd p[JOBS + JOBS_MAX];
	size_t n = gather(s, p);

	if (poll(p, n, time_left(s)) < 0) {
		s->gone = errno != EINTR;
		return;
	}
	if (p[SIGNALS].revents != 0) {
		s->status = signals_status(s->signals);
		s->gone = true;
		return;
	}
	step_jobs(s, p);
	if (p[IN].revents != 0)
		read_lines(s);
	ask(s);
	if (p[OUT].revents & POLLOUT)
		write_some(s);
	else if (p[OUT].revents & (POLLERR | POLLHUP | POLLNVAL))
		s->gone = true;
}

static int
run(struct call *call)
{
	struct server s = { .home = call->target->home_option };

	s.status = operands_check(call, 0, 0, "");
	if (s.status != 0)
		return s.status;
	if (isatty(STDIN_FILENO))
		out_note(call->out,
		    "this is a server for agents: add 'tend mcp' to your "
		    "agent's configuration; C-d ends it");
	s.signals = signals_catch();
	lines_init(&s.in, MCP_LINE_MAX);
	buf_init(&s.out, SIZE_MAX);
	while (!s.gone && (!s.no_more || s.n_jobs > 0 || unsent(&s) > 0))
		turn(&s);
	while (s.n_jobs > 0)
		remove_job(&s, s.n_jobs - 1);
	lines_finish(&s.in);
	buf_finish(&s.out);
	fd_close(&s.signals);
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
