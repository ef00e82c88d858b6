#ifndef TEND_HUB_SESSION_EVENTS_H
#define TEND_HUB_SESSION_EVENTS_H

struct exchange;

/*
 * GET /api/v1/session/events/stream: the events of one session's log as
 * server-sent events, those that are there and then new ones.  An id is the seq
 * of its event, so a client that comes back misses none and gets none twice,
 * also after a restart of the hub.
 *
 * The log is read when it has grown, at most once in SESSION_EVENTS_MS, and only
 * as fast as the client reads.  Its place in the log is all that a slow client
 * costs.
 */
#define SESSION_EVENTS_MS 100
#define SESSION_EVENTS_LOOK_MS 1000 /* if the kernel cannot watch the log */

void session_events_run(struct exchange *x);

#endif
