#ifndef TEND_HUB_HOME_EVENTS_H
#define TEND_HUB_HOME_EVENTS_H

#include <stdbool.h>

struct exchange;
struct home_events;
struct hub;
struct identity;

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

/*
 * The same for another kind of client.  id: "" empties the id that the client
 * sends when it comes back, NULL leaves it as it was; data is a JSON object.
 * has_room is asked before each event; `from` is the client's address.
 */
struct home_events_to {
	bool (*has_room)(void *arg);
	void (*send)(void *arg, const char *event, const char *id,
	    const char *data);
};
struct home_events *home_events_create(struct hub *hub,
    const struct identity *who, const char *from, const char *last,
    const struct home_events_to *to, void *arg);
void home_events_destroy(struct home_events *h); /* NULL is fine */

/* Send what is due: at first, and when there is room again. */
void home_events_go_on(struct home_events *h);

#endif
