#ifndef TEND_HUB_STREAM_ALLOWANCE_H
#define TEND_HUB_STREAM_ALLOWANCE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The bytes that a subscription may send: its credit, which the client grants,
 * and its rate.  A message may exceed it, and is then owed.  Pure: times are the
 * caller's, in ms.
 */
struct stream_allowance {
	bool has_credit; /* false: no limit */
	int64_t credit;
	uint32_t rate; /* bytes per second; 0: no limit */
	int64_t tokens;
	int64_t at_ms; /* the time of the last refill */
};

void stream_allowance_init(struct stream_allowance *a, bool has_credit,
    uint64_t credit, uint32_t rate, int64_t now_ms);
void stream_allowance_grant(struct stream_allowance *a, uint64_t bytes);
void stream_allowance_spend(struct stream_allowance *a, uint64_t bytes);

/*
 * 0: more may be sent.  Above 0: the time in ms until then.  Below 0: the client
 * must grant credit first.
 */
int64_t stream_allowance_wait(struct stream_allowance *a, int64_t now_ms);

#endif
