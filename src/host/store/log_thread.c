#include "host/store/log_thread.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/failpoint.h"
#include "base/fd.h"
#include "base/mem.h"
#include "host/store/log_opener.h"
#include "host/store/log_upkeep.h"
#include "host/system/thread.h"
#include "keep/ring.h"
#include "log/record.h"
#include "log/writer.h"

/* The most events and payload bytes of one write. */
#define BATCH_ITEMS 128
#define BATCH_BYTES (256u << 10)

#define FILE_LEAST (16u << 10) /* with a lower `ulimit -f` there is no log */

#define MUCH (8u << 10) /* output that is written without delay */

#define RETRY_MS 1000
#define COPY_KEPT 4096 /* memory of the copy that is kept when idle */

static int64_t
now_ms(void)
{
	return clock_ms(CLOCK_MONOTONIC);
}

static bool
is_output(const struct log_item *it)
{
	return it->type == RECORD_OUTPUT;
}

/* The lock is held.  The tail never moves back.  True: wake the keeper. */
static bool
release(struct log_thread *q, uint64_t to)
{
	if (to <= q->released)
		return false;
	q->released = to;
	return ring_release(q->ring, to);
}

/* A write and its headers must fit into a file. */
size_t
log_thread_piece_max(const struct log_thread *q)
{
	return q->file_max / 4;
}

static size_t
file_max(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) < 0 ||
	    limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > SIZE_MAX)
		return SIZE_MAX;
	return limit.rlim_cur < FILE_LEAST ? FILE_LEAST :
					     (size_t)limit.rlim_cur;
}

/* The batch: items being written, or to be retried. */

static void
batch_add(struct log_thread *q, const struct log_item *it)
{
	if (q->n_batch == q->cap_batch) {
		q->cap_batch = q->cap_batch == 0 ? 16 : q->cap_batch * 2;
		q->batch = xrealloc(q->batch, q->cap_batch, sizeof(*q->batch));
		q->events = xrealloc(q->events, q->cap_batch,
		    sizeof(*q->events));
	}
	q->batch[q->n_batch++] = *it;
}

static bool
batch_ends(const struct log_thread *q, size_t n, size_t bytes)
{
	const struct log_item *it = log_item_queue_at(&q->queue, n);

	if (n > 0 && log_item_queue_at(&q->queue, n - 1)->joined)
		return false;
	return (it->rotates && n > 0) || n >= BATCH_ITEMS ||
	    bytes >= BATCH_BYTES || bytes >= log_thread_piece_max(q);
}

/* The number of items in the next write. */
static size_t
batch_size(const struct log_thread *q)
{
	size_t bytes = 0, n;

	for (n = 0; n < q->ready && !batch_ends(q, n, bytes); n++) {
		const struct log_item *it = log_item_queue_at(&q->queue, n);

		bytes += it->len;
		/* A rotation takes only the items joined to it. */
		if (it->rotates && !it->joined)
			return n + 1;
		if (n > 0 && !it->joined &&
		    log_item_queue_at(&q->queue, 0)->rotates)
			return n + 1;
	}
	return n;
}

/*
 * After a failed sync: the number of items up to the end of a rotation; 0
 * without one.
 */
static size_t
size_to_rotation(const struct log_thread *q)
{
	bool found = false;

	for (size_t n = 0; n < q->ready; n++) {
		const struct log_item *it = log_item_queue_at(&q->queue, n);

		found = found || it->rotates;
		if (found && !it->joined)
			return n + 1;
	}
	return 0;
}

static void
take(struct log_thread *q, size_t n)
{
	for (size_t i = 0; i < n; i++)
		batch_add(q, log_item_queue_at(&q->queue, i));
	log_item_queue_drop(&q->queue, n);
	q->ready -= n;
}

/* The bytes of the batch that are in the ring. */
static size_t
in_ring(const struct log_thread *q)
{
	size_t sum = 0;

	for (size_t i = 0; i < q->n_batch; i++)
		if (q->batch[i].where == LOG_ITEM_IN_RING)
			sum += q->batch[i].len;
	return sum;
}

/*
 * The copy's memory is needed again: keep the bytes of a failed write
 * elsewhere.
 */
static void
own_copied(struct log_thread *q)
{
	for (size_t i = 0; i < q->n_batch; i++) {
		struct log_item *it = &q->batch[i];

		if (it->where == LOG_ITEM_COPIED)
			log_item_take(it, xmemdup(it->u.owned, it->len),
			    it->len);
	}
}

/*
 * Copy the batch's bytes out of the ring; each item then points to the copy.
 */
static void
copy_out(struct log_thread *q)
{
	size_t need = in_ring(q), at = 0;

	if (need == 0)
		return;
	own_copied(q);
	if (need > q->cap_copy) {
		free(q->copy);
		q->copy = xmalloc(need);
		q->cap_copy = need;
	}
	for (size_t i = 0; i < q->n_batch; i++) {
		struct log_item *it = &q->batch[i];

		if (it->where != LOG_ITEM_IN_RING)
			continue;
		memcpy(q->copy + at, ring_at(q->ring, it->offset), it->len);
		it->where = LOG_ITEM_COPIED;
		it->u.owned = q->copy + at;
		at += it->len;
	}
}

static void
make_events(struct log_thread *q)
{
	for (size_t i = 0; i < q->n_batch; i++) {
		const struct log_item *it = &q->batch[i];
		struct log_event *ev = &q->events[i];

		*ev = (struct log_event){
			.type = it->type,
			.flags = it->flags,
			.seq = it->seq,
			.time_ns = it->time_ns,
			.offset = it->offset,
		};
		if (is_output(it)) {
			ev->p2 = log_item_payload(it);
			ev->len2 = it->len;
		} else {
			ev->p1 = log_item_payload(it);
			ev->len1 = it->len;
		}
	}
}

static bool
batch_rotates(const struct log_thread *q)
{
	for (size_t i = 0; i < q->n_batch; i++)
		if (q->batch[i].rotates)
			return true;
	return false;
}

/* The result of a write. */
struct result {
	int rc;         /* of the write: 0 or -errno */
	bool rotated;   /* a new segment was begun */
	int sync_error; /* written but not synced; --durable only */
};

/* The directory was removed: make it again. */
static int
make_directory(struct log_thread *q)
{
	auto_close int fd = log_opener_directory(q->dirfd);

	if (fd < 0)
		return fd;
	return log_writer_move(q->writer, fd);
}

static int
rotate(struct log_thread *q)
{
	int rc = log_writer_rotate(q->writer, q->events, q->n_batch);

	if (rc == -ENOENT && make_directory(q) == 0)
		rc = log_writer_rotate(q->writer, q->events, q->n_batch);
	return rc;
}

/*
 * Write the batch, without the lock.  If a new segment cannot be started,
 * continue the old one if that is allowed.
 */
static struct result
write_batch(struct log_thread *q, bool distrust)
{
	struct result res = { .rc = failpoint_error("log-write") };

	if (res.rc < 0)
		return res;
	make_events(q);
	if (batch_rotates(q)) {
		res.rc = rotate(q);
		res.rotated = res.rc == 0;
	}
	if (!res.rotated && !distrust)
		res.rc = log_writer_append(q->writer, q->events, q->n_batch);
	failpoint("log-written");
	if (res.rc == 0 && q->durable)
		res.sync_error = -log_writer_sync(q->writer);
	return res;
}

/* The lock is held in the functions below. */

static void
account(struct log_thread *q, const struct log_item *it, bool in)
{
	size_t *sum = is_output(it) ? &q->output_bytes : &q->other_bytes;

	*sum = in ? *sum + it->len : *sum - it->len;
	q->waiting = in ? q->waiting + 1 : q->waiting - 1;
}

static bool
low_again(struct log_thread *q)
{
	if (!q->notify_low || q->output_bytes > LOG_THREAD_OUTPUT_MAX / 2 ||
	    q->waiting > LOG_THREAD_ITEMS_MAX / 2)
		return false;
	q->notify_low = false;
	return true;
}

static bool
seq_reached(struct log_thread *q)
{
	if (q->notify_seq == 0 || q->seq < q->notify_seq)
		return false;
	q->notify_seq = 0;
	return true;
}

static size_t
segment_size(const struct log_thread *q)
{
	return q->file_max / 2 < LOG_SEGMENT_SIZE ? q->file_max / 2 :
						    LOG_SEGMENT_SIZE;
}

static bool
segment_full(struct log_thread *q)
{
	if (q->wants_rotate || q->rotate_queued ||
	    log_writer_segment_size(q->writer) < segment_size(q) ||
	    now_ms() < q->rotate_not_before_ms)
		return false;
	q->wants_rotate = true;
	return true;
}

static void
batch_done(struct log_thread *q)
{
	for (size_t i = 0; i < q->n_batch; i++) {
		struct log_item *it = &q->batch[i];

		account(q, it, false);
		q->seq = q->written = it->seq;
		if (is_output(it))
			q->offset = it->offset + it->len;
		log_item_finish(it);
	}
	q->n_batch = 0;
	log_item_queue_shrink(&q->queue);
}

static void
rotation_done(struct log_thread *q, bool rotated)
{
	q->rotate_queued = false;
	if (rotated)
		q->distrust = false;
	else
		q->rotate_not_before_ms = now_ms() + RETRY_MS;
}

/*
 * The segment must not be written again.  A disk on which every sync fails
 * must not fill up with segments: start at most one a second.
 */
static void
want_rotation(struct log_thread *q)
{
	int64_t now = now_ms();

	q->distrust = true;
	if (now < q->distrust_ms + RETRY_MS) {
		q->again_ms = q->distrust_ms + RETRY_MS;
		return;
	}
	q->distrust_ms = now;
	q->wants_rotate = !q->rotate_queued;
}

/*
 * Written but not synced: do not acknowledge it until all of it has been
 * written again (log_writer_sync).
 */
static void
not_synced(struct log_thread *q, uint64_t acknowledged, int error)
{
	q->seq = acknowledged;
	q->error = error;
	q->again_ms = now_ms() + RETRY_MS;
	if (log_writer_is_left(q->writer))
		want_rotation(q);
}

/* The events are in the log.  True if the loop must be notified. */
static bool
written(struct log_thread *q, const struct result *res)
{
	uint64_t acknowledged = q->seq;
	bool low, reached, full;

	if (batch_rotates(q))
		rotation_done(q, res->rotated);
	batch_done(q);
	q->bytes = log_writer_bytes(q->writer);
	q->newest = log_writer_newest(q->writer);
	if (res->sync_error != 0) {
		not_synced(q, acknowledged, res->sync_error);
		return true;
	}
	if (!q->distrust)
		q->again_ms = 0;
	/* Call all of them: each records what it has reported. */
	low = low_again(q);
	reached = seq_reached(q);
	full = segment_full(q);
	return low || reached || full;
}

/* Record the result of the write; release the lock to use descriptors. */
static void
finish(struct log_thread *q, const struct result *res)
{
	bool ok = res->rc == 0, tell = ok != (q->error == 0), room = false;
	uint64_t bytes;

	q->busy_ms = 0;
	q->error = -res->rc;
	q->retry_ms = ok ? 0 : now_ms() + RETRY_MS;
	if (ok) {
		tell |= written(q, res);
		room = release(q, q->offset);
	}
	if (res->rc == -ESTALE) {
		want_rotation(q);
		tell = true;
	}
	bytes = q->bytes;
	pthread_mutex_unlock(&q->lock);
	if (room)
		fd_poke(q->room_fd);
	if (tell)
		fd_poke(q->notify_fd);
	if (ok)
		log_upkeep_written(q->log_upkeep, bytes, !q->durable);
	if (res->rotated)
		log_upkeep_sealed(q->log_upkeep);
	failpoint("log-released");
	pthread_mutex_lock(&q->lock);
}

static void
write_once(struct log_thread *q)
{
	bool distrust = q->distrust;
	struct result res;

	pthread_mutex_unlock(&q->lock);
	copy_out(q);
	pthread_mutex_lock(&q->lock);
	q->busy_ms = now_ms();
	pthread_mutex_unlock(&q->lock);
	res = write_batch(q, distrust);
	pthread_mutex_lock(&q->lock);
	finish(q, &res);
}

/* Sleep; if there is memory to free, check again in a second. */
static void
sleep_until(struct log_thread *q, int64_t until_ms)
{
	q->asleep = true;
	if (until_ms < 0 && q->cap_copy > COPY_KEPT) {
		thread_wait(&q->wake, &q->lock, now_ms() + RETRY_MS);
		if (q->ready == 0 && q->n_batch == 0) {
			free(q->copy);
			q->copy = NULL;
			q->cap_copy = 0;
		}
	} else {
		thread_wait(&q->wake, &q->lock, until_ms);
	}
	q->asleep = false;
}

/* Set the number of items for the next write; 0 is possible for a retry. */
static bool
next_batch(struct log_thread *q, size_t *n)
{
	*n = 0;
	if (q->distrust && !batch_rotates(q)) {
		*n = size_to_rotation(q);
		return *n > 0 || (q->quit && q->n_batch > 0);
	}
	if (q->n_batch > 0)
		return q->quit || now_ms() >= q->retry_ms;
	*n = batch_size(q);
	return *n > 0;
}

/* Sync alone, for earlier writes. */
static void
sync_again(struct log_thread *q)
{
	int rc;

	q->busy_ms = now_ms();
	pthread_mutex_unlock(&q->lock);
	rc = log_writer_sync(q->writer);
	pthread_mutex_lock(&q->lock);
	q->busy_ms = 0;
	if (rc < 0) {
		not_synced(q, q->seq, -rc);
	} else {
		q->seq = q->written;
		q->error = 0;
	}
}

/* True if it was time to retry and there was something to retry. */
static bool
try_again(struct log_thread *q)
{
	if (q->again_ms == 0 || now_ms() < q->again_ms)
		return false;
	q->again_ms = 0;
	if (q->distrust)
		want_rotation(q);
	else if (q->durable)
		sync_again(q);
	pthread_mutex_unlock(&q->lock);
	fd_poke(q->notify_fd);
	pthread_mutex_lock(&q->lock);
	return true;
}

/* The next time to act without a wakeup; -1: never. */
static int64_t
next_ms(const struct log_thread *q)
{
	int64_t next = q->n_batch > 0 ? q->retry_ms : -1;

	if (q->again_ms != 0 && (next < 0 || q->again_ms < next))
		next = q->again_ms;
	return next;
}

static void *
run(void *arg)
{
	struct log_thread *q = arg;
	size_t n;

	pthread_mutex_lock(&q->lock);
	q->tid = gettid();
	for (;;) {
		if (next_batch(q, &n)) {
			take(q, n);
			write_once(q);
			/* At the end one failure is enough. */
			if (q->quit && q->error != 0)
				break;
		} else if (q->quit) {
			break;
		} else if (!try_again(q)) {
			sleep_until(q, next_ms(q));
		}
	}
	pthread_mutex_unlock(&q->lock);
	return NULL;
}

int
log_thread_start(struct log_thread *q)
{
	int rc;

	q->file_max = file_max();
	pthread_mutex_init(&q->lock, NULL);
	thread_cond_init(&q->wake);
	rc = thread_start(&q->thread, "tend-log", run, q);
	q->started = rc == 0;
	return rc;
}

static void
forget_all(struct log_thread *q)
{
	for (size_t i = 0; i < q->n_batch; i++)
		log_item_finish(&q->batch[i]);
	log_item_queue_finish(&q->queue);
	free(q->batch);
	free(q->events);
	free(q->copy);
	pthread_cond_destroy(&q->wake);
	pthread_mutex_destroy(&q->lock);
}

void
log_thread_stop(struct log_thread *q)
{
	if (!q->started)
		return;
	pthread_mutex_lock(&q->lock);
	q->ready = q->queue.n;
	q->quit = true;
	pthread_cond_signal(&q->wake);
	pthread_mutex_unlock(&q->lock);
	pthread_join(q->thread, NULL);
	q->started = false;
	forget_all(q);
}

/*
 * At most one rotation waits, and items joined to another belong to it.  Both
 * always fit, because without them the rest might wait for ever.
 */
static bool
fits(const struct log_thread *q, const struct log_item *it)
{
	size_t n = q->queue.n;

	if (it->rotates ||
	    (n > 0 && log_item_queue_at(&q->queue, n - 1)->joined))
		return true;
	if (is_output(it))
		return q->output_bytes + it->len <= LOG_THREAD_OUTPUT_MAX;
	return q->waiting < LOG_THREAD_ITEMS_MAX &&
	    q->other_bytes + it->len <= LOG_THREAD_OTHER_MAX;
}

bool
log_thread_add(struct log_thread *q, const struct log_item *it)
{
	bool ok;

	pthread_mutex_lock(&q->lock);
	ok = fits(q, it);
	if (ok) {
		account(q, it, true);
		q->rotate_queued |= it->rotates;
		*log_item_queue_add(&q->queue) = *it;
	}
	pthread_mutex_unlock(&q->lock);
	return ok;
}

void
log_thread_join(struct log_thread *q)
{
	pthread_mutex_lock(&q->lock);
	if (q->queue.n > q->ready)
		log_item_queue_at(&q->queue, q->queue.n - 1)->joined = true;
	pthread_mutex_unlock(&q->lock);
}

bool
log_thread_publish(struct log_thread *q, bool urgent)
{
	bool wake;

	pthread_mutex_lock(&q->lock);
	wake = q->asleep && q->ready != q->queue.n &&
	    (q->n_batch == 0 || q->distrust);
	q->ready = q->queue.n;
	urgent |= q->durable || q->output_bytes >= MUCH;
	pthread_mutex_unlock(&q->lock);
	if (wake && urgent)
		log_thread_wake(q);
	return wake && !urgent;
}

void
log_thread_wake(struct log_thread *q)
{
	pthread_cond_signal(&q->wake);
}

void
log_thread_look(struct log_thread *q, struct log_thread_state *out)
{
	pthread_mutex_lock(&q->lock);
	*out = (struct log_thread_state){
		.seq = q->seq,
		.offset = q->offset,
		.bytes = q->bytes,
		.newest = q->newest,
		.tid = q->tid,
		.busy_ms = q->busy_ms,
		.error = q->error,
		.waiting = q->waiting,
		.output_bytes = q->output_bytes,
	};
	pthread_mutex_unlock(&q->lock);
}

bool
log_thread_wants_rotate(struct log_thread *q)
{
	bool wants;

	pthread_mutex_lock(&q->lock);
	wants = q->wants_rotate;
	q->wants_rotate = false;
	pthread_mutex_unlock(&q->lock);
	return wants;
}

bool
log_thread_notify_at(struct log_thread *q, uint64_t seq)
{
	bool written;

	pthread_mutex_lock(&q->lock);
	written = q->seq >= seq;
	if (!written && (q->notify_seq == 0 || seq < q->notify_seq))
		q->notify_seq = seq;
	pthread_mutex_unlock(&q->lock);
	return written;
}

void
log_thread_notify_low(struct log_thread *q)
{
	pthread_mutex_lock(&q->lock);
	q->notify_low = true;
	pthread_mutex_unlock(&q->lock);
}

/* True if the thread has copied what it took from the ring. */
static bool
ring_is_idle(const struct log_thread *q)
{
	return q->asleep || q->busy_ms != 0;
}

void
log_thread_relieve(struct log_thread *q, uint64_t to)
{
	bool room = false;

	pthread_mutex_lock(&q->lock);
	if (ring_is_idle(q)) {
		for (size_t i = 0; i < q->queue.n; i++) {
			struct log_item *it = log_item_queue_at(&q->queue, i);

			if (it->where == LOG_ITEM_IN_RING)
				log_item_take(it,
				    xmemdup(ring_at(q->ring, it->offset),
					it->len),
				    it->len);
		}
		room = release(q, to);
	}
	pthread_mutex_unlock(&q->lock);
	if (room)
		fd_poke(q->room_fd);
}

void
log_thread_distrust(struct log_thread *q)
{
	pthread_mutex_lock(&q->lock);
	want_rotation(q);
	pthread_cond_signal(&q->wake);
	pthread_mutex_unlock(&q->lock);
	fd_poke(q->notify_fd);
}
