#ifndef TEND_SESSION_QUOTA_H
#define TEND_SESSION_QUOTA_H

#include <stddef.h>
#include <stdint.h>

struct error;
struct home;

/*
 * Limits on the sessions of a home: how many may be active, how fast they may
 * be created, and how much of the disk must be free.  They stop a runaway loop
 * that creates sessions, and a disk too full to keep a log.  0: no limit.
 *
 * Active sessions are counted by their claims in names/, which takes one
 * directory listing.  Sessions that a reboot ended still have a claim.  So
 * when there seem to be too many, the claims of inactive sessions are removed
 * first.
 *
 * The caller fills it from the settings in home/config.def, which has the
 * defaults.
 *
 * The rate is kept as the time of the file HOME/rate: the time at which all
 * sessions so far would have been created at the allowed rate.  It may be
 * ahead of now by as much as QUOTA_BURST sessions take.
 */
struct quota {
	unsigned max_sessions;
	unsigned rate;     /* a second, sustained */
	uint64_t min_free; /* bytes */
};

#define QUOTA_BURST 1000      /* sessions at once */
#define QUOTA_NEAR_PERCENT 90 /* of max_sessions: a warning */
#define QUOTA_NEAR_FREE 4     /* times min_free: a warning below it */

/*
 * Check whether one more session may be created now.  0, and `note` names a
 * limit that is near ("": none).  -EAGAIN (too many, or too fast) or -ENOSPC,
 * and err gives the next step.
 */
int quota_take(const struct home *h, const struct quota *q, char *note,
    size_t size, struct error *err);

/*
 * The pure part of the rate: the next value of the kept time, or -1 if the
 * session comes too soon.  A time further ahead than possible, because the
 * clock was set back, is ignored.
 */
int64_t quota_next_ns(int64_t kept_ns, int64_t now_ns, unsigned rate);

#endif
