#ifndef TEND_BASE_MEM_H
#define TEND_BASE_MEM_H

#include <stddef.h>
#include <stdlib.h>

/*
 * Memory that is there or the process is not.  Sizes are bounded where bytes
 * come in, so running out of memory is not a peer's doing and there is nothing
 * better left to do than to abort.  Nothing here returns NULL.
 */
void *xmalloc(size_t size);

/* Zeroed room for n things of the given size. */
void *xcalloc(size_t n, size_t size);

/* Room for n things of the given size; a product that overflows aborts. */
void *xrealloc(void *p, size_t n, size_t size);

char *xstrdup(const char *s);
void *xmemdup(const void *p, size_t len);

/* Free an array of strings that NULL ends; NULL is an empty one. */
void mem_free_list(char **list);

/* Free what the variable p points at holds; the end of auto_free's scope. */
static inline void
mem_free_var(void *p)
{
	free(*(void **)p);
}

/* A local pointer that is freed on every way out of its scope. */
#define auto_free __attribute__((cleanup(mem_free_var)))

#endif
