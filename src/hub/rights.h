#ifndef TEND_HUB_RIGHTS_H
#define TEND_HUB_RIGHTS_H

#include <jansson.h>

struct hub;
struct rights;

/*
 * Changes of rights take effect at once, also for what is under way (B-42):
 *
 *	HOME/policy.json is written	it is read again
 *	a credential is ended		rights_end
 *	a credential's time is over	a timer
 *	a session is renamed		rights depend on its name
 *
 * Each leads to hub_reconsider: streams, events and calls that are no longer
 * allowed end or get fewer rights.  Then every connection whose client is not
 * valid any more is closed.
 *
 * A policy that cannot be read changes nothing: the last good one stays, and the
 * log has the reason.  The kernel reports changes of the home (inotify); if it
 * cannot, the file is looked at every RIGHTS_LOOK_MS.
 */
#define RIGHTS_LOOK_MS 500

struct rights *rights_create(struct hub *hub); /* after its other parts */
void rights_destroy(struct rights *r);         /* NULL is fine */

/* Follow the names of the sessions; hub->directory is there. */
void rights_follow_names(struct rights *r);

/* These credentials, a list of ids, were ended. */
void rights_end(struct hub *hub, const json_t *ids);

#endif
