#ifndef TEND_HOME_VIGIL_H
#define TEND_HOME_VIGIL_H

#include <stdbool.h>

struct error;
struct home;
struct manifest;

/*
 * Waits until something in a home may have changed: sessions come or go
 * (HOME/sessions), or a host writes the session.json of one that is watched.
 * The kernel tells (inotify).  Where it cannot, for its limit of watches is
 * reached or the disk is another machine's, one looks again once a second; and
 * once in VIGIL_LOOK_MS in any case, for a process that is killed writes
 * nothing.
 */
#define VIGIL_LOOK_MS 5000

struct vigil {
	int fd;     /* inotify; -1: there is none */
	int newest; /* the number of the last watch */
	bool blind; /* something could not be watched */
};

void vigil_init(struct vigil *v);
void vigil_finish(struct vigil *v);

/*
 * Watch the home and these sessions, if they are not watched.  True when one
 * was added: what was read of it before may be old, and is to be read again.
 */
bool vigil_watch(struct vigil *v, const struct home *h,
    const struct manifest *items, unsigned n);

/* How long to wait at most. */
int vigil_wait_ms(const struct vigil *v);

/*
 * After the descriptor has become readable: forget what it told.  What comes
 * within a tenth of a second is one change.
 */
void vigil_drain(struct vigil *v);

#endif
