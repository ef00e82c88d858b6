#ifndef TEND_HOST_STORE_LOG_ITEM_H
#define TEND_HOST_STORE_LOG_ITEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * An event on its way to the log.  A small payload is inside the item; a
 * larger one is malloc'd and belongs to it; output may still be in the ring.
 */
#define LOG_ITEM_SMALL 32

enum log_item_where {
	LOG_ITEM_INSIDE,
	LOG_ITEM_OWNED,
	LOG_ITEM_COPIED, /* in the log thread's memory */
	LOG_ITEM_IN_RING,
};

struct log_item {
	uint8_t type;
	uint8_t flags;
	uint8_t where; /* enum log_item_where */
	bool joined;   /* the next one goes into the same write */
	bool rotates;  /* a new segment begins with it */
	uint32_t len;
	uint64_t seq;
	uint64_t time_ns;
	uint64_t offset; /* of the first byte of output */
	union {
		uint8_t small[LOG_ITEM_SMALL];
		uint8_t *owned;
	} u;
};

/* log_item_set copies the payload; log_item_take takes over a malloc'd one. */
void log_item_set(struct log_item *it, const void *p, size_t len);
void log_item_take(struct log_item *it, void *p, size_t len);
void log_item_finish(struct log_item *it);

/* The payload of an item that is not in the ring. */
const uint8_t *log_item_payload(const struct log_item *it);

/* First in, first out.  Grows as needed; the caller has the limit. */
struct log_item_queue {
	struct log_item *items;
	size_t first, n, cap;
};

void log_item_queue_finish(struct log_item_queue *q);
struct log_item *log_item_queue_at(const struct log_item_queue *q, size_t i);
struct log_item *log_item_queue_add(struct log_item_queue *q);
void log_item_queue_drop(struct log_item_queue *q, size_t n);
/* Free the memory of an empty queue. */
void log_item_queue_shrink(struct log_item_queue *q);

#endif
