#ifndef TEND_CLIENT_RULER_H
#define TEND_CLIENT_RULER_H

#include <stddef.h>

struct vt;

/*
 * Converts between columns of a row and bytes of its text: wide characters
 * take two columns, combining characters none.
 */
struct ruler {
	struct vt *vt; /* one long row */
};

void ruler_init(struct ruler *r);
void ruler_finish(struct ruler *r);

/* Set a row's text, without control characters. */
void ruler_lay(struct ruler *r, const char *text, size_t len);

/* The column of the character with this byte, or the one after the last. */
unsigned ruler_col(const struct ruler *r, size_t byte);
/* The first byte of the character in a column, or the end. */
size_t ruler_byte(const struct ruler *r, unsigned col);
/* The number of columns of the text. */
unsigned ruler_cols(const struct ruler *r);

#endif
