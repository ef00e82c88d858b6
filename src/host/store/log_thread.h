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
 * the disk as long as necessary.  The loop calls these functions.  They hold
 * the lock only to change the queue, and never use the disk under it.
 *
 * Output is copied out of the ring before it is written: while a write hangs,
 * the kernel may still read the bytes, and the ring must be free for new ones.
 */
struct log_thread {
	/* Set once. */
	struct ring *ring;
	int room_fd;   /* eventfd to the keeper, or -1 */
	int notify_fd; /* eventfd to the loop */
	int dirfd;     /* of the session; contains log/ */
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
	size_t output_bytes; /* waiting or being written, in ring or memory */
	size_t other_bytes;  /* of all other payloads */
	size_t waiting;      /* items, including those being written */
	bool asleep;         /* the thread has nothing to do */
	bool quit;
	pid_t tid;         /* of the thread; 0: it has not begun */
	int64_t busy_ms;   /* start of the present write; 0: none */
	int error;         /* of the last attempt, positive */
	bool distrust;     /* a sync failed: a new segment is needed */
	bool wants_rotate; /* the loop must queue a rotation */
	bool rotate_queued;
	int64_t rotate_not_before_ms;
	int64_t distrust_ms; /* when a rotation was last requested for that */
	int64_t again_ms;    /* when to retry a rotation; 0: not needed */
	uint64_t seq;        /* last in the log; durable: and synced */
	uint64_t written;    /* last written */
	uint64_t offset;     /* output before it is in the log */
	uint64_t released;   /* the ring's tail, as set here */
	uint64_t bytes;      /* of the log */
	uint32_t newest;     /* number of the newest segment; 0: none */
	uint64_t notify_seq; /* notify the loop at this seq; 0: no */
	/* Notify the loop when half of the memory is free. */
	bool notify_low;

	/* Used only by the thread. */
	struct log_item *batch;
	struct log_event *events;
	size_t n_batch, cap_batch;
	uint8_t *copy; /* of the batch's bytes in the ring */
	size_t cap_copy;
	int64_t retry_ms;

	size_t file_max; /* largest file size allowed: RLIMIT_FSIZE */
};

int log_thread_start(struct log_thread *q);

/* The largest piece in which output may be queued. */
size_t log_thread_piece_max(const struct log_thread *q);

/* Try once more to write the waiting items, and end. */
void log_thread_stop(struct log_thread *q);

/* Limits of log_thread_add.  For output: a full ring, and as much again. */
#define LOG_THREAD_OUTPUT_MAX (2u << 20)
#define LOG_THREAD_OTHER_MAX (4u << 20)
#define LOG_THREAD_ITEMS_MAX 4096

/* Queue an item and take it over.  False if it would exceed the limits. */
bool log_thread_add(struct log_thread *q, const struct log_item *it);
/* Put the last queued item into one write with the next. */
void log_thread_join(struct log_thread *q);

/*
 * Pass the queued items to the thread.  It is woken at once if they are many
 * or urgent; otherwise returns true: call log_thread_wake soon.
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
/* Copy the present state. */
void log_thread_look(struct log_thread *q, struct log_thread_state *out);
/* True if a rotation is wanted; true only once. */
bool log_thread_wants_rotate(struct log_thread *q);

/* Write to notify_fd once this seq is written; true if it already is. */
bool log_thread_notify_at(struct log_thread *q, uint64_t seq);
void log_thread_notify_low(struct log_thread *q);

/*
 * Free the ring up to `to`: waiting output is copied into memory.  Does
 * nothing while the thread is taking bytes from there.
 */
void log_thread_relieve(struct log_thread *q, uint64_t to);

/* Called from the upkeep thread: a sync has failed. */
void log_thread_distrust(struct log_thread *q);

#endif
