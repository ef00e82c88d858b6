#ifndef TEND_VT_SCREEN_H
#define TEND_VT_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vt/cell.h"

/*
 * A grid of cells.  It knows rows, margins and damage, but no cursor, pen or
 * modes.
 *
 * The rows are a ring: scrolling the whole screen moves `first` and clears one
 * row.  In every row the cells from `used` on are zero, so clearing costs only
 * as much as was written.  No half of a wide character is ever alone: code
 * that writes or moves a part of a row first calls screen_split() at both
 * ends.
 */
struct row {
	struct cell *cells;
	uint16_t used;
	uint16_t flags;      /* enum row_flags */
	uint16_t packed_len; /* 0: not packed ahead (ahead.h) */
	bool left;           /* a line feed has ended its line */
	uint64_t packed;     /* where, if it is */
	uint64_t generation;
};

struct screen {
	struct row *ring;
	struct cell *cells; /* of all rows, in one piece */
	uint16_t cols, rows;
	uint16_t first; /* ring index of row 0 */

	/* Margins, inclusive. */
	uint16_t top, bottom, left, right;

	uint64_t now;     /* generation that changes belong to */
	uint64_t changed; /* of the last change */
	uint64_t moved;   /* of the last scroll of the whole screen */
};

void screen_init(struct screen *s, unsigned cols, unsigned rows);
void screen_finish(struct screen *s);
bool screen_exists(const struct screen *s);

void screen_reset_margins(struct screen *s);
/* True if the left and right margins are those of the screen. */
bool screen_full_width(const struct screen *s);

static inline struct row *
screen_row(const struct screen *s, unsigned y)
{
	unsigned i = s->first + y;

	return &s->ring[i < s->rows ? i : i - s->rows];
}

/* After or before every change of a row's cells. */
static inline void
screen_touch(struct screen *s, struct row *row)
{
	row->generation = s->now;
	row->packed_len = 0;
	s->changed = s->now;
}

/* True if row y changed after the generation. */
uint64_t screen_row_generation(const struct screen *s, unsigned y);

/* Make the wide character blank whose right half is at x. */
void screen_blank_wide(struct screen *s, struct row *row, unsigned x,
    struct cell blank);

/*
 * Make sure that no wide character crosses the left edge of cell x: both
 * halves of one that does become blank.
 */
static inline void
screen_split(struct screen *s, struct row *row, unsigned x, struct cell blank)
{
	if (x < row->used && cell_kind(&row->cells[x]) == CELL_TAIL)
		screen_blank_wide(s, row, x, blank);
}

/*
 * Set cells [from, to) to blank, which is a cell without character: zero, or
 * the colour of erased cells.  With `spare`, protected cells are left alone.
 */
void screen_erase(struct screen *s, unsigned y, unsigned from, unsigned to,
    struct cell blank, bool spare);
/* The whole row, and its flags. */
void screen_clear_row(struct screen *s, unsigned y, struct cell blank);
void screen_clear(struct screen *s, struct cell blank);

/* Insert or delete n cells at x, within [x, right margin]. */
void screen_insert_cells(struct screen *s, unsigned y, unsigned x, unsigned n,
    struct cell blank);
void screen_delete_cells(struct screen *s, unsigned y, unsigned x, unsigned n,
    struct cell blank);

/*
 * Move the rows [top, bottom] up or down by n, within the left and right
 * margins, and blank those that come free.
 */
void screen_scroll_up(struct screen *s, unsigned top, unsigned bottom,
    unsigned n, struct cell blank);
void screen_scroll_down(struct screen *s, unsigned top, unsigned bottom,
    unsigned n, struct cell blank);

/* Lower `used` to the last cell that is not zero. */
void screen_trim(struct row *row);

/* A pad that is about to leave its margin is a blank. */
void screen_forget_pad(struct cell *last);

size_t screen_memory(const struct screen *s);

#endif
