#ifndef TEND_HOST_SERVE_SIZE_H
#define TEND_HOST_SERVE_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/manifest.h"

/*
 * Chooses the terminal's size from the sizes of its viewers (B-48, O-20).
 * Only viewers vote that may type, are visible, sent a size and have drawn
 * their first picture; the caller selects them.  Pure.
 */
struct size_vote {
	unsigned cols, rows;
	uint64_t at; /* the greater one is the later vote */
};

/*
 * False if the size should not change: no viewer votes, or the size is fixed.
 * The result is always a valid size of a screen.
 */
bool size_decide(enum size_policy policy, const struct size_vote *votes,
    size_t n, unsigned *cols, unsigned *rows);

#endif
