#ifndef TEND_HOME_SHOT_H
#define TEND_HOME_SHOT_H

#include <stdbool.h>

#include "log/replay.h"

struct buf;
struct fault;
struct handle;
struct json_out;
struct report;
struct snapshot;

/* A session's screen at some moment, from its log. */
struct shot {
	struct replay now;
	struct replay then; /* at `since`; no vt: the log starts later */
};

/*
 * Take the screen at `at` (when.h), or the last one (NULL).  A moment before
 * the start gives the first screen; a future moment gives the last.  Both are
 * reported, as is damage.  Call shot_finish in any case.
 */
int shot_take(struct shot *s, struct handle *h, const struct snapshot *want,
    const char *at, struct report *r, struct fault *f);
void shot_finish(struct shot *s);

/* The same as snapshot_put and snapshot_data. */
int shot_put(const struct shot *s, const struct snapshot *want,
    struct json_out *j, struct fault *f);
int shot_data(const struct shot *s, const struct snapshot *want,
    struct buf *out, bool *truncated, struct fault *f);

#endif
