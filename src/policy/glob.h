#ifndef TEND_POLICY_GLOB_H
#define TEND_POLICY_GLOB_H

#include <stdbool.h>

struct error;

/*
 * Patterns of names whose segments `/` separates: `*` is exactly one segment,
 * `**` any number of them, also none; anything else is exact text.  A pattern
 * has at most GLOB_SIZE_MAX bytes and GLOB_SEGMENTS_MAX segments, so the work of
 * a match is bounded.
 */
#define GLOB_SIZE_MAX 255
#define GLOB_SEGMENTS_MAX 16

/* Check a pattern: 0, or -EINVAL and the reason. */
int glob_check(const char *pattern, struct error *err);

/* True if the pattern, which glob_check accepts, matches the whole name. */
bool glob_match(const char *pattern, const char *name);

#endif
