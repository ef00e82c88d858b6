#include "client/selection.h"

#include <limits.h>

#include "base/buf.h"

static const struct scrollback_place *
beginning(const struct selection *s)
{
	return place_compare(&s->from, &s->to) <= 0 ? &s->from : &s->to;
}

static const struct scrollback_place *
end(const struct selection *s)
{
	return place_compare(&s->from, &s->to) <= 0 ? &s->to : &s->from;
}

bool
selection_columns(const struct selection *s, const struct scrollback_place *row,
    unsigned *from, unsigned *to)
{
	int first = place_compare_rows(row, beginning(s));
	int last = place_compare_rows(row, end(s));

	*from = 0;
	*to = UINT_MAX;
	if (!s->on || first < 0 || last > 0)
		return false;
	if (!s->by_row && first == 0)
		*from = beginning(s)->col;
	if (!s->by_row && last == 0)
		*to = end(s)->col + 1;
	return true;
}

/* Append as much as there is room for, without splitting a character. */
static bool
append(struct buf *out, const char *p, size_t len)
{
	size_t room = out->max - out->len, n = len < room ? len : room;

	while (n < len && n > 0 && ((unsigned char)p[n] & 0xc0) == 0x80)
		n--;
	buf_append(out, p, n);
	return n == len;
}

/* True if there was room for it. */
static bool
copy_row(const struct selection *s, struct scrollback *b,
    const struct scrollback_part *c, const struct scrollback_place *row,
    struct buf *out)
{
	size_t len, begin, stop;
	unsigned from, to;
	const char *text;

	if (!selection_columns(s, row, &from, &to))
		return true;
	len = scrollback_part_text(c, row->row, &text);
	ruler_lay(&b->ruler, text, len);
	begin = from == 0 ? 0 : ruler_byte(&b->ruler, from);
	stop = to >= ruler_cols(&b->ruler) ? len : ruler_byte(&b->ruler, to);
	if (stop > begin && !append(out, text + begin, stop - begin))
		return false;
	if (stop < len || scrollback_part_goes_on(c, row->row) ||
	    (!s->by_row && place_compare_rows(row, end(s)) == 0))
		return true;
	return append(out, "\n", 1);
}

bool
selection_copy(const struct selection *s, struct scrollback *b, struct buf *out)
{
	struct scrollback_place at = *beginning(s);

	for (;;) {
		const struct scrollback_part *c = scrollback_part_at(b, at.seq);

		if (c == NULL)
			return false;
		if (at.row < c->n && !copy_row(s, b, c, &at, out))
			return false;
		if (place_compare_rows(&at, end(s)) >= 0)
			return true;
		if (scrollback_forward(b, &at, 1) == 0)
			return false;
	}
}
