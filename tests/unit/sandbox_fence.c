/*
 * The limits of a process behind a fence.  Each test is a child that enters it
 * and tries something; its exit status is the line of a failure.
 */

#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/fence.h"

#define CHECK(what) \
	do { \
		if (!(what)) { \
			fprintf(stderr, "line %d: %s, errno %d\n", __LINE__, \
			    #what, errno); \
			_exit(1); \
		} \
	} while (0)

static char base[] = "/tmp/tend-fence-XXXXXX";

static void
in_child(void (*fn)(void))
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		fn();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void
make_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	close(fd);
}

static int
make_places(void **state)
{
	(void)state;
	if (mkdtemp(base) == NULL || chdir(base) < 0)
		return -1;
	mkdir("in", 0700);
	mkdir("in/one", 0700);
	mkdir("in/two", 0700);
	mkdir("read", 0700);
	mkdir("out", 0700);
	make_file("in/one/file");
	make_file("read/file");
	make_file("out/file");
	return 0;
}

static int
remove_places(void **state)
{
	static const char *const names[] = { "in/one/file", "in/two/file",
		"in/new", "read/file", "out/file", "in/one", "in/two", "in",
		"read", "out", base };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (unlink(names[i]) < 0)
			(void)rmdir(names[i]);
	return 0;
}

static int
enter(void)
{
	const struct fence_place places[] = {
		{ AT_FDCWD, "in", .writable = true },
		{ AT_FDCWD, "read", .writable = false },
		{ AT_FDCWD, "missing", .writable = true },
		{ AT_FDCWD, "read/file/missing", .writable = true },
	};

	return fence_enter(places, sizeof(places) / sizeof(*places), 0);
}

static bool
is_refused(const char *path, int flags)
{
	return open(path, flags | O_CLOEXEC, 0600) < 0 && errno == EACCES;
}

static void
try_files(void)
{
	CHECK(enter() >= 2);
	CHECK(is_refused("out/file", O_RDONLY));
	CHECK(is_refused("out", O_RDONLY | O_DIRECTORY));
	CHECK(is_refused("in/../out/file", O_RDONLY));
	CHECK(is_refused("/etc/passwd", O_RDONLY));
	CHECK(is_refused("read/file", O_WRONLY));
	CHECK(is_refused("read/new", O_WRONLY | O_CREAT));
	CHECK(unlink("read/file") < 0 && errno == EACCES);
	CHECK(open("read/file", O_RDONLY | O_CLOEXEC) >= 0);
	CHECK(
	    open("in/new", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) >= 0);
	CHECK(rename("in/one/file", "in/two/file") == 0);
	CHECK(rename("in/two/file", "out/other") < 0);
	CHECK(mkdir("in/dir", 0700) == 0 && rmdir("in/dir") == 0);
}

static void
only_the_places_can_be_used(void **state)
{
	(void)state;
	in_child(try_files);
}

static void
try_open_descriptor(void)
{
	int fd = open("out/file", O_RDWR | O_CLOEXEC);

	CHECK(enter() >= 2);
	CHECK(write(fd, "x", 1) == 1 && ftruncate(fd, 0) == 0);
}

static void
open_descriptors_stay_usable(void **state)
{
	(void)state;
	in_child(try_open_descriptor);
}

static void *
read_outside(void *arg)
{
	(void)arg;
	CHECK(is_refused("out/file", O_RDONLY));
	return NULL;
}

static void
try_later_thread(void)
{
	pthread_t thread;

	CHECK(enter() >= 2);
	CHECK(pthread_create(&thread, NULL, read_outside, NULL) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
}

static void
later_threads_are_inside(void **state)
{
	(void)state;
	in_child(try_later_thread);
}

static void *
stay(void *arg)
{
	pause();
	return arg;
}

static void
try_earlier_thread(void)
{
	pthread_t thread;

	CHECK(pthread_create(&thread, NULL, stay, NULL) == 0);
	CHECK(enter() == -EBUSY);
	CHECK(open("out/file", O_RDONLY | O_CLOEXEC) >= 0);
}

static void
a_running_thread_prevents_it(void **state)
{
	(void)state;
	in_child(try_earlier_thread);
}

static void
try_others(void)
{
	char path[40], exe[200];
	int abi;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)getppid());
	CHECK(readlink(path, exe, sizeof(exe)) > 0);
	CHECK(kill(getppid(), 0) == 0);
	abi = enter();
	CHECK(abi >= 2);
	CHECK(readlink(path, exe, sizeof(exe)) < 0 && errno == EACCES);
	if (abi >= 6)
		CHECK(kill(getppid(), 0) < 0 && errno == EPERM);
	CHECK(kill(getpid(), 0) == 0);
}

static void
other_processes_are_out_of_reach(void **state)
{
	(void)state;
	in_child(try_others);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_places_can_be_used),
		cmocka_unit_test(open_descriptors_stay_usable),
		cmocka_unit_test(later_threads_are_inside),
		cmocka_unit_test(a_running_thread_prevents_it),
		cmocka_unit_test(other_processes_are_out_of_reach),
	};

	return cmocka_run_group_tests(tests, make_places, remove_places);
}
