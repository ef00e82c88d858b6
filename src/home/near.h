#ifndef TEND_HOME_NEAR_H
#define TEND_HOME_NEAR_H

#include <stddef.h>

/*
 * The word that was probably meant: the nearest candidate, or none if all are
 * too different.  An extra, missing, wrong or swapped letter is one mistake.  A
 * word of up to five letters may have one mistake, and each three letters more
 * allow another.  A prefix of at least two letters counts as nearest.  Pure.
 */
#define NEAR_WORD_MAX 64 /* bytes; a longer word matches nothing */

struct near {
	const char *word; /* as typed */
	unsigned mistakes;
	char best[NEAR_WORD_MAX + 1]; /* "": none yet */
};

void near_init(struct near *n, const char *word);
void near_look(struct near *n, const char *candidate);

#endif
