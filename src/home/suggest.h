#ifndef TEND_HOME_SUGGEST_H
#define TEND_HOME_SUGGEST_H

#include <stddef.h>

/*
 * The word that was probably meant: the nearest candidate, or none if all are
 * too different.  An extra, missing, wrong or swapped letter is one mistake.  A
 * word of up to five letters may have one mistake, and each three letters more
 * allow another.  A prefix of at least two letters counts as nearest.  Pure.
 */
#define NEAR_WORD_MAX 64 /* bytes; a longer word matches nothing */

struct suggest {
	const char *word; /* as typed */
	unsigned mistakes;
	char best[NEAR_WORD_MAX + 1]; /* "": none yet */
};

void suggest_init(struct suggest *n, const char *word);
void suggest_look(struct suggest *n, const char *candidate);

#endif
