#ifndef TEND_HOST_STREAM_WALL_CLOCK_H
#define TEND_HOST_STREAM_WALL_CLOCK_H

struct session;

/*
 * What time it was, in the log: a `clock` in every minute with output, and
 * whenever somebody sets the machine's clock.
 */
struct wall_clock;

struct wall_clock *wall_clock_create(struct session *session);
void wall_clock_destroy(struct wall_clock *w); /* NULL is fine */

/* There was output. */
void wall_clock_activity(struct wall_clock *w);

#endif
