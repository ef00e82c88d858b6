#ifndef TEND_MCP_CLEAN_H
#define TEND_MCP_CLEAN_H

#include <stddef.h>

struct buf;

/*
 * Text of programs made fit for a model to read: what a person who looks at it
 * would not see is written out as \u{200b}, and told of, so that nothing
 * reaches the model that its owner cannot see.  Kept as they are: newlines and
 * tabs; joiners and variation selectors where scripts and emoji need them.
 */
enum clean_why {
	CLEAN_CONTROL,    /* C0 and C1, escapes among them */
	CLEAN_BIDI,       /* turns the direction of text around */
	CLEAN_ZERO_WIDTH, /* takes no room */
	CLEAN_TAG,        /* a second, invisible alphabet */
	CLEAN_VARIATION,  /* selectors that select nothing */
	CLEAN_WHYS,
};

const char *clean_why_name(enum clean_why why);

/* How often, and in which line first, from 0; n is 0 for none. */
struct clean_found {
	size_t n[CLEAN_WHYS];
	size_t line[CLEAN_WHYS];
};

/* found is added to; bytes that are no UTF-8 become U+FFFD. */
void clean_text(const char *p, size_t len, struct buf *out,
    struct clean_found *found);

#endif
