#ifndef TEND_HOST_STORE_EVENT_LOG_H
#define TEND_HOST_STORE_EVENT_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log/writer.h"

struct error;
struct loop;
struct log_opener;
struct ring;

/*
 * Writes the log in threads of its own, so that the loop never waits for a
 * disk.  The loop hands over events; they are in the log in the order in which
 * they were handed over, in one write for all that has come meanwhile.  Output
 * is handed over as a span of the ring and released there once it is written.
 *
 * A disk that fails, or has not taken a write for 100 ms, makes the session
 * `unlogged`.  It is tried again every second.  Meanwhile events wait; output
 * waits in the ring, and when that runs full, in EVENT_LOG_MEMORY bytes of
 * memory.  What comes after that is counted, and becomes a `gap` with its
 * exact size, and a keyframe, when the disk takes writes again.  Other events
 * than output are refused (seq 0) when EVENT_LOG_EVENTS of them wait.
 *
 * A log that cannot be opened, or whose disk does not answer, is tried again
 * every second as well.  Until then events are refused.  Output stays in the
 * ring, and is logged when the log is open; of what the ring cannot hold the
 * oldest is let go, and becomes the gap.
 *
 * All functions are for the loop thread and none of them waits.
 */
struct event_log;

#define EVENT_LOG_MEMORY (1u << 20) /* bytes of output outside the ring */
#define EVENT_LOG_EVENTS 4096
#define EVENT_LOG_STALL_MS 100

struct event_log_ops {
	/* The log is behind (since when, CLOCK_REALTIME ms), or is not. */
	void (*unlogged)(void *arg, bool unlogged, int64_t since_ms, int error);
	/* The log could be opened at last, and ended here. */
	void (*opened)(void *arg, const struct log_end *end);
	/* A segment is full, or no longer to be trusted: call event_log_rotate. */
	void (*rotate)(void *arg);
	/* A gap was just queued: what is on the screen must follow it. */
	void (*gap)(void *arg, uint64_t offset, uint64_t bytes);
	/* The oldest segments were removed to stay in the budget. */
	void (*trimmed)(void *arg, uint64_t seq, uint64_t offset);
	/* Something failed that people should know of, at most every 10 s. */
	void (*trouble)(void *arg, const char *what, int error);
};

struct event_log_config {
	struct loop *loop;
	struct ring *ring;
	int room_fd;               /* eventfd to the keeper, or -1 */
	int dirfd;                 /* of the session, in which log/ is */
	struct log_writer *writer; /* the event log's; NULL: try to open it */
	struct log_opener *opener; /* of that, the event log's; or NULL */
	struct log_end end;        /* as log_writer_open gave it */
	int open_error;            /* why it could not be opened */
	uint64_t began_ns;         /* CLOCK_BOOTTIME */
	bool durable;
	uint64_t max_log; /* bytes; 0: no limit */
	const struct event_log_ops *ops;
	void *arg;
};

struct event_log *event_log_create(const struct event_log_config *c,
    struct error *err);

/* Write all that can be written, sync, end the threads, close the log. */
void event_log_destroy(struct event_log *s); /* NULL is fine */

/*
 * Queue an event; the payload is copied.  Its seq, or 0 when too many wait.
 */
uint64_t event_log_add(struct event_log *s, uint8_t type, uint8_t flags,
    const void *p, size_t len);

/* The same with a payload from malloc that becomes the event log's. */
uint64_t event_log_take(struct event_log *s, uint8_t type, uint8_t flags,
    void *p, size_t len);

/*
 * The next event goes into the same write as this last one: a keyframe with
 * its resize.
 */
void event_log_join(struct event_log *s);

/*
 * Queue output that is in the ring.  Offsets follow each other.  0 while
 * output is being left out of the log.
 */
uint64_t event_log_output(struct event_log *s, uint8_t flags, uint64_t offset,
    size_t len);

/*
 * Begin a new segment with these two, in the place they have in the queue.
 * The keyframe is a payload from malloc that becomes the event log's.
 */
void event_log_rotate(struct event_log *s, void *keyframe, size_t len,
    const void *clock, size_t clock_len);

/*
 * Call fn in the loop once the event is in the log (with `durable`: synced),
 * or at once when it is.  A later call replaces nothing: each is called.
 * event_log_forget drops those of an arg that is going away.
 */
typedef void event_log_fn(void *arg, uint64_t seq);
void event_log_after(struct event_log *s, uint64_t seq, event_log_fn *fn,
    void *arg);
void event_log_forget(struct event_log *s, void *arg);

/* Hand what was queued to the thread; the last thing in a turn. */
void event_log_flush(struct event_log *s);

uint64_t event_log_seq(
    const struct event_log *s); /* of the last queued event */
uint64_t event_log_written(
    const struct event_log *s); /* of the last in the log */
/* Output before it is in the log, or will never be. */
uint64_t event_log_written_offset(const struct event_log *s);
uint64_t event_log_bytes(const struct event_log *s); /* of the log on disk */
uint32_t event_log_newest(
    const struct event_log *s); /* number of a segment; 0 */
/* 0, or CLOCK_REALTIME ms since when the log is behind. */
int64_t event_log_unlogged_since(const struct event_log *s);

#endif
