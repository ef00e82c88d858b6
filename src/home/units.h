#ifndef TEND_HOME_UNITS_H
#define TEND_HOME_UNITS_H

#include <stdbool.h>
#include <stdint.h>

struct error;

/*
 * Numbers with units, as people write them on a command line.  All of these:
 * 0, or -EINVAL with the text and what to write instead in err.
 */

/* 500ms, 5s, 1.5m, 2h, 7d, or digits alone for milliseconds; in nanoseconds. */
int units_duration(const char *s, uint64_t *ns, struct error *err);

/* The same where digits alone mean something else, or would do harm. */
int units_duration_with_unit(const char *s, uint64_t *ns, struct error *err);

/* 4096, 64K, 256M, 5G, 1T, also 64KiB; in bytes, by 1024. */
int units_size(const char *s, uint64_t *bytes, struct error *err);

/*
 * The same, but the unit must be there, as with a duration: who writes 1 has
 * seldom meant one byte.  Only 0 needs none.
 */
int units_amount(const char *s, uint64_t *bytes, struct error *err);

/* 80x24, within what a screen can have. */
int units_dims(const char *s, unsigned *cols, unsigned *rows,
    struct error *err);

/* All of s as decimal digits, at most max. */
bool units_number(const char *s, uint64_t max, uint64_t *out);

#endif
