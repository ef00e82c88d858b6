#ifndef TEND_LOG_READER_H
#define TEND_LOG_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "log/record.h"

struct error;

/*
 * Reads a session's log from its files alone, live or finished, damaged or
 * not.  It never returns an invalid record or part of an event.  If an event
 * has several records, the reader joins them to one, without the flag MORE;
 * its len may exceed RECORD_PAYLOAD_MAX.  Output is different: each of its
 * records has an offset, and the reader returns it as it is in the file.
 */
struct log_reader;

#define LOG_EVENT_MAX (64u << 20) /* a larger event counts as damage */

/*
 * dirfd is the log's directory (log/ of a session); the caller may close it
 * afterwards.  Returns 0, or -errno and err.  Reading begins at the oldest
 * record.
 */
int log_reader_open(struct log_reader **out, int dirfd, struct error *err);
void log_reader_close(struct log_reader *r); /* NULL is fine */

enum log_next {
	LOG_RECORD,  /* *out is valid until the next call */
	LOG_WAIT,    /* nothing yet; the log has a writer */
	LOG_END,     /* no more records */
	LOG_DAMAGED, /* records are missing: log_reader_damage */
};

/*
 * The next record (pads and syncs are skipped).  After LOG_WAIT or LOG_END,
 * call it again to check for more.  After LOG_DAMAGED, the next call continues
 * behind the damage.
 */
enum log_next log_reader_next(struct log_reader *r, struct record *out);

/*
 * The same, but skip damage; false at the present end of the log, even if a
 * writer may add more.
 */
bool log_reader_next_there(struct log_reader *r, struct record *out);

/* The damage that the last LOG_DAMAGED has reported. */
struct log_damage {
	uint64_t seq_from, seq_to;       /* last before, first after; 0: end */
	uint64_t offset_from, offset_to; /* missing output; equal: none known */
	bool torn;                       /* the end has an incomplete event */
	bool trimmed;                    /* removed to keep the size limit */
	bool gone;                       /* a whole file is missing */
	bool end;                        /* nothing follows it */
};
void log_reader_damage(const struct log_reader *r, struct log_damage *out);

/*
 * Require that the log reaches this event and this offset.  A log that has
 * lost its end looks complete to the reader; a caller that knows the end, from
 * session.json, sets this.  An earlier end is then damage, even while a
 * process holds the writer's lock.  `newest` is the number of a segment that
 * must exist (0: unknown), for log_reader_scan.
 */
void log_reader_expect(struct log_reader *r, uint64_t seq, uint64_t offset,
    uint32_t newest);

/*
 * Every damage found so far, also while seeking, each once; trimmed parts are
 * not damage.  The reader owns the array.  If there are more than
 * LOG_DAMAGES_MAX, the last entry spans all the others.
 */
#define LOG_DAMAGES_MAX 64
const struct log_damage *log_reader_damages(const struct log_reader *r,
    size_t *n);

/*
 * Find damage, for log_reader_damages.  log_reader_check reads everything.
 * log_reader_scan is cheap: it reads the names and headers of the segments
 * and, with `end`, the end of the newest one, but no bytes between.  Both
 * change the position: seek before reading on.
 */
void log_reader_check(struct log_reader *r);
void log_reader_scan(struct log_reader *r, bool end);

/* The unit of a position in the log. */
enum log_by { LOG_BY_SEQ, LOG_BY_OFFSET, LOG_BY_TIME };

/*
 * Seek so that everything from `value` on is read: the next record is the one
 * that holds it, or the first after it.  Returns 0, or -errno if the directory
 * cannot be read.
 */
int log_reader_seek(struct log_reader *r, enum log_by by, uint64_t value);

/*
 * Seek to the last keyframe at or before `value`; with `full`, to the last
 * that has the scrollback.  Returns 0, -ENOENT if there is none (the position
 * is then undefined), or -errno.
 */
int log_reader_seek_keyframe(struct log_reader *r, enum log_by by,
    uint64_t value, bool full);

/*
 * The first seq of each readable segment, in order.  Returns their number or
 * -errno; the caller frees *first_seq.
 */
int log_reader_segments(struct log_reader *r, uint64_t **first_seq);

/*
 * Remember the position, and return to it.  There is one remembered position;
 * at first it is the beginning.
 */
void log_reader_mark(struct log_reader *r);
void log_reader_return(struct log_reader *r);

/* The present beginning and end of the log.  Returns 0 or -errno. */
struct log_extent {
	uint64_t first_seq, first_offset, first_time_ns;
	uint64_t last_seq, end_offset, last_time_ns;
	uint64_t bytes; /* on disk */
	bool being_written;
};
int log_reader_extent(struct log_reader *r, struct log_extent *out);

/*
 * A descriptor that becomes readable when the log may have grown (inotify), or
 * -errno.  The reader owns it, and log_reader_next drains it.  A killed writer
 * releases its lock without an event, so also check once a second.
 */
int log_reader_watch(struct log_reader *r);

#endif
