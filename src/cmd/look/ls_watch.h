#ifndef TEND_CMD_LOOK_LS_WATCH_H
#define TEND_CMD_LOOK_LS_WATCH_H

#include <stdbool.h>

struct buf;
struct call;
struct home_watch;

/*
 * `tend ls --watch`: a listing that is updated after every change.
 *
 * On a terminal it uses the whole screen; the last line tells how many sessions
 * do not fit, and q or C-c leaves.  Elsewhere it prints each listing that
 * differs from the one before: a table after an empty line, or with --json an
 * envelope on one line.  It ends with a signal or when the reader closes the
 * pipe.
 */
struct ls_watch {
	struct call *call;
	/*
	 * Write a listing for this many columns and let `v` watch its sessions.
	 * With `ages`, ages are current; otherwise as if no time had passed.
	 */
	int (*list)(void *arg, unsigned cols, bool ages, struct home_watch *v,
	    struct buf *out);
	void *arg;
};

/* Returns the exit status. */
int ls_watch(struct ls_watch *w);

#endif
