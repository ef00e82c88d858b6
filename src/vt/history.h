#ifndef TEND_VT_HISTORY_H
#define TEND_VT_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "vt/cell.h"

struct clusters;
struct extras;

/*
 * The lines that left the top of the screen, packed (line.h) and joined again
 * where the margin had broken them.  So a change of width costs nothing here,
 * and loses nothing: rows are made on demand.
 *
 * It is limited by lines and by bytes; the oldest lines are dropped first.
 * The limit is for the memory, but the packed lines are counted, so that
 * dropping depends on nothing but the lines.  A line longer than
 * HISTORY_LINE_MAX is kept in pieces that are marked (ROW_CONTINUES).
 */
#define HISTORY_BLOCK 8192
#define HISTORY_LINE_MAX 1024
#define HISTORY_PIECE 256 /* cells of a row that are packed at once */

struct history_block {
	struct history_block *next, *prev;
	uint16_t start, end; /* lines stand in data[start, end) */
	uint16_t last;       /* where the last of them begins */
	uint16_t pad;
	uint8_t data[HISTORY_BLOCK - 24];
};

struct history {
	struct history_block *first, *last;
	uint32_t lines, lines_max;
	size_t bytes, bytes_max; /* of the lines, headers included */
	size_t limit;            /* of the memory; what the owner asked for */
	size_t blocks;
	unsigned missing; /* cells that the last row pushed fell short of */
	struct buf scratch;
};

/* One packed line: borrowed until the history changes. */
struct history_line {
	const uint8_t *p;
	size_t len;
	unsigned flags; /* enum row_flags */
};

void history_init(struct history *h, uint32_t lines_max, size_t bytes_max);
void history_finish(struct history *h);

/* Set other limits; lines beyond them are dropped at once. */
void history_limit(struct history *h, uint32_t lines_max, size_t bytes_max);
void history_clear(struct history *h);

/*
 * Add a row of cols cells, of which all from `used` on are zero.  With
 * ROW_CONTINUES in flags it goes to the end of the last line.
 */
void history_push(struct history *h, const struct cell *cells, unsigned used,
    unsigned cols, unsigned flags, const struct clusters *clusters);

/*
 * The same for a row that is packed already, of at most HISTORY_PIECE cells and
 * HISTORY_LINE_MAX bytes, and `missing` cells short of a full one.
 */
void history_push_packed_row(struct history *h, const uint8_t *p, size_t len,
    unsigned missing, unsigned flags);

/* Add a line that is packed already.  -EINVAL when it is too long. */
int history_push_packed(struct history *h, const uint8_t *p, size_t len,
    unsigned flags);

bool history_last(const struct history *h, struct history_line *out);
void history_pop(struct history *h); /* forget the last line */

/* From the oldest on: begin with block NULL. */
struct history_place {
	const struct history_block *block;
	uint16_t at;
};
bool history_next(const struct history *h, struct history_place *place,
    struct history_line *out);

/* Mark the extras that its lines have. */
void history_mark_extras(const struct history *h, struct extras *x);

size_t history_memory(const struct history *h);

#endif
