#ifndef TEND_HOST_CORE_TURN_H
#define TEND_HOST_CORE_TURN_H

#include <stdint.h>

struct loop;
struct watch;

/*
 * The time of this turn of the loop, and one timer for all parts that want a
 * later turn.  The timer only makes a turn; each part then checks the time
 * itself.
 */
struct turn {
	int64_t now_ms;     /* CLOCK_MONOTONIC; handlers call turn_look first */
	int64_t wake_at_ms; /* INT64_MAX: never */
	struct watch *wake;
};

void turn_init(struct turn *t, struct loop *loop);
void turn_finish(struct turn *t);

/* Read the clock. */
void turn_look(struct turn *t);

/* Make a turn at this time or earlier. */
void turn_wake_at(struct turn *t, int64_t ms);

#endif
