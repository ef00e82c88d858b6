#include "client/await.h"

#include <unistd.h>

#include "unit.h"

struct pair {
	int ends[2];
	struct pollfd fd;
};

static void
open_pair(struct pair *p)
{
	assert_int_equal(pipe(p->ends), 0);
	p->fd = (struct pollfd){ .fd = p->ends[0], .events = POLLIN };
}

static void
close_pair(struct pair *p)
{
	close(p->ends[0]);
	close(p->ends[1]);
}

static void
it_is_poll_when_nothing_was_typed(void **state)
{
	struct await w = { 0 };
	struct pair p;

	(void)state;
	open_pair(&p);
	assert_int_equal(await_poll(&w, &p.fd, 1, 0), 0);
	assert_int_equal(write(p.ends[1], "x", 1), 1);
	assert_int_equal(await_poll(&w, &p.fd, 1, -1), 1);
	assert_int_equal(p.fd.revents, POLLIN);
	assert_int_equal(w.failed, 0);
	close_pair(&p);
}

static void
an_echo_that_comes_is_awaited_next_time(void **state)
{
	struct await w = { .failed = 7 };
	struct pair p;

	(void)state;
	open_pair(&p);
	assert_int_equal(write(p.ends[1], "x", 1), 1);
	await_typed(&w);
	assert_int_equal(await_poll(&w, &p.fd, 1, -1), 1);
	assert_int_equal(w.skip, 0);
	assert_int_equal(w.failed, 0);
	close_pair(&p);
}

/* After each failure twice as many are skipped, up to a limit. */
static void
echoes_that_do_not_come_are_tried_less_and_less(void **state)
{
	struct await w = { 0 };
	unsigned tried = 0, before;
	struct pair p;

	(void)state;
	open_pair(&p);
	for (int i = 0; i < 1000; i++) {
		before = w.skip;
		await_typed(&w);
		assert_int_equal(await_poll(&w, &p.fd, 1, 0), 0);
		tried += before == 0;
		assert_true(w.skip <= AWAIT_SKIP_MAX);
	}
	assert_int_equal(w.failed, AWAIT_SKIP_MAX);
	assert_true(tried >= 9 && tried <= 12);
	close_pair(&p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_poll_when_nothing_was_typed),
		cmocka_unit_test(an_echo_that_comes_is_awaited_next_time),
		cmocka_unit_test(
		    echoes_that_do_not_come_are_tried_less_and_less),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
