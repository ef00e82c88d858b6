/* Finding the processes of a session in /proc. */

#include "unit.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/system/proc.h"

static bool
parse(const char *text, struct proc *out)
{
	return proc_parse(text, strlen(text), out);
}

static void
the_fields_of_a_stat_line_are_parsed(void **state)
{
	struct proc p;

	(void)state;
	assert_true(parse("42 (sh) S 1 40 39 34816 42 4194304 1 2 3 4 5 6 7 8 "
			  "20 0 1 0 123456 7000 8 18446744073709551615 11 12 "
			  "140737488000000 0\n",
	    &p));
	assert_int_equal(p.pid, 42);
	assert_string_equal(p.name, "sh");
	assert_int_equal(p.state, 'S');
	assert_int_equal(p.ppid, 1);
	assert_int_equal(p.pgrp, 40);
	assert_int_equal(p.session, 39);
	assert_int_equal(p.start, 123456);
	assert_false(p.forked);
}

static void
a_name_with_numbers_is_not_parsed_as_fields(void **state)
{
	struct proc p;

	(void)state;
	assert_true(parse("7 (x) R 1 1 1 (\n) S) Z 2 3 4 0 -1 64 1 2 3 4 5 6 7 "
			  "8 20 0 1 0 99 0 0\n",
	    &p));
	assert_string_equal(p.name, "x) R 1 1 1 (\n) ");
	assert_int_equal(p.ppid, 2);
	assert_int_equal(p.pgrp, 3);
	assert_int_equal(p.session, 4);
	assert_int_equal(p.start, 99);
	assert_true(p.forked);
}

static void
a_fork_differs_from_another_program(void **state)
{
	struct proc p;
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		pause();
		_exit(0);
	}
	assert_true(proc_read(pid, &p));
	assert_true(p.forked);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_true(proc_read(getpid(), &p));
	assert_false(p.forked);
}

static void
cut_or_empty_text_is_invalid(void **state)
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

#define SPARED "host_proc spare"

static void *
fork_from_a_thread(void *arg)
{
	const int *ready = arg;
	pid_t pid;

	if (fork() == 0) {
		pid = getpid();
		prctl(PR_SET_NAME, "host_proc child", 0, 0, 0);
		assert_int_equal(write(ready[1], &pid, sizeof(pid)),
		    sizeof(pid));
	}
	pause();
	return NULL;
}

/* A process of a session, with a child and perhaps a name of its own. */
static pid_t
start_family(const char *name, pid_t *child)
{
	int ready[2];
	pthread_t thread;
	pid_t pid = pipe(ready) == 0 ? fork() : -1;

	assert_true(pid >= 0);
	if (pid == 0) {
		setsid();
		if (name != NULL)
			prctl(PR_SET_NAME, name, 0, 0, 0);
		pthread_create(&thread, NULL, fork_from_a_thread, ready);
		pause();
	}
	assert_int_equal(read(ready[0], child, sizeof(*child)), sizeof(*child));
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void
end_family(pid_t pid, pid_t child)
{
	kill(child, SIGKILL);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static bool
is_spared(void *arg, const struct proc *p)
{
	(void)arg;
	return strcmp(p->name, SPARED) == 0;
}

static int
times_below(pid_t root, pid_t pid)
{
	struct search s = { .pid = pid };

	assert_int_equal(proc_each_below(root, is_spared, search, &s), 0);
	return s.times;
}

static void
all_descendants_but_the_spared_are_found(void **state)
{
	pid_t child, kept_child;
	pid_t pid = start_family(NULL, &child);
	pid_t kept = start_family(SPARED, &kept_child);

	(void)state;
	assert_int_equal(times_below(getpid(), pid), 1);
	assert_int_equal(times_below(getpid(), child), 1);
	assert_int_equal(times_below(getpid(), kept), 0);
	assert_int_equal(times_below(getpid(), kept_child), 0);
	assert_int_equal(times_below(kept, kept_child), 1);
	assert_int_equal(times_below(kept, pid), 0);
	end_family(pid, child);
	end_family(kept, kept_child);
	assert_int_equal(proc_each_below(pid, is_spared, search, NULL),
	    -ENOENT);
}

static void
only_running_threads_of_this_process_count(void **state)
{
	(void)state;
	assert_true(proc_thread_runs(gettid()));
	assert_false(proc_thread_runs(1)); /* not a thread of ours */
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_fields_of_a_stat_line_are_parsed),
		cmocka_unit_test(a_name_with_numbers_is_not_parsed_as_fields),
		cmocka_unit_test(a_fork_differs_from_another_program),
		cmocka_unit_test(cut_or_empty_text_is_invalid),
		cmocka_unit_test(a_child_is_found_with_its_session),
		cmocka_unit_test(all_descendants_but_the_spared_are_found),
		cmocka_unit_test(only_running_threads_of_this_process_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
