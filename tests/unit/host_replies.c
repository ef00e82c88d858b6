#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "host/input/replies.h"
#include "keep/ring.h"

/* A ring, a sequence of hosts, and a terminal. */
struct stage {
	struct ring ring;
	struct replies a;
	int fd, master, program;
};

static void
open_stage(struct stage *p)
{
	struct termios raw = { 0 };

	p->fd = ring_create();
	assert_true(p->fd >= 0);
	assert_int_equal(ring_map(&p->ring, p->fd), 0);
	assert_int_equal(openpty(&p->master, &p->program, NULL, NULL, NULL), 0);
	cfmakeraw(&raw);
	tcsetattr(p->program, TCSANOW, &raw);
	fcntl(p->master, F_SETFL, O_NONBLOCK);
	fcntl(p->program, F_SETFL, O_NONBLOCK);
	replies_init(&p->a, p->ring.shared, p->fd);
}

static void
close_stage(struct stage *p)
{
	replies_finish(&p->a);
	ring_unmap(&p->ring);
	close(p->fd);
	close(p->master);
	close(p->program);
}

/* The host dies and another one begins. */
static void
follow(struct stage *p)
{
	replies_finish(&p->a);
	replies_init(&p->a, p->ring.shared, p->fd);
}

static void
add(struct stage *p, const char *text, uint64_t fed)
{
	replies_add(&p->a, text, strlen(text));
	replies_publish(&p->a, fed);
}

/* Read len bytes; the terminal delivers them a moment later. */
static const char *
arrived(struct stage *p, size_t len)
{
	static char text[65536];
	struct pollfd ready = { .fd = p->program, .events = POLLIN };
	size_t have = 0;
	ssize_t n = 0;

	while (have < len && poll(&ready, 1, 10000) == 1 &&
	    (n = read(p->program, text + have, len - have)) > 0)
		have += (size_t)n;
	text[have] = '\0';
	return text;
}

static void
replies_are_written_in_order(void **state)
{
	struct stage p;

	(void)state;
	open_stage(&p);
	add(&p, "one", 10);
	add(&p, "two", 20);
	assert_int_equal(replies_write(&p.a, p.master, 3), 0);
	assert_string_equal(arrived(&p, 3), "one");
	assert_int_equal(replies_write(&p.a, p.master, UINT64_MAX), 0);
	assert_string_equal(arrived(&p, 3), "two");
	assert_true(replies_are_empty(&p.a));
	close_stage(&p);
}

static void
the_next_host_finds_published_answers(void **state)
{
	struct stage p;

	(void)state;
	open_stage(&p);
	add(&p, "one", 10);
	replies_add(&p.a, "two", 3);
	follow(&p);
	assert_int_equal(replies_fed(p.ring.shared), 10);
	replies_write(&p.a, p.master, UINT64_MAX);
	assert_string_equal(arrived(&p, 3), "one");
	close_stage(&p);
}

/*
 * The host died after the kernel took some bytes and before it could record
 * that.
 */
static void
the_next_host_skips_bytes_that_the_terminal_took(void **state)
{
	struct stage p;
	struct ring_shared before;

	(void)state;
	open_stage(&p);
	for (unsigned round = 0; round < 3000; round++) {
		add(&p, "0123456", round + 1);
		before = *p.ring.shared;
		replies_write(&p.a, p.master, p.a.written + round % 7);
		arrived(&p, round % 7);
		*p.ring.shared = before;
		follow(&p);
		assert_int_equal(p.a.added, 7 - round % 7);
		replies_write(&p.a, p.master, UINT64_MAX);
		assert_string_equal(arrived(&p, 7 - round % 7),
		    &"0123456"[round % 7]);
	}
	close_stage(&p);
}

static void
a_blocked_terminal_loses_no_answer(void **state)
{
	char answer[101];
	size_t asked = 0, len = 0;
	struct stage p;

	(void)state;
	open_stage(&p);
	memset(answer, 'a', 100);
	answer[100] = '\0';
	while (!replies_are_full(&p.a)) {
		add(&p, answer, asked++);
		replies_write(&p.a, p.master, UINT64_MAX);
	}
	assert_int_equal(replies_write(&p.a, p.master, UINT64_MAX), -EAGAIN);
	while (len < asked * 100) {
		len += strlen(arrived(&p, 100));
		replies_write(&p.a, p.master, UINT64_MAX);
	}
	assert_int_equal(len, asked * 100);
	assert_false(replies_are_full(&p.a));
	close_stage(&p);
}

static void
one_sequence_may_have_more_answers_than_the_ring_holds(void **state)
{
	static char want[200000], got[200000];
	size_t len = 0, have = 0;
	struct stage p;

	(void)state;
	open_stage(&p);
	for (unsigned i = 0; i < 20000; i++) {
		size_t n = (size_t)sprintf(want + len, "%u,", i);

		replies_add(&p.a, want + len, n);
		len += n;
	}
	replies_publish(&p.a, 1);
	assert_true(replies_are_full(&p.a));
	assert_false(replies_are_safe(&p.a));
	while (have < len) {
		replies_write(&p.a, p.master, UINT64_MAX);
		have += (size_t)sprintf(got + have, "%s", arrived(&p, 10));
	}
	assert_string_equal(got, want);
	assert_true(replies_are_safe(&p.a));
	close_stage(&p);
}

static void
dropped_answers_are_never_written(void **state)
{
	struct stage p;

	(void)state;
	open_stage(&p);
	add(&p, "one", 10);
	replies_drop(&p.a);
	follow(&p);
	add(&p, "two", 20);
	replies_write(&p.a, p.master, UINT64_MAX);
	assert_string_equal(arrived(&p, 3), "two");
	close_stage(&p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replies_are_written_in_order),
		cmocka_unit_test(the_next_host_finds_published_answers),
		cmocka_unit_test(
		    the_next_host_skips_bytes_that_the_terminal_took),
		cmocka_unit_test(a_blocked_terminal_loses_no_answer),
		cmocka_unit_test(
		    one_sequence_may_have_more_answers_than_the_ring_holds),
		cmocka_unit_test(dropped_answers_are_never_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
