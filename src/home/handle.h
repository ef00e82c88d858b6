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
 * What an operation works on: a home, a session of it, and the connection to
 * its host.  Each is opened when it is needed.
 */
struct handle {
	const char *home_option; /* a directory, or NULL for the default */
	struct home home;
	struct manifest session;
	int dirfd;        /* of the session; -1: none */
	struct conn conn; /* conn.fd is -1 when there is none */
	bool has_home;
	int cancel_fd; /* readable: give up waiting; 0: none */
};

void handle_init(struct handle *h, const char *home_option);
void handle_finish(struct handle *h);
/* Forget the session, for another one of the home. */
void handle_leave_session(struct handle *h);

/* Open the home; with `create`, make what is missing of it. */
int handle_open_home(struct handle *h, bool create, struct fault *f);

/*
 * Find the session that arg names (find.h has the flags); NULL: the newest,
 * where the flags allow that.  A name that no session has gets the nearest one
 * as a suggestion.
 */
int handle_find(struct handle *h, const char *arg, unsigned flags,
    struct fault *f);

/* Connect to the session's host, which must be there. */
int handle_connect(struct handle *h, struct fault *f);

/* The same without a fault: as conn_open; or within so much time. */
int handle_reach(struct handle *h, struct error *err);
int handle_reach_within(struct handle *h, int timeout_ms, struct error *err);

/*
 * Ask the connected host for an operation.  *result is JSON text, the
 * caller's.
 */
int handle_ask(struct handle *h, const char *op, const char *args,
    char **result, struct fault *f);

/*
 * The same for callers that can use the log instead, and without being
 * connected: *result is NULL when the session has ended by now.
 */
int handle_ask_live(struct handle *h, const char *op, const char *args,
    char **result, struct fault *f);

/* The same for callers that can do without: NULL when there is no answer. */
char *handle_try(struct handle *h, const char *op, const char *args);

/* Open the session's log; it has everything that was shown until now. */
int handle_open_log(struct handle *h, struct log_reader **out, struct fault *f);

/*
 * The time on the clock of its log (record.h: ns since it began), or 0 when
 * it has ended: then that clock has stopped.
 */
uint64_t handle_log_now(const struct handle *h);

/* Whether its directory was removed since it was found. */
bool handle_is_gone(const struct handle *h);

/* Read the session again, as it is now; a removed one is destroyed. */
int handle_refresh(struct handle *h, struct error *err);

/*
 * Wait until the host, having been asked to end the session, has done so: it
 * closes the connection.  Then read the session again.
 */
int handle_wait_end(struct handle *h, int timeout_ms, struct fault *f);

/*
 * Wait until the host of an ended session is gone, so that its files are ours
 * to write, and read it again.
 */
int handle_wait_gone(struct handle *h, struct fault *f);

/* The fault of a session that does not run: how it ended, what is left. */
int handle_not_running(const struct handle *h, struct fault *f);

/*
 * The fault of a moment that was not found in its log (when.h), as `what`
 * begins it.  An unknown mark is no damage, unless part of the log is missing,
 * which r must have been told before.
 */
int handle_no_moment(const struct handle *h, const char *what,
    const struct report *r, const struct error *err, struct fault *f);

/* The failure that an error of conn.h is. */
enum failure handle_conn_failure(int result);

/* How a session is called in messages: its name, or its id. */
const char *handle_name(const struct handle *h);

#endif
