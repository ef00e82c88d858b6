#ifndef TEND_HOST_STORE_LOG_ITEM_H
#define TEND_HOST_STORE_LOG_ITEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * An event on its way to the log.  Its payload is small and inside it, or
 * malloc'd and its own, or (output) still in the ring.
 */
#define LOG_ITEM_SMALL 32

enum log_item_where {
	LOG_ITEM_INSIDE,
	LOG_ITEM_OWNED,
	LOG_ITEM_COPIED, /* in memory of the log thread's */
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
	uint64_t offset; /* of output: of its first byte */
	union {
		uint8_t small[LOG_ITEM_SMALL];
		uint8_t *owned;
	} u;
};

/* Keep a copy of the payload, or take over a malloc'd one. */
void log_item_set(struct log_item *it, const void *p, size_t len);
void log_item_take(struct log_item *it, void *p, size_t len);
void log_item_finish(struct log_item *it);

/* The payload of one that is not in the ring. */
const uint8_t *log_item_payload(const struct log_item *it);

/* First in, first out; grows as needed, its user has the limit. */
struct log_item_queue {
	struct log_item *items;
	size_t first, n, cap;
};

void log_item_queue_finish(struct log_item_queue *q);
struct log_item *log_item_queue_at(const struct log_item_queue *q, size_t i);
struct log_item *log_item_queue_add(struct log_item_queue *q);
void log_item_queue_drop(struct log_item_queue *q, size_t n);
/* Give memory back once it is empty. */
void log_item_queue_shrink(struct log_item_queue *q);

#endif
