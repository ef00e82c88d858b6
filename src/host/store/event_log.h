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
 * Writes the log in its own threads, so that the loop never waits for a disk.
 * The loop queues events; a thread writes them in that order, all queued
 * events in one write.  Output is queued as a span of the ring; the thread
 * releases the span once it is written.
 *
 * If a write fails, or takes more than EVENT_LOG_STALL_MS, the session is
 * `unlogged`.  The thread retries a failed write every second, and events wait
 * in the queue.  Output waits in the ring and, when the ring is full, in
 * EVENT_LOG_MEMORY bytes of memory.  Further output is only counted; when the
 * disk accepts writes again, the log gets a `gap` with its exact size, and a
 * keyframe.  Events other than output are refused (seq 0) while
 * EVENT_LOG_EVENTS of them wait.
 *
 * If the log cannot be opened, or its disk does not respond, a thread retries
 * the open every second.  Until it succeeds, events are refused (seq 0).
 * Output stays in the ring and is logged when the log is open; if the ring is
 * nearly full, its oldest bytes are dropped and become the gap.
 *
 * Call all functions from the loop thread.  None waits for the disk, except
 * event_log_destroy.
 */
struct event_log;

#define EVENT_LOG_MEMORY (1u << 20) /* bytes of output outside the ring */
#define EVENT_LOG_EVENTS 4096
#define EVENT_LOG_STALL_MS 100

struct event_log_ops {
	/*
	 * The log is behind since since_ms (CLOCK_REALTIME) because of `error`
	 * (0: the disk is slow); or it has caught up, and since_ms is 0.
	 */
	void (*unlogged)(void *arg, bool unlogged, int64_t since_ms, int error);
	/* A retry has opened the log; `end` is the end of its contents. */
	void (*opened)(void *arg, const struct log_end *end);
	/*
	 * A segment is full or can no longer be trusted: call
	 * event_log_rotate.
	 */
	void (*rotate)(void *arg);
	/* A gap was just queued: the caller queues a keyframe behind it. */
	void (*gap)(void *arg, uint64_t offset, uint64_t bytes);
	/*
	 * The oldest segments were removed because of max_log; the log now
	 * begins at this seq and offset.
	 */
	void (*trimmed)(void *arg, uint64_t seq, uint64_t offset);
	/*
	 * Something failed that people should know: `what` and an errno.
	 * Called at most every 10 s.
	 */
	void (*trouble)(void *arg, const char *what, int error);
};

struct event_log_config {
	struct loop *loop;
	struct ring *ring;
	int room_fd;               /* eventfd to the keeper, or -1 */
	int dirfd;                 /* of the session; contains log/ */
	struct log_writer *writer; /* taken over; NULL: not open yet */
	struct log_opener *opener; /* taken over; still opening it; or NULL */
	struct log_end end;        /* from log_writer_open */
	int open_error;            /* errno of the failed open; 0: none */
	uint64_t began_ns;         /* CLOCK_BOOTTIME */
	bool durable;
	uint64_t max_log; /* bytes; 0: no limit */
	const struct event_log_ops *ops;
	void *arg;
};

/* NULL and err on failure; the writer and the opener are freed then too. */
struct event_log *event_log_create(const struct event_log_config *c,
    struct error *err);

/*
 * Write the queued events if the disk accepts them, sync, end the threads and
 * close the log.  Calls that event_log_after has not made are dropped.
 */
void event_log_destroy(struct event_log *s); /* NULL is fine */

/*
 * Queue an event with a copy of the payload.  Returns its seq, or 0 if it was
 * refused: too many events wait, or the log is not open.
 */
uint64_t event_log_add(struct event_log *s, uint8_t type, uint8_t flags,
    const void *p, size_t len);

/*
 * Like event_log_add, but takes over a payload from malloc, also when it
 * refuses the event.
 */
uint64_t event_log_take(struct event_log *s, uint8_t type, uint8_t flags,
    void *p, size_t len);

/*
 * Put the next event into the same write as the last one: a keyframe with its
 * resize.
 */
void event_log_join(struct event_log *s);

/*
 * Queue output that is in the ring; `offset` must be the end of the output
 * before.  Returns its seq, or 0 if it has none yet: it becomes part of a gap,
 * or the log is not open.
 */
uint64_t event_log_output(struct event_log *s, uint8_t flags, uint64_t offset,
    size_t len);

/*
 * Queue a keyframe and a clock; the log begins a new segment with them.  Takes
 * over the keyframe, a payload from malloc.  Does nothing if the queue is full
 * or the log is not open.
 */
void event_log_rotate(struct event_log *s, void *keyframe, size_t len,
    const void *clock, size_t clock_len);

/*
 * Call fn in the loop once the event is in the log (with `durable`: synced).
 * If it already is, fn is called before event_log_after returns.  Each
 * event_log_after leads to one call.  event_log_forget drops all calls with
 * this arg.
 */
typedef void event_log_fn(void *arg, uint64_t seq);
void event_log_after(struct event_log *s, uint64_t seq, event_log_fn *fn,
    void *arg);
void event_log_forget(struct event_log *s, void *arg);

/* Pass the queued events to the thread; the last step of a turn. */
void event_log_flush(struct event_log *s);

uint64_t event_log_seq(
    const struct event_log *s); /* seq of the last queued event */
uint64_t event_log_written(
    const struct event_log *s); /* seq of the last one in the log */
/* Output before this offset is in the log, or never will be. */
uint64_t event_log_written_offset(const struct event_log *s);
uint64_t event_log_bytes(const struct event_log *s); /* of the log on disk */
uint32_t event_log_newest(
    const struct event_log *s); /* segment number; 0: none */
/* 0, or the CLOCK_REALTIME ms since which the log is behind. */
int64_t event_log_unlogged_since(const struct event_log *s);

#endif
