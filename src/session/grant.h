#ifndef TEND_SESSION_GRANT_H
#define TEND_SESSION_GRANT_H

#include <stdbool.h>

#include "op/ops.h"

struct error;

/*
 * A grant lets a confined session do something to sessions that it has not
 * created: `drive:worker-*`, a permission and a pattern of names.  In a pattern
 * `*` stands for any part of one segment, and the segment `**` for any number
 * of segments, also none.
 *
 * `observe`, `drive` and `control` can be granted; the last two include
 * `observe`.  `approve` and `admin` never can.
 */
#define GRANT_GLOB_SIZE 256
#define GRANT_TEXT_SIZE (GRANT_GLOB_SIZE + 16)
#define GRANTS_MAX 32 /* of a session; more are refused */

struct grant {
	enum op_permission permission;
	char glob[GRANT_GLOB_SIZE];
};

/* 0, or -EINVAL and why; then *out is as it was. */
int grant_parse(const char *text, struct grant *out, struct error *err);

/* As grant_parse reads it. */
void grant_format(const struct grant *g, char out[GRANT_TEXT_SIZE]);

/* Whether it lets its holder do this to a session of this name. */
bool grant_allows(const struct grant *g, enum op_permission permission,
    const char *name);

/* Whether `wide` allows all that `narrow` does. */
bool grant_covers(const struct grant *wide, const struct grant *narrow);

#endif
