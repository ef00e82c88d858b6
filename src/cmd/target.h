#ifndef TEND_CMD_TARGET_H
#define TEND_CMD_TARGET_H

#include <stdbool.h>

#include "client/conn.h"
#include "cmd/out.h"
#include "session/home.h"
#include "session/manifest.h"

struct call;
struct error;
struct log_reader;

/*
 * What a command works on: a home, a session of it, and the connection to its
 * host.  main makes it ready as far as the command's `needs` say (cmd.h).
 */
struct target {
	const char *home_option; /* what --home said, or NULL */
	struct home home;
	struct manifest session;
	int dirfd;        /* of the session; -1: none */
	struct conn conn; /* conn.fd is -1 when there is none */
	bool has_home;
};

void target_init(struct target *t, const char *home_option);
void target_finish(struct target *t);
/* Forget the session, for another one of the home. */
void target_leave_session(struct target *t);

/* All of these: 0, or the exit status after the failure was reported. */
int target_prepare(struct call *call, unsigned needs);
/* Open the home; with `create`, make what is missing of it. */
int target_open_home(struct call *call, bool create);

/*
 * Find the session that the first operand names, and take that operand away.
 * Of `needs`, CMD_NEWEST and CMD_FINDS_DESTROYED count.
 */
int target_take_session(struct call *call, unsigned needs);

/* The same for a session that no operand names: by its id. */
int target_find_session(struct call *call, const char *id);

/* Connect to the session's host, which must be there. */
int target_connect(struct call *call);

/* The same without a word of it: as conn_open; or within so much time. */
int target_reach(struct target *t, struct error *err);
int target_reach_within(struct target *t, int timeout_ms, struct error *err);

/*
 * Ask the host for an operation.  *result is JSON text, the caller's.  0, or
 * the exit status after the failure was reported.
 */
int target_ask(struct call *call, const char *op, const char *args,
    char **result);

/*
 * The same for who can do with the log, and without being connected: *result
 * is NULL when the session has ended by now.
 */
int target_ask_live(struct call *call, const char *op, const char *args,
    char **result);

/* The same for who can do without: NULL when the host is not there. */
char *target_try(struct target *t, const char *op, const char *args);

/*
 * Ask for an operation and answer with its result: as JSON, or by nothing at
 * all.  The exit status.
 */
int target_tell(struct call *call, const char *op, const char *args);

/*
 * Open the session's log to read; all that was shown until now is in it.  0,
 * or the exit status as above.
 */
int target_open_log(struct call *call, struct log_reader **out);

/*
 * What the clock of its log shows now (record.h: ns since it began), or 0 when
 * it has ended: then that clock has stopped.
 */
uint64_t target_log_now(const struct target *t);

/* Whether its directory was removed since it was found. */
bool target_is_gone(const struct target *t);

/* Read the session anew, as it is now; one that was removed is destroyed. */
int target_refresh(struct target *t, struct error *err);

/*
 * Wait until the host, having been asked to end the session, has done so: it
 * closes the connection.  Then read the session anew.  -ETIMEDOUT.
 */
int target_wait_end(struct target *t, int timeout_ms, struct error *err);

/*
 * Wait until the host of a session that has ended is gone, so that its files
 * are ours to write, and read it anew.  0, or the exit status as above.
 */
int target_wait_gone(struct call *call);

/* Report that it does not run, and what is left of it; the exit status. */
int target_not_running(struct call *call);

/*
 * Report that a moment was not found in its log (when.h), as `what` begins it:
 * a name that nobody gave is no damage, unless part of the log is missing, which
 * must have been told before.  The exit status.
 */
int target_no_moment(struct call *call, const char *what,
    const struct error *err);

/* The failure that an error of conn.h is. */
enum failure target_conn_failure(int result);

/* How a session is called in messages: its name, or its id. */
const char *target_name(const struct target *t);

#endif
