#ifndef TEND_SESSION_TREE_H
#define TEND_SESSION_TREE_H

#include <stdint.h>

/*
 * A directory with all that is below it.  No link is followed, and what goes
 * away meanwhile is no failure; deeper than TREE_DEPTH is (-ELOOP).
 */
#define TREE_DEPTH 16

struct tree_size {
	uint64_t bytes;    /* that the disk has given to it */
	int64_t newest_ms; /* when something in it was written last */
};

int tree_measure(int dirfd, struct tree_size *out);

/* A file or a directory of `parent`; -errno after what could be was removed. */
int tree_remove(int parent, const char *name);

#endif
