#ifndef TEND_CLIENT_SEARCH_H
#define TEND_CLIENT_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "client/book.h"
#include "client/needle.h"

/*
 * Looking for a text in all of a book, a chapter a step, so that whoever looks
 * can do something else between two of them.  It goes from a place to the end,
 * on from the other end, and back to that place.
 */
enum search_state {
	SEARCH_IDLE,
	SEARCH_GOING,
	SEARCH_FOUND,  /* at `found` */
	SEARCH_MISSED, /* nowhere */
};

struct search {
	enum search_state state;
	struct needle needle;
	bool back;    /* towards the beginning */
	bool wrapped; /* went on from the other end */
	struct place found;
	uint64_t offset; /* of the output, where it is */

	/* The rest is the search's. */
	uint64_t start_seq, seq; /* of the chapters: the first, and now */
	size_t start_at;         /* in the text of the first one */
	unsigned steps;
	struct buf text;
};

void search_init(struct search *s);
void search_finish(struct search *s);

/* Look for what the needle is, from a place on, which does not count first. */
void search_begin(struct search *s, struct book *b, const struct place *from,
    bool back);
void search_step(struct search *s, struct book *b);

#endif
