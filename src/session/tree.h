#ifndef TEND_SESSION_TREE_H
#define TEND_SESSION_TREE_H

#include <stdint.h>

/*
 * A directory with everything below it.  Links are not followed, and a file
 * that disappears meanwhile is no failure; a tree deeper than TREE_DEPTH is
 * (-ELOOP).
 */
#define TREE_DEPTH 16

struct tree_size {
	uint64_t bytes;    /* allocated on the disk */
	int64_t newest_ms; /* newest modification time */
};

int tree_measure(int dirfd, struct tree_size *out);

/*
 * Remove a file or directory of `parent`.  On failure (-errno) as much as
 * possible is removed.
 */
int tree_remove(int parent, const char *name);

#endif
