#ifndef TEND_BASE_BUF_H
#define TEND_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A byte buffer that grows up to a maximum.  An append beyond the maximum adds
 * nothing and sets `full`; from then on every append is refused until
 * buf_clear, so the buffer always holds an unbroken beginning of the data.  A
 * caller can therefore append many times and check `full` once.
 */
struct buf {
	uint8_t *data; /* NULL while nothing was ever appended */
	size_t len;
	size_t cap;
	size_t max;
	bool full; /* something was refused */
};

void buf_init(struct buf *b, size_t max);
void buf_finish(struct buf *b);

/* All of these: 0, or -ENOBUFS with nothing appended and b->full set. */
int buf_append(struct buf *b, const void *p, size_t len);
int buf_putc(struct buf *b, char c);
int buf_puts(struct buf *b, const char *s);
int buf_printf(struct buf *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Room for n bytes at the end, to be filled by the caller and then counted
 * with buf_commit.  NULL, with b->full set, when they would pass the maximum.
 */
uint8_t *buf_reserve(struct buf *b, size_t n);
void buf_commit(struct buf *b, size_t n);

/* Forget the contents, and that something was refused; keep the memory. */
void buf_clear(struct buf *b);

/* True if both have the same bytes. */
bool buf_equals(const struct buf *a, const struct buf *b);

/* Drop the first n bytes. */
void buf_consume(struct buf *b, size_t n);

/*
 * Hand the contents over, followed by a NUL that is not part of them.  The
 * caller frees; the buffer is empty and usable afterwards.
 */
char *buf_take(struct buf *b);

#endif
