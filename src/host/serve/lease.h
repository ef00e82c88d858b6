#ifndef TEND_HOST_SERVE_LEASE_H
#define TEND_HOST_SERVE_LEASE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The right to type, in sessions with the input policy `lease`.  One
 * connection has it at a time: the first to type, or one that steals it.  The
 * lease is free again when its holder disconnects, gives it back, or has not
 * typed for LEASE_IDLE_MS.
 *
 * A client that has sent its `who` keeps the lease when it loses its
 * connection, or when the host is replaced: the lease is reserved for
 * LEASE_RETURN_MS, and the client gets it back when it reconnects with the
 * same `who`.
 *
 * Pure: connections are numbers from 1, times are the caller's.
 */
#define LEASE_IDLE_MS 60000
#define LEASE_RETURN_MS 5000

struct lease {
	uint64_t holder;  /* 0: none */
	uint64_t who;     /* the `who` of the present or last holder; 0: none */
	int64_t until_ms; /* when it ends by itself */
};

enum lease_taken {
	LEASE_DENIED, /* another connection has it */
	LEASE_KEPT,   /* the caller had it; its time was renewed */
	LEASE_GAINED,
};

/*
 * Take the lease for a connection and its `who`.  With `steal` this never
 * fails.
 */
enum lease_taken lease_take(struct lease *l, uint64_t by, uint64_t who,
    bool steal, int64_t now_ms);

/* Give it back.  False if the caller did not have it. */
bool lease_release(struct lease *l, uint64_t by);

/* The connection was lost.  True if it had the lease. */
bool lease_lose(struct lease *l, uint64_t by, int64_t now_ms);

/* Reserve it for the client that had it on the previous host. */
void lease_keep(struct lease *l, uint64_t who, int64_t now_ms);

/* True if this client has the lease or it is reserved for it. */
bool lease_is_of(const struct lease *l, uint64_t who, int64_t now_ms);

/* The connection that has it now; 0: none. */
uint64_t lease_holder(const struct lease *l, int64_t now_ms);

#endif
