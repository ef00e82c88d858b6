#ifndef TEND_HOST_STORE_ITEM_H
#define TEND_HOST_STORE_ITEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * An event on its way to the log.  Its payload is small and inside it, or
 * malloc'd and its own, or (output) still in the ring.
 */
#define ITEM_SMALL 32

enum item_where {
	ITEM_INSIDE,
	ITEM_OWNED,
	ITEM_COPIED, /* in memory of the quill's */
	ITEM_IN_RING,
};

struct item {
	uint8_t type;
	uint8_t flags;
	uint8_t where; /* enum item_where */
	bool joined;   /* the next one goes into the same write */
	bool rotates;  /* a new segment begins with it */
	uint32_t len;
	uint64_t seq;
	uint64_t time_ns;
	uint64_t offset; /* of output: of its first byte */
	union {
		uint8_t small[ITEM_SMALL];
		uint8_t *owned;
	} u;
};

/* Keep a copy of the payload, or take over a malloc'd one. */
void item_set(struct item *it, const void *p, size_t len);
void item_take(struct item *it, void *p, size_t len);
void item_finish(struct item *it);

/* The payload of one that is not in the ring. */
const uint8_t *item_payload(const struct item *it);

/* First in, first out; grows as needed, its user has the limit. */
struct item_queue {
	struct item *items;
	size_t first, n, cap;
};

void item_queue_finish(struct item_queue *q);
struct item *item_queue_at(const struct item_queue *q, size_t i);
struct item *item_queue_add(struct item_queue *q);
void item_queue_drop(struct item_queue *q, size_t n);
/* Give memory back once it is empty. */
void item_queue_shrink(struct item_queue *q);

#endif
