#ifndef TEND_CLIENT_AWAIT_H
#define TEND_CLIENT_AWAIT_H

#include <poll.h>
#include <stdbool.h>

/*
 * poll() that stays awake for the echo of what was typed.  It comes after a few
 * hundred microseconds at most, and a processor that fell asleep meanwhile
 * takes a good part of that to wake.  When no echo comes in that time, as on a
 * busy machine or with a program that answers slowly, the next times are not
 * tried, twice as many after each failure.
 */
struct await {
	bool typed;
	unsigned skip;   /* so many times are not tried */
	unsigned failed; /* how many were skipped after the last failure */
};

#define AWAIT_SKIP_MAX 255

/* Something was sent to be typed. */
void await_typed(struct await *w);

/* As poll, whose result it gives. */
int await_poll(struct await *w, struct pollfd *fds, nfds_t n, int timeout_ms);

#endif
