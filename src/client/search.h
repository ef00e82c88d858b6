#ifndef TEND_CLIENT_SEARCH_H
#define TEND_CLIENT_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "client/needle.h"
#include "client/scrollback.h"

/*
 * Searches the whole scrollback for a text, one part a step, so that the caller
 * can do other things between two steps.  It goes from a place to the end,
 * continues from the other end, and stops at that place.
 */
enum search_state {
	SEARCH_IDLE,
	SEARCH_GOING,
	SEARCH_FOUND,  /* at `found` */
	SEARCH_MISSED, /* no match */
};

struct search {
	enum search_state state;
	struct needle needle;
	bool back;    /* towards the beginning */
	bool wrapped; /* it continued from the other end */
	struct scrollback_place found;
	uint64_t offset; /* of the output, at the match */

	/* The rest is private. */
	uint64_t start_seq, seq; /* of the parts: first and current */
	size_t start_at;         /* in the text of the first one */
	unsigned steps;
	struct buf text;
};

void search_init(struct search *s);
void search_finish(struct search *s);

/*
 * Search for the needle from a place on; a match at the place itself comes
 * last.
 */
void search_begin(struct search *s, struct scrollback *b,
    const struct scrollback_place *from, bool back);
void search_step(struct search *s, struct scrollback *b);

#endif
