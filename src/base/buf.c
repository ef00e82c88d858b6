#include "base/buf.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define FIRST_CAP 64

void
buf_init(struct buf *b, size_t max)
{
	*b = (struct buf){ .max = max };
}

void
buf_finish(struct buf *b)
{
	free(b->data);
	*b = (struct buf){ .max = b->max };
}

/* The next capacity that holds `want` bytes: doubled, but never above max. */
static size_t
next_cap(const struct buf *b, size_t want)
{
	size_t cap = b->cap > 0 ? b->cap : FIRST_CAP;

	while (cap < want && cap <= b->max / 2)
		cap *= 2;
	return cap < want || cap > b->max ? b->max : cap;
}

uint8_t *
buf_reserve(struct buf *b, size_t n)
{
	if (b->full || n > b->max - b->len) {
		b->full = true;
		return NULL;
	}
	if (b->data == NULL || n > b->cap - b->len) {
		b->cap = next_cap(b, b->len + n);
		b->data = xrealloc(b->data, b->cap, 1);
	}
	return b->data + b->len;
}

void
buf_commit(struct buf *b, size_t n)
{
	assert(n <= b->cap - b->len);
	b->len += n;
}

int
buf_append(struct buf *b, const void *p, size_t len)
{
	uint8_t *room = buf_reserve(b, len);

	if (room == NULL)
		return -ENOBUFS;
	if (len > 0)
		memcpy(room, p, len);
	buf_commit(b, len);
	return 0;
}

int
buf_putc(struct buf *b, char c)
{
	return buf_append(b, &c, 1);
}

int
buf_puts(struct buf *b, const char *s)
{
	return buf_append(b, s, strlen(s));
}

int
buf_printf(struct buf *b, const char *fmt, ...)
{
	char small[256];
	auto_free char *large = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	va_end(ap);
	assert(n >= 0);
	if ((size_t)n < sizeof(small))
		return buf_append(b, small, (size_t)n);
	large = xmalloc((size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(large, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return buf_append(b, large, (size_t)n);
}

void
buf_clear(struct buf *b)
{
	b->len = 0;
	b->full = false;
}

bool
buf_equals(const struct buf *a, const struct buf *b)
{
	return a->len == b->len &&
	    (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

void
buf_consume(struct buf *b, size_t n)
{
	assert(n <= b->len);
	b->len -= n;
	if (b->len > 0)
		memmove(b->data, b->data + n, b->len);
}

char *
buf_take(struct buf *b)
{
	char *taken = xrealloc(b->data, b->len + 1, 1);

	taken[b->len] = '\0';
	buf_init(b, b->max);
	return taken;
}
