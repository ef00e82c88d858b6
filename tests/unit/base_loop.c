#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/loop.h"

/* Each handler writes a letter here, so that a test sees their order. */
struct scene {
	struct loop *loop;
	struct watch *watch;
	struct watch *other;
	int fds[2]; /* a socket pair */
	int count;
	char trace[64];
};

static void
note(struct scene *s, char c)
{
	size_t len = strlen(s->trace);

	assert_true(len + 1 < sizeof(s->trace));
	s->trace[len] = c;
}

static int
scene_setup(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	s->loop = loop_create();
	assert_non_null(s->loop);
	*state = s;
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, s->fds);
}

static int
scene_teardown(void **state)
{
	struct scene *s = *state;

	loop_destroy(s->loop);
	fd_close(&s->fds[0]);
	fd_close(&s->fds[1]);
	free(s);
	return 0;
}

static void
on_stop(void *arg)
{
	struct scene *s = arg;

	note(s, 'S');
	loop_stop(s->loop);
}

static void
on_note(void *arg)
{
	note(arg, 't');
}

static void
on_hook_a(void *arg)
{
	note(arg, 'a');
}

static void
on_hook_b(void *arg)
{
	note(arg, 'b');
}

static void
on_read_once(void *arg, enum loop_events ready)
{
	struct scene *s = arg;
	char c;

	assert_int_equal(ready, LOOP_READ);
	assert_int_equal(read(s->fds[0], &c, 1), 1);
	note(s, c);
	if (c == '.')
		loop_stop(s->loop);
}

static void
a_turn_handles_and_then_settles_in_order(void **state)
{
	struct scene *s = *state;

	loop_settle(s->loop, on_hook_a, s);
	loop_settle(s->loop, on_hook_b, s);
	loop_fd(s->loop, s->fds[0], LOOP_READ, on_read_once, s);
	assert_int_equal(write(s->fds[1], "12.", 3), 3);
	loop_run(s->loop);
	assert_string_equal(s->trace, "1ab2ab.ab");
}

static void
loop_run_returns_when_nothing_is_left_to_wait_for(void **state)
{
	struct scene *s = *state;

	loop_settle(s->loop, on_hook_a, s);
	loop_run(s->loop);
	assert_string_equal(s->trace, "");
	loop_timer(s->loop, 0, on_note, s);
	loop_run(s->loop);
	assert_string_equal(s->trace, "ta");
}

static void
loop_run_may_be_called_again_after_a_stop(void **state)
{
	struct scene *s = *state;

	s->watch = loop_timer(s->loop, 0, on_stop, s);
	loop_run(s->loop);
	watch_rearm(s->watch, 0);
	loop_run(s->loop);
	assert_string_equal(s->trace, "SS");
}

/* Begin a timer, and work for so long that it expires meanwhile. */
static void
on_slow_hook(void *arg)
{
	int64_t start = clock_ms(CLOCK_MONOTONIC);
	struct scene *s = arg;

	note(s, 'h');
	if (s->watch == NULL)
		s->watch = loop_timer(s->loop, 3, on_stop, s);
	while (clock_ms(CLOCK_MONOTONIC) < start + 5)
		continue;
}

/*
 * libuv runs timers that expire between two turns before it sleeps.  The other
 * watch never becomes ready, so a loop that settles only after sleeping would
 * hang here.
 */
static void
changes_by_a_late_timer_are_settled_before_sleeping(void **state)
{
	struct scene *s = *state;

	loop_settle(s->loop, on_slow_hook, s);
	loop_fd(s->loop, s->fds[0], LOOP_READ, on_read_once, s);
	loop_timer(s->loop, 0, on_note, s);
	loop_run(s->loop);
	assert_string_equal(s->trace, "thSh");
}

static void
on_yield_once(void *arg)
{
	struct scene *s = arg;

	note(s, 'y');
	if (s->count++ == 0)
		watch_yield(s->watch);
	else
		loop_stop(s->loop);
}

static void
ready_watches_run_before_a_handler_that_yields(void **state)
{
	struct scene *s = *state;

	loop_fd(s->loop, s->fds[0], LOOP_READ, on_read_once, s);
	assert_int_equal(write(s->fds[1], "r", 1), 1);
	s->watch = loop_timer(s->loop, 0, on_yield_once, s);
	loop_run(s->loop);
	assert_string_equal(s->trace, "yry");
}

static void
timers_fire_in_the_order_of_their_times(void **state)
{
	struct scene *s = *state;

	loop_timer(s->loop, 30, on_stop, s);
	loop_timer(s->loop, 20, on_hook_b, s);
	loop_timer(s->loop, 10, on_hook_a, s);
	loop_timer(s->loop, -1, on_note, s);
	loop_run(s->loop);
	assert_string_equal(s->trace, "abS");
}

static void
a_timer_waits_at_least_its_time(void **state)
{
	struct scene *s = *state;
	int64_t start = clock_ms(CLOCK_MONOTONIC);

	loop_timer(s->loop, 25, on_stop, s);
	loop_run(s->loop);
	assert_true(clock_ms(CLOCK_MONOTONIC) - start >= 24);
}

static void
on_third_time_stop(void *arg)
{
	struct scene *s = arg;

	note(s, 't');
	if (++s->count < 3)
		watch_rearm(s->watch, 1);
}

static void
a_timer_may_be_armed_again_from_its_own_handler(void **state)
{
	struct scene *s = *state;

	s->watch = loop_timer(s->loop, 1, on_third_time_stop, s);
	loop_run(s->loop);
	assert_string_equal(s->trace, "ttt");
}

static void
on_remove_self(void *arg)
{
	struct scene *s = arg;

	note(s, 'r');
	watch_remove(s->watch);
	/*
	 * Memory is kept until the end of the turn: this is no use after free.
	 */
	watch_remove(s->watch);
}

static void
a_timer_may_remove_itself(void **state)
{
	struct scene *s = *state;

	s->watch = loop_timer(s->loop, 0, on_remove_self, s);
	loop_run(s->loop);
	assert_string_equal(s->trace, "r");
}

static void
on_read_remove_both(void *arg, enum loop_events ready)
{
	struct scene *s = arg;

	(void)ready;
	note(s, 'r');
	watch_remove(s->watch);
	watch_remove(s->other);
}

static void
a_handler_may_remove_itself_and_another_that_is_ready_too(void **state)
{
	struct scene *s = *state;

	assert_int_equal(write(s->fds[0], "x", 1), 1);
	assert_int_equal(write(s->fds[1], "x", 1), 1);
	s->watch = loop_fd(s->loop, s->fds[0], LOOP_READ, on_read_remove_both,
	    s);
	s->other = loop_fd(s->loop, s->fds[1], LOOP_READ, on_read_remove_both,
	    s);
	loop_run(s->loop);
	assert_string_equal(s->trace, "r");
}

static void
a_hook_may_remove_itself_and_the_next(void **state)
{
	struct scene *s = *state;

	s->watch = loop_settle(s->loop, on_remove_self, s);
	loop_settle(s->loop, on_hook_a, s);
	loop_timer(s->loop, 0, on_note, s);
	loop_timer(s->loop, 2, on_stop, s);
	loop_run(s->loop);
	assert_string_equal(s->trace, "traSa");
}

static void
on_remove_other(void *arg)
{
	struct scene *s = arg;

	note(s, 'o');
	watch_remove(s->other);
	s->other = NULL;
}

static void
a_hook_removed_by_an_earlier_one_is_not_called(void **state)
{
	struct scene *s = *state;

	loop_settle(s->loop, on_remove_other, s);
	s->other = loop_settle(s->loop, on_hook_b, s);
	loop_timer(s->loop, 0, on_stop, s);
	loop_run(s->loop);
	assert_string_equal(s->trace, "So");
}

static void
on_replace(void *arg, enum loop_events ready)
{
	struct scene *s = arg;

	(void)ready;
	note(s, 'r');
	watch_remove(s->watch);
	s->watch = loop_fd(s->loop, s->fds[0], LOOP_READ, on_read_once, s);
	assert_non_null(s->watch);
}

static void
a_removed_descriptor_may_be_watched_again_in_the_same_turn(void **state)
{
	struct scene *s = *state;

	s->watch = loop_fd(s->loop, s->fds[0], LOOP_READ, on_replace, s);
	assert_int_equal(write(s->fds[1], ".", 1), 1);
	loop_run(s->loop);
	assert_string_equal(s->trace, "r.");
}

static void
on_writable(void *arg, enum loop_events ready)
{
	struct scene *s = arg;

	assert_int_equal(ready, LOOP_WRITE);
	note(s, 'w');
	watch_want(s->watch, 0);
}

static void
watch_want_turns_events_on_and_off(void **state)
{
	struct scene *s = *state;

	s->watch = loop_fd(s->loop, s->fds[0], 0, on_writable, s);
	loop_run(s->loop);
	assert_string_equal(s->trace, "");
	watch_want(s->watch, LOOP_WRITE);
	loop_run(s->loop);
	assert_string_equal(s->trace, "w");
}

static void
on_hangup(void *arg, enum loop_events ready)
{
	struct scene *s = arg;

	assert_true(ready & LOOP_HANGUP);
	note(s, 'h');
	loop_stop(s->loop);
}

static void
a_hangup_is_reported_if_wanted(void **state)
{
	struct scene *s = *state;

	loop_fd(s->loop, s->fds[0], LOOP_HANGUP, on_hangup, s);
	fd_close(&s->fds[1]);
	loop_run(s->loop);
	assert_string_equal(s->trace, "h");
}

static void
on_pipe_error(void *arg, enum loop_events ready)
{
	struct scene *s = arg;

	assert_true(ready & LOOP_WRITE);
	note(s, 'e');
	if (++s->count == 3)
		loop_stop(s->loop);
}

/* A pipe without a reader reports an error and nothing else. */
static void
an_error_is_reported_until_the_watch_is_removed(void **state)
{
	struct scene *s = *state;
	int fds[2];

	assert_int_equal(pipe2(fds, O_CLOEXEC | O_NONBLOCK), 0);
	while (write(fds[1], s->trace, sizeof(s->trace)) > 0)
		continue;
	s->watch = loop_fd(s->loop, fds[1], LOOP_WRITE, on_pipe_error, s);
	fd_close(&fds[0]);
	loop_run(s->loop);
	assert_string_equal(s->trace, "eee");
	watch_remove(s->watch);
	fd_close(&fds[1]);
}

static void
an_unwatchable_descriptor_is_refused(void **state)
{
	struct scene *s = *state;
	auto_close int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	assert_true(file >= 0);
	assert_null(loop_fd(s->loop, file, LOOP_READ, on_read_once, s));
	assert_int_equal(errno, EPERM);
	assert_non_null(
	    loop_fd(s->loop, s->fds[0], LOOP_READ, on_read_once, s));
	assert_null(loop_fd(s->loop, s->fds[0], LOOP_READ, on_read_once, s));
	assert_int_equal(errno, EEXIST);
}

/* The sanitizer would report a leak. */
static void
loop_destroy_removes_all_watches(void **state)
{
	struct scene *s = *state;

	loop_fd(s->loop, s->fds[0], LOOP_READ, on_read_once, s);
	loop_timer(s->loop, 1000, on_note, s);
	loop_settle(s->loop, on_note, s);
	watch_remove(loop_timer(s->loop, 1000, on_note, s));
	watch_remove(NULL);
	loop_destroy(s->loop);
	loop_destroy(NULL);
	s->loop = NULL;
	assert_string_equal(s->trace, "");
}

#define TEST(fn) \
	cmocka_unit_test_setup_teardown(fn, scene_setup, scene_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_turn_handles_and_then_settles_in_order),
		TEST(loop_run_returns_when_nothing_is_left_to_wait_for),
		TEST(loop_run_may_be_called_again_after_a_stop),
		TEST(changes_by_a_late_timer_are_settled_before_sleeping),
		TEST(ready_watches_run_before_a_handler_that_yields),
		TEST(timers_fire_in_the_order_of_their_times),
		TEST(a_timer_waits_at_least_its_time),
		TEST(a_timer_may_be_armed_again_from_its_own_handler),
		TEST(a_timer_may_remove_itself),
		TEST(a_handler_may_remove_itself_and_another_that_is_ready_too),
		TEST(a_hook_may_remove_itself_and_the_next),
		TEST(a_hook_removed_by_an_earlier_one_is_not_called),
		TEST(
		    a_removed_descriptor_may_be_watched_again_in_the_same_turn),
		TEST(watch_want_turns_events_on_and_off),
		TEST(a_hangup_is_reported_if_wanted),
		TEST(an_error_is_reported_until_the_watch_is_removed),
		TEST(an_unwatchable_descriptor_is_refused),
		TEST(loop_destroy_removes_all_watches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
