#ifndef TEND_SESSION_GRANT_H
#define TEND_SESSION_GRANT_H

#include <stdbool.h>

#include "op/ops.h"

struct error;

/*
 * A grant lets a confined session do something to sessions that it did not
 * create: `drive:worker-*`, a permission and a pattern of names.  In a
 * pattern, `*` stands for any part of one segment; the segment `**` stands for
 * any number of segments, or none.
 *
 * `observe`, `drive` and `control` can be granted; `drive` and `control`
 * include `observe`.  `approve` and `admin` cannot be granted.
 */
#define GRANT_GLOB_SIZE 256
#define GRANT_TEXT_SIZE (GRANT_GLOB_SIZE + 16)
#define GRANTS_MAX 32 /* of one session; more are refused */

struct grant {
	enum op_permission permission;
	char glob[GRANT_GLOB_SIZE];
};

/* 0, or -EINVAL with err, and *out unchanged. */
int grant_parse(const char *text, struct grant *out, struct error *err);

/* The text that grant_parse reads. */
void grant_format(const struct grant *g, char out[GRANT_TEXT_SIZE]);

/* True if the grant permits this on a session with this name. */
bool grant_allows(const struct grant *g, enum op_permission permission,
    const char *name);

/* True if `wide` allows all that `narrow` allows. */
bool grant_covers(const struct grant *wide, const struct grant *narrow);

#endif
