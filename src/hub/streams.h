#ifndef TEND_HUB_STREAMS_H
#define TEND_HUB_STREAMS_H

struct exchange;
struct hub;
struct streams;

/*
 * /api/v1/stream: one WebSocket, many subscriptions, input and every operation.
 * docs/stream.md describes it.
 */
struct streams *streams_create(struct hub *hub);

void streams_destroy(struct streams *all); /* all have gone; NULL is fine */

/* Close all streams with 1001. */
void streams_stop(struct streams *all);

/* The handler of the route. */
void streams_open(struct exchange *x);

#endif
