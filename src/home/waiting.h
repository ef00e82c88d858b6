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
 * Wait for one or several sessions at once.  Running sessions get the request
 * session.wait, and again after their host was replaced; for ended sessions the
 * log is searched.
 *
 * The hosts decide which session was first.  An answer contains the time at
 * which the host saw the match, on a clock that all hosts share.  Answers do
 * not arrive in that order, since each host first waits for its own log.  So
 * after the first answer all other hosts are pinged; if they had a match by
 * then, they report it before the PONG.  A host that does not respond within
 * WAITING_REST_MS, because it is stopped or its disk stalls, is ignored.
 */
#define WAITING_REST_MS 250
struct waiting_one {
	struct handle *handle;
	uint64_t id;     /* of the request */
	bool live;       /* its host has a request and has not answered */
	json_t *result;  /* of session.wait; NULL: not yet */
	int64_t seen_ns; /* CLOCK_BOOTTIME of the match */
};

struct waiting {
	struct report *report;
	struct fault *fault; /* why waiting_run failed */
	struct waiting_one *ones;
	size_t n;
	json_t *args;  /* arguments of session.wait, checked; borrowed */
	bool any;      /* the first match is enough */
	int cancel_fd; /* readable: stop waiting; 0: none */

	struct waiting_one *first; /* the first match; NULL: none */
	int64_t rest_until; /* for earlier matches: CLOCK_MONOTONIC, ms */
	int epoll;          /* watches the hosts that have a request */
};

/*
 * Wait until each session has a result or, with `any`, one of them matched.
 * Returns 0, or -1 and the fault.
 */
int waiting_run(struct waiting *w);

/* The overall outcome. */
enum waiting_end { WAITING_MATCHED, WAITING_TIMED_OUT, WAITING_ENDED };
enum waiting_end waiting_end(const struct waiting *w);

/* With `any`, the answer contains only the first match. */
bool waiting_shows(const struct waiting *w, const struct waiting_one *one);

/* The result of home.wait. */
void waiting_json(const struct waiting *w, struct json_out *j);

/* True if the session has a result that matched. */
bool waiting_matched(const struct waiting_one *one);
bool waiting_timed_out(const struct waiting_one *one);

#endif
