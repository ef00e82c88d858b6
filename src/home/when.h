#ifndef TEND_HOME_WHEN_H
#define TEND_HOME_WHEN_H

#include <stdbool.h>
#include <stdint.h>

#include "log/reader.h"

struct error;

/*
 * A moment of a session, in the form of --at, --from and --to:
 *
 *	N		the event with this seq
 *	@N		the byte of output at this offset
 *	12.5s		this long after the session's start (ms s m h)
 *	-5m		this long ago; for an ended session, before its end
 *	2026-11-15T23:51:55Z	RFC 3339; -01:00 and fractions are allowed
 *	2026-11-15 23:51	the same in local time
 *	23:51:55	the last time that the local clock showed this
 *	mark:NAME	the last mark of this name
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
	const char *text, *mark; /* borrowed from the parsed text */
};

/*
 * Returns -EINVAL and an error with the accepted forms.  Pure, except for local
 * times.
 */
int when_parse(const char *s, struct when *out, struct error *err);

/* A position in a log, in the terms of its reader. */
struct log_place {
	enum log_by by;
	uint64_t value;
};

/*
 * Find the moment in a log; the position of the reader afterwards is
 * unspecified.  now_ns is the current time of the log's own clock
 * (handle_log_now), from which WHEN_AGO counts; 0 if the session has ended.
 * Returns -ENOKEY and an error if the log has no such mark, -ENOENT if it has
 * no wall-clock records.
 */
int when_resolve(const struct when *w, struct log_reader *r, uint64_t now_ns,
    struct log_place *out, struct error *err);

/*
 * True if the place from when_resolve is after the end of the log; `out` then
 * gets a message about it.
 */
#define WHEN_WORDS_MAX 160
bool when_is_to_come(const struct when *w, const struct log_place *place,
    struct log_reader *r, uint64_t now_ns, char *out, size_t size);

#endif
