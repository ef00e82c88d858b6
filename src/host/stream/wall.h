#ifndef TEND_HOST_STREAM_WALL_H
#define TEND_HOST_STREAM_WALL_H

struct host;

/*
 * What time it was, in the log: a `clock` in every minute with output, and
 * whenever somebody sets the machine's clock.
 */
struct wall;

struct wall *wall_create(struct host *h);
void wall_destroy(struct wall *w); /* NULL is fine */

/* There was output. */
void wall_activity(struct wall *w);

#endif
