#ifndef TEND_HOST_LEASE_H
#define TEND_HOST_LEASE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The right to type, of sessions whose input policy is `lease`: one
 * connection at a time has it.  Whoever types first gets it, or whoever steals
 * it.  It falls free when its holder goes, gives it back, or has not typed for
 * LEASE_IDLE_MS.  Pure: connections are numbers from 1, times are the
 * caller's.
 */
#define LEASE_IDLE_MS 60000

struct lease {
	uint64_t holder;  /* 0: nobody */
	int64_t until_ms; /* when it falls free by itself */
};

enum lease_taken {
	LEASE_DENIED, /* another has it */
	LEASE_KEPT,   /* it was the caller's, and has begun anew */
	LEASE_GAINED,
};

/* With `steal` it is never denied. */
enum lease_taken lease_take(struct lease *l, uint64_t who, bool steal,
    int64_t now_ms);

/* Whether it was the caller's to give back. */
bool lease_release(struct lease *l, uint64_t who);

/* Who has it now; 0: nobody. */
uint64_t lease_holder(const struct lease *l, int64_t now_ms);

#endif
