#ifndef TEND_BASE_ARENA_H
#define TEND_BASE_ARENA_H

#include <stddef.h>

struct arena_block;

/*
 * Scratch memory of one request: taken in pieces, freed whole.  It never holds
 * more than `max` bytes; a piece that would pass that is refused with NULL,
 * and smaller ones may still be given.
 */
struct arena {
	struct arena_block *blocks; /* newest first; NULL when there is none */
	size_t held;                /* bytes in all blocks */
	size_t max;
};

void arena_init(struct arena *a, size_t max);

/* Free everything; the arena may be used again. */
void arena_finish(struct arena *a);

/* Zeroed memory, aligned for any type; NULL at the limit. */
void *arena_alloc(struct arena *a, size_t size);

/* A copy with a NUL behind it; NULL at the limit. */
char *arena_strndup(struct arena *a, const char *p, size_t len);

#endif
