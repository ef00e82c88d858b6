#ifndef TEND_HOST_STREAM_WALL_CLOCK_H
#define TEND_HOST_STREAM_WALL_CLOCK_H

struct session;

/*
 * The time of day in the log: a `clock` event in every minute with output, and
 * whenever the machine's clock is set.
 */
struct wall_clock;

struct wall_clock *wall_clock_create(struct session *session);
void wall_clock_destroy(struct wall_clock *w); /* NULL is fine */

/* There was output. */
void wall_clock_activity(struct wall_clock *w);

#endif
