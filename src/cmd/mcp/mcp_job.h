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
 * A tool's call under way: asked of the session's host, or carried out by the
 * library of homes.  Each has a connection of its own, so that a wait holds no other
 * call up; when it is closed the host forgets the wait.  Nor does a host that
 * does not answer hold anybody up: connecting and asking are steps like
 * reading the answer.
 */
enum mcp_job_phase {
	MCP_JOB_WORKS, /* the home carries it out (mcp_work.h) */
	MCP_JOB_CONNECTS,
	MCP_JOB_READY, /* mcp_job_ask is due */
	MCP_JOB_ASKS,
	MCP_JOB_WAITS, /* for the answer */
};

struct mcp_job {
	struct mcp_call call;
	const char *home; /* what --home said, or NULL */
	struct conn conn; /* conn.fd is -1 when no host is asked */
	int dirfd;
	char session[ID_SIZE];
	enum mcp_job_phase phase;
	uint64_t id;           /* of the request */
	struct mcp_work *work; /* NULL: none yet */
	int64_t
	    until_ms; /* the host must take the call, then answer, by then */
	bool again;   /* it is asked for the second time */
	bool dropped; /* nobody wants the answer any more */
};

/*
 * Begin; the call is the job's from then on.  0, or -errno and why; then, too,
 * mcp_job_finish is due.
 */
int mcp_job_start(struct mcp_job *job, const struct mcp_call *call,
    const char *home, struct error *err);

/*
 * What to poll, for what, and until when (CLOCK_MONOTONIC; -1: for ever); the
 * descriptor may be -1.
 */
int mcp_job_fd(const struct mcp_job *job);
short mcp_job_events(const struct mcp_job *job);
int64_t mcp_job_until(const struct mcp_job *job);

/*
 * It came before, and its session has not taken it yet.  A host reads its
 * connections in no particular order, so having sent the call is not enough.
 */
bool mcp_job_is_ahead(const struct mcp_job *job, const struct mcp_job *of);

/* Of one that is READY.  0, or -errno and why. */
int mcp_job_ask(struct mcp_job *job, struct error *err);

/*
 * There is something to do, or that time is over.  1 when it is done, with its
 * result in *value, the caller's; 0 when not yet; -errno and why.
 */
int mcp_job_step(struct mcp_job *job, json_t **value, struct error *err);

/*
 * Nobody wants the answer any more.  Reading, waiting and steps to come are
 * ended; else what changes something goes on.  True when it is over now; if
 * not, it is stepped on until it is.
 */
bool mcp_job_drop(struct mcp_job *job);

/* End what is under way; what has been typed stays typed. */
void mcp_job_finish(struct mcp_job *job);

#endif
