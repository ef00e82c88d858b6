#include "host/system/oom.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/loop.h"
#include "session_temp.h"

/* Files as in a cgroup with a memory controller. */
static void
write_file(const char *dir, const char *name, const char *text)
{
	char path[8192];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

struct seen {
	struct loop *loop;
	struct oom_kill kill;
	unsigned n;
};

static void
on_kill(void *arg, const struct oom_kill *k)
{
	struct seen *s = arg;

	s->kill = *k;
	s->n++;
	loop_stop(s->loop);
}

static void
on_late(void *arg)
{
	struct seen *s = arg;

	loop_stop(s->loop);
}

static void
a_kill_is_reported_once_with_the_largest_process(void **state)
{
	struct seen s = { .loop = loop_create() };
	struct watch *late = loop_timer(s.loop, 10000, on_late, &s);
	char temp[4096], pid[32];
	struct oom *o;

	(void)state;
	temp_make(temp);
	snprintf(pid, sizeof(pid), "1\n%d\n", (int)getpid());
	write_file(temp, "cgroup.procs", pid);
	write_file(temp, "memory.events", "max 1\noom 4\noom_kill 2\n");
	o = oom_create(s.loop, temp, on_kill, &s);
	assert_non_null(o);
	oom_look(o);
	assert_int_equal(s.n, 0);
	/* The process has ended before the kill is reported. */
	write_file(temp, "cgroup.procs", "");
	write_file(temp, "memory.events", "max 9\noom 5\noom_kill 3\n");
	loop_run(s.loop);
	assert_int_equal(s.n, 1);
	assert_int_equal(s.kill.count, 3);
	assert_true(s.kill.pid == getpid() || s.kill.pid == 1);
	assert_true(s.kill.rss > 0 && s.kill.name[0] != '\0');
	oom_look(o);
	assert_int_equal(s.n, 1);
	oom_destroy(o);
	watch_remove(late);
	loop_destroy(s.loop);
	temp_remove(temp);
}

static void
without_the_file_there_is_nothing_to_watch(void **state)
{
	struct loop *loop = loop_create();
	char temp[4096];

	(void)state;
	temp_make(temp);
	assert_null(oom_create(loop, temp, on_kill, NULL));
	assert_null(oom_create(loop, "/no/such/place", on_kill, NULL));
	oom_destroy(NULL);
	loop_destroy(loop);
	temp_remove(temp);
}

static void
counts_are_found_by_their_whole_name(void **state)
{
	static const char
	    text[] = "low 0\noom 7\noom_kill 3\noom_group_kill 1\n";

	(void)state;
	assert_int_equal(oom_count(text, "oom"), 7);
	assert_int_equal(oom_count(text, "oom_kill"), 3);
	assert_int_equal(oom_count(text, "kill"), 0);
	assert_int_equal(oom_count("", "oom"), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    a_kill_is_reported_once_with_the_largest_process),
		cmocka_unit_test(without_the_file_there_is_nothing_to_watch),
		cmocka_unit_test(counts_are_found_by_their_whole_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
