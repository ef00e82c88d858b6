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
 * own, and its calls may block on the disk.  One thread may append and rotate
 * while a second one syncs and trims and a third compresses.
 *
 * The caller provides seq and time.  seq grows by one with each event, time
 * does not go back, and output begins where the output or gap before it
 * ended.  Events that do not follow are refused with -EINVAL.
 */
struct log_writer;

/* The end of the log. */
struct log_end {
	uint64_t seq;     /* of the last event; 0: none */
	uint64_t offset;  /* of the next output byte, gaps included */
	uint64_t time_ns; /* of the last event */
	uint64_t cut;     /* bytes removed from a torn end */
};

/*
 * Open the log in `dirfd` (the directory log/) for writing and cut a torn
 * end.  -EBUSY: it has another writer.  If end->cut is not 0, the caller
 * appends `recovered`.  The next events begin a new segment if the directory
 * is empty, or if the newest segment is compressed or has no event left.
 */
int log_writer_open(struct log_writer **out, int dirfd, struct log_end *end,
    struct error *err);
int log_writer_open_with(struct log_writer **out, int dirfd,
    const struct log_io *io, struct log_end *end, struct error *err);
void log_writer_close(struct log_writer *w); /* NULL is fine */

/*
 * Append events in one write.  0, or -errno with none of them in the log; they
 * may be retried.  If RLIMIT_FSIZE does not let the segment grow, they begin
 * the next one.  If a partial write cannot be undone, append fails with
 * -ESTALE until log_writer_rotate has begun another segment, which then counts
 * for readers.
 */
int log_writer_append(struct log_writer *w, const struct log_event *ev,
    size_t n);

/*
 * Begin a new segment with these events, the first a FULL keyframe (or START),
 * and seal the old one.  0, or -errno and the old one stays in use.
 */
int log_writer_rotate(struct log_writer *w, const struct log_event *ev,
    size_t n);

/*
 * The directory was removed: continue in another one, with segment numbers as
 * if the old ones were still there.  The next events must be a rotation.
 */
int log_writer_move(struct log_writer *w, int dirfd);

/* Bytes in the segment being written; above LOG_SEGMENT_SIZE, rotate. */
#define LOG_SEGMENT_SIZE (4u << 20)
size_t log_writer_segment_size(const struct log_writer *w);

/*
 * fdatasync everything that was appended, sealed segments included.  0 means
 * that all events are safe.
 *
 * After an error the segment is not written again: append fails with -ESTALE
 * until log_writer_rotate has begun another.  The next sync then writes the
 * old segment's content again, and fails until that has worked.  -EMFILE and
 * -ENFILE are different: there was no descriptor for it; try again.
 */
int log_writer_sync(struct log_writer *w);

/* True if the newest segment must not be written again: rotate. */
bool log_writer_is_left(const struct log_writer *w);

/*
 * Compress the oldest sealed segment that is still plain.  1 when one was
 * done, 0 if there is none, or -errno.
 */
int log_writer_compress(struct log_writer *w);

/*
 * Remove the oldest sealed segments until the log has at most `budget` bytes.
 * Returns how many were removed, and the log's new beginning, which the caller
 * appends as `trimmed`; or -errno.
 */
int log_writer_trim(struct log_writer *w, uint64_t budget, uint64_t *first_seq,
    uint64_t *first_offset);

/* The number of sealed segments that are not compressed. */
size_t log_writer_plain(const struct log_writer *w);

/* Bytes of all segments. */
uint64_t log_writer_bytes(const struct log_writer *w);

/* The number of the newest segment; 0: there is none. */
uint32_t log_writer_newest(const struct log_writer *w);

#endif
