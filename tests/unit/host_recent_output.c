#include "unit.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host/stream/recent_output.h"
#include "keep/ring.h"

/* The value of the byte at an offset. */
static uint8_t
byte_at(uint64_t offset)
{
	return (uint8_t)(offset * 31 + offset / 251);
}

struct stage {
	struct ring ring;
	struct recent_output recent;
};

static void
stage_init(struct stage *st)
{
	int fd = ring_create();

	assert_true(fd >= 0);
	assert_int_equal(ring_map(&st->ring, fd), 0);
	close(fd);
	recent_output_init(&st->recent, &st->ring, 0);
}

static void
stage_finish(struct stage *st)
{
	recent_output_finish(&st->recent);
	ring_unmap(&st->ring);
}

/* A turn: bytes come and are shown, then the ring is released. */
static void
turn(struct stage *st, size_t len, bool wanted)
{
	uint64_t at = st->recent.end;

	assert_true(ring_room(&st->ring) >= len);
	for (size_t i = 0; i < len; i++)
		*ring_at(&st->ring, at + i) = byte_at(at + i);
	ring_produced(&st->ring, len);
	recent_output_output(&st->recent, at, len);
	recent_output_settle(&st->recent, wanted);
	ring_release(&st->ring, st->recent.end);
}

/* Read everything from an offset to the end, and check it. */
static void
read_on(const struct recent_output *f, uint64_t offset)
{
	while (offset < f->end) {
		const uint8_t *p;
		size_t n = recent_output_at(f, offset, &p);

		assert_true(n > 0);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(p[i], byte_at(offset + i));
		offset += n;
	}
	assert_int_equal(offset, f->end);
}

static void
live_bytes_are_read_from_the_ring(void **state)
{
	struct stage st;

	(void)state;
	stage_init(&st);
	turn(&st, 60000, false);
	for (int i = 0; i < 20000; i++)
		*ring_at(&st.ring, 60000 + i) = byte_at(60000 + i);
	ring_produced(&st.ring, 20000);
	recent_output_output(&st.recent, 60000, 5000);
	recent_output_output(&st.recent, 65000, 15000);
	read_on(&st.recent, 60000);
	read_on(&st.recent, 70001);
	assert_null(st.recent.recent);
	assert_false(recent_output_holds(&st.recent, 59999));
	stage_finish(&st);
}

static void
unwanted_output_is_not_kept(void **state)
{
	struct stage st;

	(void)state;
	stage_init(&st);
	turn(&st, 1000, false);
	assert_null(st.recent.recent);
	assert_false(recent_output_holds(&st.recent, 999));
	assert_true(recent_output_holds(&st.recent, 1000));
	stage_finish(&st);
}

static void
wanted_output_is_kept_up_to_the_limit(void **state)
{
	struct stage st;

	(void)state;
	stage_init(&st);
	turn(&st, 1000, false);
	for (int i = 0; i < 3; i++)
		turn(&st, 50000, true);
	read_on(&st.recent, 1000);
	assert_false(recent_output_holds(&st.recent, 999));
	for (int i = 0; i < 10; i++)
		turn(&st, 65000, true);
	assert_false(recent_output_holds(&st.recent,
	    st.recent.end - RECENT_OUTPUT_MAX - 1));
	read_on(&st.recent, st.recent.end - RECENT_OUTPUT_MAX);
	stage_finish(&st);
}

/* Output before a turn that no viewer wanted cannot be read any more. */
static void
a_turn_that_was_not_kept_drops_older_output(void **state)
{
	struct stage st;

	(void)state;
	stage_init(&st);
	turn(&st, 1000, true);
	read_on(&st.recent, 0);
	turn(&st, 1000, false);
	assert_false(recent_output_holds(&st.recent, 0));
	turn(&st, 1000, true);
	read_on(&st.recent, 2000);
	recent_output_rest(&st.recent);
	assert_false(recent_output_holds(&st.recent, 2000));
	turn(&st, 1000, true);
	read_on(&st.recent, 3000);
	stage_finish(&st);
}

static void
only_unreleased_bytes_are_copied_from_the_ring(void **state)
{
	struct stage st;
	uint8_t out[100];

	(void)state;
	stage_init(&st);
	turn(&st, 1000, false);
	assert_int_equal(recent_output_from_ring(&st.recent, 0, out,
			     sizeof(out)),
	    0);
	for (int i = 0; i < 50; i++)
		*ring_at(&st.ring, 1000 + i) = byte_at(1000 + i);
	ring_produced(&st.ring, 50);
	recent_output_output(&st.recent, 1000, 50);
	recent_output_settle(&st.recent, false);
	assert_int_equal(recent_output_from_ring(&st.recent, 1010, out,
			     sizeof(out)),
	    40);
	for (int i = 0; i < 40; i++)
		assert_int_equal(out[i], byte_at(1010 + i));
	assert_int_equal(recent_output_from_ring(&st.recent, 1050, out,
			     sizeof(out)),
	    0);
	stage_finish(&st);
}

/*
 * The target of a copy out of the ring.  At first it is not writable: the copy
 * stops there, the ring advances, and then the copy continues.
 */
static struct {
	struct ring *ring;
	uint8_t *out;
	uint64_t released;
	size_t overwritten;
} halfway;

static void
on_halfway(int signo)
{
	(void)signo;
	ring_release(halfway.ring, halfway.released);
	memset(ring_at(halfway.ring, halfway.released - halfway.overwritten),
	    '!', halfway.overwritten);
	mprotect(halfway.out, 4096, PROT_READ | PROT_WRITE);
}

/* Copy 100 bytes from 1000 on, while all before `released` is released. */
static size_t
copy_while_released(struct stage *st, uint64_t released)
{
	const struct sigaction handle = { .sa_handler = on_halfway };
	struct sigaction before;
	size_t n;

	halfway.ring = &st->ring;
	halfway.released = released;
	halfway.overwritten = 50;
	assert_int_equal(mprotect(halfway.out, 4096, PROT_NONE), 0);
	sigaction(SIGSEGV, &handle, &before);
	n = recent_output_from_ring(&st->recent, 1000, halfway.out, 100);
	sigaction(SIGSEGV, &before, NULL);
	assert_int_equal(atomic_load(&st->ring.shared->tail), released);
	return n;
}

static void
bytes_overwritten_during_the_copy_are_not_returned(void **state)
{
	struct stage st;

	(void)state;
	halfway.out = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
	    -1, 0);
	assert_true(halfway.out != MAP_FAILED);
	stage_init(&st);
	turn(&st, 500, false);
	for (int i = 0; i < 1000; i++)
		*ring_at(&st.ring, 500 + i) = byte_at(500 + i);
	ring_produced(&st.ring, 1000);
	recent_output_output(&st.recent, 500, 1000);
	recent_output_settle(&st.recent, false);
	/* Releasing the bytes before the copy does it no harm. */
	assert_int_equal(copy_while_released(&st, 1000), 100);
	for (int i = 0; i < 100; i++)
		assert_int_equal(halfway.out[i], byte_at(1000 + i));
	assert_int_equal(copy_while_released(&st, 1050), 0);
	stage_finish(&st);
	munmap(halfway.out, 4096);
}

static void
closed_output_ends_where_it_was_closed(void **state)
{
	struct stage st;

	(void)state;
	stage_init(&st);
	turn(&st, 500, true);
	assert_int_equal(recent_output_end(&st.recent), 500);
	recent_output_close(&st.recent, 500);
	turn(&st, 100, true);
	assert_int_equal(st.recent.end, 600);
	assert_int_equal(recent_output_end(&st.recent), 500);
	stage_finish(&st);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(live_bytes_are_read_from_the_ring),
		cmocka_unit_test(unwanted_output_is_not_kept),
		cmocka_unit_test(wanted_output_is_kept_up_to_the_limit),
		cmocka_unit_test(a_turn_that_was_not_kept_drops_older_output),
		cmocka_unit_test(
		    only_unreleased_bytes_are_copied_from_the_ring),
		cmocka_unit_test(
		    bytes_overwritten_during_the_copy_are_not_returned),
		cmocka_unit_test(closed_output_ends_where_it_was_closed),
	};

	return cmocka_run_group_tests_name("host_recent_output", tests, NULL,
	    NULL);
}
