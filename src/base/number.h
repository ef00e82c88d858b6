#ifndef TEND_BASE_NUMBER_H
#define TEND_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

struct error;

/* The digits at *s, of which there must be one, as a number up to max. */
bool number_take(const char **s, uint64_t max, uint64_t *out);

/*
 * A duration as people write it, wherever they do: 500ms, 5s, 1.5m, 2h, 7d;
 * digits alone are milliseconds.  In nanoseconds.  0, or -EINVAL with the text
 * and what to write instead.
 */
int number_duration(const char *s, uint64_t *ns, struct error *err);

#endif
