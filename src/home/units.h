#ifndef TEND_HOME_UNITS_H
#define TEND_HOME_UNITS_H

#include <stdbool.h>
#include <stdint.h>

struct error;

/*
 * Numbers with units, as people write them on a command line.  All functions
 * return 0, or -EINVAL with an error that shows the text and the accepted
 * forms.
 */

/* 500ms, 5s, 1.5m, 2h, 7d, or digits alone for milliseconds; in nanoseconds. */
int units_duration(const char *s, uint64_t *ns, struct error *err);

/* The same, for callers where digits alone would be ambiguous or dangerous. */
int units_duration_with_unit(const char *s, uint64_t *ns, struct error *err);

/* 4096, 64K, 256M, 5G, 1T, also 64KiB; in bytes, by 1024. */
int units_size(const char *s, uint64_t *bytes, struct error *err);

/*
 * The same with a mandatory unit, since a plain 1 seldom means one byte.  Only
 * 0 needs none.
 */
int units_amount(const char *s, uint64_t *bytes, struct error *err);

/* 80x24, within the limits of a screen. */
int units_dims(const char *s, unsigned *cols, unsigned *rows,
    struct error *err);

/* All of s as decimal digits; at most max. */
bool units_number(const char *s, uint64_t max, uint64_t *out);

#endif
