#ifndef TEND_VT_FLOW_H
#define TEND_VT_FLOW_H

#include <stdbool.h>
#include <stddef.h>

#include "vt/cell.h"

struct clusters;

/*
 * One logical line as cells, joined from its rows, and its division into rows
 * of a given width.  No readable text is lost: only pads are dropped, and
 * erased cells to the right of the text that do not fit.
 */
struct flow {
	struct cell *cells;
	size_t len, cap;
	size_t text;    /* one past the last cell that has a character */
	unsigned flags; /* enum row_flags of its first row */
};

/* A row of it: cells [from, to), then a pad if a wide one did not fit. */
struct flow_row {
	size_t from, to;
	bool pad;
};

void flow_init(struct flow *f);
void flow_finish(struct flow *f);
void flow_clear(struct flow *f);

/*
 * Announce the next cell at the end; the functions below do this themselves.
 * A pad at the end is dropped if its wide character follows; otherwise that
 * was overwritten, and the pad becomes an ordinary blank.
 */
void flow_join(struct flow *f, const struct cell *next);

/*
 * Append a row.  `whole`: another row of the line follows, so the blanks up to
 * cols belong to the line.
 */
void flow_add_row(struct flow *f, const struct cell *cells, unsigned used,
    unsigned cols, bool whole);

/* Append packed cells (line.h). */
void flow_add_packed(struct flow *f, const void *p, size_t len,
    struct clusters *clusters);

/*
 * The cells so far are the beginning of a line, whose last row was `missing`
 * cells short: all of its blanks count.
 */
void flow_go_on(struct flow *f, unsigned missing);

/* The row that begins at *at, which is advanced; false at the end. */
bool flow_next_row(const struct flow *f, unsigned cols, size_t *at,
    struct flow_row *out);
unsigned flow_count_rows(const struct flow *f, unsigned cols);

/* Write a row into zeroed cells; returns the number of cells used. */
unsigned flow_copy_row(const struct flow *f, const struct flow_row *row,
    struct cell *to);

#endif
