#ifndef TEND_OP_LOGICAL_H
#define TEND_OP_LOGICAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vt;

/*
 * A logical line of a screen: the rows that the margin broke it into.  A place
 * in it is a number of cells from its beginning.
 */
struct logical {
	uint64_t hash; /* of its text without blanks at either end; 0: blank */
	uint16_t row, rows;
	bool cut; /* its beginning has left the screen */
};

/* Fill in the line that begins in this row.  The row after it is returned. */
unsigned logical_read(struct logical *line, const struct vt *vt, unsigned row);

/* The row in which the line begins that this row is a part of. */
unsigned logical_first_row(const struct vt *vt, unsigned row);

/* One past the last cell of the line that is not blank. */
unsigned logical_end(const struct logical *line, const struct vt *vt);

/*
 * True if it is written on to the last column.  Line editors break a line there
 * themselves, and what follows is a line of its own to the terminal.
 */
bool logical_is_full(const struct logical *line, const struct vt *vt);

/* True if the cell is blank; those behind the line are. */
bool logical_is_blank(const struct logical *line, const struct vt *vt,
    unsigned at);

/* The hash of the cells [0, to), blanks at both ends included. */
uint64_t logical_prefix(const struct logical *line, const struct vt *vt,
    unsigned to);

/*
 * How many bytes of the text stand in the line from the cell *at on, which
 * moves behind the last of them.
 */
size_t logical_match(const struct logical *line, const struct vt *vt,
    unsigned *at, const char *text, size_t len);

#endif
