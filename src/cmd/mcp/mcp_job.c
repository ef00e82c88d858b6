#include "cmd/mcp/mcp_job.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "base/version.h"
#include "cmd/mcp/mcp_work.h"
#include "home/words.h"
#include "mcp/tool.h"
#include "op/ops.h"
#include "session/find.h"
#include "session/home.h"
#include "session/manifest.h"

#define CONNECT_MS 10000
#define ANSWER_MS 15000 /* beyond the timeout of the call itself */

/* Find the session for each call, since names and homes may change. */
static int
find(struct mcp_job *job, struct manifest *m, struct error *err)
{
	struct home home;
	int rc = home_open(&home, job->home, false, err);

	if (rc < 0)
		return rc;
	rc = find_session(&home, job->call.session, 0, m, &job->dirfd, err);
	home_close(&home);
	return rc;
}

/* The session has no host to answer. */
static int
not_running(const struct mcp_job *job, const struct manifest *m,
    struct error *err)
{
	char how[WORDS_MAX];

	words_outcome(m, how, sizeof(how));
	return error_set(err, ESRCH,
	    "session %.60s %s; session_snapshot and session_output still show "
	    "it, session_create starts another",
	    job->call.session, how);
}

static int
start_work(struct mcp_job *job, struct error *err)
{
	job->phase = MCP_JOB_WORKS;
	job->work = mcp_work_create(&job->call, job->home, err);
	return job->work != NULL ? 0 : -err->code;
}

static int
end_work(const struct mcp_job *job, json_t **value, struct error *err)
{
	struct pollfd p = { .fd = mcp_work_fd(job->work), .events = POLLIN };

	return poll(&p, 1, 0) > 0 ? mcp_work_result(job->work, value, err) : 0;
}

/* Start to connect again. */
static void
begin(struct mcp_job *job)
{
	struct hello hello;

	hello_init(&hello);
	hello.mode = HELLO_CONTROL;
	hello.features = HELLO_HANDOVER;
	snprintf(hello.client, sizeof(hello.client), "tend mcp %s",
	    TEND_VERSION);
	conn_begin(&job->conn, job->dirfd, &hello, CONNECT_MS);
	job->phase = MCP_JOB_CONNECTS;
}

/* The session has ended: its files may still give the answer. */
static int
on_ended(struct mcp_job *job, int rc, struct error *err)
{
	struct manifest m;

	if (manifest_read_now(job->dirfd, &m, NULL) < 0)
		return rc;
	if (!status_is_active(m.status))
		rc = job->call.tool->by != TOOL_BY_HOST ?
		    start_work(job, err) :
		    not_running(job, &m, err);
	manifest_finish(&m);
	return rc;
}

/* The PONG shows that the host has accepted the call: the next may follow. */
static int
post(struct mcp_job *job, struct error *err)
{
	auto_free char *args = json_dumps(job->call.args, JSON_COMPACT);
	int rc;

	job->phase = MCP_JOB_ASKS;
	job->until_ms = clock_ms(CLOCK_MONOTONIC) + ANSWER_MS +
	    (int64_t)op_number(job->call.args, "timeout_ms", 0);
	rc = conn_post(&job->conn, job->call.tool->op->name, args, &job->id,
	    err);
	return rc < 0 ? rc : conn_post_ping(&job->conn, err);
}

/*
 * The host has exited.  Another may follow, or the session is about to end;
 * connecting again shows which.  A call that only reads or was not accepted is
 * sent again.
 */
static int
on_lost(struct mcp_job *job, bool was_taken, int rc, struct error *err)
{
	bool reads = job->call.tool->hints & TOOL_READS;

	conn_close(&job->conn);
	if (was_taken && !reads)
		error_set(err, -rc,
		    "the session's host ended before it answered; the call may "
		    "or may not have taken effect: check with session_snapshot");
	if (was_taken && (job->again || !reads))
		return on_ended(job, rc, err);
	job->again = was_taken;
	begin(job);
	return 0;
}

static int
flush(struct mcp_job *job, struct error *err)
{
	int rc = conn_flush(&job->conn, err);

	if (rc < 0)
		return on_lost(job, rc != -EPIPE, rc, err);
	if (rc > 0)
		job->phase = MCP_JOB_WAITS;
	return 0;
}

int
mcp_job_ask(struct mcp_job *job, struct error *err)
{
	int rc = post(job, err);

	return rc < 0 ? rc : flush(job, err);
}

static int
connect_host(struct mcp_job *job, struct error *err)
{
	int rc = conn_proceed(&job->conn, err);

	if (rc < 0)
		return on_ended(job, rc, err);
	if (rc > 0) {
		job->phase = MCP_JOB_READY;
		job->until_ms = clock_ms(CLOCK_MONOTONIC) + ANSWER_MS;
	}
	return 0;
}

int
mcp_job_start(struct mcp_job *job, const struct mcp_call *call,
    const char *home, struct error *err)
{
	struct manifest m;
	int rc;

	memset(job, 0, sizeof(*job));
	job->call = *call;
	job->home = home;
	job->dirfd = job->conn.fd = -1;
	if (call->tool->by == TOOL_BY_HOME)
		return start_work(job, err);
	manifest_init(&m);
	rc = find(job, &m, err);
	if (rc < 0)
		return rc;
	snprintf(job->session, sizeof(job->session), "%s", m.id);
	if (status_is_active(m.status)) {
		begin(job);
		rc = connect_host(job, err);
	} else {
		rc = on_ended(job, -ESRCH, err);
	}
	manifest_finish(&m);
	return rc;
}

bool
mcp_job_is_ahead(const struct mcp_job *job, const struct mcp_job *of)
{
	return job->phase >= MCP_JOB_CONNECTS && job->conn.pongs == 0 &&
	    strcmp(job->session, of->session) == 0;
}

int
mcp_job_fd(const struct mcp_job *job)
{
	if (job->phase == MCP_JOB_WORKS)
		return mcp_work_fd(job->work);
	return job->phase == MCP_JOB_READY ? -1 : job->conn.fd;
}

short
mcp_job_events(const struct mcp_job *job)
{
	return job->phase == MCP_JOB_ASKS ? POLLOUT : POLLIN;
}

int64_t
mcp_job_until(const struct mcp_job *job)
{
	if (job->phase == MCP_JOB_WORKS)
		return -1;
	return job->phase == MCP_JOB_CONNECTS ? job->conn.next_try :
						job->until_ms;
}

static int
read_host(struct mcp_job *job, json_t **value, struct error *err)
{
	auto_free char *result = NULL;
	char code[32] = "";
	int rc = conn_fill(&job->conn, false, err);

	if (rc >= 0)
		rc = conn_answer(&job->conn, job->id, &result, code, err);
	if (conn_was_left(&job->conn, rc, code))
		return on_lost(job, false, rc, err);
	if (rc < 0)
		return rc == -EREMOTEIO ? rc : on_lost(job, true, rc, err);
	if (rc == 0)
		return 0;
	*value = json_loads(result, JSON_DECODE_ANY, NULL);
	return *value != NULL ?
	    1 :
	    error_set(err, EPROTO, "the answer is not JSON");
}

static int
step(struct mcp_job *job, json_t **value, struct error *err)
{
	switch (job->phase) {
	case MCP_JOB_WORKS:
		return end_work(job, value, err);
	case MCP_JOB_CONNECTS:
		return connect_host(job, err);
	case MCP_JOB_ASKS:
		return flush(job, err);
	case MCP_JOB_WAITS:
		return read_host(job, value, err);
	case MCP_JOB_READY:
		break;
	}
	return 0;
}

int
mcp_job_step(struct mcp_job *job, json_t **value, struct error *err)
{
	int rc = step(job, value, err);

	if (rc == 0 && job->phase >= MCP_JOB_READY &&
	    clock_ms(CLOCK_MONOTONIC) >= job->until_ms)
		return error_set(err, ETIMEDOUT,
		    "session %.60s does not answer", job->call.session);
	return rc;
}

bool
mcp_job_drop(struct mcp_job *job)
{
	bool ends = job->call.tool->hints & (TOOL_READS | TOOL_STOPS);

	job->dropped = true;
	if (ends && job->phase == MCP_JOB_WORKS)
		mcp_work_cancel(job->work);
	return ends && job->phase != MCP_JOB_WORKS;
}

void
mcp_job_finish(struct mcp_job *job)
{
	conn_close(&job->conn);
	fd_close(&job->dirfd);
	mcp_work_destroy(job->work);
	mcp_call_finish(&job->call);
}
