#ifndef TEND_HOME_DATES_H
#define TEND_HOME_DATES_H

#include <stdint.h>

struct log_reader;

/*
 * Convert wall-clock time (ns since 1970) to a time of the log.
 *
 * The log counts from its start, with a clock that cannot be set.  If the wall
 * clock was set back, it showed some times twice: the later one counts.  If it
 * was set forward, it skipped some times: they map to the moment of the change.
 *
 * The search skips whole segments if both clocks advanced equally between the
 * beginnings of two segments.  A wall clock that was set and set back between
 * them is therefore assumed to have been right all the time.
 *
 * Returns -ENOENT if the log has no wall-clock records.  The position of the
 * reader afterwards is unspecified.
 */
int dates_find(struct log_reader *r, uint64_t wall, uint64_t *time_ns);

#endif
