#ifndef TEND_MCP_LINES_H
#define TEND_MCP_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * Splits a stream of bytes into lines.  A line over the limit is dropped as it
 * arrives and reported once.
 */
struct lines {
	struct buf buf;
	size_t max;
	size_t taken;   /* bytes of buf already returned as lines */
	size_t scanned; /* bytes after them without a newline */
	bool dropping;  /* the end of a dropped line has not arrived */
};

void lines_init(struct lines *l, size_t max);
void lines_finish(struct lines *l);

/* This invalidates the last line of lines_next. */
void lines_add(struct lines *l, const void *p, size_t len);

enum lines_next { LINES_NONE, LINES_LINE, LINES_TOO_LONG };

/* The next complete line without its newline, or a report of a long one. */
enum lines_next lines_next(struct lines *l, const char **p, size_t *len);

/* The rest after the last newline, at the end of the stream. */
enum lines_next lines_rest(struct lines *l, const char **p, size_t *len);

#endif
