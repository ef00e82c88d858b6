#ifndef TEND_CMD_MCP_MCP_JOB_H
#define TEND_CMD_MCP_MCP_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/id.h"
#include "client/conn.h"
#include "mcp/server.h"

struct error;
struct mcp_work;

/*
 * A tool call in progress.  The session's host or the home library runs it.
 * Each call has its own connection, so that a wait does not delay other calls;
 * closing it cancels the wait in the host.  Connecting, sending and reading the
 * answer are separate steps, so an unresponsive host does not block other calls
 * either.
 */
enum mcp_job_phase {
	MCP_JOB_WORKS, /* the home library runs it (mcp_work.h) */
	MCP_JOB_CONNECTS,
	MCP_JOB_READY, /* mcp_job_ask may send it */
	MCP_JOB_ASKS,
	MCP_JOB_WAITS, /* for the answer */
};

struct mcp_job {
	struct mcp_call call;
	const char *home; /* the value of --home, or NULL */
	struct conn conn; /* conn.fd is -1 if no host is involved */
	int dirfd;
	char session[ID_SIZE];
	enum mcp_job_phase phase;
	uint64_t id;           /* of the request */
	struct mcp_work *work; /* NULL: none yet */
	int64_t until_ms; /* deadline for the host to accept, then to answer */
	bool again;       /* this is the second attempt */
	bool dropped;     /* the answer is not needed any more */
};

/*
 * Start a job, which takes over the call.  Returns 0, or -errno and an error;
 * call mcp_job_finish in both cases.
 */
int mcp_job_start(struct mcp_job *job, const struct mcp_call *call,
    const char *home, struct error *err);

/*
 * The descriptor and events to poll, and the deadline (CLOCK_MONOTONIC; -1:
 * none).  The descriptor may be -1.
 */
int mcp_job_fd(const struct mcp_job *job);
short mcp_job_events(const struct mcp_job *job);
int64_t mcp_job_until(const struct mcp_job *job);

/*
 * True if `a` came first and its session has not accepted it yet.  A host reads
 * its connections in no particular order, so a sent call may still be
 * overtaken.
 */
bool mcp_job_is_ahead(const struct mcp_job *job, const struct mcp_job *of);

/* Send the call of a READY job.  Returns 0, or -errno and an error. */
int mcp_job_ask(struct mcp_job *job, struct error *err);

/*
 * Advance the job after an event or its deadline.  Returns 1 when it is done,
 * with the result in *value, which the caller frees; 0 if it continues; or
 * -errno and an error.
 */
int mcp_job_step(struct mcp_job *job, json_t **value, struct error *err);

/*
 * The answer is not needed any more.  Reads, waits and remaining steps are
 * cancelled; other calls with side effects continue.  True if the job is over
 * now; otherwise call mcp_job_step until it is.
 */
bool mcp_job_drop(struct mcp_job *job);

/* End the job; input that was typed stays typed. */
void mcp_job_finish(struct mcp_job *job);

#endif
