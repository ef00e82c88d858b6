#ifndef TEND_LOG_READER_H
#define TEND_LOG_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "log/record.h"

struct error;

/*
 * Reads a session's log, from its files alone, live or finished, damaged or
 * not.  It never gives a record that is not valid, and no part of an event: the
 * records of one that is larger than a record are put together, without MORE
 * and with a len beyond RECORD_PAYLOAD_MAX.  Only output is given record by
 * record as it is in the file, for each of them has its offset.
 */
struct log_reader;

#define LOG_EVENT_MAX (64u << 20) /* a larger event counts as damage */

int log_reader_open(struct log_reader **out, int dirfd, struct error *err);
void log_reader_close(struct log_reader *r); /* NULL is fine */

enum log_next {
	LOG_RECORD,  /* *out is the next record, valid until the next call */
	LOG_WAIT,    /* nothing yet; somebody writes */
	LOG_END,     /* nothing more will come */
	LOG_DAMAGED, /* something is missing: see log_reader_damage */
};

/*
 * The next record (pads and syncs are passed over).  After LOG_WAIT or
 * LOG_END it may be called again, and looks again.  After LOG_DAMAGED it goes
 * on behind the damage.
 */
enum log_next log_reader_next(struct log_reader *r, struct record *out);

/*
 * The next record that is there, whatever is missing before it; false at the
 * end, be somebody writing or not.
 */
bool log_reader_next_there(struct log_reader *r, struct record *out);

/* What lay between the last good record and the next. */
struct log_damage {
	uint64_t seq_from, seq_to;       /* last before, first after; 0: end */
	uint64_t offset_from, offset_to; /* output missing; same: none known */
	bool torn;                       /* the end has bytes of no event */
	bool trimmed;                    /* removed to stay in the budget */
	bool gone;                       /* a whole file is not there */
	bool end;                        /* nothing comes behind it */
};
void log_reader_damage(const struct log_reader *r, struct log_damage *out);

/*
 * The log must go on to this event at least, and to this offset: who knows so
 * tells the reader, to which a log that lacks its end looks whole.  An end that
 * comes before that is damage, also while somebody holds the writer's lock.
 * `newest` is the number of a segment that there must be (0: not known), for a
 * reader that only glances.
 */
void log_reader_expect(struct log_reader *r, uint64_t seq, uint64_t offset,
    uint32_t newest);

/*
 * Every damage that the reader has met, also on its way to a place, each once;
 * without what was trimmed.  Of more than LOG_DAMAGES_MAX, the last entry spans
 * all that are left.
 */
#define LOG_DAMAGES_MAX 64
const struct log_damage *log_reader_damages(const struct log_reader *r,
    size_t *n);

/*
 * Read everything, for the sake of the damages; and the cheap part of it, by
 * the names and headers of the segments.  That takes the beginning and, with
 * `end`, the end of the newest one into account, but no bytes between.
 */
void log_reader_check(struct log_reader *r);
void log_reader_glance(struct log_reader *r, bool end);

/* Where something is in the log. */
enum log_by { LOG_BY_SEQ, LOG_BY_OFFSET, LOG_BY_TIME };

/*
 * Go to a place from which everything from `value` on will be read: the record
 * that holds it comes next, or the first after it.
 */
int log_reader_seek(struct log_reader *r, enum log_by by, uint64_t value);

/*
 * Go to the last keyframe at or before `value`; with `full`, to the last that
 * has the history.  -ENOENT when there is none left.
 */
int log_reader_seek_keyframe(struct log_reader *r, enum log_by by,
    uint64_t value, bool full);

/*
 * The seq with which each segment begins, in order, of those that can be read.
 * How many, or -errno; the caller frees *first_seq.
 */
int log_reader_segments(struct log_reader *r, uint64_t **first_seq);

/* Remember the place, and go back to the one that was remembered last. */
void log_reader_mark(struct log_reader *r);
void log_reader_return(struct log_reader *r);

/* The ends of the log as they are now. */
struct log_extent {
	uint64_t first_seq, first_offset, first_time_ns;
	uint64_t last_seq, end_offset, last_time_ns;
	uint64_t bytes; /* on disk */
	bool being_written;
};
int log_reader_extent(struct log_reader *r, struct log_extent *out);

/*
 * A descriptor that becomes readable when the log may have grown (inotify), or
 * -errno.  The reader's; drained by log_reader_next.  A writer that is killed
 * gives up its lock without a sign: look again once a second as well.
 */
int log_reader_watch(struct log_reader *r);

#endif
