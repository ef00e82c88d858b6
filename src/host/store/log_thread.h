#ifndef TEND_HOST_STORE_LOG_THREAD_H
#define TEND_HOST_STORE_LOG_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "host/store/log_item.h"

struct log_upkeep;
struct log_event;
struct log_writer;
struct ring;

/*
 * The thread that writes the log.  It takes events from a queue, and waits for
 * the disk as long as that takes.  The functions are the loop's; they hold the
 * lock for as long as it takes to change the queue, and no disk is touched
 * under it.
 *
 * Output is copied out of the ring before it is written: while a write hangs,
 * the kernel may still read its bytes, and the ring must be free to go on.
 */
struct log_thread {
	/* Set once. */
	struct ring *ring;
	int room_fd;   /* eventfd to the keeper, or -1 */
	int notify_fd; /* eventfd to the loop */
	int dirfd;     /* of the session, in which log/ is */
	struct log_writer *writer;
	struct log_upkeep *log_upkeep;
	bool durable;
	pthread_t thread;
	bool started;

	pthread_mutex_t lock;
	pthread_cond_t wake;

	/* Under the lock. */
	struct log_item_queue queue;
	size_t ready;        /* items of the queue that may be taken */
	size_t output_bytes; /* waiting or being written, wherever they are */
	size_t other_bytes;  /* the same of all other payloads */
	size_t waiting;      /* items, those being written included */
	bool asleep;         /* the thread waits for something to do */
	bool quit;
	pid_t tid;         /* of the thread; 0: it has not begun */
	int64_t busy_ms;   /* since when it writes; 0: it does not */
	int error;         /* of the last attempt, positive */
	bool distrust;     /* a sync failed: only a new segment will do */
	bool wants_rotate; /* the loop is to queue a rotation */
	bool rotate_queued;
	int64_t rotate_not_before_ms;
	int64_t distrust_ms; /* when a rotation was wanted last for that */
	int64_t again_ms;    /* when to try again to be trusted; 0: no need */
	uint64_t seq;        /* the last one in the log; durable: and synced */
	uint64_t written;    /* the last one that was written */
	uint64_t offset;     /* output before it is in the log */
	uint64_t released;   /* the ring's tail as we have set it */
	uint64_t bytes;      /* of the log */
	uint32_t newest;     /* number of its newest segment; 0: none */
	uint64_t notify_seq; /* tell the loop when this is written; 0: no */
	bool notify_low;     /* tell the loop when half of the memory is free */

	/* The thread's own. */
	struct log_item *batch;
	struct log_event *events;
	size_t n_batch, cap_batch;
	uint8_t *copy; /* of the batch's bytes in the ring */
	size_t cap_copy;
	int64_t retry_ms;

	size_t file_max; /* bytes that a file may have: RLIMIT_FSIZE */
};

int log_thread_start(struct log_thread *q);

/* Output is to be queued in pieces of so many bytes at most. */
size_t log_thread_piece_max(const struct log_thread *q);

/* Try once more to write what waits, and end. */
void log_thread_stop(struct log_thread *q);

/*
 * Bounds, for log_thread_add: false when the item would pass them.  Of output a
 * full ring, and as much besides.
 */
#define LOG_THREAD_OUTPUT_MAX (2u << 20)
#define LOG_THREAD_OTHER_MAX (4u << 20)
#define LOG_THREAD_ITEMS_MAX 4096

/* Queue an item, which becomes the log thread's unless the answer is false. */
bool log_thread_add(struct log_thread *q, const struct log_item *it);
/* The last one that was queued goes into one write with the next. */
void log_thread_join(struct log_thread *q);

/*
 * Let the thread have all that was queued.  It is woken for it at once when it
 * is much or urgent; otherwise true: call log_thread_wake in a while.
 */
bool log_thread_publish(struct log_thread *q, bool urgent);
void log_thread_wake(struct log_thread *q);

struct log_thread_state {
	uint64_t seq, offset, bytes;
	uint32_t newest;
	pid_t tid;
	int64_t busy_ms;
	int error;
	size_t waiting, output_bytes;
};
/* As it is now. */
void log_thread_look(struct log_thread *q, struct log_thread_state *out);
/* Whether a rotation is wanted; told once. */
bool log_thread_wants_rotate(struct log_thread *q);

/* Write to notify_fd once this seq is written; true: it already is. */
bool log_thread_notify_at(struct log_thread *q, uint64_t seq);
void log_thread_notify_low(struct log_thread *q);

/*
 * Free the ring up to `to`: what waits in it is copied into memory.  Does
 * nothing while the thread is just taking bytes from there.
 */
void log_thread_relieve(struct log_thread *q, uint64_t to);

/* From the upkeep's thread: a sync has failed. */
void log_thread_distrust(struct log_thread *q);

#endif
