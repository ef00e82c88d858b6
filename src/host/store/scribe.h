#ifndef TEND_HOST_STORE_SCRIBE_H
#define TEND_HOST_STORE_SCRIBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log/writer.h"

struct error;
struct loop;
struct opener;
struct ring;

/*
 * Writes the log in threads of its own, so that the loop never waits for a
 * disk.  The loop hands over events; they are in the log in the order in which
 * they were handed over, in one write for all that has come meanwhile.  Output
 * is handed over as a span of the ring and released there once it is written.
 *
 * A disk that fails, or has not taken a write for 100 ms, makes the session
 * `unlogged`.  It is tried again every second.  Meanwhile events wait; output
 * waits in the ring, and when that runs full, in SCRIBE_MEMORY bytes of
 * memory.  What comes after that is counted, and becomes a `gap` with its
 * exact size, and a keyframe, when the disk takes writes again.  Other events
 * than output are refused (seq 0) when SCRIBE_EVENTS of them wait.
 *
 * A log that cannot be opened, or whose disk does not answer, is tried again
 * every second as well.  Until then events are refused.  Output stays in the
 * ring, and is logged when the log is open; of what the ring cannot hold the
 * oldest is let go, and becomes the gap.
 *
 * All functions are for the loop thread and none of them waits.
 */
struct scribe;

#define SCRIBE_MEMORY (1u << 20) /* bytes of output outside the ring */
#define SCRIBE_EVENTS 4096
#define SCRIBE_STALL_MS 100

struct scribe_ops {
	/* The log is behind (since when, CLOCK_REALTIME ms), or is not. */
	void (*unlogged)(void *arg, bool unlogged, int64_t since_ms, int error);
	/* The log could be opened at last, and ended here. */
	void (*opened)(void *arg, const struct log_end *end);
	/* A segment is full, or no longer to be trusted: call scribe_rotate. */
	void (*rotate)(void *arg);
	/* A gap was just queued: what is on the screen must follow it. */
	void (*gap)(void *arg, uint64_t offset, uint64_t bytes);
	/* The oldest segments were removed to stay in the budget. */
	void (*trimmed)(void *arg, uint64_t seq, uint64_t offset);
	/* Something failed that people should know of, at most every 10 s. */
	void (*trouble)(void *arg, const char *what, int error);
};

struct scribe_config {
	struct loop *loop;
	struct ring *ring;
	int room_fd;               /* eventfd to the keeper, or -1 */
	int dirfd;                 /* of the session, in which log/ is */
	struct log_writer *writer; /* the scribe's; NULL: try to open it */
	struct opener *opener;     /* of that, the scribe's; or NULL */
	struct log_end end;        /* as log_writer_open gave it */
	int open_error;            /* why it could not be opened */
	uint64_t began_ns;         /* CLOCK_BOOTTIME */
	bool durable;
	uint64_t max_log; /* bytes; 0: no limit */
	const struct scribe_ops *ops;
	void *arg;
};

struct scribe *scribe_create(const struct scribe_config *c, struct error *err);

/* Write all that can be written, sync, end the threads, close the log. */
void scribe_destroy(struct scribe *s); /* NULL is fine */

/*
 * Queue an event; the payload is copied.  Its seq, or 0 when too many wait.
 */
uint64_t scribe_event(struct scribe *s, uint8_t type, uint8_t flags,
    const void *p, size_t len);

/* The same with a payload from malloc that becomes the scribe's. */
uint64_t scribe_event_take(struct scribe *s, uint8_t type, uint8_t flags,
    void *p, size_t len);

/*
 * The next event goes into the same write as this last one: a keyframe with
 * its resize.
 */
void scribe_join(struct scribe *s);

/*
 * Queue output that is in the ring.  Offsets follow each other.  0 while
 * output is being left out of the log.
 */
uint64_t scribe_output(struct scribe *s, uint8_t flags, uint64_t offset,
    size_t len);

/*
 * Begin a new segment with these two, in the place they have in the queue.
 * The keyframe is a payload from malloc that becomes the scribe's.
 */
void scribe_rotate(struct scribe *s, void *keyframe, size_t len,
    const void *clock, size_t clock_len);

/*
 * Call fn in the loop once the event is in the log (with `durable`: synced),
 * or at once when it is.  A later call replaces nothing: each is called.
 * scribe_forget drops those of an arg that is going away.
 */
typedef void scribe_fn(void *arg, uint64_t seq);
void scribe_after(struct scribe *s, uint64_t seq, scribe_fn *fn, void *arg);
void scribe_forget(struct scribe *s, void *arg);

/* Hand what was queued to the thread; the last thing in a turn. */
void scribe_flush(struct scribe *s);

uint64_t scribe_seq(const struct scribe *s);     /* of the last queued event */
uint64_t scribe_written(const struct scribe *s); /* of the last in the log */
/* Output before it is in the log, or will never be. */
uint64_t scribe_written_offset(const struct scribe *s);
uint64_t scribe_bytes(const struct scribe *s);  /* of the log on disk */
uint32_t scribe_newest(const struct scribe *s); /* number of a segment; 0 */
/* 0, or CLOCK_REALTIME ms since when the log is behind. */
int64_t scribe_unlogged_since(const struct scribe *s);

#endif
