#ifndef TEND_LOG_RECORD_BATCH_H
#define TEND_LOG_RECORD_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "log/record.h"

struct log_event;
struct log_io;

/*
 * Collects events for a segment: cuts them into records, adds a sync record
 * where one is due, and writes all of it together.  The bytes of the events
 * are not copied.
 */
#define RECORD_BATCH_RECORDS 256 /* per writev(2) */
#define RECORD_BATCH_HEAD 36     /* a header and our prefix */

/* The writing position in a segment, and the values of the next record. */
struct record_batch_place {
	uint64_t at;
	uint64_t sync; /* position of the last sync; 0: none */
	uint64_t seq;
	uint64_t time_ns;
	uint64_t offset; /* of the next output byte */
};

struct record_batch {
	const struct log_io *io;
	int fd;
	uint64_t nonce;
	struct record_batch_place place; /* behind the last collected record */
	uint64_t written; /* everything before this is in the file */
	int records, iov_count;
	uint8_t heads[RECORD_BATCH_RECORDS][RECORD_BATCH_HEAD];
	struct iovec iov[3 * RECORD_BATCH_RECORDS + 1];
};

void record_batch_init(struct record_batch *b, const struct log_io *io, int fd,
    uint64_t nonce, const struct record_batch_place *at);

/* Add bytes that are no record: a segment's header, before its events. */
void record_batch_put_bytes(struct record_batch *b, const void *p, size_t len);

/* Add the events and write everything.  0, or -errno with some written. */
int record_batch_put_events(struct record_batch *b, const struct log_event *ev,
    size_t n);

/* True if the events continue from that place. */
bool record_batch_follows(const struct record_batch_place *at,
    const struct log_event *ev, size_t n);

#endif
