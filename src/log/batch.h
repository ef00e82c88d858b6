#ifndef TEND_LOG_BATCH_H
#define TEND_LOG_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "log/record.h"

struct log_event;
struct log_io;

/*
 * Events on their way to a segment: cut into records, with a sync where one is
 * due, and written together.  The bytes of the events are not copied.
 */
#define BATCH_RECORDS 256 /* in one writev(2) */
#define BATCH_HEAD 36     /* a header, and what we put behind it */

/* Where writing is in a segment, and what the next record must say. */
struct batch_place {
	uint64_t at;
	uint64_t sync; /* place of the last sync; 0: none */
	uint64_t seq;
	uint64_t time_ns;
	uint64_t offset; /* of the next output byte */
};

struct batch {
	const struct log_io *io;
	int fd;
	uint64_t nonce;
	struct batch_place place; /* behind the last record put in */
	uint64_t written;         /* all before it is in the file */
	int records, iov_count;
	uint8_t heads[BATCH_RECORDS][BATCH_HEAD];
	struct iovec iov[3 * BATCH_RECORDS + 1];
};

void batch_init(struct batch *b, const struct log_io *io, int fd,
    uint64_t nonce, const struct batch_place *at);

/* Bytes that are no record: the header of a segment, before its events. */
void batch_put_bytes(struct batch *b, const void *p, size_t len);

/* Put in the events and write everything.  0, or -errno with some written. */
int batch_put_events(struct batch *b, const struct log_event *ev, size_t n);

/* Whether the events go on from that place. */
bool batch_follows(const struct batch_place *at, const struct log_event *ev,
    size_t n);

#endif
