#ifndef TEND_LOG_WRITER_H
#define TEND_LOG_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log/event.h"

struct error;
struct log_io;

/*
 * Appends events to a session's log.  It has no thread, clock or queue of its
 * own; whoever calls it may be made to wait by the disk.  One thread may append
 * and rotate while a second one syncs and trims and a third compresses.
 *
 * seq and time are the caller's: seq grows by one with each event, time does
 * not go back, and output begins where the output or gap before it ended.
 * What does not follow is refused with -EINVAL.
 */
struct log_writer;

/* Where the log ends. */
struct log_end {
	uint64_t seq;     /* of the last event; 0: none */
	uint64_t offset;  /* of the next output byte, gaps counted */
	uint64_t time_ns; /* of the last event */
	uint64_t cut;     /* bytes of a torn end that were cut */
};

/*
 * Open the log in `dirfd` (the directory log/) to write, after what is torn
 * has been cut; -EBUSY when somebody else writes.  The caller appends
 * `recovered` when end->cut says so.  In an empty directory, and when the
 * newest segment is compressed or had no event left in it, the first events
 * that are appended begin a segment.
 */
int log_writer_open(struct log_writer **out, int dirfd, struct log_end *end,
    struct error *err);
int log_writer_open_with(struct log_writer **out, int dirfd,
    const struct log_io *io, struct log_end *end, struct error *err);
void log_writer_close(struct log_writer *w); /* NULL is fine */

/*
 * Append events in one write.  0, or -errno with nothing of them in the log;
 * they may then be tried again.  Where the segment may not grow because of
 * RLIMIT_FSIZE, they begin the next.  When what was written of them could not be
 * taken back, append fails with -ESTALE until log_writer_rotate has begun another
 * segment; readers believe that one.
 */
int log_writer_append(struct log_writer *w, const struct log_event *ev,
    size_t n);

/*
 * Begin a new segment with these events, the first a FULL keyframe (or START).
 * The old one is sealed.  0, or -errno with the old one going on.
 */
int log_writer_rotate(struct log_writer *w, const struct log_event *ev,
    size_t n);

/*
 * The directory was removed: go on in another, where segments are numbered as
 * if they were still in the old one.  The next events must be a rotation.
 */
int log_writer_move(struct log_writer *w, int dirfd);

/* Bytes in the segment being written; past LOG_SEGMENT_SIZE, rotate. */
#define LOG_SEGMENT_SIZE (4u << 20)
size_t log_writer_segment_size(const struct log_writer *w);

/*
 * fdatasync of all that was appended, sealed segments included.  After an
 * error the segment is not written again: append fails with -ESTALE until
 * log_writer_rotate has begun another.  The next sync then writes anew what was
 * in the old one, and fails until it has: 0 says that all events are safe.  Not
 * so after -EMFILE and -ENFILE: there was no descriptor to do it with, and it is
 * to be tried again.
 */
int log_writer_sync(struct log_writer *w);

/* Whether the newest segment must not be written again: rotate. */
bool log_writer_is_left(const struct log_writer *w);

/*
 * Compress the oldest sealed segment that is not.  1 when one was done, 0 when
 * there is none, -errno.
 */
int log_writer_compress(struct log_writer *w);

/*
 * Remove the oldest sealed segments until the log is at most `budget` bytes.
 * Returns how many were removed and where the log now begins, which the caller
 * appends as `trimmed`; or -errno.
 */
int log_writer_trim(struct log_writer *w, uint64_t budget, uint64_t *first_seq,
    uint64_t *first_offset);

/* How many sealed segments are not compressed. */
size_t log_writer_plain(const struct log_writer *w);

/* Bytes of all segments. */
uint64_t log_writer_bytes(const struct log_writer *w);

/* The number of the newest segment; 0: there is none. */
uint32_t log_writer_newest(const struct log_writer *w);

#endif
