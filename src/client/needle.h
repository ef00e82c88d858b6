#ifndef TEND_CLIENT_NEEDLE_H
#define TEND_CLIENT_NEEDLE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A text to look for: capitals count when it has one, else not.  Case is that
 * of Latin, Greek and Cyrillic letters whose small form takes as many bytes.
 * Pure.
 */
#define NEEDLE_MAX 256 /* bytes, with the NUL */
#define NEEDLE_NONE ((size_t)-1)

struct needle {
	char text[NEEDLE_MAX]; /* small letters, unless `exact` */
	size_t len;
	bool exact;
};

/* What is too long is cut off. */
void needle_set(struct needle *n, const char *text);

/* Small letters for capitals, unless they count; the length stays. */
void needle_fold(const struct needle *n, char *text, size_t len);

/*
 * The first place at or after `from`, or the last one before `to`, in a text
 * that was folded; NEEDLE_NONE: there is none.
 */
size_t needle_find(const struct needle *n, const char *text, size_t len,
    size_t from);
size_t needle_find_last(const struct needle *n, const char *text, size_t len,
    size_t to);

#endif
