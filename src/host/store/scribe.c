#include "host/store/scribe.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/list.h"
#include "base/loop.h"
#include "base/mem.h"
#include "host/store/chores.h"
#include "host/store/opener.h"
#include "host/system/proc.h"
#include "host/store/quill.h"
#include "keep/ring.h"
#include "log/record.h"

#define TROUBLE_EVERY_MS 10000
#define LATE_MS 2     /* what is not urgent may wait for more that long */
#define GAP_DISK 1    /* `why` of a gap */
#define HELD_MAX 1024 /* spans; of more, two are one */

/* Somebody who wants to know when an event is in the log. */
struct waiter {
	struct list link;
	uint64_t seq;
	scribe_fn *fn;
	void *arg;
};

/* What the chores' thread has to tell the loop. */
struct news {
	pthread_mutex_t lock;
	bool trimmed;
	uint64_t trimmed_seq, trimmed_offset;
	const char *trouble; /* a constant */
	int error;
};

/* Output in the ring for which there is no log yet. */
struct span {
	uint64_t offset;
	size_t len;
	uint8_t flags;
};

struct scribe {
	struct scribe_config c;
	struct quill quill;
	struct chores chores;
	struct news news;
	struct opener *opener; /* while there is no log; else NULL */
	int notify_fd;
	struct watch *notify, *stall;
	bool stall_armed;
	struct watch *late; /* timer: the quill is to be woken */
	bool late_armed;

	uint64_t seq;        /* of the last event that was queued */
	uint64_t time_ns;    /* its time */
	uint64_t end;        /* offset behind the last output, queued or not */
	struct list waiters; /* by seq */
	int64_t unlogged_ms; /* CLOCK_REALTIME; 0: all is well */
	int64_t trouble_ms;  /* when the last one was told */

	/* Output that is being left out. */
	uint64_t gap_offset, gap_bytes;
	bool missed; /* an event was refused: the screen may be unknown */

	/* While there is no log: what can be in it, oldest first. */
	struct span *held;
	size_t n_held;
};

static uint64_t
event_time(struct scribe *s)
{
	uint64_t now = (uint64_t)clock_ns(CLOCK_BOOTTIME) - s->c.began_ns;

	if (now > s->time_ns)
		s->time_ns = now;
	return s->time_ns;
}

/* Give the item its number and hand it over; 0 when there is no room. */
static uint64_t
add(struct scribe *s, struct item *it)
{
	it->seq = s->seq + 1;
	it->time_ns = event_time(s);
	if (s->opener != NULL || !quill_add(&s->quill, it)) {
		item_finish(it);
		return 0;
	}
	return ++s->seq;
}

static uint64_t
add_event(struct scribe *s, struct item *it)
{
	uint64_t seq = add(s, it);

	if (seq == 0) {
		s->missed = true;
		quill_notify_low(&s->quill);
	}
	return seq;
}

uint64_t
scribe_event(struct scribe *s, uint8_t type, uint8_t flags, const void *p,
    size_t len)
{
	struct item it = { .type = type, .flags = flags };

	item_set(&it, p, len);
	return add_event(s, &it);
}

uint64_t
scribe_event_take(struct scribe *s, uint8_t type, uint8_t flags, void *p,
    size_t len)
{
	struct item it = { .type = type, .flags = flags };

	item_take(&it, p, len);
	return add_event(s, &it);
}

void
scribe_join(struct scribe *s)
{
	quill_join(&s->quill);
}

static uint64_t
add_output(struct scribe *s, uint8_t flags, uint64_t offset, size_t len)
{
	struct item it = {
		.type = RECORD_OUTPUT,
		.flags = flags,
		.where = ITEM_IN_RING,
		.len = (uint32_t)len,
		.offset = offset,
	};
	uint64_t seq = s->gap_bytes > 0 ? 0 : add(s, &it);

	assert(offset == s->end);
	s->end = offset + len;
	if (seq == 0) {
		if (s->gap_bytes == 0)
			s->gap_offset = offset;
		s->gap_bytes += len;
		quill_notify_low(&s->quill);
	}
	return seq;
}

static void
hold(struct scribe *s, uint8_t flags, uint64_t offset, size_t len)
{
	struct span *last;

	assert(offset == s->end);
	s->end = offset + len;
	if (s->held == NULL)
		s->held = xcalloc(HELD_MAX, sizeof(*s->held));
	if (s->n_held < HELD_MAX) {
		s->held[s->n_held++] = (struct span){ offset, len, flags };
		return;
	}
	last = &s->held[HELD_MAX - 1];
	last->len += len;
	last->flags = (last->flags & flags & RECORD_HIDDEN) |
	    (flags & RECORD_FRAME);
}

uint64_t
scribe_output(struct scribe *s, uint8_t flags, uint64_t offset, size_t len)
{
	if (s->opener != NULL) {
		hold(s, flags, offset, len);
		return 0;
	}
	size_t max = quill_piece_max(&s->quill);

	for (; len > max; offset += max, len -= max)
		add_output(s, flags & (uint8_t)~RECORD_FRAME, offset, max);
	return add_output(s, flags, offset, len);
}

void
scribe_rotate(struct scribe *s, void *keyframe, size_t len, const void *clock,
    size_t clock_len)
{
	struct item it = {
		.type = RECORD_KEYFRAME,
		.flags = RECORD_FULL,
		.joined = true,
		.rotates = true,
	};

	item_take(&it, keyframe, len);
	if (add_event(s, &it) == 0)
		return;
	if (scribe_event(s, RECORD_CLOCK, 0, clock, clock_len) == 0)
		assert(!"a clock fits where a keyframe did");
}

/* Waiters. */

static void
insert_waiter(struct scribe *s, struct waiter *w)
{
	struct list *after = s->waiters.prev;

	while (after != &s->waiters &&
	    container_of(after, struct waiter, link)->seq > w->seq)
		after = after->prev;
	list_insert(after, &w->link);
}

void
scribe_after(struct scribe *s, uint64_t seq, scribe_fn *fn, void *arg)
{
	struct waiter *w;

	if (quill_notify_at(&s->quill, seq)) {
		fn(arg, seq);
		return;
	}
	w = xcalloc(1, sizeof(*w));
	w->seq = seq;
	w->fn = fn;
	w->arg = arg;
	insert_waiter(s, w);
}

void
scribe_forget(struct scribe *s, void *arg)
{
	list_for_each_safe(it, &s->waiters) {
		struct waiter *w = container_of(it, struct waiter, link);

		if (w->arg == arg) {
			list_remove(it);
			free(w);
		}
	}
}

/* One at a time from the front: a callback may add or drop others. */
static void
call_waiters(struct scribe *s, uint64_t written)
{
	while (!list_is_empty(&s->waiters)) {
		struct waiter *w = container_of(s->waiters.next, struct waiter,
		    link);
		struct waiter copy = *w;

		if (w->seq > written) {
			if (!quill_notify_at(&s->quill, w->seq))
				return;
			written = w->seq;
		}
		list_remove(&w->link);
		free(w);
		copy.fn(copy.arg, copy.seq);
	}
}

/* The disk's state. */

/* On a busy machine a thread may wait that long for its turn: not the disk. */
static bool
is_stalled(const struct quill_state *st)
{
	return st->busy_ms != 0 &&
	    clock_ms(CLOCK_MONOTONIC) - st->busy_ms >= SCRIBE_STALL_MS &&
	    !proc_thread_runs(st->tid);
}

static void
tell_unlogged(struct scribe *s, bool unlogged, int error)
{
	if (unlogged == (s->unlogged_ms != 0))
		return;
	s->unlogged_ms = unlogged ? clock_ms(CLOCK_REALTIME) : 0;
	s->c.ops->unlogged(s->c.arg, unlogged, s->unlogged_ms, error);
}

/* The ring must not run full over a disk that does not take its bytes. */
static void
relieve_ring(struct scribe *s)
{
	uint64_t held = s->end - atomic_load(&s->c.ring->shared->tail);

	if (s->gap_bytes > 0 || held > s->c.ring->size / 4 * 3)
		quill_relieve(&s->quill, s->end);
}

static bool
queue_gap(struct scribe *s, uint64_t offset, uint64_t bytes)
{
	uint8_t p[17];

	put_u64le(p, offset);
	put_u64le(p + 8, bytes);
	p[16] = GAP_DISK;
	return scribe_event(s, RECORD_GAP, 0, p, sizeof(p)) != 0;
}

static void
write_gap(struct scribe *s)
{
	uint64_t offset = s->gap_offset, bytes = s->gap_bytes;

	if (bytes > 0 && !queue_gap(s, offset, bytes))
		return;
	s->gap_bytes = 0;
	s->missed = false;
	s->c.ops->gap(s->c.arg, offset, bytes);
}

/* Go on with the log when half of the room for waiting is free again. */
static void
end_gap(struct scribe *s, const struct quill_state *st)
{
	if (s->gap_bytes == 0 && !s->missed)
		return;
	if (st->output_bytes > QUILL_OUTPUT_MAX / 2 ||
	    st->waiting > QUILL_ITEMS_MAX / 2)
		quill_notify_low(&s->quill);
	else
		write_gap(s);
}

static void
check(struct scribe *s, const struct quill_state *st)
{
	bool bad = st->error != 0 || is_stalled(st);

	if (bad || s->gap_bytes > 0)
		relieve_ring(s);
	if (!bad)
		end_gap(s, st);
	tell_unlogged(s, bad || s->gap_bytes > 0, st->error);
}

/* Forget what is held before this offset. */
static void
drop_held(struct scribe *s, uint64_t before)
{
	size_t n = 0;

	while (n < s->n_held && s->held[n].offset + s->held[n].len <= before)
		n++;
	s->n_held -= n;
	if (s->n_held == 0)
		return;
	memmove(s->held, s->held + n, s->n_held * sizeof(*s->held));
	if (s->held[0].offset < before) {
		s->held[0].len -= (size_t)(before - s->held[0].offset);
		s->held[0].offset = before;
	}
}

/* Without a log, the ring has the newest, and always room for more. */
static void
let_go(struct scribe *s)
{
	size_t size = s->c.ring->size;
	uint64_t tail = atomic_load(&s->c.ring->shared->tail);

	if (s->end - tail > size / 4 * 3) {
		drop_held(s, s->end - size / 2);
		if (ring_release(s->c.ring, s->end - size / 2))
			fd_poke(s->c.room_fd);
	}
	tell_unlogged(s, true, s->c.open_error);
}

/* From here on there is a log, which ended so. */
static void
take_log(struct scribe *s, struct log_writer *writer, const struct log_end *end)
{
	s->seq = end->seq;
	if (end->time_ns > s->time_ns)
		s->time_ns = end->time_ns;
	s->c.writer = s->quill.writer = writer;
	s->quill.seq = end->seq;
	s->quill.offset = end->offset;
	s->quill.released = atomic_load(&s->c.ring->shared->tail);
	s->quill.bytes = log_writer_bytes(writer);
	s->quill.newest = log_writer_newest(writer);
	chores_begin(&s->chores, writer);
}

/*
 * Log what was held, behind a gap for what was not.  Events that were refused
 * may have changed the screen, so a keyframe follows.
 */
static void
log_held(struct scribe *s, uint64_t offset)
{
	uint64_t end = s->end, from;

	drop_held(s, offset);
	from = s->n_held > 0 ? s->held[0].offset : end;
	s->end = from;
	if (from > offset)
		queue_gap(s, offset, from - offset);
	for (size_t i = 0; i < s->n_held; i++)
		scribe_output(s, s->held[i].flags, s->held[i].offset,
		    s->held[i].len);
	assert(s->end == end);
	free(s->held);
	s->held = NULL;
	s->n_held = 0;
	s->missed = true;
}

/* False: still not. */
static bool
try_to_begin(struct scribe *s)
{
	struct log_writer *writer;
	struct log_end end;

	if (!opener_take(s->opener, s->end, &writer, &end))
		return false;
	opener_destroy(s->opener);
	s->opener = NULL;
	take_log(s, writer, &end);
	s->c.ops->opened(s->c.arg, &end);
	log_held(s, end.offset);
	return true;
}

static void
on_stall(void *arg)
{
	struct scribe *s = arg;
	struct quill_state st;

	quill_look(&s->quill, &st);
	check(s, &st);
	s->stall_armed = st.waiting > 0 || s->gap_bytes > 0 || s->missed;
	if (s->stall_armed)
		watch_rearm(s->stall, SCRIBE_STALL_MS);
}

static void
on_late(void *arg)
{
	struct scribe *s = arg;

	s->late_armed = false;
	quill_wake(&s->quill);
}

/*
 * The quill must not compete for a processor with the echo of what was typed,
 * so it is woken later, unless somebody waits for it.
 */
static void
publish(struct scribe *s)
{
	bool urgent = !list_is_empty(&s->waiters);

	if (quill_publish(&s->quill, urgent) && !s->late_armed) {
		s->late_armed = true;
		watch_rearm(s->late, LATE_MS);
	}
}

void
scribe_flush(struct scribe *s)
{
	struct quill_state st;

	if (s->opener != NULL && !try_to_begin(s)) {
		let_go(s);
		return;
	}
	publish(s);
	if (s->unlogged_ms != 0 || s->gap_bytes > 0 || s->missed) {
		quill_look(&s->quill, &st);
		check(s, &st);
		publish(s);
	}
	if (!s->stall_armed && scribe_seq(s) != scribe_written(s)) {
		s->stall_armed = true;
		watch_rearm(s->stall, SCRIBE_STALL_MS);
	}
}

/* From the chores' thread, and in the loop's. */

static void
on_sync_failed(void *arg, int error)
{
	struct scribe *s = arg;

	pthread_mutex_lock(&s->news.lock);
	s->news.trouble = "sync";
	s->news.error = error;
	pthread_mutex_unlock(&s->news.lock);
	quill_distrust(&s->quill);
}

static void
on_trimmed(void *arg, uint64_t seq, uint64_t offset)
{
	struct scribe *s = arg;

	pthread_mutex_lock(&s->news.lock);
	s->news.trimmed = true;
	s->news.trimmed_seq = seq;
	s->news.trimmed_offset = offset;
	pthread_mutex_unlock(&s->news.lock);
	fd_poke(s->notify_fd);
}

static void
on_trouble(void *arg, const char *what, int error)
{
	struct scribe *s = arg;

	pthread_mutex_lock(&s->news.lock);
	s->news.trouble = what;
	s->news.error = error;
	pthread_mutex_unlock(&s->news.lock);
	fd_poke(s->notify_fd);
}

static const struct chores_ops chores_ops = {
	.sync_failed = on_sync_failed,
	.trimmed = on_trimmed,
	.trouble = on_trouble,
};

static void
tell_trouble(struct scribe *s, const char *what, int error)
{
	int64_t now = clock_ms(CLOCK_MONOTONIC);

	if (s->trouble_ms != 0 && now - s->trouble_ms < TROUBLE_EVERY_MS)
		return;
	s->trouble_ms = now;
	s->c.ops->trouble(s->c.arg, what, error);
}

static void
tell_news(struct scribe *s)
{
	struct news *n = &s->news;
	uint64_t seq, offset;
	const char *trouble;
	bool trimmed;
	int error;

	pthread_mutex_lock(&n->lock);
	trimmed = n->trimmed;
	seq = n->trimmed_seq;
	offset = n->trimmed_offset;
	trouble = n->trouble;
	error = n->error;
	n->trimmed = false;
	n->trouble = NULL;
	pthread_mutex_unlock(&n->lock);
	if (trimmed)
		s->c.ops->trimmed(s->c.arg, seq, offset);
	if (trouble != NULL)
		tell_trouble(s, trouble, error);
}

static void
on_notify(void *arg, enum loop_events ready)
{
	struct scribe *s = arg;
	struct quill_state st;
	uint64_t count;
	ssize_t n = read(s->notify_fd, &count, sizeof(count));

	(void)ready;
	(void)n;
	if (s->opener != NULL && !try_to_begin(s))
		return;
	quill_look(&s->quill, &st);
	tell_news(s);
	if (st.error != 0)
		tell_trouble(s, "write", st.error);
	if (quill_wants_rotate(&s->quill))
		s->c.ops->rotate(s->c.arg);
	check(s, &st);
	call_waiters(s, st.seq);
}

static int
start(struct scribe *s, struct error *err)
{
	int rc;

	s->notify_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (s->notify_fd < 0)
		return error_set(err, errno, "no eventfd: %s", strerror(errno));
	s->notify = loop_fd(s->c.loop, s->notify_fd, LOOP_READ, on_notify, s);
	s->stall = loop_timer(s->c.loop, -1, on_stall, s);
	s->late = loop_timer(s->c.loop, -1, on_late, s);
	if (s->notify == NULL)
		return error_set(err, errno, "cannot watch an eventfd: %s",
		    strerror(errno));
	s->quill.notify_fd = s->notify_fd;
	/* All threads now: the sandbox allows no other later. */
	rc = chores_start(&s->chores);
	if (rc == 0)
		rc = quill_start(&s->quill);
	if (rc == 0 && s->c.writer == NULL) {
		if (s->opener == NULL)
			s->opener = opener_create(s->c.dirfd);
		rc = s->opener == NULL ? -EAGAIN : 0;
	}
	if (s->opener != NULL)
		opener_notify(s->opener, s->notify_fd);
	if (rc < 0)
		return error_set(err, -rc, "no thread: %s", strerror(-rc));
	if (s->c.writer != NULL)
		take_log(s, s->c.writer, &s->c.end);
	return 0;
}

struct scribe *
scribe_create(const struct scribe_config *c, struct error *err)
{
	struct scribe *s = xcalloc(1, sizeof(*s));

	s->c = *c;
	s->opener = c->opener;
	s->seq = c->end.seq;
	s->time_ns = c->end.time_ns;
	s->end = c->end.offset;
	list_init(&s->waiters);
	pthread_mutex_init(&s->news.lock, NULL);
	s->chores.max_log = c->max_log;
	s->chores.ops = &chores_ops;
	s->chores.arg = s;
	s->quill.ring = c->ring;
	s->quill.room_fd = c->room_fd;
	s->quill.dirfd = c->dirfd;
	s->quill.chores = &s->chores;
	s->quill.durable = c->durable;
	s->quill.seq = c->end.seq;
	s->quill.offset = c->end.offset;
	if (start(s, err) < 0) {
		scribe_destroy(s);
		return NULL;
	}
	return s;
}

void
scribe_destroy(struct scribe *s)
{
	if (s == NULL)
		return;
	opener_destroy(s->opener);
	quill_stop(&s->quill);
	chores_stop(&s->chores);
	if (s->c.writer != NULL)
		log_writer_sync(s->c.writer);
	log_writer_close(s->c.writer);
	list_for_each_safe(it, &s->waiters)
		free(container_of(it, struct waiter, link));
	watch_remove(s->notify);
	watch_remove(s->stall);
	watch_remove(s->late);
	fd_close(&s->notify_fd);
	pthread_mutex_destroy(&s->news.lock);
	free(s->held);
	free(s);
}

uint64_t
scribe_seq(const struct scribe *s)
{
	return s->seq;
}

static struct quill_state
look(const struct scribe *s)
{
	struct quill_state st;
	/* The lock is all that changes. */
	struct quill *quill = (struct quill *)(uintptr_t)&s->quill;

	quill_look(quill, &st);
	return st;
}

uint64_t
scribe_written(const struct scribe *s)
{
	return look(s).seq;
}

uint64_t
scribe_written_offset(const struct scribe *s)
{
	return look(s).offset;
}

uint64_t
scribe_bytes(const struct scribe *s)
{
	return look(s).bytes;
}

uint32_t
scribe_newest(const struct scribe *s)
{
	return look(s).newest;
}

int64_t
scribe_unlogged_since(const struct scribe *s)
{
	return s->unlogged_ms;
}
