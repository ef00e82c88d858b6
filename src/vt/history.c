#include "vt/history.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "vt/line.h"
#include "vt/types.h"

/* Before the bytes of each line: their count, and the flags. */
#define HEADER 3

/*
 * If a line does not fit, the end of a block is lost: less than a seventh of
 * it.  The first and the last block are also partly empty.
 */
#define LIMIT_MIN (4 * HISTORY_BLOCK)

/* The maximum size of the packing buffer. */
#define SCRATCH_MAX 4096

static_assert(sizeof(struct history_block) == HISTORY_BLOCK,
    "a block is what malloc is asked for");
static_assert(HEADER + HISTORY_LINE_MAX <=
	sizeof(((struct history_block *)0)->data),
    "a line fits into a block");

static void
set_limits(struct history *h, uint32_t lines_max, size_t bytes_max)
{
	h->lines_max = bytes_max >= LIMIT_MIN ? lines_max : 0;
	h->limit = bytes_max;
	h->bytes_max = 0;
	if (h->lines_max > 0)
		h->bytes_max = (bytes_max - 2 * HISTORY_BLOCK - SCRATCH_MAX) /
		    7 * 6;
}

void
history_init(struct history *h, uint32_t lines_max, size_t bytes_max)
{
	memset(h, 0, sizeof(*h));
	set_limits(h, lines_max, bytes_max);
	buf_init(&h->scratch, SIZE_MAX);
}

void
history_clear(struct history *h)
{
	while (h->first != NULL) {
		struct history_block *next = h->first->next;
		free(h->first);
		h->first = next;
	}
	h->last = NULL;
	h->lines = 0;
	h->bytes = h->blocks = 0;
	h->missing = 0;
}

void
history_finish(struct history *h)
{
	history_clear(h);
	buf_finish(&h->scratch);
}

static size_t
line_size(const struct history_block *b, unsigned at)
{
	return HEADER + get_u16le(b->data + at);
}

static void
unlink_block(struct history *h, struct history_block *b)
{
	*(b->prev != NULL ? &b->prev->next : &h->first) = b->next;
	*(b->next != NULL ? &b->next->prev : &h->last) = b->prev;
	h->blocks--;
}

static void
drop_oldest(struct history *h)
{
	struct history_block *b = h->first;

	h->bytes -= line_size(b, b->start);
	b->start = (uint16_t)(b->start + line_size(b, b->start));
	h->lines--;
	if (b->start == b->end) {
		unlink_block(h, b);
		free(b);
	}
}

static void
add_block(struct history *h)
{
	struct history_block *b = xmalloc(sizeof(*b));

	b->start = b->end = b->last = 0;
	b->next = NULL;
	b->prev = h->last;
	*(h->last != NULL ? &h->last->next : &h->first) = b;
	h->last = b;
	h->blocks++;
}

static void
drop_excess(struct history *h)
{
	while (h->lines > h->lines_max || h->bytes > h->bytes_max)
		drop_oldest(h);
}

void
history_limit(struct history *h, uint32_t lines_max, size_t bytes_max)
{
	set_limits(h, lines_max, bytes_max);
	drop_excess(h);
	if (h->lines == 0)
		history_clear(h);
}

static void
append_line(struct history *h, const uint8_t *p, size_t len, unsigned flags)
{
	struct history_block *b = h->last;

	if (b == NULL || b->end + HEADER + len > sizeof(b->data)) {
		add_block(h);
		b = h->last;
	}
	uint8_t *to = b->data + b->end;
	put_u16le(to, (uint16_t)len);
	to[2] = (uint8_t)flags;
	if (len > 0)
		memcpy(to + HEADER, p, len);
	b->last = b->end;
	b->end = (uint16_t)(b->end + HEADER + len);
	h->lines++;
	h->bytes += HEADER + len;
	drop_excess(h);
}

/* True if the bytes were appended to the last line. */
static bool
extend_last(struct history *h, const uint8_t *p, size_t len)
{
	struct history_block *b = h->last;

	if (b == NULL)
		return false;
	if (len == 0)
		return true;
	size_t old = get_u16le(b->data + b->last);
	if (old + len > HISTORY_LINE_MAX)
		return false;
	if (b->end + len > sizeof(b->data)) {
		uint8_t line[HISTORY_LINE_MAX];
		unsigned flags = b->data[b->last + 2];
		memcpy(line, b->data + b->last + HEADER, old);
		history_pop(h);
		add_block(h);
		append_line(h, line, old, flags);
		b = h->last;
	}
	memcpy(b->data + b->end, p, len);
	put_u16le(b->data + b->last, (uint16_t)(old + len));
	b->end = (uint16_t)(b->end + len);
	h->bytes += len;
	drop_excess(h);
	return true;
}

/* Pack as many of the cells as surely fit into a line; return how many. */
static unsigned
pack_piece(struct history *h, const struct cell *cells, unsigned n,
    const struct clusters *clusters)
{
	unsigned take = n;

	if (n > HISTORY_PIECE) {
		take = HISTORY_PIECE;
		if (cell_kind(&cells[take]) == CELL_TAIL)
			take--;
	}
	for (;;) {
		buf_clear(&h->scratch);
		line_pack(&h->scratch, cells, take, clusters);
		if (h->scratch.len <= HISTORY_LINE_MAX)
			return take;
		take /= 2;
		if (cell_kind(&cells[take]) == CELL_TAIL)
			take--;
	}
}

/* Add a packed piece of a row. */
static void
push_piece(struct history *h, const uint8_t *p, size_t len, unsigned flags)
{
	if (!(flags & ROW_CONTINUES) || !extend_last(h, p, len))
		append_line(h, p, len, flags);
}

/*
 * Before a row, add the blanks at the end of the row before.  Returns the new
 * row's flags.
 */
static unsigned
begin_row(struct history *h, unsigned flags)
{
	if (h->lines == 0)
		flags &= ~(unsigned)ROW_CONTINUES;
	if ((flags & ROW_CONTINUES) && h->missing > 0) {
		buf_clear(&h->scratch);
		line_pack_blanks(&h->scratch, h->missing);
		push_piece(h, h->scratch.data, h->scratch.len, ROW_CONTINUES);
	}
	return flags;
}

void
history_push(struct history *h, const struct cell *cells, unsigned used,
    unsigned cols, unsigned flags, const struct clusters *clusters)
{
	unsigned done = 0;

	if (h->lines_max == 0)
		return;
	flags = begin_row(h, flags);
	do {
		done += pack_piece(h, cells + done, used - done, clusters);
		push_piece(h, h->scratch.data, h->scratch.len, flags);
		flags |= ROW_CONTINUES;
	} while (done < used);
	h->missing = cols - used;
}

void
history_push_packed_row(struct history *h, const uint8_t *p, size_t len,
    unsigned missing, unsigned flags)
{
	assert(len <= HISTORY_LINE_MAX);
	if (h->lines_max == 0)
		return;
	push_piece(h, p, len, begin_row(h, flags));
	h->missing = missing;
}

int
history_push_packed(struct history *h, const uint8_t *p, size_t len,
    unsigned flags)
{
	if (len > HISTORY_LINE_MAX)
		return -EINVAL;
	if (h->lines_max > 0)
		append_line(h, p, len, flags);
	return 0;
}

static void
read_line(const struct history_block *b, unsigned at, struct history_line *out)
{
	out->p = b->data + at + HEADER;
	out->len = get_u16le(b->data + at);
	out->flags = b->data[at + 2];
}

bool
history_last(const struct history *h, struct history_line *out)
{
	if (h->last == NULL)
		return false;
	read_line(h->last, h->last->last, out);
	return true;
}

void
history_pop(struct history *h)
{
	struct history_block *b = h->last;
	unsigned at;

	h->bytes -= line_size(b, b->last);
	b->end = b->last;
	h->lines--;
	h->missing = 0;
	if (b->end == b->start) {
		unlink_block(h, b);
		free(b);
		return;
	}
	for (at = b->start; at + line_size(b, at) < b->end;)
		at += (unsigned)line_size(b, at);
	b->last = (uint16_t)at;
}

bool
history_next(const struct history *h, struct history_place *place,
    struct history_line *out)
{
	if (place->block == NULL) {
		if (h->first == NULL)
			return false;
		place->block = h->first;
		place->at = h->first->start;
	} else {
		place->at = (uint16_t)(place->at +
		    line_size(place->block, place->at));
		if (place->at == place->block->end) {
			if (place->block->next == NULL)
				return false;
			place->block = place->block->next;
			place->at = place->block->start;
		}
	}
	read_line(place->block, place->at, out);
	return true;
}

void
history_mark_extras(const struct history *h, struct extras *x)
{
	struct history_place place = { 0 };
	struct history_line line;

	while (history_next(h, &place, &line))
		line_mark_extras(line.p, line.len, x);
}

size_t
history_memory(const struct history *h)
{
	return h->blocks * sizeof(struct history_block) + h->scratch.cap;
}
