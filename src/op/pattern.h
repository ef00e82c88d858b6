#ifndef TEND_OP_PATTERN_H
#define TEND_OP_PATTERN_H

#include <stddef.h>

struct error;

/*
 * An untrusted regular expression (PCRE2).  Text and pattern are UTF-8; ^ and $
 * match at the ends of lines.
 *
 * A search ends after a number of steps that depends only on the length of the
 * text, not on the pattern.  A step is one attempt to match an item of the
 * pattern, or one skipped byte.  PCRE2's own limits do not ensure this, since
 * they apply separately to each starting position.
 */
struct pattern;

#define PATTERN_MAX 4096 /* bytes */

/* Returns NULL and an error for an invalid pattern. */
struct pattern *pattern_create(const char *text, size_t len, struct error *err);
void pattern_destroy(struct pattern *p); /* NULL is allowed */

/*
 * The first match in the text: 1 and its bytes [*from, *to), 0 if there is
 * none, or -ELOOP if the steps or their memory are used up.
 */
int pattern_find(const struct pattern *p, const char *text, size_t len,
    size_t *from, size_t *to);

/*
 * The same for successive matches: the first that begins at or after *from.
 * All of them together have the steps of one search; *steps is 0 at first.
 */
int pattern_next(const struct pattern *p, const char *text, size_t len,
    size_t *steps, size_t *from, size_t *to);

#endif
