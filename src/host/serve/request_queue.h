#ifndef TEND_HOST_SERVE_REQUEST_QUEUE_H
#define TEND_HOST_SERVE_REQUEST_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"

/*
 * The unanswered requests of one connection.  Requests under way are known by
 * their id; the others wait as text, in the order in which they came.
 *
 * A request either observes or is ordered.  An ordered request begins when no
 * other ordered request is under way.  No request overtakes a waiting one, so
 * an observing request begins after every request before it has begun.  On a
 * connection without the feature `parallel` every request is ordered.  While a
 * request is held, because it waits for the log before it acts, no other begins.
 *
 * Limits: REQUEST_QUEUE_MAX requests, under way or waiting, and
 * REQUEST_QUEUE_BYTES of waiting text.  The caller closes a connection that
 * passes them.
 */
#define REQUEST_QUEUE_MAX 65
#define REQUEST_QUEUE_BYTES (4u << 20)

struct request_queue {
	struct list begun, waiting;
	size_t n_begun, n_waiting;
	size_t n_ordered; /* under way: 0 or 1 */
	size_t n_held;    /* of those that are under way */
	size_t bytes;     /* of waiting text */
};

struct request_waiting {
	struct list link;
	bool observes;
	size_t len;
	uint8_t text[];
};

void request_queue_init(struct request_queue *q);
void request_queue_finish(struct request_queue *q);

bool request_queue_is_empty(const struct request_queue *q);

/* True if any request that comes now may begin at once. */
bool request_queue_is_idle(const struct request_queue *q);

/* -EBUSY: a request of len bytes would pass a limit. */
int request_queue_check(const struct request_queue *q, size_t len);

/* Add a request behind those that wait already. */
void request_queue_add(struct request_queue *q, const void *p, size_t len,
    bool observes);

/*
 * Take the first waiting request, the caller's to free; NULL if none waits.
 * request_queue_next takes it only if it may begin now.
 */
struct request_waiting *request_queue_take(struct request_queue *q);
struct request_waiting *request_queue_next(struct request_queue *q);

/* A request is under way now; -EEXIST: another has the same id. */
int request_queue_begin(struct request_queue *q, uint64_t id, bool observes);

/* Hold and release a request that is under way; another id is ignored. */
void request_queue_hold(struct request_queue *q, uint64_t id);
void request_queue_release(struct request_queue *q, uint64_t id);

/* It is answered.  An id that is not under way is ignored. */
void request_queue_done(struct request_queue *q, uint64_t id);

#endif
