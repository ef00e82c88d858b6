#ifndef TEND_HOME_VIGIL_H
#define TEND_HOME_VIGIL_H

#include <stdbool.h>

struct error;
struct home;
struct manifest;

/*
 * Wait for changes in a home: a session appears or disappears (HOME/sessions),
 * or a host writes the session.json of a watched session.  The kernel reports
 * changes (inotify).  If it cannot, because the limit of watches is reached or
 * the disk is on another machine, the caller checks once a second.  It also
 * checks every VIGIL_LOOK_MS in any case, since a killed process writes
 * nothing.
 */
#define VIGIL_LOOK_MS 5000

struct vigil {
	int fd;     /* inotify; -1: none */
	int newest; /* the id of the last watch */
	bool blind; /* some path could not be watched */
};

void vigil_init(struct vigil *v);
void vigil_finish(struct vigil *v);

/*
 * Watch the home and these sessions, unless they are watched already.  True if
 * a watch was added: older data about that session may be outdated, so the
 * caller reads it again.
 */
bool vigil_watch(struct vigil *v, const struct home *h,
    const struct manifest *items, unsigned n);

/* The longest time to wait. */
int vigil_wait_ms(const struct vigil *v);

/*
 * Discard the events once the descriptor is readable.  Changes within a tenth
 * of a second count as one.
 */
void vigil_drain(struct vigil *v);

#endif
