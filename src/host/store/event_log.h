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
 * disk.  The loop hands over events, and the log has them in that order.  All
 * events that are queued at the time go into one write.  Output is handed over
 * as a span of the ring and released there once it is written.
 *
 * If a write fails, or takes more than 100 ms, the session is `unlogged`, and
 * the write is retried every second.  Meanwhile events wait.  Output waits in
 * the ring and, when that is full, in EVENT_LOG_MEMORY bytes of memory.
 * Further output is only counted; it becomes a `gap` with its exact size, and
 * a keyframe, when the disk accepts writes again.  Events other than output
 * are refused (seq 0) while EVENT_LOG_EVENTS of them wait.
 *
 * A log that cannot be opened, or whose disk does not respond, is retried
 * every second as well.  Until then events are refused.  Output stays in the
 * ring and is logged when the log is open; if the ring is full, its oldest
 * bytes are dropped and become the gap.
 *
 * All functions are for the loop thread, and none of them waits.
 */
struct event_log;

#define EVENT_LOG_MEMORY (1u << 20) /* bytes of output outside the ring */
#define EVENT_LOG_EVENTS 4096
#define EVENT_LOG_STALL_MS 100

struct event_log_ops {
	/*
	 * The log is behind since then (CLOCK_REALTIME ms), or it has caught
	 * up.
	 */
	void (*unlogged)(void *arg, bool unlogged, int64_t since_ms, int error);
	/* The log was opened at last; `end` is its previous end. */
	void (*opened)(void *arg, const struct log_end *end);
	/*
	 * A segment is full or can no longer be trusted: call
	 * event_log_rotate.
	 */
	void (*rotate)(void *arg);
	/* A gap was just queued: the screen must follow it. */
	void (*gap)(void *arg, uint64_t offset, uint64_t bytes);
	/* The oldest segments were removed to stay within the budget. */
	void (*trimmed)(void *arg, uint64_t seq, uint64_t offset);
	/*
	 * Something failed that people should know about; at most every 10 s.
	 */
	void (*trouble)(void *arg, const char *what, int error);
};

struct event_log_config {
	struct loop *loop;
	struct ring *ring;
	int room_fd;               /* eventfd to the keeper, or -1 */
	int dirfd;                 /* of the session; contains log/ */
	struct log_writer *writer; /* taken over; NULL: try to open it */
	struct log_opener *opener; /* taken over with its log; or NULL */
	struct log_end end;        /* from log_writer_open */
	int open_error;            /* why it could not be opened */
	uint64_t began_ns;         /* CLOCK_BOOTTIME */
	bool durable;
	uint64_t max_log; /* bytes; 0: no limit */
	const struct event_log_ops *ops;
	void *arg;
};

struct event_log *event_log_create(const struct event_log_config *c,
    struct error *err);

/* Write what can be written, sync, end the threads and close the log. */
void event_log_destroy(struct event_log *s); /* NULL is fine */

/*
 * Queue an event with a copy of the payload.  Returns its seq, or 0 if too
 * many wait.
 */
uint64_t event_log_add(struct event_log *s, uint8_t type, uint8_t flags,
    const void *p, size_t len);

/* Like event_log_add, but takes over a payload from malloc. */
uint64_t event_log_take(struct event_log *s, uint8_t type, uint8_t flags,
    void *p, size_t len);

/*
 * Put the next event into the same write as the last one: a keyframe with its
 * resize.
 */
void event_log_join(struct event_log *s);

/*
 * Queue output that is in the ring; its offset follows the last one.  Returns
 * 0 while output is being left out of the log.
 */
uint64_t event_log_output(struct event_log *s, uint8_t flags, uint64_t offset,
    size_t len);

/*
 * Begin a new segment with these two events, at this place in the queue.
 * Takes over the keyframe, a payload from malloc.
 */
void event_log_rotate(struct event_log *s, void *keyframe, size_t len,
    const void *clock, size_t clock_len);

/*
 * Call fn in the loop once the event is in the log (with `durable`: synced),
 * or at once if it already is.  Every such call is made; a later one replaces
 * none.  event_log_forget drops the calls with this arg.
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
