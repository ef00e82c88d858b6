#ifndef TEND_MCP_CLEAN_H
#define TEND_MCP_CLEAN_H

#include <stddef.h>

struct buf;

/*
 * Makes the text of programs fit for a model.  Characters that a person would
 * not see are escaped as \u{200b} and reported, so that a model gets no text
 * that is invisible to its owner.  Newlines and tabs are kept, and so are
 * joiners and variation selectors where scripts and emoji need them.
 */
enum clean_why {
	CLEAN_CONTROL,    /* C0 and C1, with escapes */
	CLEAN_BIDI,       /* reverses the direction of text */
	CLEAN_ZERO_WIDTH, /* has no width */
	CLEAN_TAG,        /* a second, invisible alphabet */
	CLEAN_VARIATION,  /* selectors without effect */
	CLEAN_WHYS,
};

const char *clean_why_name(enum clean_why why);

/* The number and the first line, from 0, of each kind; n is 0 for none. */
struct clean_found {
	size_t n[CLEAN_WHYS];
	size_t line[CLEAN_WHYS];
};

/* Adds to found; bytes that are not UTF-8 become U+FFFD. */
void clean_text(const char *p, size_t len, struct buf *out,
    struct clean_found *found);

#endif
