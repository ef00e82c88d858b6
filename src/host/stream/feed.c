#include "host/stream/feed.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "keep/ring.h"

static uint64_t
least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void
feed_init(struct feed *f, const struct ring *ring, uint64_t at)
{
	*f = (struct feed){ .ring = ring, .live = at, .end = at, .start = at };
}

void
feed_finish(struct feed *f)
{
	feed_rest(f);
}

void
feed_output(struct feed *f, uint64_t offset, size_t len)
{
	if (f->live == f->end && offset != f->end) {
		/* A host that began anew left something out. */
		f->live = f->end = f->start = offset;
	}
	f->end = offset + len;
}

/* Copy the live bytes into the circle, over the oldest there. */
static void
keep_live(struct feed *f)
{
	uint64_t at = f->live;

	if (f->recent == NULL)
		f->recent = xmalloc(FEED_RECENT);
	while (at < f->end) {
		size_t place = at % FEED_RECENT;
		size_t len = least(f->end - at, FEED_RECENT - place);

		memcpy(f->recent + place, ring_at(f->ring, at), len);
		at += len;
	}
	if (f->end - f->start > FEED_RECENT)
		f->start = f->end - FEED_RECENT;
}

void
feed_settle(struct feed *f, bool wanted)
{
	if (wanted && f->live < f->end)
		keep_live(f);
	f->live = f->end;
	if (!wanted)
		f->start = f->end;
}

void
feed_rest(struct feed *f)
{
	free(f->recent);
	f->recent = NULL;
	f->start = f->live;
}

bool
feed_holds(const struct feed *f, uint64_t offset)
{
	return offset >= f->start && offset <= f->end;
}

size_t
feed_at(const struct feed *f, uint64_t offset, const uint8_t **p)
{
	size_t place = offset % FEED_RECENT;

	if (offset < f->start || offset >= f->end)
		return 0;
	if (offset >= f->live) {
		*p = ring_at(f->ring, offset);
		return f->end - offset;
	}
	*p = f->recent + place;
	return least(f->live - offset, FEED_RECENT - place);
}

/*
 * The tail moves on when the scribe's thread has written, and what is before
 * it may be overwritten at any moment: look at it again after the copy.
 */
size_t
feed_from_ring(const struct feed *f, uint64_t offset, uint8_t *out, size_t len)
{
	if (offset < atomic_load(&f->ring->shared->tail) || offset >= f->end)
		return 0;
	len = least(len, f->end - offset);
	memcpy(out, ring_at(f->ring, offset), len);
	atomic_thread_fence(memory_order_acquire);
	return offset >= atomic_load(&f->ring->shared->tail) ? len : 0;
}
