#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void *
or_abort(void *p, size_t size)
{
	if (p == NULL) {
		fprintf(stderr, "tend: no memory for %zu bytes\n", size);
		abort();
	}
	return p;
}

/* malloc(0) may return NULL, which is not a lack of memory. */
static size_t
at_least_one(size_t size)
{
	return size > 0 ? size : 1;
}

void *
xmalloc(size_t size)
{
	return or_abort(malloc(at_least_one(size)), size);
}

void *
xcalloc(size_t n, size_t size)
{
	return or_abort(calloc(at_least_one(n), at_least_one(size)), size);
}

void *
xrealloc(void *p, size_t n, size_t size)
{
	size_t total;

	if (__builtin_mul_overflow(n, size, &total))
		or_abort(NULL, SIZE_MAX);
	return or_abort(realloc(p, at_least_one(total)), total);
}

char *
xstrdup(const char *s)
{
	return xmemdup(s, strlen(s) + 1);
}

void *
xmemdup(const void *p, size_t len)
{
	void *copy = xmalloc(len);

	if (len > 0)
		memcpy(copy, p, len);
	return copy;
}

void
mem_free_list(char **list)
{
	for (char **s = list; s != NULL && *s != NULL; s++)
		free(*s);
	free(list);
}
