#include "vt/ahead.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"

#define RING_MIN 8192u
#define RING_MAX 32768u
#define BYTES_OF_ROW 256u

void
ahead_finish(struct ahead *a)
{
	free(a->ring);
	memset(a, 0, sizeof(*a));
}

void
ahead_start(struct ahead *a, unsigned rows)
{
	size_t size = RING_MIN;

	while (size < RING_MAX && size < rows * BYTES_OF_ROW)
		size *= 2;
	if (size <= a->size)
		return;
	free(a->ring);
	a->ring = xmalloc(size);
	/*
	 * Move past every position in the old ring that rows may still refer
	 * to.
	 */
	a->start = a->end += size + AHEAD_ROW_MAX;
	a->size = size;
}

static void
set_end(struct ahead *a, const uint8_t *end)
{
	a->end += (size_t)(end - ahead_at(a, a->end));
}

void
ahead_set_style(struct ahead *a, const struct cell *style)
{
	a->style = *style;
	a->style.attr &= ~(uint32_t)ATTR_KIND;
	a->styled = (a->style.fg | a->style.bg | a->style.attr) != 0;
	set_end(a, line_add_style(ahead_at(a, a->end), style));
}

uint16_t
ahead_end_style(const struct ahead *a)
{
	const struct cell plain = { 0 };
	uint8_t *end = ahead_at(a, a->end);

	return (uint16_t)(line_add_style(end, &plain) - end);
}

void
ahead_add_char(struct ahead *a, const struct cell *style, uint32_t cp)
{
	char utf8[4];
	size_t len = utf8_encode(utf8, cp);

	ahead_add(a, style, utf8, len, len);
}

void
ahead_add_pad(struct ahead *a, const struct cell *style)
{
	if (!cell_same_style(style, &a->style))
		ahead_set_style(a, style);
	a->last = a->end;
	set_end(a, line_add_pad(ahead_at(a, a->end)));
}

void
ahead_join(struct ahead *a, const struct cell *c, uint32_t cp)
{
	uint8_t *p = ahead_at(a, a->last);

	set_end(a, line_join(p, p + (a->end - a->last), c, cp));
}

const uint8_t *
ahead_find(const struct ahead *a, const struct row *row)
{
	/* Newer rows may have overwritten its bytes. */
	if (row->packed_len == 0 ||
	    a->start + AHEAD_ROW_MAX - row->packed > a->size)
		return NULL;
	return ahead_at(a, row->packed);
}

size_t
ahead_memory(const struct ahead *a)
{
	return a->size;
}
