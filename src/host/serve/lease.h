#ifndef TEND_HOST_SERVE_LEASE_H
#define TEND_HOST_SERVE_LEASE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The right to type, of sessions whose input policy is `lease`: one
 * connection at a time has it.  Whoever types first gets it, or whoever steals
 * it.  It falls free when its holder goes, gives it back, or has not typed for
 * LEASE_IDLE_MS.
 *
 * A client that has said who it is may lose its connection, and even its host,
 * without losing the lease: it is kept for LEASE_RETURN_MS, and whoever comes
 * back as the same has it again.
 *
 * Pure: connections are numbers from 1, times are the caller's.
 */
#define LEASE_IDLE_MS 60000
#define LEASE_RETURN_MS 5000

struct lease {
	uint64_t holder;  /* 0: nobody */
	uint64_t who;     /* the holder has said it is, or was; 0: nothing */
	int64_t until_ms; /* when it falls free by itself */
};

enum lease_taken {
	LEASE_DENIED, /* another has it */
	LEASE_KEPT,   /* it was the caller's, and has begun anew */
	LEASE_GAINED,
};

/* For a connection and who it is; with `steal` it is never denied. */
enum lease_taken lease_take(struct lease *l, uint64_t by, uint64_t who,
    bool steal, int64_t now_ms);

/* Whether it was the caller's to give back. */
bool lease_release(struct lease *l, uint64_t by);

/* A connection is lost; whether it had the lease. */
bool lease_lose(struct lease *l, uint64_t by, int64_t now_ms);

/* Keep it for somebody who had it, says the host before this one. */
void lease_keep(struct lease *l, uint64_t who, int64_t now_ms);

/* Whether it is, or is kept for, who comes back as this. */
bool lease_is_of(const struct lease *l, uint64_t who, int64_t now_ms);

/* Which connection has it now; 0: none. */
uint64_t lease_holder(const struct lease *l, int64_t now_ms);

#endif
