#ifndef TEND_CLIENT_NEEDLE_H
#define TEND_CLIENT_NEEDLE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A text to search for.  Case counts only if it has a capital.  Case is that
 * of Latin, Greek and Cyrillic letters whose small form has as many bytes.
 * Pure.
 */
#define NEEDLE_MAX 256 /* bytes, with the NUL */
#define NEEDLE_NONE ((size_t)-1)

struct needle {
	char text[NEEDLE_MAX]; /* small letters, unless `exact` */
	size_t len;
	bool exact;
};

/* A text that is too long is cut. */
void needle_set(struct needle *n, const char *text);

/* Convert capitals to small letters, unless case counts; the length stays. */
void needle_fold(const struct needle *n, char *text, size_t len);

/*
 * The first match at or after `from`, or the last one before `to`, in a folded
 * text; NEEDLE_NONE: no match.
 */
size_t needle_find(const struct needle *n, const char *text, size_t len,
    size_t from);
size_t needle_find_last(const struct needle *n, const char *text, size_t len,
    size_t to);

#endif
