#ifndef TEND_CLIENT_RULER_H
#define TEND_CLIENT_RULER_H

#include <stddef.h>

struct vt;

/*
 * Says which column of a row a byte of its text stands in, and the other way
 * round: wide characters take two columns, and what joins a character none.
 */
struct ruler {
	struct vt *vt; /* one long row */
};

void ruler_init(struct ruler *r);
void ruler_finish(struct ruler *r);

/* Lay a row's text on it, without control characters. */
void ruler_lay(struct ruler *r, const char *text, size_t len);

/* The column of the character that has this byte, or behind the last one. */
unsigned ruler_col(const struct ruler *r, size_t byte);
/* The first byte of the character in a column, or behind the last one. */
size_t ruler_byte(const struct ruler *r, unsigned col);
/* How many columns the text takes. */
unsigned ruler_cols(const struct ruler *r);

#endif
