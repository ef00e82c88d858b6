#ifndef TEND_HOST_SERVE_DETACHED_H
#define TEND_HOST_SERVE_DETACHED_H

#include <stdint.h>

#include "log/by.h"

/*
 * The clients that somebody detached (`session.detach`), by the `who` that each
 * says on all its connections.  A client that was not reading when it was told
 * sees only that its connection has ended, and comes back: it is told again.
 *
 * At the limit the oldest is forgotten, and would be let in.
 */
#define DETACHED_MAX 64

struct detached {
	struct {
		uint64_t who;
		char by[BY_SIZE]; /* log/by.h */
	} list[DETACHED_MAX];
	uint64_t n; /* that were ever added */
};

/* A `who` of 0 says nothing, and is not remembered. */
void detached_add(struct detached *d, uint64_t who, const char *by);

/* Who detached it; NULL when nobody did. */
const char *detached_by(const struct detached *d, uint64_t who);

#endif
