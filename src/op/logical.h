#ifndef TEND_OP_LOGICAL_H
#define TEND_OP_LOGICAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vt;

/*
 * A logical line of a screen: the rows into which the margin broke it.  A
 * position in it is a number of cells from its beginning.
 */
struct logical {
	uint64_t hash; /* of its text without blanks at the ends; 0: blank */
	uint16_t row, rows;
	bool cut; /* its beginning has left the screen */
};

/* Fill in the line that begins in this row, and return the row after it. */
unsigned logical_read(struct logical *line, const struct vt *vt, unsigned row);

/* The first row of the line that contains this row. */
unsigned logical_first_row(const struct vt *vt, unsigned row);

/* The cell after the last one that is not blank. */
unsigned logical_end(const struct logical *line, const struct vt *vt);

/*
 * True if the line has text up to the last column.  Line editors break a line
 * there themselves, and the terminal sees the rest as a separate line.
 */
bool logical_is_full(const struct logical *line, const struct vt *vt);

/* True if the cell is blank, or after the end of the line. */
bool logical_is_blank(const struct logical *line, const struct vt *vt,
    unsigned at);

/* The hash of the cells [0, to), including blanks at both ends. */
uint64_t logical_prefix(const struct logical *line, const struct vt *vt,
    unsigned to);

/*
 * The number of bytes of the text that match the line from the cell *at on; *at
 * moves after the last of them.
 */
size_t logical_match(const struct logical *line, const struct vt *vt,
    unsigned *at, const char *text, size_t len);

#endif
