#ifndef TEND_LOG_WRITER_STATE_H
#define TEND_LOG_WRITER_STATE_H

#include <pthread.h>

#include "log/record_batch.h"
#include "log/segment.h"
#include "log/writer.h"

/* The writer's internals, for writer.c and writer_upkeep.c only. */

/* A file of the log. */
struct entry {
	uint32_t number;
	bool packed; /* compressed, or cannot be */
	uint64_t bytes;
	bool unsafe; /* a sync failed: some of it may be lost */
};

/*
 * Several threads may use it: one appends and rotates, others sync, compress
 * and trim.  The mutex protects their shared fields; no thread holds it during
 * disk access.
 */
struct log_writer {
	int dirfd;
	int lock;
	const struct log_io *io;
	uint64_t nonce;                  /* of the appending thread */
	struct record_batch_place place; /* likewise */
	struct record_batch *batch;      /* likewise; too large for a stack */
	pthread_mutex_t *mutex;
	pthread_mutex_t *packing; /* held during compression */

	/* Under the mutex. */
	int fd;            /* -1: the next events begin a segment */
	bool left;         /* the segment must not be written again */
	bool dirty;        /* it has unsynced bytes */
	bool names_dirty;  /* the directory has unsynced names */
	uint32_t unsynced; /* first sealed segment to sync; 0: none */
	struct entry *entries;
	size_t count;
	uint32_t last;               /* highest segment number ever used */
	struct segment_header begin; /* of the log; first_seq 0: unknown */
};

/* Of the entries; there must be one.  The caller holds the mutex. */
struct entry *writer_newest(struct log_writer *w);

/* A name in the directory has changed: the next sync includes it. */
void writer_set_names_dirty(struct log_writer *w);

/* Remove all files of a segment; 0 if there are none. */
int writer_remove_segment(struct log_writer *w, uint32_t number);

/* Take the log's beginning from the first readable header. */
bool writer_find_beginning(struct log_writer *w, struct segment_header *out);
void writer_write_begin(struct log_writer *w, const struct segment_header *h,
    bool sync);

#endif
