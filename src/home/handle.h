#ifndef TEND_HOME_HANDLE_H
#define TEND_HOME_HANDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "client/conn.h"
#include "op/failure.h"
#include "session/home.h"
#include "session/manifest.h"

struct error;
struct fault;
struct log_reader;
struct report;

/*
 * The target of an operation: a home, one of its sessions and the connection to
 * the session's host.  Each is opened when it is first needed.
 */
struct handle {
	const char *home_option; /* a directory, or NULL for the default */
	struct home home;
	struct manifest session;
	int dirfd;        /* of the session's directory; -1: none */
	struct conn conn; /* conn.fd is -1 without a connection */
	bool has_home;
	int cancel_fd; /* readable: give up waiting; 0: none */
};

void handle_init(struct handle *h, const char *home_option);
void handle_finish(struct handle *h);
/* Close the session, so that another one of the home can be opened. */
void handle_leave_session(struct handle *h);

/* Open the home; with `create`, create its missing parts. */
int handle_open_home(struct handle *h, bool create, struct fault *f);

/*
 * Find the session that arg names (find.h has the flags); NULL: the newest, if
 * the flags allow it.  The error for an unknown name suggests the nearest one.
 */
int handle_find(struct handle *h, const char *arg, unsigned flags,
    struct fault *f);

/* Connect to the session's host, which must be running. */
int handle_connect(struct handle *h, struct fault *f);

/*
 * The same with the error of conn_open instead of a fault; handle_reach_within
 * also has a timeout.
 */
int handle_reach(struct handle *h, struct error *err);
int handle_reach_within(struct handle *h, int timeout_ms, struct error *err);

/*
 * Send the connected host a request.  *result is JSON text, which the caller
 * frees.
 */
int handle_ask(struct handle *h, const char *op, const char *args,
    char **result, struct fault *f);

/*
 * The same for callers that can use the log instead; it connects by itself.
 * *result is NULL if the session has ended.
 */
int handle_ask_live(struct handle *h, const char *op, const char *args,
    char **result, struct fault *f);

/* The same for optional requests: NULL if there is no answer. */
char *handle_try(struct handle *h, const char *op, const char *args);

/* Open the session's log, which includes all output shown so far. */
int handle_open_log(struct handle *h, struct log_reader **out, struct fault *f);

/*
 * The current time of the log's clock (record.h: ns since its start), or 0 if
 * the session has ended: that stops the clock.
 */
uint64_t handle_log_now(const struct handle *h);

/* True if the session's directory was removed after it was found. */
bool handle_is_gone(const struct handle *h);

/* Read the session's current state; a removed session is `destroyed`. */
int handle_refresh(struct handle *h, struct error *err);

/*
 * After a request to end the session, wait until the host closes the
 * connection, then read the session again.
 */
int handle_wait_end(struct handle *h, int timeout_ms, struct fault *f);

/*
 * Wait until the host of an ended session has exited, so that the caller may
 * write its files; then read the session again.
 */
int handle_wait_gone(struct handle *h, struct fault *f);

/* The fault of an ended session: how it ended and what can still be read. */
int handle_not_running(const struct handle *h, struct fault *f);

/*
 * The fault of a moment that is not in the log (when.h); `what` begins the
 * message.  An unknown mark is not damage unless part of the log is missing,
 * which the caller must have reported to r before.
 */
int handle_no_moment(const struct handle *h, const char *what,
    const struct report *r, const struct error *err, struct fault *f);

/* The failure that corresponds to an error of conn.h. */
enum failure handle_conn_failure(int result);

/* The session in messages: its name, or else its id. */
const char *handle_name(const struct handle *h);

#endif
