#ifndef TEND_HOST_SERVE_DETACHED_H
#define TEND_HOST_SERVE_DETACHED_H

#include <stdint.h>

struct detached_client;

/*
 * The clients that were detached (`session.detach`), by the `who` that each
 * sends on all its connections.  A client that was not reading at that time
 * sees only a closed connection, and reconnects; then the host tells it again.
 *
 * At the limit the oldest is forgotten and may reconnect.
 */
#define DETACHED_MAX 64

struct detached {
	struct detached_client
	    *list;  /* NULL: none yet; most sessions have none */
	uint64_t n; /* added so far */
};

void detached_finish(struct detached *d);

/* A `who` of 0 identifies no client and is not remembered. */
void detached_add(struct detached *d, uint64_t who, const char *by);

/* The client that detached it, or NULL. */
const char *detached_by(const struct detached *d, uint64_t who);

#endif
