#ifndef TEND_SESSION_QUOTA_H
#define TEND_SESSION_QUOTA_H

#include <stddef.h>
#include <stdint.h>

struct error;
struct home;

/*
 * How many sessions a home may have, how fast they may be made, and how much
 * of the disk must be free: against the loop that starts a session a turn, and
 * the disk on which a session could not keep its log.  0: no limit.
 *
 * Active sessions are counted by their claims in names/, which is one look at
 * a directory.  Sessions that a reboot ended still have one; so when there seem
 * to be too many, the claims of those that are not active are given up first.
 *
 * The rate is kept as the time of the file HOME/rate: when the sessions made so
 * far would all have come, had they come at the rate allowed.  It may lie
 * ahead by as much as QUOTA_BURST sessions take.
 */
struct quota {
	unsigned max_sessions;
	unsigned rate;     /* a second, sustained */
	uint64_t min_free; /* bytes */
};

#define QUOTA_SESSIONS 1000
#define QUOTA_RATE 50
#define QUOTA_BURST 1000
#define QUOTA_MIN_FREE (16ull << 20)
#define QUOTA_HOME (5ull << 30) /* bytes that a home should stay below */

/*
 * Whether one more may be made now.  0, and in `note` what is near its limit
 * ("" when nothing is); -EAGAIN (too many, or too fast) or -ENOSPC, and what to
 * do about it.
 */
int quota_take(const struct home *h, const struct quota *q, char *note,
    size_t size, struct error *err);

/*
 * The pure half of the rate: the next value of the time kept, or -1 when the
 * session comes too soon.  A time that is further ahead than it can be, for
 * the clock was set back, is forgotten.
 */
int64_t quota_next_ns(int64_t kept_ns, int64_t now_ns, unsigned rate);

#endif
