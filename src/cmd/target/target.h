#ifndef TEND_CMD_TARGET_TARGET_H
#define TEND_CMD_TARGET_TARGET_H

#include "cmd/line/out.h"
#include "home/handle.h"

struct call;

/*
 * The handle (home/handle.h) of a command.  main opens as much of it as the
 * command's `needs` say (cmd.h).  All functions report a failure and return 0
 * or the exit status.
 */
int target_prepare(struct call *call, unsigned needs);

/*
 * Find the session that the first operand names, and remove the operand.
 * `needs` may contain CMD_NEWEST and CMD_FINDS_DESTROYED.
 */
int target_take_session(struct call *call, unsigned needs);

/* The same for a session by id, without an operand. */
int target_find_session(struct call *call, const char *id);

/* See handle_connect, handle_ask and handle_ask_live. */
int target_connect(struct call *call);
int target_ask(struct call *call, const char *op, const char *args,
    char **result);
int target_ask_live(struct call *call, const char *op, const char *args,
    char **result);

/* Answer with a result, which is JSON text; print nothing without --json. */
int target_answer(struct call *call, const char *result);

/*
 * Request an operation and answer with its result; print nothing without
 * --json.
 */
int target_request(struct call *call, const char *op, const char *args);

#endif
