#ifndef TEND_HOME_DATES_H
#define TEND_HOME_DATES_H

#include <stdint.h>

struct log_reader;

/*
 * When in a log a clock on the wall showed this (ns since 1970).
 *
 * The log counts from its start, by a clock that cannot be set.  Where the one
 * on the wall was set back it showed some moments twice: the later counts.
 * Where it was set forward it left some out: that is when they were.
 *
 * Whole segments are passed over where the two clocks have run alike from the
 * beginning of one to that of another: a clock that was set in between, and
 * then set right again, is believed to have been right all the time.
 *
 * -ENOENT when the log has no clock.  Where the reader stands afterwards is
 * not said.
 */
int dates_find(struct log_reader *r, uint64_t wall, uint64_t *time_ns);

#endif
