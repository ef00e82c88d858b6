#ifndef TEND_HUB_HOME_EVENTS_H
#define TEND_HUB_HOME_EVENTS_H

struct exchange;

/*
 * GET /api/v1/events: the events of the home (directory.h) as server-sent
 * events, only of sessions that the client may see.
 *
 * An id is HUB-NUMBER: HUB differs in each run of a hub.  A client that comes
 * back with an id of this hub gets the events that it has missed.  Any other
 * client gets the whole state: `reset`, a `session` for each session, and
 * `current`.  So does a client that is more than DIRECTORY_EVENTS_MAX events
 * behind, and every client when the rights of somebody have changed.
 */
void home_events_run(struct exchange *x);

#endif
