#ifndef TEND_HOST_SERVE_ONCE_H
#define TEND_HOST_SERVE_ONCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

struct error;
struct op;
struct session;

/*
 * Carries out requests with a key at most once, even if clients or hosts die:
 *
 *	the log has `key`	before anything is typed
 *	the log has `key-end`	before the client gets its answer
 *
 * A request with the same key gets the first answer, waits for it while the
 * first request is under way, or gets `unknown` if a host died in between.  A
 * request that typed nothing (refused, or its client left first) frees its
 * key.
 *
 * store/request_keys.h has the limits.  While the log is behind, new keys are
 * refused.  While a new host cannot read its log, all keys are.
 */
struct once;

struct once_request {
	uint64_t client; /* number of the connection */
	uint64_t id;     /* of the request */
	const char *by;
	const struct op *op;
	json_t *args;
};

struct once_hooks {
	/* True if arguments must not be logged now. */
	bool (*is_secret)(void *arg);
	/*
	 * The log has the key: carry the request out, and pass its answer to
	 * once_answer.
	 */
	void (*begin)(void *arg, const struct once_request *r);
	/* Answer a request once the log has the event `seq`. */
	void (*deliver)(void *arg, uint64_t client, uint64_t id,
	    const char *answer, uint64_t seq);
};

/* Reads the keys from the log, later if it cannot be read now. */
struct once *once_create(struct session *session,
    const struct once_hooks *hooks, void *arg);
void once_destroy(struct once *o); /* NULL is fine */

/*
 * Returns 0: `deliver` answers the request, now or later.  ONCE_NOTED: also,
 * `begin` is called when the log has the key.  Or -errno and the reason.
 */
#define ONCE_NOTED 1

int once_ask(struct once *o, const struct once_request *r, struct error *err);

/*
 * A request has its answer, a JSON object {"ok",…}.  False: it has no key, and
 * the caller answers.  `typed` is false if nothing was typed for it.
 */
bool once_answer(struct once *o, uint64_t client, uint64_t id, bool typed,
    const char *answer, size_t len);

/*
 * A new segment of the log has begun: write all keys to it for the next host.
 */
void once_rotated(struct once *o);

#endif
