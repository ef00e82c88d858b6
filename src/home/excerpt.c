#include "home/excerpt.h"

#include <string.h>

#define PIECE_MAX (64u << 20) /* the most that may be added at once */

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

/* The largest number of bytes, up to len, that ends between characters. */
static size_t
whole(const struct buf *b, size_t from, size_t len)
{
	while (from + len < b->len && len > 0 &&
	    (b->data[from + len] & 0xC0) == 0x80)
		len--;
	return len;
}

static void
drop_skipped(struct excerpt *e)
{
	struct buf *b = &e->text;
	size_t n = whole(b, 0, e->skip < b->len ? (size_t)e->skip : b->len);

	if (n < e->skip && n < b->len) /* inside a character */
		e->skip = n;
	buf_consume(b, n);
	e->skip -= n;
}

void
excerpt_trim(struct excerpt *e)
{
	struct buf *b = &e->text;
	size_t head, n;

	drop_skipped(e);
	if (b->len <= e->keep)
		return;
	head = whole(b, 0, e->keep / 2);
	n = whole(b, head, b->len - e->keep);
	memmove(b->data + head, b->data + head + n, b->len - head - n);
	b->len -= n;
	e->left_out += n;
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
