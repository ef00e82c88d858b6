#ifndef TEND_KEEPER_LISTENER_H
#define TEND_KEEPER_LISTENER_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * The session's socket: `sock` in its directory, mode 0600, listening.  It is
 * bound through /proc/self/fd, so the directory's path may be of any length
 * and may change.
 */
struct listener {
	int dir;
	int fd;
	dev_t dev;  /* our file; its inode cannot be reused */
	ino_t ino;  /* while fd is open */
	bool bound; /* as far as we know */
};

/* 0, or -errno.  The directory must stay open. */
int listener_open(struct listener *l, int dir);

/*
 * Check that the file exists and is ours, and bind a new one if not.  True if
 * there is a new fd; the old one is closed.
 */
bool listener_check(struct listener *l);

/* Request SIGIO for removed files of the directory; false: not available. */
bool listener_watch(const struct listener *l);

/* Remove the file, if it is ours, and stop listening. */
void listener_close(struct listener *l);

#endif
