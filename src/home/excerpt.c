#include "home/excerpt.h"

#include <stdbool.h>
#include <string.h>

#define PIECE_MAX (64u << 20) /* the most that may be added at once */
#define FOLLOWING_MAX 3       /* bytes of a character after its first */

void
excerpt_init(struct excerpt *e, uint64_t skip, size_t keep)
{
	*e = (struct excerpt){ .skip = skip, .keep = keep };
	buf_init(&e->text, keep + PIECE_MAX);
}

void
excerpt_finish(struct excerpt *e)
{
	buf_finish(&e->text);
}

/* True if the byte continues a character. */
static bool
is_inside(const struct buf *b, size_t at)
{
	return at < b->len && (b->data[at] & 0xC0) == 0x80;
}

/* The first byte of the character at `at`; `at` if that is not UTF-8. */
static size_t
begin_of(const struct buf *b, size_t at)
{
	for (size_t n = 0; n <= FOLLOWING_MAX && n <= at; n++)
		if (!is_inside(b, at - n))
			return at - n;
	return at;
}

/* The next byte from `at` on that begins a character, or `at` likewise. */
static size_t
end_of(const struct buf *b, size_t at)
{
	for (size_t n = 0; n <= FOLLOWING_MAX; n++)
		if (!is_inside(b, at + n))
			return at + n;
	return at;
}

static void
drop_skipped(struct excerpt *e)
{
	struct buf *b = &e->text;
	size_t n = begin_of(b, e->skip < b->len ? (size_t)e->skip : b->len);

	if (n < e->skip && n < b->len) /* inside a character */
		e->skip = n;
	buf_consume(b, n);
	e->skip -= n;
}

void
excerpt_trim(struct excerpt *e)
{
	struct buf *b = &e->text;
	size_t tail;

	drop_skipped(e);
	if (b->len <= e->keep)
		return;
	if (e->left_out == 0)
		e->head = begin_of(b, e->keep / 2);
	tail = end_of(b, b->len - (e->keep - e->head));
	memmove(b->data + e->head, b->data + tail, b->len - tail);
	b->len -= tail - e->head;
	e->left_out += tail - e->head;
}

const char *
excerpt_text(const struct excerpt *e, size_t *len)
{
	const char *p = e->text.len > 0 ? (const char *)e->text.data : "";

	*len = e->text.len;
	while (*len > 0 && (*p & 0xC0) == 0x80) {
		p++;
		(*len)--;
	}
	return p;
}
