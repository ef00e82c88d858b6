#ifndef TEND_CMD_MCP_WORK_H
#define TEND_CMD_MCP_WORK_H

#include <jansson.h>

struct error;
struct mcp_call;
struct mcp_work;

/*
 * A call that the library of homes carries out (home/operation.h), in a thread
 * of its own, because it waits for files and for the ends of sessions.  There
 * are as many threads as calls under way; mcp.c limits those.
 */

/*
 * Begin; the call is borrowed until the work is done.  NULL, and why there is
 * no thread for it.
 */
struct mcp_work *mcp_work_create(const struct mcp_call *call, const char *home,
    struct error *err);

/* Becomes readable when it is done. */
int mcp_work_fd(const struct mcp_work *w);

/*
 * After that: 1 and its result in *value, the caller's, with `damage` in it
 * where a log lacks something; or -errno and why.
 */
int mcp_work_result(struct mcp_work *w, json_t **value, struct error *err);

/* Have it stop reading, waiting and carrying out steps; it is done soon. */
void mcp_work_cancel(struct mcp_work *w);

/*
 * Work that is not done is cancelled if it only reads or waits; a session that
 * is being started or stopped is waited for.
 */
void mcp_work_destroy(struct mcp_work *w); /* NULL is fine */

#endif
