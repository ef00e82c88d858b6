#ifndef TEND_CMD_MCP_WORK_H
#define TEND_CMD_MCP_WORK_H

#include <jansson.h>

struct error;
struct mcp_call;
struct mcp_work;

/*
 * A call that the home library runs (home/operation.h).  It has its own thread,
 * because it waits for files and for sessions to end.  There are as many
 * threads as running calls; mcp.c limits those.
 */

/*
 * Start the work; the call is borrowed until it is done.  NULL and an error if
 * no thread can be created.
 */
struct mcp_work *mcp_work_create(const struct mcp_call *call, const char *home,
    struct error *err);

/* Becomes readable when the work is done. */
int mcp_work_fd(const struct mcp_work *w);

/*
 * After that: 1 and the result in *value, which the caller frees; it contains
 * `damage` if parts of a log are missing.  Or -errno and an error.
 */
int mcp_work_result(struct mcp_work *w, json_t **value, struct error *err);

/* Cancel reads, waits and remaining steps; the work is done soon after. */
void mcp_work_cancel(struct mcp_work *w);

/*
 * Unfinished work is cancelled if it only reads or waits; if it starts or stops
 * a session, this waits for it.
 */
void mcp_work_destroy(struct mcp_work *w); /* NULL is allowed */

#endif
