#ifndef TEND_VT_FLOW_H
#define TEND_VT_FLOW_H

#include <stdbool.h>
#include <stddef.h>

#include "vt/cell.h"

struct clusters;

/*
 * One logical line as cells, however many rows it stood on, and how it breaks
 * into rows of a given width.  Nothing that can be read is lost by that: only
 * pads go, and erased cells to the right of the text that do not fit.
 */
struct flow {
	struct cell *cells;
	size_t len, cap;
	size_t text;    /* one past the last cell that has a character */
	unsigned flags; /* enum row_flags of its first row */
};

/* A row of it: cells [from, to), then a pad when a wide one did not fit. */
struct flow_row {
	size_t from, to;
	bool pad;
};

void flow_init(struct flow *f);
void flow_finish(struct flow *f);
void flow_clear(struct flow *f);

/*
 * Say which cell is put at the end next, which is done by the functions below
 * as well.  A pad there is nothing when its wide character follows; when that
 * was overwritten, it has become a blank like any other.
 */
void flow_join(struct flow *f, const struct cell *next);

/*
 * Put a row at the end.  `whole` says that another of the line follows, so
 * that the blanks up to cols belong to it.
 */
void flow_add_row(struct flow *f, const struct cell *cells, unsigned used,
    unsigned cols, bool whole);

/* Put packed cells (line.h) at the end. */
void flow_add_packed(struct flow *f, const void *p, size_t len,
    struct clusters *clusters);

/*
 * The cells so far are the beginning of a line, whose last row fell short
 * by so many cells: all of its blanks count.
 */
void flow_go_on(struct flow *f, unsigned missing);

/* The row that begins at *at, which moves on; false at the end. */
bool flow_next_row(const struct flow *f, unsigned cols, size_t *at,
    struct flow_row *out);
unsigned flow_count_rows(const struct flow *f, unsigned cols);

/* Write a row into cells that are zero; returns how many it used. */
unsigned flow_copy_row(const struct flow *f, const struct flow_row *row,
    struct cell *to);

#endif
