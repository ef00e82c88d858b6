#include "host/store/event_log.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/list.h"
#include "base/loop.h"
#include "base/mem.h"
#include "host/store/log_opener.h"
#include "host/store/log_thread.h"
#include "host/store/log_upkeep.h"
#include "host/system/proc.h"
#include "keep/ring.h"
#include "log/payload.h"
#include "log/record.h"

#define TROUBLE_EVERY_MS 10000
#define GAP_MAX 64    /* bytes of a gap event */
#define LATE_MS 2     /* delay of events that are not urgent */
#define HELD_MAX 1024 /* spans; beyond it, two are merged */

/* A caller that wants to know when an event is in the log. */
struct waiter {
	struct list link;
	uint64_t seq;
	event_log_fn *fn;
	void *arg;
};

/* Messages of the upkeep threads to the loop. */
struct news {
	pthread_mutex_t lock;
	bool trimmed;
	uint64_t trimmed_seq, trimmed_offset;
	const char *trouble; /* a constant */
	int error;
};

/* Output in the ring that has no log yet. */
struct span {
	uint64_t offset;
	size_t len;
	uint8_t flags;
};

struct event_log {
	struct event_log_config c;
	struct log_thread log_thread;
	struct log_upkeep log_upkeep;
	struct news news;
	struct log_opener *opener; /* while there is no log; otherwise NULL */
	int notify_fd;
	struct watch *notify, *stall;
	bool stall_armed;
	struct watch *late; /* timer: wake the log thread */
	bool late_armed;

	uint64_t seq;        /* of the last queued event */
	uint64_t time_ns;    /* its time */
	uint64_t end;        /* offset after the last output, queued or not */
	struct list waiters; /* by seq */
	int64_t unlogged_ms; /* CLOCK_REALTIME; 0: the log is not behind */
	int64_t trouble_ms;  /* of the last report */

	/* Output that is being left out. */
	uint64_t gap_offset, gap_bytes;
	bool missed; /* an event was refused: the screen may be unknown */

	/* While there is no log: output for it, oldest first. */
	struct span *held;
	size_t n_held;
};

static uint64_t
event_time(struct event_log *s)
{
	uint64_t now = (uint64_t)clock_ns(CLOCK_BOOTTIME) - s->c.began_ns;

	if (now > s->time_ns)
		s->time_ns = now;
	return s->time_ns;
}

/* Number the item and queue it; 0 if there is no room. */
static uint64_t
add(struct event_log *s, struct log_item *it)
{
	it->seq = s->seq + 1;
	it->time_ns = event_time(s);
	if (s->opener != NULL || !log_thread_add(&s->log_thread, it)) {
		log_item_finish(it);
		return 0;
	}
	return ++s->seq;
}

static uint64_t
add_event(struct event_log *s, struct log_item *it)
{
	uint64_t seq = add(s, it);

	if (seq == 0) {
		s->missed = true;
		log_thread_notify_low(&s->log_thread);
	}
	return seq;
}

uint64_t
event_log_add(struct event_log *s, uint8_t type, uint8_t flags, const void *p,
    size_t len)
{
	struct log_item it = { .type = type, .flags = flags };

	log_item_set(&it, p, len);
	return add_event(s, &it);
}

uint64_t
event_log_take(struct event_log *s, uint8_t type, uint8_t flags, void *p,
    size_t len)
{
	struct log_item it = { .type = type, .flags = flags };

	log_item_take(&it, p, len);
	return add_event(s, &it);
}

void
event_log_join(struct event_log *s)
{
	log_thread_join(&s->log_thread);
}

static uint64_t
add_output(struct event_log *s, uint8_t flags, uint64_t offset, size_t len)
{
	struct log_item it = {
		.type = RECORD_OUTPUT,
		.flags = flags,
		.where = LOG_ITEM_IN_RING,
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
		log_thread_notify_low(&s->log_thread);
	}
	return seq;
}

static void
hold(struct event_log *s, uint8_t flags, uint64_t offset, size_t len)
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
event_log_output(struct event_log *s, uint8_t flags, uint64_t offset,
    size_t len)
{
	if (s->opener != NULL) {
		hold(s, flags, offset, len);
		return 0;
	}
	size_t max = log_thread_piece_max(&s->log_thread);

	for (; len > max; offset += max, len -= max)
		add_output(s, flags & (uint8_t)~RECORD_FRAME, offset, max);
	return add_output(s, flags, offset, len);
}

void
event_log_rotate(struct event_log *s, void *keyframe, size_t len,
    const void *clock, size_t clock_len)
{
	struct log_item it = {
		.type = RECORD_KEYFRAME,
		.flags = RECORD_FULL,
		.joined = true,
		.rotates = true,
	};

	log_item_take(&it, keyframe, len);
	if (add_event(s, &it) == 0)
		return;
	if (event_log_add(s, RECORD_CLOCK, 0, clock, clock_len) == 0)
		assert(!"a clock fits where a keyframe did");
}

/* Waiters. */

static void
insert_waiter(struct event_log *s, struct waiter *w)
{
	struct list *after = s->waiters.prev;

	while (after != &s->waiters &&
	    container_of(after, struct waiter, link)->seq > w->seq)
		after = after->prev;
	list_insert(after, &w->link);
}

void
event_log_after(struct event_log *s, uint64_t seq, event_log_fn *fn, void *arg)
{
	struct waiter *w;

	if (log_thread_notify_at(&s->log_thread, seq)) {
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
event_log_forget(struct event_log *s, void *arg)
{
	list_for_each_safe(it, &s->waiters) {
		struct waiter *w = container_of(it, struct waiter, link);

		if (w->arg == arg) {
			list_remove(it);
			free(w);
		}
	}
}

/* Take one at a time from the front: a callback may add or drop others. */
static void
call_waiters(struct event_log *s, uint64_t written)
{
	while (!list_is_empty(&s->waiters)) {
		struct waiter *w = container_of(s->waiters.next, struct waiter,
		    link);
		struct waiter copy = *w;

		if (w->seq > written) {
			if (!log_thread_notify_at(&s->log_thread, w->seq))
				return;
			written = w->seq;
		}
		list_remove(&w->link);
		free(w);
		copy.fn(copy.arg, copy.seq);
	}
}

/* The disk's state. */

/*
 * On a busy machine a thread may wait that long for a processor, not for the
 * disk.
 */
static bool
is_stalled(const struct log_thread_state *st)
{
	return st->busy_ms != 0 &&
	    clock_ms(CLOCK_MONOTONIC) - st->busy_ms >= EVENT_LOG_STALL_MS &&
	    !proc_thread_runs(st->tid);
}

static void
report_unlogged(struct event_log *s, bool unlogged, int error)
{
	if (unlogged == (s->unlogged_ms != 0))
		return;
	s->unlogged_ms = unlogged ? clock_ms(CLOCK_REALTIME) : 0;
	s->c.ops->unlogged(s->c.arg, unlogged, s->unlogged_ms, error);
}

/* A disk that accepts no bytes must not fill the ring. */
static void
relieve_ring(struct event_log *s)
{
	uint64_t held = s->end - atomic_load(&s->c.ring->shared->tail);

	if (s->gap_bytes > 0 || held > s->c.ring->size / 4 * 3)
		log_thread_relieve(&s->log_thread, s->end);
}

static bool
queue_gap(struct event_log *s, uint64_t offset, uint64_t bytes)
{
	struct payload_gap gap = { offset, bytes, GAP_DISK };
	uint64_t seq;
	struct buf b;

	buf_init(&b, GAP_MAX);
	payload_gap_encode(&gap, &b);
	seq = event_log_add(s, RECORD_GAP, 0, b.data, b.len);
	buf_finish(&b);
	return seq != 0;
}

static void
write_gap(struct event_log *s)
{
	uint64_t offset = s->gap_offset, bytes = s->gap_bytes;

	if (bytes > 0 && !queue_gap(s, offset, bytes))
		return;
	s->gap_bytes = 0;
	s->missed = false;
	s->c.ops->gap(s->c.arg, offset, bytes);
}

/* Resume the log when half of the room for waiting output is free again. */
static void
end_gap(struct event_log *s, const struct log_thread_state *st)
{
	if (s->gap_bytes == 0 && !s->missed)
		return;
	if (st->output_bytes > LOG_THREAD_OUTPUT_MAX / 2 ||
	    st->waiting > LOG_THREAD_ITEMS_MAX / 2)
		log_thread_notify_low(&s->log_thread);
	else
		write_gap(s);
}

static void
check(struct event_log *s, const struct log_thread_state *st)
{
	bool bad = st->error != 0 || is_stalled(st);

	if (bad || s->gap_bytes > 0)
		relieve_ring(s);
	if (!bad)
		end_gap(s, st);
	report_unlogged(s, bad || s->gap_bytes > 0, st->error);
}

/* Drop held output before this offset. */
static void
drop_held(struct event_log *s, uint64_t before)
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

/*
 * Without a log, the ring keeps the newest output and always has room for
 * more.
 */
static void
let_go(struct event_log *s)
{
	size_t size = s->c.ring->size;
	uint64_t tail = atomic_load(&s->c.ring->shared->tail);

	if (s->end - tail > size / 4 * 3) {
		drop_held(s, s->end - size / 2);
		if (ring_release(s->c.ring, s->end - size / 2))
			fd_poke(s->c.room_fd);
	}
	report_unlogged(s, true, s->c.open_error);
}

/* From now on there is a log; `end` was its end. */
static void
take_log(struct event_log *s, struct log_writer *writer,
    const struct log_end *end)
{
	s->seq = end->seq;
	if (end->time_ns > s->time_ns)
		s->time_ns = end->time_ns;
	s->c.writer = s->log_thread.writer = writer;
	s->log_thread.seq = end->seq;
	s->log_thread.offset = end->offset;
	s->log_thread.released = atomic_load(&s->c.ring->shared->tail);
	s->log_thread.bytes = log_writer_bytes(writer);
	s->log_thread.newest = log_writer_newest(writer);
	log_upkeep_begin(&s->log_upkeep, writer);
}

/*
 * Log the held output, after a gap for the lost output.  Refused events may
 * have changed the screen, so a keyframe follows.
 */
static void
log_held(struct event_log *s, uint64_t offset)
{
	uint64_t end = s->end, from;

	drop_held(s, offset);
	from = s->n_held > 0 ? s->held[0].offset : end;
	s->end = from;
	if (from > offset)
		queue_gap(s, offset, from - offset);
	for (size_t i = 0; i < s->n_held; i++)
		event_log_output(s, s->held[i].flags, s->held[i].offset,
		    s->held[i].len);
	assert(s->end == end);
	free(s->held);
	s->held = NULL;
	s->n_held = 0;
	s->missed = true;
}

/* Try to begin logging; false if the log is still not open. */
static bool
try_to_begin(struct event_log *s)
{
	struct log_writer *writer;
	struct log_end end;

	if (!log_opener_take(s->opener, s->end, &writer, &end))
		return false;
	log_opener_destroy(s->opener);
	s->opener = NULL;
	take_log(s, writer, &end);
	s->c.ops->opened(s->c.arg, &end);
	log_held(s, end.offset);
	return true;
}

static void
on_stall(void *arg)
{
	struct event_log *s = arg;
	struct log_thread_state st;

	log_thread_look(&s->log_thread, &st);
	check(s, &st);
	s->stall_armed = st.waiting > 0 || s->gap_bytes > 0 || s->missed;
	if (s->stall_armed)
		watch_rearm(s->stall, EVENT_LOG_STALL_MS);
}

static void
on_late(void *arg)
{
	struct event_log *s = arg;

	s->late_armed = false;
	log_thread_wake(&s->log_thread);
}

/*
 * The log thread must not compete with the echo of input for a processor.  So
 * it is woken later, unless a caller waits for it.
 */
static void
publish(struct event_log *s)
{
	bool urgent = !list_is_empty(&s->waiters);

	if (log_thread_publish(&s->log_thread, urgent) && !s->late_armed) {
		s->late_armed = true;
		watch_rearm(s->late, LATE_MS);
	}
}

void
event_log_flush(struct event_log *s)
{
	struct log_thread_state st;

	if (s->opener != NULL && !try_to_begin(s)) {
		let_go(s);
		return;
	}
	publish(s);
	if (s->unlogged_ms != 0 || s->gap_bytes > 0 || s->missed) {
		log_thread_look(&s->log_thread, &st);
		check(s, &st);
		publish(s);
	}
	if (!s->stall_armed && event_log_seq(s) != event_log_written(s)) {
		s->stall_armed = true;
		watch_rearm(s->stall, EVENT_LOG_STALL_MS);
	}
}

/* Called in the upkeep thread, and then in the loop. */

static void
on_sync_failed(void *arg, int error)
{
	struct event_log *s = arg;

	pthread_mutex_lock(&s->news.lock);
	s->news.trouble = "sync";
	s->news.error = error;
	pthread_mutex_unlock(&s->news.lock);
	log_thread_distrust(&s->log_thread);
}

static void
on_trimmed(void *arg, uint64_t seq, uint64_t offset)
{
	struct event_log *s = arg;

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
	struct event_log *s = arg;

	pthread_mutex_lock(&s->news.lock);
	s->news.trouble = what;
	s->news.error = error;
	pthread_mutex_unlock(&s->news.lock);
	fd_poke(s->notify_fd);
}

static const struct log_upkeep_ops log_upkeep_ops = {
	.sync_failed = on_sync_failed,
	.trimmed = on_trimmed,
	.trouble = on_trouble,
};

static void
tell_trouble(struct event_log *s, const char *what, int error)
{
	int64_t now = clock_ms(CLOCK_MONOTONIC);

	if (s->trouble_ms != 0 && now - s->trouble_ms < TROUBLE_EVERY_MS)
		return;
	s->trouble_ms = now;
	s->c.ops->trouble(s->c.arg, what, error);
}

static void
tell_news(struct event_log *s)
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
	struct event_log *s = arg;
	struct log_thread_state st;
	uint64_t count;
	ssize_t n = read(s->notify_fd, &count, sizeof(count));

	(void)ready;
	(void)n;
	if (s->opener != NULL && !try_to_begin(s))
		return;
	log_thread_look(&s->log_thread, &st);
	tell_news(s);
	if (st.error != 0)
		tell_trouble(s, "write", st.error);
	if (log_thread_wants_rotate(&s->log_thread))
		s->c.ops->rotate(s->c.arg);
	check(s, &st);
	call_waiters(s, st.seq);
}

static int
start(struct event_log *s, struct error *err)
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
	s->log_thread.notify_fd = s->notify_fd;
	/* Start all threads now: the sandbox prevents it later. */
	rc = log_upkeep_start(&s->log_upkeep);
	if (rc == 0)
		rc = log_thread_start(&s->log_thread);
	if (rc == 0 && s->c.writer == NULL) {
		if (s->opener == NULL)
			s->opener = log_opener_create(s->c.dirfd);
		rc = s->opener == NULL ? -EAGAIN : 0;
	}
	if (s->opener != NULL)
		log_opener_notify(s->opener, s->notify_fd);
	if (rc < 0)
		return error_set(err, -rc, "no thread: %s", strerror(-rc));
	if (s->c.writer != NULL)
		take_log(s, s->c.writer, &s->c.end);
	return 0;
}

struct event_log *
event_log_create(const struct event_log_config *c, struct error *err)
{
	struct event_log *s = xcalloc(1, sizeof(*s));

	s->c = *c;
	s->opener = c->opener;
	s->seq = c->end.seq;
	s->time_ns = c->end.time_ns;
	s->end = c->end.offset;
	list_init(&s->waiters);
	pthread_mutex_init(&s->news.lock, NULL);
	s->log_upkeep.max_log = c->max_log;
	s->log_upkeep.ops = &log_upkeep_ops;
	s->log_upkeep.arg = s;
	s->log_thread.ring = c->ring;
	s->log_thread.room_fd = c->room_fd;
	s->log_thread.dirfd = c->dirfd;
	s->log_thread.log_upkeep = &s->log_upkeep;
	s->log_thread.durable = c->durable;
	s->log_thread.seq = c->end.seq;
	s->log_thread.offset = c->end.offset;
	if (start(s, err) < 0) {
		event_log_destroy(s);
		return NULL;
	}
	return s;
}

void
event_log_destroy(struct event_log *s)
{
	if (s == NULL)
		return;
	log_opener_destroy(s->opener);
	log_thread_stop(&s->log_thread);
	log_upkeep_stop(&s->log_upkeep);
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
event_log_seq(const struct event_log *s)
{
	return s->seq;
}

static struct log_thread_state
look(const struct event_log *s)
{
	struct log_thread_state st;
	/* Only the lock changes. */
	struct log_thread *log_thread = (struct log_thread *)(uintptr_t)&s
					    ->log_thread;

	log_thread_look(log_thread, &st);
	return st;
}

uint64_t
event_log_written(const struct event_log *s)
{
	return look(s).seq;
}

uint64_t
event_log_written_offset(const struct event_log *s)
{
	return look(s).offset;
}

uint64_t
event_log_bytes(const struct event_log *s)
{
	return look(s).bytes;
}

uint32_t
event_log_newest(const struct event_log *s)
{
	return look(s).newest;
}

int64_t
event_log_unlogged_since(const struct event_log *s)
{
	return s->unlogged_ms;
}
