#ifndef TEND_HOME_EXCERPT_H
#define TEND_HOME_EXCERPT_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * The beginning and the end of a long text, which is added piece by piece.  It
 * holds `keep` bytes at most, half of them of each end, and counts what it
 * leaves out between them.  UTF-8 characters stay whole.  Pure.
 */
struct excerpt {
	struct buf text;
	uint64_t skip;     /* bytes at the beginning still to be dropped */
	uint64_t left_out; /* bytes between the two ends */
	size_t keep;
};

void excerpt_init(struct excerpt *e, uint64_t skip, size_t keep);
void excerpt_finish(struct excerpt *e);

/* The caller adds to `text`, and then calls this. */
void excerpt_trim(struct excerpt *e);

/* The text from its first whole character on; valid until it is changed. */
const char *excerpt_text(const struct excerpt *e, size_t *len);

#endif
