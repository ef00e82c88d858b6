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
 * the session's host.  The caller opens them in this order, as far as it needs
 * them.  handle_finish closes everything.
 *
 * Functions with a fault return 0, or -1 and the fault.  Functions with an
 * error return 0, or -errno and the error.
 */
struct handle {
	const char *home_option; /* a directory, or NULL for the default */
	struct home home;
	struct manifest session; /* as handle_find or handle_refresh read it */
	int dirfd;               /* of the session's directory; -1: none */
	struct conn conn;        /* conn.fd is -1 without a connection */
	bool has_home;
	int cancel_fd; /* readable: give up waiting; 0: none */
	/* The requests are made for this principal; NULL: for ourselves. */
	const char *principal, *verified;
};

void handle_init(struct handle *h, const char *home_option);
void handle_finish(struct handle *h);

/* Close the session, so that another one of the home can be opened. */
void handle_leave_session(struct handle *h);

/* Open the home; with `create`, create its missing parts. */
int handle_open_home(struct handle *h, bool create, struct fault *f);

/*
 * Find the session that arg names, and open its directory.  find.h has the
 * flags; with NULL, it is the newest session if they allow it.  The fault for
 * an unknown name suggests the nearest one.
 */
int handle_find(struct handle *h, const char *arg, unsigned flags,
    struct fault *f);

/* The first line of every connection that this folder makes. */
void handle_hello(const struct handle *h, struct hello *out);

/*
 * Connect to the session's host; a session that has ended is a fault.  This
 * and the next functions that connect wait up to 10 seconds for a host, unless
 * they say otherwise.  They do not close an open connection, so the handle
 * must have none.
 */
int handle_connect(struct handle *h, struct fault *f);

/*
 * The same with the error of conn_open instead of a fault, whatever the
 * session's status; handle_reach_within also has a timeout.
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
 * Connect and send a request, for callers that can use the log instead.  If
 * the session has ended, this returns 0 and *result is NULL.
 */
int handle_ask_live(struct handle *h, const char *op, const char *args,
    char **result, struct fault *f);

/*
 * Connect and send a request whose answer is optional.  Returns the result,
 * which the caller frees, or NULL if there is none within 2 seconds.
 */
char *handle_try(struct handle *h, const char *op, const char *args);

/*
 * Open the session's log; the caller closes the reader.  A running host is
 * asked first to log all output shown so far; if it does not answer within
 * half a second, the log may lack the last of it.
 */
int handle_open_log(struct handle *h, struct log_reader **out, struct fault *f);

/*
 * The current time of the log's clock (record.h: ns since its start), or 0 if
 * the session has ended, because the end stops the clock.
 */
uint64_t handle_log_now(const struct handle *h);

/* True if the session's directory was removed after it was found. */
bool handle_is_gone(const struct handle *h);

/* Read the session's current state; a removed session is `destroyed`. */
int handle_refresh(struct handle *h, struct error *err);

/*
 * After a request to end the session, wait until the host closes the
 * connection, then read the session again.  Every failure is FAIL_TIMEOUT.
 */
int handle_wait_end(struct handle *h, int timeout_ms, struct fault *f);

/*
 * Wait until the host of an ended session has exited, so that the caller may
 * write the session's files; read the session again.  The limit is the
 * session's linger time and 10 seconds.  Every failure is FAIL_TIMEOUT.
 */
int handle_wait_gone(struct handle *h, struct fault *f);

/*
 * Set the fault of an ended session: how it ended and what can still be read.
 * Always returns -1.
 */
int handle_not_running(const struct handle *h, struct fault *f);

/*
 * Set the fault of a moment that is not in the log (when.h); `what` begins the
 * message.  An unknown mark is FAIL_NOT_FOUND, or FAIL_REPLAY if r has damage,
 * because the missing part may have had it; so the caller reports damage to r
 * first.  Always returns -1.
 */
int handle_no_moment(const struct handle *h, const char *what,
    const struct report *r, const struct error *err, struct fault *f);

/* The failure that corresponds to a -errno of conn.h. */
enum failure handle_conn_failure(int result);

/* The failure that corresponds to a host's refusal. */
enum failure handle_refusal(const char *code, bool retryable);

/* The session in messages: its name, or else its id. */
const char *handle_name(const struct handle *h);

#endif
