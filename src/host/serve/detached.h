#ifndef TEND_HOST_SERVE_DETACHED_H
#define TEND_HOST_SERVE_DETACHED_H

#include <stdint.h>

#include "log/by.h"

/*
 * The clients that were detached (`session.detach`), by the `who` that each
 * sends on all its connections.  A client that was not reading at that time
 * sees only a closed connection, and reconnects; then the host tells it again.
 *
 * At the limit the oldest is forgotten and may reconnect.
 */
#define DETACHED_MAX 64

struct detached {
	struct {
		uint64_t who;
		char by[BY_SIZE]; /* log/by.h */
	} list[DETACHED_MAX];
	uint64_t n; /* added so far */
};

/* A `who` of 0 identifies no client and is not remembered. */
void detached_add(struct detached *d, uint64_t who, const char *by);

/* The client that detached it, or NULL. */
const char *detached_by(const struct detached *d, uint64_t who);

#endif
