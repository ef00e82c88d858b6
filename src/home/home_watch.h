#ifndef TEND_HOME_HOME_WATCH_H
#define TEND_HOME_HOME_WATCH_H

#include <stdbool.h>

struct error;
struct home;
struct manifest;

/*
 * Wait for changes in a home: a session appears or disappears (HOME/sessions),
 * or a host writes the session.json of a watched session.  The kernel reports
 * changes (inotify).  If it cannot, because the limit of watches is reached or
 * the disk is on another machine, the caller checks once a second.  It also
 * checks every HOME_WATCH_LOOK_MS in any case, since a killed process writes
 * nothing.
 */
#define HOME_WATCH_LOOK_MS 5000

struct home_watch {
	int fd;     /* inotify; -1: none */
	int newest; /* the id of the last watch */
	bool blind; /* some path could not be watched */
};

void home_watch_init(struct home_watch *v);
void home_watch_finish(struct home_watch *v);

/*
 * Watch the home and these sessions, unless they are watched already.  True if
 * a watch was added: older data about that session may be outdated, so the
 * caller reads it again.
 */
bool home_watch_watch(struct home_watch *v, const struct home *h,
    const struct manifest *items, unsigned n);

/* The longest time to wait. */
int home_watch_wait_ms(const struct home_watch *v);

/*
 * Discard the events once the descriptor is readable.  Changes within a tenth
 * of a second count as one.
 */
void home_watch_drain(struct home_watch *v);

#endif
