#include "host/serve/held_answers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "wire/frame.h"

static struct held_answer *
answer_of(struct list *link)
{
	return container_of(link, struct held_answer, link);
}

void
held_answers_init(struct held_answers *h)
{
	*h = (struct held_answers){ 0 };
	list_init(&h->list);
}

void
held_answer_destroy(struct held_answer *a)
{
	free(a->data);
	free(a);
}

void
held_answers_finish(struct held_answers *h)
{
	list_for_each_safe(it, &h->list)
		held_answer_destroy(answer_of(it));
	held_answers_init(h);
}

bool
held_answers_is_empty(const struct held_answers *h)
{
	return list_is_empty(&h->list);
}

static struct held_answer *
add(struct held_answers *h, uint8_t type, uint8_t *data, size_t len)
{
	struct held_answer *a = xcalloc(1, sizeof(*a));

	a->type = type;
	a->data = data;
	a->len = len;
	list_append(&h->list, &a->link);
	h->bytes += len;
	return a;
}

void
held_answers_add(struct held_answers *h, uint64_t id, uint64_t seq,
    struct buf *payload)
{
	size_t len = payload->len;
	struct held_answer *a = add(h, FRAME_RESPONSE,
	    (uint8_t *)buf_take(payload), len);

	a->id = id;
	a->seq = seq;
}

int
held_answers_add_pong(struct held_answers *h, const void *p, size_t len)
{
	uint8_t *copy;

	if (h->pongs + FRAME_HEADER + len > HELD_PONGS_MAX)
		return -ENOBUFS;
	h->pongs += FRAME_HEADER + len;
	copy = xmalloc(len + 1);
	memcpy(copy, p, len);
	add(h, FRAME_PONG, copy, len);
	return 0;
}

static bool
may_go(const struct held_answers *h, const struct held_answer *a, uint64_t seq)
{
	return a->type == FRAME_PONG ? h->list.next == &a->link : a->seq <= seq;
}

struct held_answer *
held_answers_take(struct held_answers *h, uint64_t seq)
{
	list_for_each(it, &h->list) {
		struct held_answer *a = answer_of(it);

		if (!may_go(h, a, seq))
			continue;
		list_remove(&a->link);
		h->bytes -= a->len;
		if (a->type == FRAME_PONG)
			h->pongs -= FRAME_HEADER + a->len;
		return a;
	}
	return NULL;
}
