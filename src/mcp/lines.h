#ifndef TEND_MCP_LINES_H
#define TEND_MCP_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * Lines out of a stream of bytes that come in pieces.  A line that is longer
 * than the limit is dropped as it comes, and told of once.
 */
struct lines {
	struct buf buf;
	size_t max;
	size_t taken;   /* bytes of buf that were given as lines */
	size_t scanned; /* behind them, bytes that hold no newline */
	bool dropping;  /* the line that is too long has not ended yet */
};

void lines_init(struct lines *l, size_t max);
void lines_finish(struct lines *l);

/* What was given by lines_next is no longer valid. */
void lines_add(struct lines *l, const void *p, size_t len);

enum lines_next { LINES_NONE, LINES_LINE, LINES_TOO_LONG };

/* The next whole line, without its newline, or that it was too long. */
enum lines_next lines_next(struct lines *l, const char **p, size_t *len);

/* What is left behind the last newline when the stream has ended. */
enum lines_next lines_rest(struct lines *l, const char **p, size_t *len);

#endif
