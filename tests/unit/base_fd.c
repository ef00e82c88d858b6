#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"

static bool
is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static void
auto_close_closes_at_the_end_of_the_scope(void **state)
{
	int seen;

	(void)state;
	{
		auto_close int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

		seen = fd;
		assert_true(is_open(seen));
	}
	assert_false(is_open(seen));
}

static void
fd_take_hands_over_and_leaves_nothing_to_close(void **state)
{
	int seen;

	(void)state;
	{
		auto_close int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

		seen = fd_take(&fd);
		assert_int_equal(fd, -1);
	}
	assert_true(is_open(seen));
	fd_close(&seen);
	assert_int_equal(seen, -1);
}

static void
fd_close_keeps_errno_and_may_be_called_twice(void **state)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)state;
	errno = ENOTTY;
	fd_close(&fd);
	fd_close(&fd);
	assert_int_equal(fd, -1);
	assert_int_equal(errno, ENOTTY);
}

#define MANY ((size_t)1 << 20)

/* Read until the other end is closed; the sum of all bytes is the result. */
static void *
add_up(void *arg)
{
	int fd = *(int *)arg;
	uint8_t chunk[1000];
	uintptr_t sum = 0;
	ssize_t n;

	while ((n = read(fd, chunk, sizeof(chunk))) > 0) {
		for (ssize_t i = 0; i < n; i++)
			sum += chunk[i];
	}
	return (void *)sum;
}

static void
fd_write_all_writes_more_than_a_pipe_holds(void **state)
{
	auto_free uint8_t *bytes = xmalloc(MANY);
	uintptr_t want = 0;
	pthread_t reader;
	void *got;
	int fds[2];

	(void)state;
	for (size_t i = 0; i < MANY; i++) {
		bytes[i] = (uint8_t)(i * 7);
		want += bytes[i];
	}
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(pthread_create(&reader, NULL, add_up, &fds[0]), 0);
	assert_int_equal(fd_write_all(fds[1], bytes, MANY), 0);
	fd_close(&fds[1]);
	pthread_join(reader, &got);
	fd_close(&fds[0]);
	assert_int_equal((uintptr_t)got, want);
}

static void
fd_write_all_returns_the_error(void **state)
{
	auto_close int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	(void)state;
	assert_int_equal(fd_write_all(fd, "x", 1), -ENOSPC);
	assert_int_equal(fd_write_all(-1, "x", 1), -EBADF);
	assert_int_equal(fd_write_all(-1, "", 0), 0);
}

static void
fd_poke_makes_an_eventfd_readable(void **state)
{
	auto_close int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	eventfd_t count = 0;

	(void)state;
	assert_int_equal(eventfd_read(fd, &count), -1);
	fd_poke(fd);
	fd_poke(fd);
	assert_int_equal(eventfd_read(fd, &count), 0);
	assert_int_equal(count, 2);
	fd_poke(-1);
}

static void
fd_poke_leaves_a_full_eventfd_unchanged(void **state)
{
	auto_close int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	eventfd_t count = 0;

	(void)state;
	assert_int_equal(eventfd_write(fd, UINT64_MAX - 1), 0);
	fd_poke(fd);
	assert_int_equal(eventfd_read(fd, &count), 0);
	assert_true(count == UINT64_MAX - 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(auto_close_closes_at_the_end_of_the_scope),
		cmocka_unit_test(
		    fd_take_hands_over_and_leaves_nothing_to_close),
		cmocka_unit_test(fd_close_keeps_errno_and_may_be_called_twice),
		cmocka_unit_test(fd_write_all_writes_more_than_a_pipe_holds),
		cmocka_unit_test(fd_write_all_returns_the_error),
		cmocka_unit_test(fd_poke_makes_an_eventfd_readable),
		cmocka_unit_test(fd_poke_leaves_a_full_eventfd_unchanged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
