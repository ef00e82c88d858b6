#include "host/pen.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/failpoint.h"
#include "base/mem.h"
#include "host/chores.h"
#include "host/clock.h"
#include "host/thread.h"
#include "keep/ring.h"
#include "log/record.h"
#include "log/writer.h"

/* One write takes so many events and bytes of payload, and no more. */
#define BATCH_ITEMS 128
#define BATCH_BYTES (256u << 10)

#define RETRY_MS 1000
#define COPY_KEPT 4096 /* of the copy's memory while nothing happens */

static int64_t
now_ms(void)
{
	return clock_ms(CLOCK_MONOTONIC);
}

static void
poke(int fd)
{
	uint64_t one = 1;
	ssize_t n;

	if (fd < 0)
		return;
	n = write(fd, &one, sizeof(one));
	(void)n; /* full: it is readable, which is all we want */
}

static bool
is_output(const struct item *it)
{
	return it->type == RECORD_OUTPUT;
}

/* The lock is held.  The tail never goes back; true: wake the keeper. */
static bool
release(struct pen *p, uint64_t to)
{
	if (to <= p->released)
		return false;
	p->released = to;
	return ring_release(p->ring, to);
}

/* The batch: what is being written, or could not be and is tried again. */

static void
batch_add(struct pen *p, const struct item *it)
{
	if (p->n_batch == p->cap_batch) {
		p->cap_batch = p->cap_batch == 0 ? 16 : p->cap_batch * 2;
		p->batch = xrealloc(p->batch, p->cap_batch, sizeof(*p->batch));
		p->events = xrealloc(p->events, p->cap_batch,
		    sizeof(*p->events));
	}
	p->batch[p->n_batch++] = *it;
}

static bool
batch_ends(const struct pen *p, size_t n, size_t bytes)
{
	const struct item *it = item_queue_at(&p->queue, n);

	if (n > 0 && item_queue_at(&p->queue, n - 1)->joined)
		return false;
	return (it->rotates && n > 0) || n >= BATCH_ITEMS ||
	    bytes >= BATCH_BYTES;
}

/* How many items the next write takes. */
static size_t
batch_size(const struct pen *p)
{
	size_t bytes = 0, n;

	for (n = 0; n < p->ready && !batch_ends(p, n, bytes); n++) {
		const struct item *it = item_queue_at(&p->queue, n);

		bytes += it->len;
		/* A rotation takes what is joined to it and nothing more. */
		if (it->rotates && !it->joined)
			return n + 1;
		if (n > 0 && !it->joined &&
		    item_queue_at(&p->queue, 0)->rotates)
			return n + 1;
	}
	return n;
}

/* After a failed sync: all up to the end of a rotation, 0 without one. */
static size_t
size_to_rotation(const struct pen *p)
{
	bool found = false;

	for (size_t n = 0; n < p->ready; n++) {
		const struct item *it = item_queue_at(&p->queue, n);

		found = found || it->rotates;
		if (found && !it->joined)
			return n + 1;
	}
	return 0;
}

static void
take(struct pen *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		batch_add(p, item_queue_at(&p->queue, i));
	item_queue_drop(&p->queue, n);
	p->ready -= n;
}

/* Bytes of the batch that are in the ring. */
static size_t
in_ring(const struct pen *p)
{
	size_t sum = 0;

	for (size_t i = 0; i < p->n_batch; i++)
		if (p->batch[i].where == ITEM_IN_RING)
			sum += p->batch[i].len;
	return sum;
}

/* The copy is needed anew; what a failed write left there must live on. */
static void
own_copied(struct pen *p)
{
	for (size_t i = 0; i < p->n_batch; i++) {
		struct item *it = &p->batch[i];

		if (it->where == ITEM_COPIED)
			item_take(it, xmemdup(it->u.owned, it->len), it->len);
	}
}

/* Copy the batch's bytes out of the ring; each item then points there. */
static void
copy_out(struct pen *p)
{
	size_t need = in_ring(p), at = 0;

	if (need == 0)
		return;
	own_copied(p);
	if (need > p->cap_copy) {
		free(p->copy);
		p->copy = xmalloc(need);
		p->cap_copy = need;
	}
	for (size_t i = 0; i < p->n_batch; i++) {
		struct item *it = &p->batch[i];

		if (it->where != ITEM_IN_RING)
			continue;
		memcpy(p->copy + at, ring_at(p->ring, it->offset), it->len);
		it->where = ITEM_COPIED;
		it->u.owned = p->copy + at;
		at += it->len;
	}
}

static void
make_events(struct pen *p)
{
	for (size_t i = 0; i < p->n_batch; i++) {
		const struct item *it = &p->batch[i];
		struct log_event *ev = &p->events[i];

		*ev = (struct log_event){
			.type = it->type,
			.flags = it->flags,
			.seq = it->seq,
			.time_ns = it->time_ns,
			.offset = it->offset,
		};
		if (is_output(it)) {
			ev->p2 = item_payload(it);
			ev->len2 = it->len;
		} else {
			ev->p1 = item_payload(it);
			ev->len1 = it->len;
		}
	}
}

static bool
batch_rotates(const struct pen *p)
{
	for (size_t i = 0; i < p->n_batch; i++)
		if (p->batch[i].rotates)
			return true;
	return false;
}

/* How a write went. */
struct result {
	int rc;         /* of the write: 0 or -errno */
	bool rotated;   /* a new segment was begun */
	int sync_error; /* written, but not safe on the disk; --durable only */
};

/*
 * Write the batch, without the lock.  When a new segment cannot be begun the
 * old one goes on, if it may.
 */
static struct result
write_batch(struct pen *p, bool distrust)
{
	struct result res = { .rc = failpoint_error("scribe-write") };

	if (res.rc < 0)
		return res;
	make_events(p);
	if (batch_rotates(p)) {
		res.rc = log_writer_rotate(p->writer, p->events, p->n_batch);
		res.rotated = res.rc == 0;
	}
	if (!res.rotated && !distrust)
		res.rc = log_writer_append(p->writer, p->events, p->n_batch);
	failpoint("scribe-written");
	if (res.rc == 0 && p->durable)
		res.sync_error = -log_writer_sync(p->writer);
	return res;
}

/* The lock is held from here on. */

static void
account(struct pen *p, const struct item *it, bool in)
{
	size_t *sum = is_output(it) ? &p->output_bytes : &p->other_bytes;

	*sum = in ? *sum + it->len : *sum - it->len;
	p->waiting = in ? p->waiting + 1 : p->waiting - 1;
}

static bool
low_again(struct pen *p)
{
	if (!p->notify_low || p->output_bytes > PEN_OUTPUT_MAX / 2 ||
	    p->waiting > PEN_ITEMS_MAX / 2)
		return false;
	p->notify_low = false;
	return true;
}

static bool
seq_reached(struct pen *p)
{
	if (p->notify_seq == 0 || p->seq < p->notify_seq)
		return false;
	p->notify_seq = 0;
	return true;
}

static bool
segment_full(struct pen *p)
{
	if (p->wants_rotate || p->rotate_queued ||
	    log_writer_segment_size(p->writer) < LOG_SEGMENT_SIZE ||
	    now_ms() < p->rotate_not_before_ms)
		return false;
	p->wants_rotate = true;
	return true;
}

static void
batch_done(struct pen *p)
{
	for (size_t i = 0; i < p->n_batch; i++) {
		struct item *it = &p->batch[i];

		account(p, it, false);
		p->seq = it->seq;
		if (is_output(it))
			p->offset = it->offset + it->len;
		item_finish(it);
	}
	p->n_batch = 0;
	item_queue_shrink(&p->queue);
}

static void
rotation_done(struct pen *p, bool rotated)
{
	p->rotate_queued = false;
	if (rotated)
		p->distrust = false;
	else
		p->rotate_not_before_ms = now_ms() + RETRY_MS;
}

/* The events are in the log.  True when the loop is to know. */
static bool
written(struct pen *p, const struct result *res)
{
	uint64_t acknowledged = p->seq;
	bool low, reached, full;

	if (batch_rotates(p))
		rotation_done(p, res->rotated);
	batch_done(p);
	p->bytes = log_writer_bytes(p->writer);
	if (res->sync_error != 0) {
		/* Nobody is told that it is safe, until later events are. */
		p->seq = acknowledged;
		p->distrust = true;
		p->wants_rotate = !p->rotate_queued;
		p->error = res->sync_error;
		return true;
	}
	/* All are asked: each of them notes what it has told. */
	low = low_again(p);
	reached = seq_reached(p);
	full = segment_full(p);
	return low || reached || full;
}

/* Note how the write went; the lock is let go for the descriptors. */
static void
finish(struct pen *p, const struct result *res)
{
	bool ok = res->rc == 0, tell = ok != (p->error == 0), room = false;

	p->busy_ms = 0;
	p->error = -res->rc;
	p->retry_ms = ok ? 0 : now_ms() + RETRY_MS;
	if (ok) {
		tell |= written(p, res);
		room = release(p, p->offset);
	}
	pthread_mutex_unlock(&p->lock);
	if (room)
		poke(p->room_fd);
	if (tell)
		poke(p->notify_fd);
	if (ok && !p->durable)
		chores_dirty(p->chores);
	if (res->rotated)
		chores_sealed(p->chores);
	failpoint("scribe-released");
	pthread_mutex_lock(&p->lock);
}

static void
write_once(struct pen *p)
{
	bool distrust = p->distrust;
	struct result res;

	pthread_mutex_unlock(&p->lock);
	copy_out(p);
	pthread_mutex_lock(&p->lock);
	p->busy_ms = now_ms();
	pthread_mutex_unlock(&p->lock);
	res = write_batch(p, distrust);
	pthread_mutex_lock(&p->lock);
	finish(p, &res);
}

/* Sleep; with memory to give back, look again in a second. */
static void
sleep_until(struct pen *p, int64_t until_ms)
{
	p->asleep = true;
	if (until_ms < 0 && p->cap_copy > COPY_KEPT) {
		thread_wait(&p->wake, &p->lock, now_ms() + RETRY_MS);
		if (p->ready == 0 && p->n_batch == 0) {
			free(p->copy);
			p->copy = NULL;
			p->cap_copy = 0;
		}
	} else {
		thread_wait(&p->wake, &p->lock, until_ms);
	}
	p->asleep = false;
}

/* How many items to take for the next write; it may be none for a retry. */
static bool
next_batch(struct pen *p, size_t *n)
{
	*n = 0;
	if (p->distrust) {
		*n = size_to_rotation(p);
		return *n > 0 || (p->quit && p->n_batch > 0);
	}
	if (p->n_batch > 0)
		return p->quit || now_ms() >= p->retry_ms;
	*n = batch_size(p);
	return *n > 0;
}

static void *
run(void *arg)
{
	struct pen *p = arg;
	size_t n;

	pthread_mutex_lock(&p->lock);
	p->tid = gettid();
	for (;;) {
		if (next_batch(p, &n)) {
			take(p, n);
			write_once(p);
			/* At the end one failure is enough. */
			if (p->quit && p->error != 0)
				break;
		} else if (p->quit) {
			break;
		} else {
			sleep_until(p, p->n_batch > 0 ? p->retry_ms : -1);
		}
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

int
pen_start(struct pen *p)
{
	int rc;

	pthread_mutex_init(&p->lock, NULL);
	thread_cond_init(&p->wake);
	rc = thread_start(&p->thread, run, p);
	p->started = rc == 0;
	return rc;
}

static void
forget_all(struct pen *p)
{
	for (size_t i = 0; i < p->n_batch; i++)
		item_finish(&p->batch[i]);
	item_queue_finish(&p->queue);
	free(p->batch);
	free(p->events);
	free(p->copy);
	pthread_cond_destroy(&p->wake);
	pthread_mutex_destroy(&p->lock);
}

void
pen_stop(struct pen *p)
{
	if (!p->started)
		return;
	pthread_mutex_lock(&p->lock);
	p->ready = p->queue.n;
	p->quit = true;
	pthread_cond_signal(&p->wake);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->thread, NULL);
	p->started = false;
	forget_all(p);
}

static bool
fits(const struct pen *p, const struct item *it)
{
	if (is_output(it))
		return p->output_bytes + it->len <= PEN_OUTPUT_MAX;
	return p->waiting < PEN_ITEMS_MAX &&
	    p->other_bytes + it->len <= PEN_OTHER_MAX;
}

bool
pen_add(struct pen *p, const struct item *it)
{
	bool ok;

	pthread_mutex_lock(&p->lock);
	ok = fits(p, it);
	if (ok) {
		account(p, it, true);
		p->rotate_queued |= it->rotates;
		*item_queue_add(&p->queue) = *it;
	}
	pthread_mutex_unlock(&p->lock);
	return ok;
}

void
pen_join(struct pen *p)
{
	pthread_mutex_lock(&p->lock);
	if (p->queue.n > p->ready)
		item_queue_at(&p->queue, p->queue.n - 1)->joined = true;
	pthread_mutex_unlock(&p->lock);
}

void
pen_publish(struct pen *p)
{
	bool wake;

	pthread_mutex_lock(&p->lock);
	wake = p->asleep && p->ready != p->queue.n &&
	    (p->n_batch == 0 || p->distrust);
	p->ready = p->queue.n;
	pthread_mutex_unlock(&p->lock);
	if (wake)
		pthread_cond_signal(&p->wake);
}

void
pen_look(struct pen *p, struct pen_state *out)
{
	pthread_mutex_lock(&p->lock);
	*out = (struct pen_state){
		.seq = p->seq,
		.offset = p->offset,
		.bytes = p->bytes,
		.tid = p->tid,
		.busy_ms = p->busy_ms,
		.error = p->error,
		.waiting = p->waiting,
		.output_bytes = p->output_bytes,
	};
	pthread_mutex_unlock(&p->lock);
}

bool
pen_wants_rotate(struct pen *p)
{
	bool wants;

	pthread_mutex_lock(&p->lock);
	wants = p->wants_rotate;
	p->wants_rotate = false;
	pthread_mutex_unlock(&p->lock);
	return wants;
}

bool
pen_notify_at(struct pen *p, uint64_t seq)
{
	bool written;

	pthread_mutex_lock(&p->lock);
	written = p->seq >= seq;
	if (!written && (p->notify_seq == 0 || seq < p->notify_seq))
		p->notify_seq = seq;
	pthread_mutex_unlock(&p->lock);
	return written;
}

void
pen_notify_low(struct pen *p)
{
	pthread_mutex_lock(&p->lock);
	p->notify_low = true;
	pthread_mutex_unlock(&p->lock);
}

/* Whether the thread has what it took from the ring in memory of its own. */
static bool
ring_is_idle(const struct pen *p)
{
	return p->asleep || p->busy_ms != 0;
}

void
pen_relieve(struct pen *p, uint64_t to)
{
	bool room = false;

	pthread_mutex_lock(&p->lock);
	if (ring_is_idle(p)) {
		for (size_t i = 0; i < p->queue.n; i++) {
			struct item *it = item_queue_at(&p->queue, i);

			if (it->where == ITEM_IN_RING)
				item_take(it,
				    xmemdup(ring_at(p->ring, it->offset),
					it->len),
				    it->len);
		}
		room = release(p, to);
	}
	pthread_mutex_unlock(&p->lock);
	if (room)
		poke(p->room_fd);
}

void
pen_distrust(struct pen *p)
{
	pthread_mutex_lock(&p->lock);
	p->distrust = true;
	p->wants_rotate = !p->rotate_queued;
	pthread_mutex_unlock(&p->lock);
	poke(p->notify_fd);
}
