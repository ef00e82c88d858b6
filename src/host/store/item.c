#include "host/store/item.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define QUEUE_MIN 16

void
item_set(struct item *it, const void *p, size_t len)
{
	it->len = (uint32_t)len;
	it->where = len <= ITEM_SMALL ? ITEM_INSIDE : ITEM_OWNED;
	if (it->where == ITEM_OWNED)
		it->u.owned = xmemdup(p, len);
	else if (len > 0)
		memcpy(it->u.small, p, len);
}

void
item_take(struct item *it, void *p, size_t len)
{
	it->len = (uint32_t)len;
	it->where = ITEM_OWNED;
	it->u.owned = p;
}

void
item_finish(struct item *it)
{
	if (it->where == ITEM_OWNED)
		free(it->u.owned);
	it->where = ITEM_INSIDE;
}

const uint8_t *
item_payload(const struct item *it)
{
	assert(it->where != ITEM_IN_RING);
	return it->where == ITEM_INSIDE ? it->u.small : it->u.owned;
}

void
item_queue_finish(struct item_queue *q)
{
	for (size_t i = 0; i < q->n; i++)
		item_finish(item_queue_at(q, i));
	free(q->items);
	*q = (struct item_queue){ 0 };
}

struct item *
item_queue_at(const struct item_queue *q, size_t i)
{
	assert(i < q->n);
	return &q->items[(q->first + i) % q->cap];
}

/* Twice the room, laid out from the start again. */
static void
grow(struct item_queue *q)
{
	size_t cap = q->cap == 0 ? QUEUE_MIN : q->cap * 2;
	struct item *items = xcalloc(cap, sizeof(*items));

	for (size_t i = 0; i < q->n; i++)
		items[i] = *item_queue_at(q, i);
	free(q->items);
	q->items = items;
	q->first = 0;
	q->cap = cap;
}

struct item *
item_queue_add(struct item_queue *q)
{
	struct item *it;

	if (q->n == q->cap)
		grow(q);
	q->n++;
	it = item_queue_at(q, q->n - 1);
	memset(it, 0, sizeof(*it));
	return it;
}

void
item_queue_drop(struct item_queue *q, size_t n)
{
	assert(n <= q->n);
	if (n == 0)
		return;
	q->first = (q->first + n) % q->cap;
	q->n -= n;
}

void
item_queue_shrink(struct item_queue *q)
{
	if (q->n == 0 && q->cap > QUEUE_MIN) {
		free(q->items);
		*q = (struct item_queue){ 0 };
	}
}
