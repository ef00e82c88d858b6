#ifndef TEND_HOME_PAST_SCREEN_H
#define TEND_HOME_PAST_SCREEN_H

#include <stdbool.h>

#include "log/replay.h"

struct buf;
struct fault;
struct handle;
struct json_out;
struct report;
struct snapshot;

/* A session's screen at some moment, from its log. */
struct past_screen {
	struct replay now;
	struct replay then; /* at `since`; no vt: the log starts later */
};

/*
 * Take the screen at `at` (when.h), or the last one (NULL).  A moment before
 * the start gives the first screen; a future moment gives the last.  Both are
 * reported, as is damage.  Call past_screen_finish in any case.
 */
int past_screen_take(struct past_screen *s, struct handle *h,
    const struct snapshot *want, const char *at, struct report *r,
    struct fault *f);
void past_screen_finish(struct past_screen *s);

/* The same as snapshot_put and snapshot_data. */
int past_screen_put(const struct past_screen *s, const struct snapshot *want,
    struct json_out *j, struct fault *f);
int past_screen_data(const struct past_screen *s, const struct snapshot *want,
    struct buf *out, bool *truncated, struct fault *f);

#endif
