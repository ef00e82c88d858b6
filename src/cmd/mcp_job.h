#ifndef TEND_CMD_MCP_JOB_H
#define TEND_CMD_MCP_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "client/conn.h"
#include "cmd/mcp_command.h"
#include "mcp/server.h"

struct error;

/*
 * A tool's call under way: asked of the session's host, or carried out by a
 * command.  Each has a connection of its own, so that a wait holds no other
 * call up; when it is closed the host forgets the wait.
 */
struct mcp_job {
	struct mcp_call call;
	const char *home; /* what --home said, or NULL */
	struct conn conn; /* conn.fd is -1 when no host is asked */
	int dirfd;
	uint64_t id; /* of the request */
	struct mcp_command command;
	int64_t until_ms; /* when the host has to have answered */
	bool again;       /* it is asked for the second time */
	bool dropped;     /* nobody wants the answer any more */
};

/*
 * Begin; the call is the job's from then on.  0, or -errno and why; then, too,
 * mcp_job_finish is due.
 */
int mcp_job_start(struct mcp_job *job, const struct mcp_call *call,
    const char *home, struct error *err);

/* What to poll for reading, and until when (CLOCK_MONOTONIC; -1: for ever). */
int mcp_job_fd(const struct mcp_job *job);
int64_t mcp_job_until(const struct mcp_job *job);

/*
 * There is something to read, or (`late`) the time is over.  1 when it is done,
 * with its result in *value, the caller's; 0 when not yet; -errno and why.
 */
int mcp_job_step(struct mcp_job *job, bool late, json_t **value,
    struct error *err);

/* End what is under way; what has been typed stays typed. */
void mcp_job_finish(struct mcp_job *job);

#endif
