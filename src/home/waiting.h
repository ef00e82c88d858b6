#ifndef TEND_HOME_WAITING_H
#define TEND_HOME_WAITING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

struct fault;
struct handle;
struct json_out;
struct report;

/*
 * Wait for one or several sessions at once.  waiting_run sends session.wait to
 * the host of each running session, and again to a host that replaces it.  It
 * searches the log of each ended session.
 *
 * With `any`, the earliest match wins, not the first answer.  An answer
 * contains the time at which the host saw the match, on a clock that all hosts
 * share.  Answers may arrive in another order, since each host first waits for
 * its own log.  So after the first answer waiting_run pings all other hosts; a
 * host that had a match by then reports it before the PONG.  waiting_run
 * ignores a host that does not respond within WAITING_REST_MS, because it is
 * stopped or its disk stalls.
 */
#define WAITING_REST_MS 250

/* The caller sets the handle, with its session found; the rest is 0. */
struct waiting_one {
	struct handle *handle;
	uint64_t id;     /* of the request */
	bool live;       /* its host has a request and has not answered */
	json_t *result;  /* of session.wait, freed by the caller; NULL: none */
	int64_t seen_ns; /* CLOCK_BOOTTIME of the match */
};

/* The caller sets the fields up to cancel_fd; the others are 0. */
struct waiting {
	struct report *report;
	struct fault *fault; /* why waiting_run failed */
	struct waiting_one *ones;
	size_t n;
	/*
	 * Checked arguments of session.wait, with a timeout_ms; borrowed, but
	 * waiting_run changes the timeout_ms.
	 */
	json_t *args;
	bool any;      /* the first match is enough */
	int cancel_fd; /* readable: stop waiting; 0: none */

	struct waiting_one *first; /* the first match; NULL: none */
	int64_t rest_until; /* for earlier matches: CLOCK_MONOTONIC, ms */
	int epoll;          /* watches the hosts that have a request */
};

/*
 * Wait until each session has a result or, with `any`, one of them matched.  A
 * timeout is a result too.  Returns 0, or -1 and the fault.
 */
int waiting_run(struct waiting *w);

/*
 * The overall outcome: MATCHED if all sessions matched (with `any`: one),
 * otherwise TIMED_OUT if one timed out, otherwise ENDED.
 */
enum waiting_end { WAITING_MATCHED, WAITING_TIMED_OUT, WAITING_ENDED };
enum waiting_end waiting_end(const struct waiting *w);

/*
 * True if the answer contains this session: it has a result and, with `any`,
 * no other session matched first.
 */
bool waiting_shows(const struct waiting *w, const struct waiting_one *one);

/* Write the result of home.wait. */
void waiting_json(const struct waiting *w, struct json_out *j);

/* True if the session has a result that matched, or that timed out. */
bool waiting_matched(const struct waiting_one *one);
bool waiting_timed_out(const struct waiting_one *one);

#endif
