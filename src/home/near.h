#ifndef TEND_HOME_NEAR_H
#define TEND_HOME_NEAR_H

#include <stddef.h>

/*
 * The word that was probably meant: the nearest of those looked at, and none
 * when all are far.  A letter too many, one missing, another one, or two that
 * changed places are one mistake each; a word of up to five letters may have
 * one, and each three letters more allow another.  The beginning of a word,
 * two letters at least, is as near as can be.  Pure.
 */
#define NEAR_WORD_MAX 64 /* bytes; a longer word is near to none */

struct near {
	const char *word; /* as it was typed */
	unsigned mistakes;
	char best[NEAR_WORD_MAX + 1]; /* "": none yet */
};

void near_init(struct near *n, const char *word);
void near_look(struct near *n, const char *candidate);

#endif
