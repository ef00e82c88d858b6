#ifndef TEND_BASE_LOOP_H
#define TEND_BASE_LOOP_H

#include <stdint.h>

/*
 * One loop a process, one thread a loop.  A turn has three phases:
 *
 *	wait	sleep until a descriptor or a timer is ready
 *	handle	call what was registered; handlers change state, nothing else
 *	settle	call the settle hooks, in the order in which they were added
 *
 * So the hooks report only changes that all handlers have completed.  A handler
 * or hook may remove any watch, including its own; nothing is called for it any
 * more, and its memory is kept until the end of the turn.  A watch belongs to
 * its creator and stays until it is removed, also when its timer has fired.
 */
struct loop;
struct watch;

enum loop_events {
	LOOP_READ = 1 << 0,
	LOOP_WRITE = 1 << 1,
	LOOP_HANGUP = 1 << 2, /* the other side will send no more */
};

typedef void loop_fn(void *arg);
typedef void loop_fd_fn(void *arg, enum loop_events ready);

/* NULL with errno set when there is no descriptor left for it. */
struct loop *loop_create(void);

/* Remove every watch that is left.  Not from inside a turn.  NULL is fine. */
void loop_destroy(struct loop *loop);

/* Turn until loop_stop is called or nothing is left to wait for. */
void loop_run(struct loop *loop);

/* Let loop_run return at the end of this turn, after it has settled. */
void loop_stop(struct loop *loop);

/*
 * Call fn as long as the descriptor is ready for something that is wanted.
 * After an error on it everything wanted is ready: reading or writing will
 * tell.  The descriptor becomes non-blocking; it stays the caller's and must
 * not be closed before the watch is removed.  NULL with errno set when it
 * cannot be watched: a regular file, or one that is watched already.
 */
struct watch *loop_fd(struct loop *loop, int fd, enum loop_events want,
    loop_fd_fn *fn, void *arg);

/* Want these events; 0 for none.  w is one of loop_fd.  The same cost nothing. */
void watch_want(struct watch *w, enum loop_events want);

/* Call fn once, after ms milliseconds; never while ms is negative. */
struct watch *loop_timer(struct loop *loop, int64_t ms, loop_fn *fn, void *arg);

/* Call it once more, after everything that is ready now was handled. */
void watch_yield(struct watch *w);

/* Start over with another time, fired or not.  w is one of loop_timer. */
void watch_rearm(struct watch *w, int64_t ms);

/* Call fn at the end of every turn. */
struct watch *loop_settle(struct loop *loop, loop_fn *fn, void *arg);

void watch_remove(struct watch *w); /* NULL is fine */

#endif
