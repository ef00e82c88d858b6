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
 * Requests with a key are carried out at most once, whatever becomes of their
 * clients and of hosts:
 *
 *	the log has `key`	before anything is typed
 *	the log has `key-end`	before anybody is answered
 *
 * The same key again gets the first answer, waits for it while the first is
 * under way, or is told `unknown` when a host died in between.  A request that
 * typed nothing (refused, or its client left first) frees its key.
 *
 * store/key_memory.h has the limits.  A log that is behind takes no new keys.
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
	/* Whether nothing about arguments may be logged now. */
	bool (*is_secret)(void *arg);
	/* The log has the key: carry the request out.  Its answer goes to
	 * once_answer. */
	void (*begin)(void *arg, const struct once_request *r);
	/* Answer a request, once the log has the event `seq`. */
	void (*deliver)(void *arg, uint64_t client, uint64_t id,
	    const char *answer, uint64_t seq);
};

/* With what the log has of keys. */
struct once *once_create(struct session *session,
    const struct once_hooks *hooks, void *arg);
void once_destroy(struct once *o); /* NULL is fine */

/* 0: it is answered by `deliver`, now or later.  Or -errno and why not. */
int once_ask(struct once *o, const struct once_request *r, struct error *err);

/*
 * A request has its answer, a JSON object {"ok",…}; false: it has no key, and
 * the caller answers.  `typed` is false when nothing was typed for it.
 */
bool once_answer(struct once *o, uint64_t client, uint64_t id, bool typed,
    const char *answer, size_t len);

/* A segment of the log has begun: the next host finds all keys in it. */
void once_rotated(struct once *o);

#endif
