#ifndef TEND_OP_PATTERN_H
#define TEND_OP_PATTERN_H

#include <stddef.h>

struct error;

/*
 * An untrusted regular expression (PCRE2).  Text
 * and pattern are UTF-8; ^ and $ are the ends of lines.
 *
 * A search ends after a number of steps that depends on the length of the
 * text alone, whatever the pattern is: a step is something of the pattern that
 * is tried, or a byte that is passed over.  PCRE2's own limits do not give
 * that, since they start again at each place where a match might begin.
 */
struct pattern;

#define PATTERN_MAX 4096 /* bytes */

/* NULL, and why it is no pattern. */
struct pattern *pattern_create(const char *text, size_t len, struct error *err);
void pattern_destroy(struct pattern *p); /* NULL is fine */

/*
 * The first match in the text: 1 and its bytes [*from, *to), 0 for none, or
 * -ELOOP when the steps, or the memory for them, are used up.
 */
int pattern_find(const struct pattern *p, const char *text, size_t len,
    size_t *from, size_t *to);

/*
 * The same for the matches one after the other: the first that begins at or
 * behind *from.  All of them together have the steps of one search; *steps is
 * 0 to begin with.
 */
int pattern_next(const struct pattern *p, const char *text, size_t len,
    size_t *steps, size_t *from, size_t *to);

#endif
