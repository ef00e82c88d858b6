#ifndef TEND_HOST_PUMP_H
#define TEND_HOST_PUMP_H

struct host;

/*
 * Takes bytes from the ring to the engine, the log and the viewers, and ends
 * every turn (host.h).  Writes keyframes as output goes by.
 */
struct pump;

struct pump *pump_create(struct host *h);
void pump_destroy(struct pump *p); /* NULL is fine */

#endif
