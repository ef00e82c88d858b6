/*
 * The event log with a real log, a real ring, and a disk that the test can
 * make fail or hang.  The test is keeper and host at once: it fills the ring
 * and hands its bytes over.
 */

#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/loop.h"
#include "host/store/event_log.h"
#include "keep/ring.h"
#include "log/io.h"
#include "log/payload.h"
#include "log/reader.h"
#include "log/record.h"

/*
 * The state of the disk; the test changes it while the event log's threads
 * read it.
 */
struct disk {
	_Atomic int write_error; /* errno; 0: works */
	_Atomic int sync_error;
	_Atomic bool once; /* only the first sync fails */
	_Atomic int truncate_error;
	_Atomic int rename_error;
	/* Only compressed files cannot be renamed. */
	_Atomic bool only_compressed;
	_Atomic unsigned failures; /* failed syncs and renames */
	_Atomic unsigned syncs;    /* successful ones */
	_Atomic bool hangs;
};

struct fixture {
	char dir[64];
	int dirfd, ring_fd;
	struct ring ring;
	struct loop *loop;
	struct watch *settle, *tick;
	struct disk disk;
	struct log_io io;
	struct event_log *event_log;
	bool (*until)(struct fixture *f);
	int64_t give_up_ms, due_ms;
	unsigned syncs;

	/* Calls of the hooks. */
	bool unlogged;
	unsigned times_unlogged, rotations, gaps, troubles;
	uint64_t gap_bytes;
	uint64_t called[8];
	unsigned calls;
};

static ssize_t
disk_writev(void *arg, int fd, const struct iovec *iov, int n, off_t at)
{
	struct disk *d = arg;
	struct timespec moment = { .tv_nsec = 1000000 };

	while (atomic_load(&d->hangs))
		nanosleep(&moment, NULL);
	errno = atomic_load(&d->write_error);
	return errno != 0 ? -1 : pwritev(fd, iov, n, at);
}

static int
disk_sync(void *arg, int fd)
{
	struct disk *d = arg;

	(void)fd;
	errno = atomic_load(&d->sync_error);
	if (atomic_load(&d->once))
		atomic_store(&d->sync_error, 0);
	atomic_fetch_add(errno != 0 ? &d->failures : &d->syncs, 1);
	return errno != 0 ? -1 : 0;
}

static int
disk_truncate(void *arg, int fd, off_t len)
{
	struct disk *d = arg;

	errno = atomic_load(&d->truncate_error);
	return errno != 0 ? -1 : ftruncate(fd, len);
}

static int
disk_rename(void *arg, int dirfd, const char *from, const char *to)
{
	struct disk *d = arg;

	errno = atomic_load(&d->rename_error);
	if (atomic_load(&d->only_compressed) && strstr(to, ".zseg") == NULL)
		errno = 0;
	atomic_fetch_add(&d->failures, errno != 0);
	return errno != 0 ? -1 : renameat(dirfd, from, dirfd, to);
}

static void
on_unlogged(void *arg, bool unlogged, int64_t since_ms, int error)
{
	struct fixture *f = arg;

	(void)error;
	assert_true((since_ms != 0) == unlogged);
	f->unlogged = unlogged;
	f->times_unlogged += unlogged;
}

/* A fake keyframe: these tests do not look at the screen. */
static void
on_rotate(void *arg)
{
	struct fixture *f = arg;
	uint8_t clock[9] = { 0 };
	void *keyframe = calloc(1, 16);

	f->rotations++;
	event_log_rotate(f->event_log, keyframe, 16, clock, sizeof(clock));
}

static void
on_gap(void *arg, uint64_t offset, uint64_t bytes)
{
	struct fixture *f = arg;

	(void)offset;
	f->gaps++;
	f->gap_bytes += bytes;
}

static void
on_trimmed(void *arg, uint64_t seq, uint64_t offset)
{
	(void)arg;
	fail_msg("trimmed to %llu, %llu", (unsigned long long)seq,
	    (unsigned long long)offset);
}

static void
on_trouble(void *arg, const char *what, int error)
{
	struct fixture *f = arg;

	(void)what;
	assert_int_not_equal(error, 0);
	f->troubles++;
}

static const struct event_log_ops ops = {
	.unlogged = on_unlogged,
	.rotate = on_rotate,
	.gap = on_gap,
	.trimmed = on_trimmed,
	.trouble = on_trouble,
};

static void
on_settle(void *arg)
{
	struct fixture *f = arg;

	event_log_flush(f->event_log);
	if (f->until == NULL || f->until(f))
		loop_stop(f->loop);
	else if (clock_ms(CLOCK_MONOTONIC) > f->give_up_ms)
		fail_msg("it does not come: seq %llu of %llu, unlogged %d",
		    (unsigned long long)event_log_written(f->event_log),
		    (unsigned long long)event_log_seq(f->event_log),
		    f->unlogged);
}

static void
on_tick(void *arg)
{
	struct fixture *f = arg;

	watch_rearm(f->tick, 2);
}

/* Turn until the condition holds; NULL: one turn. */
static void
turn(struct fixture *f, bool (*until)(struct fixture *f))
{
	f->until = until;
	f->give_up_ms = clock_ms(CLOCK_MONOTONIC) + 30000;
	watch_rearm(f->tick, 0);
	loop_run(f->loop);
}

static bool
all_written(struct fixture *f)
{
	return event_log_written(f->event_log) == event_log_seq(f->event_log) &&
	    !f->unlogged;
}

static bool
is_unlogged(struct fixture *f)
{
	return f->unlogged;
}

static bool
has_failed_thrice(struct fixture *f)
{
	return atomic_load(&f->disk.failures) >= 3;
}

static void
assert_file_is_gone(const struct fixture *f, const char *name)
{
	assert_int_equal(faccessat(f->dirfd, name, F_OK, 0), -1);
}

static bool
is_asked_to_rotate(struct fixture *f)
{
	return f->rotations > 0;
}

static bool
has_rotated(struct fixture *f)
{
	return f->rotations > 0 && all_written(f);
}

static void
open_scribe(struct fixture *f, bool durable)
{
	struct event_log_config c = {
		.loop = f->loop,
		.ring = &f->ring,
		.room_fd = -1,
		.began_ns = (uint64_t)clock_ns(CLOCK_BOOTTIME),
		.durable = durable,
		.ops = &ops,
		.arg = f,
	};
	struct error err;

	if (log_writer_open_with(&c.writer, f->dirfd, &f->io, &c.end, &err) < 0)
		fail_msg("%s", err.msg);
	f->event_log = event_log_create(&c, &err);
	if (f->event_log == NULL)
		fail_msg("%s", err.msg);
}

static int
set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	snprintf(f->dir, sizeof(f->dir), "/tmp/tend-event_log-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	f->dirfd = open(f->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	f->ring_fd = ring_create();
	assert_int_equal(ring_map(&f->ring, f->ring_fd), 0);
	f->io = log_io_system;
	f->io.writev = disk_writev;
	f->io.sync = disk_sync;
	f->io.truncate = disk_truncate;
	f->io.rename = disk_rename;
	f->io.arg = &f->disk;
	f->loop = loop_create();
	f->settle = loop_settle(f->loop, on_settle, f);
	f->tick = loop_timer(f->loop, -1, on_tick, f);
	open_scribe(f, false);
	*state = f;
	return 0;
}

static int
tear_down(void **state)
{
	struct fixture *f = *state;
	char command[128];

	f->disk.hangs = false;
	event_log_destroy(f->event_log);
	loop_destroy(f->loop);
	ring_unmap(&f->ring);
	close(f->ring_fd);
	close(f->dirfd);
	snprintf(command, sizeof(command), "rm -r %s", f->dir);
	assert_int_equal(system(command), 0);
	free(f);
	return 0;
}

/* The value of the byte at an offset. */
static uint8_t
byte_at(uint64_t offset)
{
	return (uint8_t)(offset * 31 + (offset >> 8));
}

/*
 * Act as keeper and pump: print up to len bytes, as far as the ring has room.
 */
static size_t
print(struct fixture *f, size_t len)
{
	uint64_t head = atomic_load(&f->ring.shared->head);
	size_t room = ring_room(&f->ring);

	if (len > room)
		len = room;
	for (size_t i = 0; i < len; i++)
		*ring_at(&f->ring, head + i) = byte_at(head + i);
	ring_produced(&f->ring, len);
	if (len > 0)
		event_log_output(f->event_log, RECORD_FRAME, head, len);
	return len;
}

static void
start_log(struct fixture *f)
{
	assert_int_equal(event_log_add(f->event_log, RECORD_START, 0, "{}", 2),
	    1);
	turn(f, all_written);
}

/* The contents of the log, after the event log has closed it. */
struct seen {
	unsigned events[32];
	uint64_t output, gap, end;
};

static void
see_record(struct seen *s, const struct record *r)
{
	uint64_t offset;
	struct payload_output out;
	struct payload_gap gap;
	const uint8_t *p;
	size_t len;

	s->events[r->type]++;
	if (payload_gap_of(&gap, r)) {
		assert_int_equal(gap.offset, s->end);
		s->gap += gap.bytes;
		s->end += gap.bytes;
	}
	if (r->type != RECORD_OUTPUT)
		return;
	assert_true(payload_output_of(&out, r));
	offset = out.offset;
	p = out.bytes.p;
	len = out.bytes.len;
	assert_int_equal(offset, s->end);
	for (size_t i = 0; i < len; i++)
		if (p[i] != byte_at(offset + i))
			fail_msg("a wrong byte at %llu",
			    (unsigned long long)(offset + i));
	s->output += len;
	s->end += len;
}

static void
read_log(struct fixture *f, struct seen *s)
{
	struct log_reader *reader;
	struct record r;
	enum log_next next;

	memset(s, 0, sizeof(*s));
	event_log_destroy(f->event_log);
	f->event_log = NULL;
	assert_int_equal(log_reader_open(&reader, f->dirfd, NULL), 0);
	while ((next = log_reader_next(reader, &r)) == LOG_RECORD)
		see_record(s, &r);
	assert_int_equal(next, LOG_END);
	log_reader_close(reader);
}

static void
logged_output_is_released_from_the_ring(void **state)
{
	struct fixture *f = *state;
	struct seen s;

	start_log(f);
	assert_int_equal(print(f, 1000), 1000);
	assert_int_equal(atomic_load(&f->ring.shared->tail), 0);
	turn(f, all_written);
	assert_int_equal(atomic_load(&f->ring.shared->tail), 1000);
	assert_int_equal(event_log_written_offset(f->event_log), 1000);
	read_log(f, &s);
	assert_int_equal(s.output, 1000);
	assert_int_equal(s.events[RECORD_START], 1);
}

static void
nothing_is_written_before_the_turn_ends(void **state)
{
	struct fixture *f = *state;

	start_log(f);
	print(f, 10);
	event_log_add(f->event_log, RECORD_MARK, 0, "\0m", 2);
	assert_int_equal(event_log_written(f->event_log), 1);
	turn(f, all_written);
	assert_int_equal(event_log_written(f->event_log), 3);
}

static void
note_call(void *arg, uint64_t seq)
{
	struct fixture *f = arg;

	f->called[f->calls++] = seq;
}

static void
note_never(void *arg, uint64_t seq)
{
	(void)arg;
	fail_msg("called for %llu", (unsigned long long)seq);
}

static bool
two_calls(struct fixture *f)
{
	return f->calls == 2;
}

static void
waiters_for_events_are_called_in_order(void **state)
{
	struct fixture *f = *state;
	uint64_t first, second;
	int other;

	start_log(f);
	first = event_log_add(f->event_log, RECORD_MARK, 0, "\0a", 2);
	second = event_log_add(f->event_log, RECORD_MARK, 0, "\0b", 2);
	event_log_after(f->event_log, second, note_call, f);
	event_log_after(f->event_log, first, note_call, f);
	event_log_after(f->event_log, first, note_never, &other);
	event_log_forget(f->event_log, &other);
	assert_int_equal(f->calls, 0);
	turn(f, two_calls);
	assert_int_equal(f->called[0], first);
	assert_int_equal(f->called[1], second);
	event_log_after(f->event_log, first, note_call, f);
	assert_int_equal(f->calls, 3);
}

/* Print and turn until `total` bytes have been printed. */
static void
print_until(struct fixture *f, uint64_t total)
{
	int64_t limit = clock_ms(CLOCK_MONOTONIC) + 30000;

	while (atomic_load(&f->ring.shared->head) < total) {
		print(f, total - atomic_load(&f->ring.shared->head));
		turn(f, NULL);
		if (clock_ms(CLOCK_MONOTONIC) > limit)
			fail_msg("the program stands still at %llu",
			    (unsigned long long)atomic_load(
				&f->ring.shared->head));
	}
}

static void
a_full_disk_blocks_nothing_and_loses_nothing_that_fits(void **state)
{
	struct fixture *f = *state;
	struct seen s;

	start_log(f);
	f->disk.write_error = ENOSPC;
	print_until(f, 700000);
	turn(f, is_unlogged);
	assert_int_equal(f->troubles, 1);
	f->disk.write_error = 0;
	turn(f, all_written);
	assert_int_equal(f->gaps, 0);
	read_log(f, &s);
	assert_int_equal(s.output, 700000);
	assert_int_equal(s.gap, 0);
}

static void
output_that_does_not_fit_becomes_an_exact_gap(void **state)
{
	struct fixture *f = *state;
	struct seen s;

	start_log(f);
	f->disk.write_error = ENOSPC;
	print_until(f, 5000000);
	f->disk.write_error = 0;
	turn(f, all_written);
	print_until(f, 5001000);
	turn(f, all_written);
	assert_int_equal(f->times_unlogged, 1);
	assert_int_equal(f->gaps, 1);
	read_log(f, &s);
	assert_int_equal(s.output + s.gap, 5001000);
	assert_int_equal(s.gap, f->gap_bytes);
	assert_int_equal(s.events[RECORD_GAP], 1);
	assert_true(s.output >= EVENT_LOG_MEMORY / 4 * 3);
	assert_true(s.output <= EVENT_LOG_MEMORY + RING_SIZE + 1000);
}

static void
a_hanging_disk_blocks_nothing(void **state)
{
	struct fixture *f = *state;
	struct seen s;

	start_log(f);
	f->disk.hangs = true;
	print(f, 100);
	turn(f, is_unlogged);
	print_until(f, 500000);
	f->disk.hangs = false;
	turn(f, all_written);
	read_log(f, &s);
	assert_int_equal(s.output, 500000);
	assert_int_equal(s.gap, 0);
}

static void
events_beyond_the_limit_are_refused(void **state)
{
	struct fixture *f = *state;
	unsigned taken = 0;
	struct seen s;

	start_log(f);
	f->disk.write_error = EIO;
	while (taken < 10000 &&
	    event_log_add(f->event_log, RECORD_MARK, 0, "\0m", 2) != 0)
		taken++;
	assert_int_equal(taken, EVENT_LOG_EVENTS);
	turn(f, is_unlogged);
	f->disk.write_error = 0;
	turn(f, all_written);
	/* A refused event may have been a resize: a keyframe is due. */
	assert_int_equal(f->gaps, 1);
	assert_int_equal(f->gap_bytes, 0);
	read_log(f, &s);
	assert_int_equal(s.events[RECORD_MARK], EVENT_LOG_EVENTS);
}

static void
a_full_segment_is_followed_by_another(void **state)
{
	struct fixture *f = *state;
	struct seen s;

	start_log(f);
	print_until(f, LOG_SEGMENT_SIZE + 100000);
	turn(f, has_rotated);
	print_until(f, LOG_SEGMENT_SIZE + 200000);
	turn(f, all_written);
	assert_int_equal(f->rotations, 1);
	read_log(f, &s);
	assert_int_equal(s.output, LOG_SEGMENT_SIZE + 200000);
	assert_int_equal(s.events[RECORD_KEYFRAME], 1);
	assert_int_equal(s.events[RECORD_CLOCK], 1);
}

static void
a_failed_sync_begins_another_segment(void **state)
{
	struct fixture *f = *state;
	struct seen s;

	start_log(f);
	f->disk.sync_error = EIO;
	print(f, 1000);
	turn(f, has_rotated);
	f->disk.sync_error = 0;
	print_until(f, 3000);
	turn(f, all_written);
	read_log(f, &s);
	assert_int_equal(s.output, 3000);
	assert_int_equal(s.gap, 0);
}

/* The time of the next sync has passed. */
static bool
sync_was_due(struct fixture *f)
{
	return clock_ms(CLOCK_MONOTONIC) > f->due_ms;
}

static bool
has_synced(struct fixture *f)
{
	return atomic_load(&f->disk.syncs) > f->syncs;
}

/* Nothing is written meanwhile, so nothing else causes a sync. */
static void
without_descriptors_a_sync_is_retried(void **state)
{
	struct fixture *f = *state;
	struct rlimit before, none;

	start_log(f);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = 3; /* all of them are in use */
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	print(f, 1000);
	turn(f, all_written);
	f->due_ms = clock_ms(CLOCK_MONOTONIC) + 1500;
	turn(f, sync_was_due);
	f->syncs = atomic_load(&f->disk.syncs);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	turn(f, has_synced);
	assert_int_equal(f->rotations, 0);
	assert_int_equal(f->troubles, 0);
}

static void
durable_events_are_reported_after_a_sync(void **state)
{
	struct fixture *f = *state;
	uint64_t seq;

	start_log(f);
	event_log_destroy(f->event_log);
	open_scribe(f, true);
	f->disk.sync_error = EIO;
	seq = event_log_add(f->event_log, RECORD_MARK, 0, "\0m", 2);
	event_log_after(f->event_log, seq, note_call, f);
	turn(f, is_unlogged);
	assert_int_equal(f->calls, 0);
	/* The sync is retried, but the disk does not fill up with segments. */
	turn(f, has_failed_thrice);
	assert_int_equal(f->calls, 0);
	assert_true(f->rotations <= 3);
	f->disk.sync_error = 0;
	turn(f, has_rotated);
	assert_int_equal(f->calls, 1);
	assert_file_is_gone(f, "00000001.seg");
}

/*
 * Sealed segments must be synced too, and a new segment does not achieve that.
 */
static void
durable_events_are_reported_after_earlier_ones_are_synced(void **state)
{
	struct fixture *f = *state;
	uint64_t seq;

	start_log(f);
	event_log_destroy(f->event_log);
	open_scribe(f, true);
	/*
	 * The next segment can be synced, but the old one cannot be written
	 * again.
	 */
	f->disk.once = true;
	f->disk.sync_error = EIO;
	f->disk.rename_error = EIO;
	f->disk.only_compressed = true;
	seq = event_log_add(f->event_log, RECORD_MARK, 0, "\0m", 2);
	event_log_after(f->event_log, seq, note_call, f);
	turn(f, is_unlogged);
	turn(f, has_failed_thrice);
	assert_int_equal(f->calls, 0);
	assert_true(f->unlogged);
	assert_int_equal(f->rotations, 1);
	f->disk.rename_error = 0;
	turn(f, has_rotated);
	assert_int_equal(f->calls, 1);
	assert_int_equal(f->rotations, 1);
}

/* Written bytes cannot be taken back: the segment stays. */
static void
a_disk_that_was_read_only_is_written_again(void **state)
{
	struct fixture *f = *state;
	struct seen s;

	start_log(f);
	f->disk.write_error = f->disk.truncate_error = EROFS;
	f->disk.rename_error = EROFS;
	print(f, 1000);
	turn(f, is_unlogged);
	f->disk.write_error = f->disk.truncate_error = 0;
	turn(f, is_asked_to_rotate);
	assert_true(f->unlogged);
	f->disk.rename_error = 0;
	turn(f, all_written);
	read_log(f, &s);
	assert_int_equal(s.output, 1000);
	assert_int_equal(s.gap, 0);
}

/*
 * Even with a full queue: without a new segment nothing of it can be written.
 */
static void
a_full_queue_has_room_for_another_segment(void **state)
{
	struct fixture *f = *state;
	struct seen s;

	start_log(f);
	f->disk.write_error = f->disk.truncate_error = EROFS;
	while (event_log_add(f->event_log, RECORD_MARK, 0, "\0m", 2) != 0)
		continue;
	turn(f, is_unlogged);
	f->disk.write_error = f->disk.truncate_error = 0;
	turn(f, all_written);
	read_log(f, &s);
	assert_int_equal(s.events[RECORD_MARK], EVENT_LOG_EVENTS);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(logged_output_is_released_from_the_ring),
		TEST(nothing_is_written_before_the_turn_ends),
		TEST(waiters_for_events_are_called_in_order),
		TEST(a_full_disk_blocks_nothing_and_loses_nothing_that_fits),
		TEST(output_that_does_not_fit_becomes_an_exact_gap),
		TEST(a_hanging_disk_blocks_nothing),
		TEST(events_beyond_the_limit_are_refused),
		TEST(a_full_segment_is_followed_by_another),
		TEST(a_failed_sync_begins_another_segment),
		TEST(without_descriptors_a_sync_is_retried),
		TEST(durable_events_are_reported_after_a_sync),
		TEST(durable_events_are_reported_after_earlier_ones_are_synced),
		TEST(a_disk_that_was_read_only_is_written_again),
		TEST(a_full_queue_has_room_for_another_segment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
