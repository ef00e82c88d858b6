#ifndef TEND_CMD_LOOK_LS_WATCH_H
#define TEND_CMD_LOOK_LS_WATCH_H

#include <stdbool.h>

struct buf;
struct call;
struct vigil;

/*
 * `tend ls --watch`: a listing that is made anew whenever something changes.
 *
 * On a terminal it has the whole screen, one more line than fits tells how many
 * are left out, and q or C-c leaves.  Elsewhere each listing that differs from
 * the one before is written: a table behind an empty line, or with --json an
 * envelope a line.  It ends with a signal, or when nobody reads it.
 */
struct ls_watch {
	struct call *call;
	/* Write a listing for so many columns, and let `v` watch what is in it;
	 * with `ages` as they are now, else as if no time had passed. */
	int (*list)(void *arg, unsigned cols, bool ages, struct vigil *v,
	    struct buf *out);
	void *arg;
};

/* The exit status. */
int ls_watch(struct ls_watch *w);

#endif
