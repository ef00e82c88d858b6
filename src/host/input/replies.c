#include "host/input/replies.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "keep/ring.h"

/* At this many bytes no more queries are read. */
#define FULL (RING_ANSWERS / 2)

static const struct ring_answered *
now(const struct ring_shared *s)
{
	return &s->answered[atomic_load(&s->answered_now) % 2];
}

/* There are two states; one store makes the other one the present one. */
static void
publish(struct ring_shared *s, struct ring_answered state)
{
	uint32_t other = (atomic_load(&s->answered_now) + 1) % 2;

	s->answered[other] = state;
	atomic_store(&s->answered_now, other);
	atomic_store(&s->fed, state.fed); /* for hosts of older versions */
}

/* Other processes may write this memory: check it. */
static struct ring_answered
read_state(const struct ring_shared *s)
{
	struct ring_answered state = *now(s);

	if (state.end - state.begin >= RING_ANSWERS)
		state.begin = state.end;
	return state;
}

static size_t
published(const struct replies *a)
{
	struct ring_answered state = read_state(a->shared);

	return state.end - state.begin;
}

static size_t
resting(const struct replies *a)
{
	return a->rest.len - a->rest_at;
}

/* The offset in the file of byte `at` of the circle. */
static off_t
place(uint32_t at)
{
	return (
	    off_t)(offsetof(struct ring_shared, answers) + at % RING_ANSWERS);
}

/*
 * An earlier host may have died after the kernel moved the position and before
 * it recorded that; the position moved by less than one round.
 */
static void
find_begin(struct replies *a)
{
	struct ring_answered state = read_state(a->shared);
	off_t at = lseek(a->ring, 0, SEEK_CUR);
	uint32_t moved = (uint32_t)(at - place(state.begin)) % RING_ANSWERS;

	if (atomic_load(&a->shared->fed) > state.fed)
		/* Left by a host of an older version. */
		state.begin = state.end;
	else if (at >= place(0) && moved <= state.end - state.begin)
		state.begin += moved;
	publish(a->shared, state);
}

void
replies_init(struct replies *a, struct ring_shared *shared, int ring)
{
	*a = (struct replies){ .shared = shared, .ring = ring };
	buf_init(&a->rest, REPLIES_MAX);
	find_begin(a);
	a->staged = read_state(shared).end;
	a->added = published(a);
}

void
replies_finish(struct replies *a)
{
	buf_finish(&a->rest);
}

uint64_t
replies_fed(const struct ring_shared *shared)
{
	uint64_t fed = atomic_load(&shared->fed);
	uint64_t answered = now(shared)->fed;

	return fed > answered ? fed : answered;
}

/* Copy into the circle at `staged`, which its reader does not reach yet. */
static size_t
stage(struct replies *a, const uint8_t *p, size_t len)
{
	size_t room = RING_ANSWERS - 1 -
	    (a->staged - read_state(a->shared).begin);
	size_t n = len < room ? len : room;

	for (size_t i = 0; i < n; i++)
		a->shared->answers[a->staged++ % RING_ANSWERS] = p[i];
	return n;
}

void
replies_add(struct replies *a, const void *p, size_t len)
{
	size_t n = resting(a) == 0 ? stage(a, p, len) : 0;

	buf_append(&a->rest, (const uint8_t *)p + n, len - n);
	a->added += len;
}

void
replies_publish(struct replies *a, uint64_t fed)
{
	struct ring_answered state = read_state(a->shared);

	state.end = a->staged;
	if (state.fed < fed)
		state.fed = fed;
	publish(a->shared, state);
}

bool
replies_are_full(const struct replies *a)
{
	uint32_t begin = read_state(a->shared).begin;

	return resting(a) > 0 || a->staged - begin >= FULL;
}

bool
replies_are_empty(const struct replies *a)
{
	return published(a) == 0 && resting(a) == 0;
}

bool
replies_are_safe(const struct replies *a)
{
	return resting(a) == 0;
}

/* Move waiting bytes from memory into the circle while there is room. */
static void
move_up(struct replies *a)
{
	if (resting(a) == 0)
		return;
	a->rest_at += stage(a, a->rest.data + a->rest_at, resting(a));
	replies_publish(a, 0);
	if (resting(a) == 0) {
		buf_clear(&a->rest);
		a->rest_at = 0;
	}
}

/* Write the bytes at `begin` in one piece.  Returns how many, or -errno. */
static ssize_t
write_piece(struct replies *a, int terminal, size_t most)
{
	struct ring_answered state = read_state(a->shared);
	size_t len = state.end - state.begin;
	size_t to_end = RING_ANSWERS - state.begin % RING_ANSWERS;
	ssize_t n;

	len = len < to_end ? len : to_end;
	len = len < most ? len : most;
	if (len == 0)
		return 0;
	if (lseek(a->ring, place(state.begin), SEEK_SET) < 0)
		return -errno;
	n = sendfile(terminal, a->ring, NULL, len);
	if (n <= 0)
		return n < 0 ? -errno : -EAGAIN;
	state.begin += (uint32_t)n;
	a->written += (uint64_t)n;
	publish(a->shared, state);
	return n;
}

int
replies_write(struct replies *a, int terminal, uint64_t until)
{
	ssize_t n = 1;

	while ((n > 0 || n == -EINTR) && a->written < until) {
		move_up(a);
		n = write_piece(a, terminal, until - a->written);
	}
	return n < 0 ? (int)n : 0;
}

/* Move the position first: then they count as written. */
void
replies_drop(struct replies *a)
{
	struct ring_answered state = read_state(a->shared);

	lseek(a->ring, place(a->staged), SEEK_SET);
	state.begin = state.end = a->staged;
	publish(a->shared, state);
	buf_clear(&a->rest);
	a->rest_at = 0;
	a->written = a->added;
}
