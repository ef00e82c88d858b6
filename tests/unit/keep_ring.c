#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keep/ring.h"
#include "../rng.h"

/* Byte number n of an endless stream in which neighbours differ. */
static uint8_t
byte_at(uint64_t n)
{
	return (uint8_t)(n * 167 + (n >> 8) * 13 + (n >> 16));
}

static int
set_up(void **state)
{
	static struct ring r;
	int fd = ring_create();

	assert_true(fd >= 0);
	assert_int_equal(ring_map(&r, fd), 0);
	close(fd);
	*state = &r;
	return 0;
}

static int
tear_down(void **state)
{
	ring_unmap(*state);
	return 0;
}

/* Put n bytes of the stream where head is. */
static _Bool
produce(struct ring *r, size_t n)
{
	uint64_t head = r->shared->head;

	for (size_t i = 0; i < n; i++)
		ring_at(r, head)[i] = byte_at(head + i);
	return ring_produced(r, n);
}

static void
ring_begins_empty_and_idle(void **state)
{
	struct ring *r = *state;

	assert_int_equal(ring_room(r), RING_SIZE);
	assert_int_equal(r->shared->head, 0);
	assert_int_equal(r->shared->tail, 0);
	assert_int_equal(r->shared->fed, 0);
	assert_true(r->shared->engine_at == RING_IDLE);
}

static void
ring_maps_the_same_memory_twice_in_a_row(void **state)
{
	struct ring *r = *state;

	r->data[RING_SIZE - 1] = 'a';
	r->data[RING_SIZE] = 'b';
	assert_int_equal(r->data[0], 'b');
	assert_int_equal(r->data[2 * RING_SIZE - 1], 'a');
	assert_ptr_equal(ring_at(r, 5 * (uint64_t)RING_SIZE + 7), r->data + 7);
}

static void
ring_that_is_full_has_no_room_until_some_is_released(void **state)
{
	struct ring *r = *state;

	produce(r, RING_SIZE);
	assert_int_equal(ring_room(r), 0);
	ring_release(r, 100);
	assert_int_equal(ring_room(r), 100);
}

static size_t
memory_of(const struct ring *r)
{
	unsigned char there[RING_SIZE / 4096];
	size_t n = 0, page = (size_t)sysconf(_SC_PAGESIZE);

	assert_int_equal(mincore(r->data, RING_SIZE, there), 0);
	for (size_t i = 0; i < RING_SIZE / page; i++)
		n += there[i] & 1;
	return n * page;
}

static void
ring_frees_memory_that_holds_nothing(void **state)
{
	struct ring *r = *state;
	uint64_t kept = RING_SIZE - 5000;

	produce(r, RING_SIZE);
	assert_int_equal(memory_of(r), RING_SIZE);
	ring_give_back(r); /* nothing was read yet */
	assert_int_equal(memory_of(r), RING_SIZE);

	ring_release(r, kept);
	produce(r, 3000); /* over the end */
	ring_give_back(r);
	assert_in_range(memory_of(r), 8000, 5 * 4096);
	for (uint64_t i = kept; i < r->shared->head; i++)
		assert_int_equal(*ring_at(r, i), byte_at(i));

	ring_release(r, r->shared->head);
	ring_give_back(r);
	assert_in_range(memory_of(r), 0, 4096);
	produce(r, RING_SIZE);
	for (uint64_t i = r->shared->tail; i < r->shared->head; i++)
		assert_int_equal(*ring_at(r, i), byte_at(i));
}

static void
ring_gives_no_room_for_an_invalid_tail(void **state)
{
	struct ring *r = *state;

	produce(r, 10);
	ring_release(r, 11);
	assert_int_equal(ring_room(r), 0);
	ring_release(r, UINT64_MAX);
	assert_true(ring_room(r) <= RING_SIZE);
}

static void
ring_wakes_only_a_sleeping_side_and_only_once(void **state)
{
	struct ring *r = *state;

	assert_false(produce(r, 10));
	assert_true(ring_host_sleeps(r, 11));
	assert_true(produce(r, 10));
	assert_false(produce(r, 10));
	assert_true(ring_host_sleeps(r, 31));
	ring_host_wakes(r);
	assert_false(produce(r, RING_SIZE - 30));

	assert_false(ring_release(r, 0));
	assert_true(ring_keeper_sleeps(r));
	assert_true(ring_release(r, 10));
	assert_false(ring_release(r, 20));
	ring_keeper_sleeps(r);
	ring_keeper_wakes(r);
	assert_false(ring_release(r, 30));
}

static void
ring_lets_the_host_sleep_until_enough_has_come(void **state)
{
	struct ring *r = *state;

	assert_true(ring_host_sleeps(r, 100));
	assert_false(produce(r, 60));
	assert_true(ring_host_sleeps(r, 100));
	assert_false(produce(r, 39));
	assert_true(produce(r, 1));
	assert_false(produce(r, 100));
	assert_false(ring_host_sleeps(r, 200));
}

static void
ring_does_not_let_a_side_sleep_that_has_work(void **state)
{
	struct ring *r = *state;

	assert_true(ring_keeper_sleeps(r) == 0);
	produce(r, 1);
	assert_false(ring_host_sleeps(r, 1));
	assert_true(ring_host_sleeps(r, 2));
}

static void
ring_cannot_be_resized(void **state)
{
	int fd = ring_create();

	(void)state;
	assert_int_equal(ftruncate(fd, 0), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(ftruncate(fd, 1 << 20), -1);
	assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	close(fd);
}

/* A memfd of so many bytes, sealed or not. */
static int
other_memory(off_t size, int seals)
{
	int fd = memfd_create("other", MFD_ALLOW_SEALING);

	assert_int_equal(ftruncate(fd, size), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

static void
refuses(int fd)
{
	struct ring r = { 0 };

	assert_int_equal(ring_map(&r, fd), -EPROTO);
	assert_null(r.shared);
	close(fd);
}

static void
ring_map_refuses_an_invalid_ring(void **state)
{
	long page = sysconf(_SC_PAGESIZE);

	(void)state;
	refuses(other_memory(page, F_SEAL_SHRINK));
	refuses(other_memory(page + RING_SIZE, 0));
	refuses(other_memory(page + RING_SIZE, F_SEAL_SHRINK));
	refuses(open("/dev/null", O_RDWR));
	refuses(-1);
}

/* As an older keeper made it. */
static void
a_ring_of_another_size_is_accepted(void **state)
{
	const struct ring_shared old = {
		.magic = RING_MAGIC,
		.version = RING_VERSION,
		.size = 64 << 10,
	};
	off_t page = sysconf(_SC_PAGESIZE);
	int fd = memfd_create("ring", MFD_ALLOW_SEALING);
	struct ring r = { 0 };

	(void)state;
	assert_int_equal(ftruncate(fd, page + old.size), 0);
	assert_int_equal(pwrite(fd, &old, sizeof(old), 0), sizeof(old));
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	assert_int_equal(ring_map(&r, fd), 0);
	assert_int_equal(ring_room(&r), old.size);
	assert_ptr_equal(ring_at(&r, old.size + 1), r.data + 1);
	r.data[old.size] = 'x';
	assert_int_equal(r.data[0], 'x');
	ring_unmap(&r);
	close(fd);
}

static void
ring_map_refuses_another_version(void **state)
{
	int fd = ring_create();
	struct ring r = { 0 };

	(void)state;
	assert_int_equal(ring_map(&r, fd), 0);
	r.shared->version++;
	ring_unmap(&r);
	refuses(fd);
}

/* Random steps of both sides, beside two numbers with the expected state. */
static void
ring_agrees_with_a_naive_twin(void **state)
{
	struct ring *r = *state;
	struct rng rng = { 1 };
	uint64_t head = 0, tail = 0;

	for (int step = 0; step < 2000; step++) {
		size_t room = RING_SIZE - (size_t)(head - tail);
		size_t held = (size_t)(head - tail);
		unsigned n;

		assert_int_equal(ring_room(r), room);
		n = rng_below(&rng, (unsigned)room + 1);
		produce(r, n);
		head += n;
		held += n;
		for (size_t i = 0; i < held; i += 1 + rng_below(&rng, 4096))
			assert_int_equal(ring_at(r, tail)[i],
			    byte_at(tail + i));
		tail += rng_below(&rng, (unsigned)held + 1);
		ring_release(r, tail);
	}
	assert_int_equal(r->shared->head, head);
	assert_int_equal(r->shared->tail, tail);
	assert_true(head > (uint64_t)RING_SIZE * 100);
}

/* --------------------------------------------------- two processes, kill -9 */

struct two {
	int ring, output, room;
	int log; /* a file of the bytes taken; it outlives the consumer */
};

/*
 * As a host does: begin after the end of the log, write, and only then
 * release. It sleeps when there is nothing, so that a missed wake-up hangs the
 * test.
 */
static _Noreturn void
consume(const struct two *t)
{
	struct ring r;
	uint64_t at;
	eventfd_t count;

	if (ring_map(&r, t->ring) < 0)
		_exit(1);
	at = (uint64_t)lseek(t->log, 0, SEEK_END);
	for (;;) {
		size_t n = (size_t)(r.shared->head - at);

		if (n == 0 && ring_host_sleeps(&r, at + 1))
			eventfd_read(t->output, &count);
		ring_host_wakes(&r);
		if (n > 0 && write(t->log, ring_at(&r, at), n) != (ssize_t)n)
			_exit(1);
		at += n;
		if (ring_release(&r, at))
			eventfd_write(t->room, 1);
	}
}

static pid_t
start_consumer(const struct two *t)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		consume(t);
	return pid;
}

static void
end_consumer(pid_t pid)
{
	int status;

	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void
await_room(struct ring *r, const struct two *t, pid_t consumer)
{
	struct pollfd p = { t->room, POLLIN, 0 };
	eventfd_t count;

	if (!ring_keeper_sleeps(r))
		return;
	if (poll(&p, 1, 10000) != 1) {
		end_consumer(consumer);
		fail_msg("no room for 10 s at %llu",
		    (unsigned long long)r->shared->head);
	}
	eventfd_read(t->room, &count);
	ring_keeper_wakes(r);
}

static void
produce_some(struct ring *r, const struct two *t, struct rng *rng,
    pid_t consumer)
{
	size_t n;

	while (ring_room(r) == 0)
		await_room(r, t, consumer);
	n = 1 + rng_below(rng, 4095);
	if (n > ring_room(r))
		n = ring_room(r);
	if (produce(r, n))
		eventfd_write(t->output, 1);
}

static void
assert_log_is_the_stream(int log, uint64_t end)
{
	uint8_t part[4096];
	uint64_t at = 0;
	ssize_t n;

	while ((n = pread(log, part, sizeof(part), (off_t)at)) > 0)
		for (ssize_t i = 0; i < n; i++, at++)
			if (part[i] != byte_at(at))
				fail_msg("byte %llu is wrong",
				    (unsigned long long)at);
	assert_int_equal(at, end);
}

static void
ring_loses_nothing_when_its_consumer_is_killed(void **state)
{
	struct ring *r = *state;
	struct rng rng = { 7 };
	int kills = getenv("TEND_TEST_FULL") ? 1000 : 100;
	struct two t = { .output = eventfd(0, 0), .room = eventfd(0, 0) };
	pid_t consumer;

	ring_unmap(r);
	t.ring = ring_create();
	t.log = memfd_create("log", 0);
	assert_int_equal(ring_map(r, t.ring), 0);
	consumer = start_consumer(&t);
	for (int i = 0; i < kills; i++) {
		for (unsigned k = 1 + rng_below(&rng, 40); k > 0; k--)
			produce_some(r, &t, &rng, consumer);
		end_consumer(consumer);
		consumer = start_consumer(&t);
	}
	while (r->shared->tail != r->shared->head)
		sched_yield();
	end_consumer(consumer);
	assert_log_is_the_stream(t.log, r->shared->head);
	close(t.ring);
	close(t.log);
	close(t.output);
	close(t.room);
}

#define RING_TEST(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RING_TEST(ring_begins_empty_and_idle),
		RING_TEST(ring_maps_the_same_memory_twice_in_a_row),
		RING_TEST(ring_that_is_full_has_no_room_until_some_is_released),
		RING_TEST(ring_frees_memory_that_holds_nothing),
		RING_TEST(ring_gives_no_room_for_an_invalid_tail),
		RING_TEST(ring_wakes_only_a_sleeping_side_and_only_once),
		RING_TEST(ring_lets_the_host_sleep_until_enough_has_come),
		RING_TEST(ring_does_not_let_a_side_sleep_that_has_work),
		cmocka_unit_test(ring_cannot_be_resized),
		cmocka_unit_test(ring_map_refuses_an_invalid_ring),
		cmocka_unit_test(a_ring_of_another_size_is_accepted),
		cmocka_unit_test(ring_map_refuses_another_version),
		RING_TEST(ring_agrees_with_a_naive_twin),
		RING_TEST(ring_loses_nothing_when_its_consumer_is_killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
