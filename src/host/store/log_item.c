#include "host/store/log_item.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define QUEUE_MIN 16

void
log_item_set(struct log_item *it, const void *p, size_t len)
{
	it->len = (uint32_t)len;
	it->where = len <= LOG_ITEM_SMALL ? LOG_ITEM_INSIDE : LOG_ITEM_OWNED;
	if (it->where == LOG_ITEM_OWNED)
		it->u.owned = xmemdup(p, len);
	else if (len > 0)
		memcpy(it->u.small, p, len);
}

void
log_item_take(struct log_item *it, void *p, size_t len)
{
	it->len = (uint32_t)len;
	it->where = LOG_ITEM_OWNED;
	it->u.owned = p;
}

void
log_item_finish(struct log_item *it)
{
	if (it->where == LOG_ITEM_OWNED)
		free(it->u.owned);
	it->where = LOG_ITEM_INSIDE;
}

const uint8_t *
log_item_payload(const struct log_item *it)
{
	assert(it->where != LOG_ITEM_IN_RING);
	return it->where == LOG_ITEM_INSIDE ? it->u.small : it->u.owned;
}

void
log_item_queue_finish(struct log_item_queue *q)
{
	for (size_t i = 0; i < q->n; i++)
		log_item_finish(log_item_queue_at(q, i));
	free(q->items);
	*q = (struct log_item_queue){ 0 };
}

struct log_item *
log_item_queue_at(const struct log_item_queue *q, size_t i)
{
	assert(i < q->n);
	return &q->items[(q->first + i) % q->cap];
}

/* Double the room, and move the items to its start. */
static void
grow(struct log_item_queue *q)
{
	size_t cap = q->cap == 0 ? QUEUE_MIN : q->cap * 2;
	struct log_item *items = xcalloc(cap, sizeof(*items));

	for (size_t i = 0; i < q->n; i++)
		items[i] = *log_item_queue_at(q, i);
	free(q->items);
	q->items = items;
	q->first = 0;
	q->cap = cap;
}

struct log_item *
log_item_queue_add(struct log_item_queue *q)
{
	struct log_item *it;

	if (q->n == q->cap)
		grow(q);
	q->n++;
	it = log_item_queue_at(q, q->n - 1);
	memset(it, 0, sizeof(*it));
	return it;
}

void
log_item_queue_drop(struct log_item_queue *q, size_t n)
{
	assert(n <= q->n);
	if (n == 0)
		return;
	q->first = (q->first + n) % q->cap;
	q->n -= n;
}

void
log_item_queue_shrink(struct log_item_queue *q)
{
	if (q->n == 0 && q->cap > QUEUE_MIN) {
		free(q->items);
		*q = (struct log_item_queue){ 0 };
	}
}
