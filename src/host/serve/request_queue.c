#include "host/serve/request_queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct begun {
	struct list link;
	uint64_t id;
	bool observes, held;
};

static struct begun *
find(const struct request_queue *q, uint64_t id)
{
	list_for_each(it, &q->begun) {
		struct begun *b = container_of(it, struct begun, link);

		if (b->id == id)
			return b;
	}
	return NULL;
}

static void
drop(struct request_queue *q, struct begun *b)
{
	q->n_begun--;
	q->n_ordered -= !b->observes;
	q->n_held -= b->held;
	list_remove(&b->link);
	free(b);
}

void
request_queue_init(struct request_queue *q)
{
	*q = (struct request_queue){ 0 };
	list_init(&q->begun);
	list_init(&q->waiting);
}

void
request_queue_finish(struct request_queue *q)
{
	list_for_each_safe(it, &q->begun)
		drop(q, container_of(it, struct begun, link));
	while (q->n_waiting > 0)
		free(request_queue_take(q));
}

bool
request_queue_is_empty(const struct request_queue *q)
{
	return q->n_begun == 0 && q->n_waiting == 0;
}

bool
request_queue_is_idle(const struct request_queue *q)
{
	return q->n_ordered == 0 && q->n_held == 0 && q->n_waiting == 0;
}

int
request_queue_check(const struct request_queue *q, size_t len)
{
	return q->n_begun + q->n_waiting >= REQUEST_QUEUE_MAX ||
		q->bytes + len > REQUEST_QUEUE_BYTES ?
	    -EBUSY :
	    0;
}

void
request_queue_add(struct request_queue *q, const void *p, size_t len,
    bool observes)
{
	struct request_waiting *w = xmalloc(sizeof(*w) + len);

	w->observes = observes;
	w->len = len;
	memcpy(w->text, p, len);
	list_append(&q->waiting, &w->link);
	q->n_waiting++;
	q->bytes += len;
}

static struct request_waiting *
first(const struct request_queue *q)
{
	return container_of(q->waiting.next, struct request_waiting, link);
}

struct request_waiting *
request_queue_take(struct request_queue *q)
{
	struct request_waiting *w = q->n_waiting > 0 ? first(q) : NULL;

	if (w == NULL)
		return NULL;
	list_remove(&w->link);
	q->n_waiting--;
	q->bytes -= w->len;
	return w;
}

struct request_waiting *
request_queue_next(struct request_queue *q)
{
	if (q->n_waiting == 0 || q->n_held > 0 ||
	    (q->n_ordered > 0 && !first(q)->observes))
		return NULL;
	return request_queue_take(q);
}

int
request_queue_begin(struct request_queue *q, uint64_t id, bool observes)
{
	struct begun *b;

	if (find(q, id) != NULL)
		return -EEXIST;
	b = xcalloc(1, sizeof(*b));
	b->id = id;
	b->observes = observes;
	list_append(&q->begun, &b->link);
	q->n_begun++;
	q->n_ordered += !observes;
	return 0;
}

static void
set_held(struct request_queue *q, uint64_t id, bool held)
{
	struct begun *b = find(q, id);

	if (b == NULL || b->held == held)
		return;
	b->held = held;
	if (held)
		q->n_held++;
	else
		q->n_held--;
}

void
request_queue_hold(struct request_queue *q, uint64_t id)
{
	set_held(q, id, true);
}

void
request_queue_release(struct request_queue *q, uint64_t id)
{
	set_held(q, id, false);
}

void
request_queue_done(struct request_queue *q, uint64_t id)
{
	struct begun *b = find(q, id);

	if (b != NULL)
		drop(q, b);
}
