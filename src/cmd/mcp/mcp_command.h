#ifndef TEND_CMD_MCP_MCP_COMMAND_H
#define TEND_CMD_MCP_MCP_COMMAND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <jansson.h>

#include "base/buf.h"

struct error;
struct mcp_call;

/*
 * A call that another run of this program carries out: what no host can, and
 * what is read from files.  So a tool does exactly what the command does, the
 * keeper of a session is not our child, and a log that takes long to read holds
 * nobody up.
 */
struct mcp_command {
	pid_t pid; /* 0: none, or it was waited for */
	int out;   /* its standard output, to be polled; -1: none */
	int errors;
	bool is_text;      /* what it writes are lines, no JSON */
	bool goes_on;      /* it is not ended with us: it would leave a half */
	uint64_t skip;     /* bytes of a text to be left out at its beginning */
	uint64_t left_out; /* bytes in its middle, half of what is kept on */
	struct buf buf;
};

/* Nothing yet; mcp_command_finish may be called. */
void mcp_command_init(struct mcp_command *c);

int mcp_command_start(struct mcp_command *c, const struct mcp_call *call,
    const char *home, struct error *err);

/*
 * Read what there is.  1 when it has ended, with the operation's result in
 * *value, which is the caller's; 0 when there will be more; -errno and why.
 */
int mcp_command_read(struct mcp_command *c, json_t **value, struct error *err);

/* Ask it to end; what it still writes is read on, until it has. */
void mcp_command_stop(struct mcp_command *c);

/* Have nothing more to do with it; it is told to end if it may be ended. */
void mcp_command_finish(struct mcp_command *c);

#endif
