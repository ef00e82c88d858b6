#ifndef TEND_HOME_WHEN_H
#define TEND_HOME_WHEN_H

#include <stdbool.h>
#include <stdint.h>

#include "log/reader.h"

struct error;

/*
 * A moment of a session, as --at, --from and --to have it:
 *
 *	N		the event with that seq
 *	@N		the byte of output with that offset
 *	12.5s		so long after the session began (ms s m h)
 *	-5m		so long ago; of a session that has ended, before its end
 *	2026-11-15T23:51:55Z	RFC 3339; -01:00 and fractions are fine
 *	2026-11-15 23:51	the same in local time
 *	23:51:55	the last time that the clocks here showed this
 *	mark:NAME	the last mark of that name
 */
enum when_kind {
	WHEN_SEQ,
	WHEN_OFFSET,
	WHEN_SINCE_START, /* value: ns */
	WHEN_AGO,         /* value: ns */
	WHEN_WALL,        /* value: ns since 1970 */
	WHEN_MARK,
};

struct when {
	enum when_kind kind;
	uint64_t value;
	const char *text, *mark; /* borrowed from what was parsed */
};

/* -EINVAL and what can be written.  Pure, but for local times. */
int when_parse(const char *s, struct when *out, struct error *err);

/* A place in a log, as its reader knows places. */
struct log_place {
	enum log_by by;
	uint64_t value;
};

/*
 * Find the moment in a log; where the reader stands afterwards is not said.
 * now_ns is what the log's own clock shows (target_log_now), from which WHEN_AGO
 * counts, and 0 when the session has ended.
 * -ENOKEY and why when the log has no such mark, -ENOENT when it has no clock.
 */
int when_resolve(const struct when *w, struct log_reader *r, uint64_t now_ns,
    struct log_place *out, struct error *err);

/*
 * Whether the place that when_resolve has found is behind all that the log has,
 * and what is to be said of that.
 */
#define WHEN_WORDS_MAX 160
bool when_is_to_come(const struct when *w, const struct log_place *place,
    struct log_reader *r, uint64_t now_ns, char *out, size_t size);

#endif
