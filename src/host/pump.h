#ifndef TEND_HOST_PUMP_H
#define TEND_HOST_PUMP_H

#include <stdbool.h>
#include <stdint.h>

struct host;

/*
 * Takes bytes from the ring to the engine, the log and the viewers, and ends
 * every turn (host.h).  Writes keyframes as output goes by.
 */
struct pump;

struct pump *pump_create(struct host *h);
void pump_destroy(struct pump *p); /* NULL is fine */

/* Log these bytes without showing them; the engine begins anew after them. */
void pump_skip(struct pump *p, uint64_t from, uint64_t to);

/* What is in the ring may be taken now: look at it again. */
void pump_again(struct pump *p);

/* Take nothing for now, for a viewer's sake; the program's end ends that. */
void pump_hold(struct pump *p, bool hold);

/* Take nothing at all, whoever holds or does not: another host follows. */
void pump_rest(struct pump *p, bool rest);

/* The terminal has something that the keeper is about to read. */
void pump_echo(struct pump *p);

/* A keyframe was written for another reason: the next is due later. */
void pump_keyframe_done(struct pump *p);

#endif
