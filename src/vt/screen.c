#include "vt/screen.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void
screen_init(struct screen *s, unsigned cols, unsigned rows)
{
	memset(s, 0, sizeof(*s));
	s->cols = (uint16_t)cols;
	s->rows = (uint16_t)rows;
	s->cells = xcalloc((size_t)cols * rows, sizeof(*s->cells));
	s->ring = xcalloc(rows, sizeof(*s->ring));
	for (unsigned y = 0; y < rows; y++)
		s->ring[y].cells = s->cells + (size_t)y * cols;
	screen_reset_margins(s);
}

void
screen_finish(struct screen *s)
{
	free(s->cells);
	free(s->ring);
	memset(s, 0, sizeof(*s));
}

bool
screen_exists(const struct screen *s)
{
	return s->ring != NULL;
}

void
screen_reset_margins(struct screen *s)
{
	s->top = 0;
	s->bottom = (uint16_t)(s->rows - 1);
	s->left = 0;
	s->right = (uint16_t)(s->cols - 1);
}

bool
screen_full_width(const struct screen *s)
{
	return s->left == 0 && s->right == s->cols - 1;
}

uint64_t
screen_row_generation(const struct screen *s, unsigned y)
{
	uint64_t g = screen_row(s, y)->generation;

	return g > s->moved ? g : s->moved;
}

void
screen_blank_wide(struct screen *s, struct row *row, unsigned x,
    struct cell blank)
{
	row->cells[x - 1] = blank;
	row->cells[x] = blank;
	screen_touch(s, row);
}

static void
fill(struct cell *cells, unsigned from, unsigned to, struct cell blank)
{
	for (unsigned x = from; x < to; x++)
		cells[x] = blank;
}

static bool
is_protected(const struct screen *s, const struct row *row, unsigned x)
{
	return x < s->cols && row->cells[x].attr & ATTR_PROTECTED;
}

static void
erase_unprotected(struct row *row, unsigned from, unsigned to,
    struct cell blank)
{
	for (unsigned x = from; x < to; x++)
		if (!(row->cells[x].attr & ATTR_PROTECTED))
			row->cells[x] = blank;
}

/* Update `used` after the cells [from, to) were set to blank. */
static void
set_used(struct row *row, unsigned from, unsigned to, struct cell blank)
{
	if (!cell_is_zero(&blank)) {
		if (row->used < to)
			row->used = (uint16_t)to;
	} else if (row->used <= to && row->used > from) {
		row->used = (uint16_t)from;
	}
}

void
screen_erase(struct screen *s, unsigned y, unsigned from, unsigned to,
    struct cell blank, bool spare)
{
	struct row *row = screen_row(s, y);

	if (from >= to)
		return;
	uint16_t packed_len = row->packed_len;
	screen_touch(s, row);
	if (from >= row->used && cell_is_zero(&blank)) {
		/*
		 * Every cell was zero already, so the packed bytes are still
		 * right.
		 */
		row->packed_len = packed_len;
		return;
	}
	if (!spare || !is_protected(s, row, from))
		screen_split(s, row, from, blank);
	if (!spare || !is_protected(s, row, to))
		screen_split(s, row, to, blank);
	if (spare) {
		if (!cell_is_zero(&blank) && row->used < to)
			row->used = (uint16_t)to;
		erase_unprotected(row, from, to, blank);
		return;
	}
	if (cell_is_zero(&blank)) {
		unsigned end = to < row->used ? to : row->used;
		if (from < end)
			memset(row->cells + from, 0,
			    (end - from) * sizeof(*row->cells));
	} else {
		fill(row->cells, from, to, blank);
	}
	set_used(row, from, to, blank);
}

void
screen_clear_row(struct screen *s, unsigned y, struct cell blank)
{
	struct row *row = screen_row(s, y);

	screen_touch(s, row);
	row->flags = 0;
	row->left = false;
	if (cell_is_zero(&blank)) {
		memset(row->cells, 0, row->used * sizeof(*row->cells));
		row->used = 0;
	} else {
		fill(row->cells, 0, s->cols, blank);
		row->used = s->cols;
	}
}

void
screen_clear(struct screen *s, struct cell blank)
{
	for (unsigned y = 0; y < s->rows; y++)
		screen_clear_row(s, y, blank);
}

/*
 * The right end, exclusive, of the cells that an insertion or deletion at x
 * moves.
 */
static unsigned
edit_end(const struct screen *s, unsigned x)
{
	return x <= s->right ? s->right + 1u : s->cols;
}

void
screen_forget_pad(struct cell *last)
{
	if (cell_kind(last) == CELL_PAD)
		last->attr = 0;
}

void
screen_insert_cells(struct screen *s, unsigned y, unsigned x, unsigned n,
    struct cell blank)
{
	struct row *row = screen_row(s, y);
	unsigned end = edit_end(s, x);

	if (n > end - x)
		n = end - x;
	screen_touch(s, row);
	screen_forget_pad(&row->cells[end - 1]);
	screen_split(s, row, x, blank);
	screen_split(s, row, end - n, blank); /* cut off by the margin */
	screen_split(s, row, end, blank);
	memmove(row->cells + x + n, row->cells + x,
	    (end - x - n) * sizeof(*row->cells));
	fill(row->cells, x, x + n, blank);
	if (row->used > x || !cell_is_zero(&blank)) {
		unsigned used = row->used > x ? row->used + n : x + n;
		if (used > end && row->used < end)
			used = end;
		if (used > s->cols)
			used = s->cols;
		if (row->used < used)
			row->used = (uint16_t)used;
	}
}

void
screen_delete_cells(struct screen *s, unsigned y, unsigned x, unsigned n,
    struct cell blank)
{
	struct row *row = screen_row(s, y);
	unsigned end = edit_end(s, x);

	if (n > end - x)
		n = end - x;
	screen_touch(s, row);
	screen_forget_pad(&row->cells[end - 1]);
	screen_split(s, row, x, blank);
	screen_split(s, row, x + n, blank);
	screen_split(s, row, end, blank);
	memmove(row->cells + x, row->cells + x + n,
	    (end - x - n) * sizeof(*row->cells));
	fill(row->cells, end - n, end, blank);
	if (!cell_is_zero(&blank) && row->used < end)
		row->used = (uint16_t)end;
	else
		screen_trim(row);
}

void
screen_trim(struct row *row)
{
	while (row->used > 0 && cell_is_zero(&row->cells[row->used - 1]))
		row->used--;
}

/* Rotate the rows [top, bottom] up by n: the top ones reappear below. */
static void
rotate(struct screen *s, unsigned top, unsigned bottom, unsigned n)
{
	unsigned height = bottom - top + 1;
	struct row *kept;

	if (height == s->rows) {
		s->first = (uint16_t)((s->first + n) % s->rows);
		s->moved = s->changed = s->now;
		return;
	}
	kept = xmalloc(n * sizeof(*kept));
	for (unsigned i = 0; i < n; i++)
		kept[i] = *screen_row(s, top + i);
	for (unsigned y = top; y + n <= bottom; y++)
		*screen_row(s, y) = *screen_row(s, y + n);
	for (unsigned i = 0; i < n; i++)
		*screen_row(s, bottom + 1 - n + i) = kept[i];
	free(kept);
	for (unsigned y = top; y <= bottom; y++)
		screen_touch(s, screen_row(s, y));
}

/*
 * Copy the cells between the margins from one row to another; blank replaces
 * wide characters that cross a margin.
 */
static void
copy_part(struct screen *s, unsigned to, unsigned from, struct cell blank)
{
	struct row *dst = screen_row(s, to), *src = screen_row(s, from);
	unsigned left = s->left, end = s->right + 1u;

	screen_split(s, src, left, blank);
	screen_split(s, src, end, blank);
	screen_split(s, dst, left, blank);
	screen_split(s, dst, end, blank);
	memcpy(dst->cells + left, src->cells + left,
	    (end - left) * sizeof(*dst->cells));
	if (dst->used < end && src->used > left) {
		unsigned used = src->used < end ? src->used : end;
		if (dst->used < used)
			dst->used = (uint16_t)used;
	}
	screen_trim(dst);
	screen_touch(s, dst);
}

static unsigned
clamp_count(unsigned top, unsigned bottom, unsigned n)
{
	return n < bottom - top + 1 ? n : bottom - top + 1;
}

void
screen_scroll_up(struct screen *s, unsigned top, unsigned bottom, unsigned n,
    struct cell blank)
{
	assert(top <= bottom && bottom < s->rows);
	n = clamp_count(top, bottom, n);
	if (screen_full_width(s)) {
		rotate(s, top, bottom, n);
		for (unsigned i = 0; i < n; i++)
			screen_clear_row(s, bottom - i, blank);
		return;
	}
	for (unsigned y = top; y + n <= bottom; y++)
		copy_part(s, y, y + n, blank);
	for (unsigned i = 0; i < n; i++)
		screen_erase(s, bottom - i, s->left, s->right + 1u, blank,
		    false);
}

void
screen_scroll_down(struct screen *s, unsigned top, unsigned bottom, unsigned n,
    struct cell blank)
{
	assert(top <= bottom && bottom < s->rows);
	n = clamp_count(top, bottom, n);
	if (screen_full_width(s)) {
		rotate(s, top, bottom, bottom - top + 1 - n);
		for (unsigned i = 0; i < n; i++)
			screen_clear_row(s, top + i, blank);
		return;
	}
	for (unsigned y = bottom; y >= top + n; y--)
		copy_part(s, y, y - n, blank);
	for (unsigned i = 0; i < n; i++)
		screen_erase(s, top + i, s->left, s->right + 1u, blank, false);
}

size_t
screen_memory(const struct screen *s)
{
	return (size_t)s->cols * s->rows * sizeof(*s->cells) +
	    s->rows * sizeof(*s->ring);
}
