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
 * Waiting for one or several sessions at once.  Those that run are asked for
 * session.wait, and again when their host has been replaced meanwhile; of
 * those that have ended the log is looked at.
 *
 * Which of them is the first, the hosts say: an answer has the moment at which
 * the host saw what was waited for, on a clock that all of them share.  Answers
 * do not arrive in that order, for each waits for its own log.  So when the
 * first has arrived all others are pinged, and what they had seen by then comes
 * before the PONG.  Who has not said anything after WAITING_REST_MS, because it
 * is stopped or its disk stalls, does not take part.
 */
#define WAITING_REST_MS 250
struct waiting_one {
	struct handle *handle;
	uint64_t id;     /* of the request */
	bool live;       /* its host was asked and has not answered */
	json_t *result;  /* of session.wait; NULL: none yet */
	int64_t seen_ns; /* CLOCK_BOOTTIME of that */
};

struct waiting {
	struct report *report;
	struct fault *fault; /* why waiting_run failed */
	struct waiting_one *ones;
	size_t n;
	json_t *args;  /* of session.wait, checked; borrowed */
	bool any;      /* the first that matches is enough */
	int cancel_fd; /* readable: give up; 0: none */

	struct waiting_one *first; /* that matched; NULL: none */
	int64_t rest_until;        /* CLOCK_MONOTONIC, ms: for who may be it */
	int epoll;                 /* of the hosts that were asked */
};

/*
 * Wait until all that must be known is: then each has a result, or with `any`
 * one has that matched.  0, or -1 and the fault.
 */
int waiting_run(struct waiting *w);

/* What became of all of them. */
enum waiting_end { WAITING_MATCHED, WAITING_TIMED_OUT, WAITING_ENDED };
enum waiting_end waiting_end(const struct waiting *w);

/* With `any`, only the first that matched is part of the answer. */
bool waiting_shows(const struct waiting *w, const struct waiting_one *one);

/* The result of home.wait. */
void waiting_json(const struct waiting *w, struct json_out *j);

/* Whether it has a result that says so. */
bool waiting_matched(const struct waiting_one *one);
bool waiting_timed_out(const struct waiting_one *one);

#endif
