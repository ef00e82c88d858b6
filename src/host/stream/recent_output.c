#include "host/stream/recent_output.h"

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
recent_output_init(struct recent_output *f, const struct ring *ring,
    uint64_t at)
{
	*f = (struct recent_output){ .ring = ring,
		.live = at,
		.end = at,
		.start = at };
}

void
recent_output_finish(struct recent_output *f)
{
	recent_output_rest(f);
}

void
recent_output_output(struct recent_output *f, uint64_t offset, size_t len)
{
	if (f->live == f->end && offset != f->end) {
		/* A restarted host left something out. */
		f->live = f->end = f->start = offset;
	}
	f->end = offset + len;
}

/* Copy the live bytes into the circle, over the oldest ones. */
static void
keep_live(struct recent_output *f)
{
	uint64_t at = f->live;

	if (f->recent == NULL)
		f->recent = xmalloc(RECENT_OUTPUT_MAX);
	while (at < f->end) {
		size_t place = at % RECENT_OUTPUT_MAX;
		size_t len = least(f->end - at, RECENT_OUTPUT_MAX - place);

		memcpy(f->recent + place, ring_at(f->ring, at), len);
		at += len;
	}
	if (f->end - f->start > RECENT_OUTPUT_MAX)
		f->start = f->end - RECENT_OUTPUT_MAX;
}

void
recent_output_settle(struct recent_output *f, bool wanted)
{
	if (wanted && f->live < f->end)
		keep_live(f);
	f->live = f->end;
	if (!wanted)
		f->start = f->end;
}

void
recent_output_rest(struct recent_output *f)
{
	free(f->recent);
	f->recent = NULL;
	f->start = f->live;
}

void
recent_output_close(struct recent_output *f, uint64_t at)
{
	f->closed = true;
	f->closed_at = at;
}

uint64_t
recent_output_end(const struct recent_output *f)
{
	return f->closed ? f->closed_at : f->end;
}

bool
recent_output_holds(const struct recent_output *f, uint64_t offset)
{
	return offset >= f->start && offset <= f->end;
}

size_t
recent_output_at(const struct recent_output *f, uint64_t offset,
    const uint8_t **p)
{
	size_t place = offset % RECENT_OUTPUT_MAX;

	if (offset < f->start || offset >= f->end)
		return 0;
	if (offset >= f->live) {
		*p = ring_at(f->ring, offset);
		return f->end - offset;
	}
	*p = f->recent + place;
	return least(f->live - offset, RECENT_OUTPUT_MAX - place);
}

/*
 * The event log's thread moves the tail when it has written, and bytes before
 * the tail may be overwritten at any moment: check the tail again after the
 * copy.
 */
size_t
recent_output_from_ring(const struct recent_output *f, uint64_t offset,
    uint8_t *out, size_t len)
{
	if (offset < atomic_load(&f->ring->shared->tail) || offset >= f->end)
		return 0;
	len = least(len, f->end - offset);
	memcpy(out, ring_at(f->ring, offset), len);
	atomic_thread_fence(memory_order_acquire);
	return offset >= atomic_load(&f->ring->shared->tail) ? len : 0;
}
