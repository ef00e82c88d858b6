#ifndef TEND_HOST_STORE_LOG_UPKEEP_H
#define TEND_HOST_STORE_LOG_UPKEEP_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct log_writer;

/*
 * Keeps the log in order: one thread runs fdatasync once a second and removes
 * the oldest segments; another compresses sealed segments at idle priority,
 * and may not run for minutes on a busy machine.  They are separate from the
 * log thread because after a second of heavy output fdatasync takes longer
 * than the ring lasts.
 *
 * Compression waits until nothing was written for a second, so that it takes
 * no time from a program that prints.  It stops waiting after a quarter of the
 * log's budget, or after LOG_UPKEEP_BACKLOG segments.
 */
#define LOG_UPKEEP_BACKLOG 16

struct log_upkeep_ops {
	/* Called from the upkeep threads. */
	void (*sync_failed)(void *arg, int error);
	void (*trimmed)(void *arg, uint64_t seq, uint64_t offset);
	void (*trouble)(void *arg, const char *what, int error);
};

struct log_upkeep {
	uint64_t max_log; /* 0: no limit */
	const struct log_upkeep_ops *ops;
	void *arg;
	pthread_t thread, idle_thread;
	bool started, idle_started;

	pthread_mutex_t lock;
	pthread_cond_t wake, idle_wake;
	/* Under the lock. */
	struct log_writer *writer; /* NULL: nothing to do yet */
	bool dirty;                /* written since the last sync began */
	int64_t due_ms;            /* when to sync */
	int64_t written_ms;        /* time of the last write */
	uint64_t sealed;           /* segments to compress */
	bool grown;                /* the budget may be exceeded */
	bool quit;
};

int log_upkeep_start(struct log_upkeep *c);

/* There is a log; called once. */
void log_upkeep_begin(struct log_upkeep *c, struct log_writer *writer);

void log_upkeep_stop(struct log_upkeep *c);

/*
 * Called from any thread.  log_upkeep_written: something was written, and the
 * log now has `bytes` bytes; `dirty`: not synced.  log_upkeep_sealed: a
 * segment was sealed.
 */
void log_upkeep_written(struct log_upkeep *c, uint64_t bytes, bool dirty);
void log_upkeep_sealed(struct log_upkeep *c);

#endif
