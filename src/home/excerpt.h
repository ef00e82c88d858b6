#ifndef TEND_HOME_EXCERPT_H
#define TEND_HOME_EXCERPT_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * The beginning and the end of a long text that is added piece by piece.  It
 * keeps at most `keep` bytes, half from each end, and counts the bytes left out
 * between them.  UTF-8 characters stay whole; bytes that are not UTF-8 are cut
 * anywhere.  Pure.
 */
struct excerpt {
	struct buf text;
	uint64_t skip;     /* bytes still to drop at the beginning */
	uint64_t left_out; /* bytes dropped between the two ends */
	size_t head;       /* bytes before those; it is 0 until some are */
	size_t keep;
};

void excerpt_init(struct excerpt *e, uint64_t skip, size_t keep);
void excerpt_finish(struct excerpt *e);

/* Call this after each addition to `text`. */
void excerpt_trim(struct excerpt *e);

/* The text from its first whole character on; valid until the next change. */
const char *excerpt_text(const struct excerpt *e, size_t *len);

#endif
