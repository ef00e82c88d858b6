#ifndef TEND_HOST_STORE_LOG_UPKEEP_H
#define TEND_HOST_STORE_LOG_UPKEEP_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct log_writer;

/*
 * What the log needs besides being written: fdatasync once a second and
 * removal of the oldest segments in one thread, compression of sealed ones in
 * another, at idle priority, which on a busy machine may not run for minutes.
 * They are apart from the log thread because an fdatasync of what a flooding
 * program wrote in a second takes longer than the ring lasts.
 *
 * Compression waits until nothing was written for a second, so that it takes
 * no time from a program that prints; but not for more than a quarter of the
 * log's budget, or LOG_UPKEEP_BACKLOG segments.
 */
#define LOG_UPKEEP_BACKLOG 16

struct log_upkeep_ops {
	/* All from the upkeep's threads. */
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
	struct log_writer *writer; /* NULL: there is nothing to do yet */
	bool dirty;     /* something was written since the last sync began */
	int64_t due_ms; /* when to sync */
	int64_t written_ms; /* when something was last written */
	uint64_t sealed;    /* segments to be compressed */
	bool grown;         /* the budget may be passed */
	bool quit;
};

int log_upkeep_start(struct log_upkeep *c);

/* There is a log; once. */
void log_upkeep_begin(struct log_upkeep *c, struct log_writer *writer);

void log_upkeep_stop(struct log_upkeep *c);

/*
 * From any thread: something was written, and the log has so many bytes now;
 * `dirty`: it is not synced.  A segment was sealed.
 */
void log_upkeep_written(struct log_upkeep *c, uint64_t bytes, bool dirty);
void log_upkeep_sealed(struct log_upkeep *c);

#endif
