/* Who belongs to a session, from /proc. */

#include "unit.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/proc.h"

static bool
parse(const char *text, struct proc *out)
{
	return proc_parse(text, strlen(text), out);
}

static void
the_numbers_stand_behind_the_name(void **state)
{
	struct proc p;

	(void)state;
	assert_true(parse("42 (sh) S 1 40 39 34816 42 4194304 1 2 3 4 5 6 7 8 "
			  "20 0 1 0 123456 7000 8 18446744073709551615\n",
	    &p));
	assert_int_equal(p.pid, 42);
	assert_int_equal(p.state, 'S');
	assert_int_equal(p.ppid, 1);
	assert_int_equal(p.pgrp, 40);
	assert_int_equal(p.session, 39);
	assert_int_equal(p.start, 123456);
}

static void
a_name_cannot_pretend_to_be_numbers(void **state)
{
	struct proc p;

	(void)state;
	assert_true(parse("7 (x) R 1 1 1 (\n) S) Z 2 3 4 0 -1 0 1 2 3 4 5 6 7 "
			  "8 20 0 1 0 99 0 0\n",
	    &p));
	assert_int_equal(p.ppid, 2);
	assert_int_equal(p.pgrp, 3);
	assert_int_equal(p.session, 4);
	assert_int_equal(p.start, 99);
}

static void
what_is_cut_or_empty_is_none(void **state)
{
	struct proc p;

	(void)state;
	assert_false(parse("", &p));
	assert_false(parse("42", &p));
	assert_false(parse("42 (sh", &p));
	assert_false(parse("42 (sh) S 1 2", &p));
	assert_false(
	    parse("x (sh) S 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9", &p));
}

struct search {
	pid_t pid;
	struct proc found;
	int times;
};

static void
search(void *arg, const struct proc *p)
{
	struct search *s = arg;

	if (p->pid == s->pid) {
		s->found = *p;
		s->times++;
	}
}

static void
a_child_is_found_with_its_session(void **state)
{
	struct search s = { .pid = fork() };

	(void)state;
	if (s.pid == 0) {
		pause();
		_exit(0);
	}
	assert_int_equal(proc_each(search, &s), 0);
	kill(s.pid, SIGKILL);
	waitpid(s.pid, NULL, 0);
	assert_int_equal(s.times, 1);
	assert_int_equal(s.found.ppid, getpid());
	assert_int_equal(s.found.session, getsid(0));
	assert_int_equal(s.found.pgrp, getpgrp());
	assert_true(s.found.start > 0);
}

static void
a_session_has_its_own_only(void **state)
{
	int ready[2];
	struct search s = { .pid = pipe(ready) == 0 ? fork() : -1 };
	char c;

	(void)state;
	assert_true(s.pid >= 0);
	if (s.pid == 0) {
		setsid();
		assert_int_equal(write(ready[1], "r", 1), 1);
		pause();
		_exit(0);
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	assert_int_equal(proc_each_in(getsid(0), search, &s), 0);
	assert_int_equal(s.times, 0);
	assert_int_equal(proc_each_in(s.pid, search, &s), 0);
	kill(s.pid, SIGKILL);
	waitpid(s.pid, NULL, 0);
	assert_int_equal(s.times, 1);
	assert_int_equal(s.found.session, s.pid);
	close(ready[0]);
	close(ready[1]);
}

static void
who_looks_is_running_and_who_waits_is_not(void **state)
{
	(void)state;
	assert_true(proc_thread_runs(gettid()));
	assert_false(proc_thread_runs(1)); /* no thread of ours */
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_numbers_stand_behind_the_name),
		cmocka_unit_test(a_name_cannot_pretend_to_be_numbers),
		cmocka_unit_test(what_is_cut_or_empty_is_none),
		cmocka_unit_test(a_child_is_found_with_its_session),
		cmocka_unit_test(a_session_has_its_own_only),
		cmocka_unit_test(who_looks_is_running_and_who_waits_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
