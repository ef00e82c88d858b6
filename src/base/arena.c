#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define BLOCK_SIZE 4096

struct arena_block {
	struct arena_block *next;
	size_t size;
	size_t used;
	alignas(max_align_t) uint8_t data[];
};

void
arena_init(struct arena *a, size_t max)
{
	*a = (struct arena){ .max = max };
}

void
arena_finish(struct arena *a)
{
	struct arena_block *b, *next;

	for (b = a->blocks; b != NULL; b = next) {
		next = b->next;
		free(b);
	}
	arena_init(a, a->max);
}

/* A new block for at least `size` bytes, as far as max allows. */
static struct arena_block *
add_block(struct arena *a, size_t size)
{
	struct arena_block *b;
	size_t left = a->max - a->held;

	if (size > left)
		return NULL;
	if (size < BLOCK_SIZE)
		size = left < BLOCK_SIZE ? left : BLOCK_SIZE;
	b = xcalloc(1, sizeof(*b) + size);
	b->size = size;
	b->next = a->blocks;
	a->blocks = b;
	a->held += size;
	return b;
}

/* The newest block's next aligned place, or its end when none is left. */
static size_t
next_place(const struct arena_block *b)
{
	size_t mask = alignof(max_align_t) - 1;
	size_t place = (b->used + mask) & ~mask;

	return place < b->size ? place : b->size;
}

void *
arena_alloc(struct arena *a, size_t size)
{
	struct arena_block *b = a->blocks;
	size_t place;

	if (size == 0)
		size = 1;
	if (b == NULL || size > b->size - next_place(b))
		b = add_block(a, size);
	if (b == NULL)
		return NULL;
	place = next_place(b);
	b->used = place + size;
	return b->data + place;
}

char *
arena_strndup(struct arena *a, const char *p, size_t len)
{
	char *copy = len < SIZE_MAX ? arena_alloc(a, len + 1) : NULL;

	if (copy != NULL && len > 0)
		memcpy(copy, p, len);
	return copy;
}
