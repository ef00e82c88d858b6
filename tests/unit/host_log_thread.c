/*
 * The log thread with a real log, and a disk that accepts as many writes as
 * the test allows.
 */

#include "unit.h"

#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "host/store/log_item.h"
#include "host/store/log_thread.h"
#include "host/store/log_upkeep.h"
#include "keep/ring.h"
#include "log/io.h"
#include "log/record.h"
#include "log/writer.h"

#define FOREVER 1000000
#define SECONDS 30

struct fixture {
	char dir[64];
	int dirfd, ring_fd;
	struct ring ring;
	struct log_io io;
	_Atomic int allowed; /* writes that the disk accepts */
	struct log_upkeep log_upkeep;
	struct log_thread log_thread;
	uint64_t seq; /* of the last item */
};

static ssize_t
disk_writev(void *arg, int fd, const struct iovec *iov, int n, off_t at)
{
	struct fixture *f = arg;
	struct timespec moment = { .tv_nsec = 100000 };

	while (atomic_load(&f->allowed) == 0)
		nanosleep(&moment, NULL);
	atomic_fetch_sub(&f->allowed, 1);
	return pwritev(fd, iov, n, at);
}

static bool
add(struct fixture *f, uint8_t type, const char *text, size_t len)
{
	struct log_item it = { .type = type, .seq = f->seq + 1 };
	bool taken;

	log_item_set(&it, text, len);
	taken = log_thread_add(&f->log_thread, &it);
	f->seq += taken;
	return taken;
}

static int
set_up(void **state)
{
	static const struct log_upkeep_ops none;
	struct fixture *f = calloc(1, sizeof(*f));
	struct log_end end;
	struct error err;

	snprintf(f->dir, sizeof(f->dir), "/tmp/tend-log_thread-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	f->dirfd = open(f->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	f->ring_fd = ring_create();
	assert_int_equal(ring_map(&f->ring, f->ring_fd), 0);
	f->allowed = FOREVER;
	f->io = log_io_system;
	f->io.writev = disk_writev;
	f->io.arg = f;
	if (log_writer_open_with(&f->log_thread.writer, f->dirfd, &f->io, &end,
		&err) < 0)
		fail_msg("%s", err.msg);
	f->log_upkeep.ops = &none;
	assert_int_equal(log_upkeep_start(&f->log_upkeep), 0);
	f->log_thread.ring = &f->ring;
	f->log_thread.log_upkeep = &f->log_upkeep;
	f->log_thread.room_fd = f->log_thread.dirfd = -1;
	f->log_thread.notify_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	assert_int_equal(log_thread_start(&f->log_thread), 0);
	assert_true(add(f, RECORD_START, "{}", 2));
	*state = f;
	return 0;
}

static int
tear_down(void **state)
{
	struct fixture *f = *state;
	char command[128];

	atomic_store(&f->allowed, FOREVER);
	log_thread_stop(&f->log_thread);
	log_upkeep_stop(&f->log_upkeep);
	log_writer_close(f->log_thread.writer);
	close(f->log_thread.notify_fd);
	ring_unmap(&f->ring);
	close(f->ring_fd);
	close(f->dirfd);
	snprintf(command, sizeof(command), "rm -r %s", f->dir);
	assert_int_equal(system(command), 0);
	free(f);
	return 0;
}

/* True if the loop is notified within this many milliseconds. */
static bool
is_told(const struct fixture *f, int ms)
{
	struct pollfd pfd = { .fd = f->log_thread.notify_fd, .events = POLLIN };
	eventfd_t count;

	return poll(&pfd, 1, ms) == 1 && eventfd_read(pfd.fd, &count) == 0;
}

static size_t
waiting(struct fixture *f)
{
	struct log_thread_state st;

	log_thread_look(&f->log_thread, &st);
	return st.waiting;
}

static void
fill(struct fixture *f)
{
	while (add(f, RECORD_MARK, "\0m", 2))
		;
	assert_int_equal(waiting(f), LOG_THREAD_ITEMS_MAX);
	log_thread_publish(&f->log_thread, true);
}

static void
the_loop_is_notified_once_when_half_of_the_room_is_free(void **state)
{
	struct fixture *f = *state;
	bool told = false;

	atomic_store(&f->allowed, 0);
	fill(f);
	log_thread_notify_low(&f->log_thread);
	for (int i = 0; i < SECONDS * 1000 && !told; i++) {
		assert_true(i > 0 || !is_told(f, 0));
		atomic_store(&f->allowed, 1);
		told = is_told(f, 1);
		if (told)
			assert_true(waiting(f) <= LOG_THREAD_ITEMS_MAX / 2);
	}
	assert_true(told);
	atomic_store(&f->allowed, FOREVER);
	if (!log_thread_notify_at(&f->log_thread, f->seq))
		assert_true(is_told(f, SECONDS * 1000));
	assert_int_equal(waiting(f), 0);
	assert_false(is_told(f, 0));
}

static void
the_loop_is_not_notified_without_asking(void **state)
{
	struct fixture *f = *state;

	fill(f);
	for (int i = 0; i < SECONDS * 1000 && waiting(f) > 0; i++)
		usleep(1000);
	assert_int_equal(waiting(f), 0);
	assert_false(is_told(f, 0));
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_loop_is_notified_once_when_half_of_the_room_is_free),
		TEST(the_loop_is_not_notified_without_asking),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
