#include "session/scope.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fd.h"
#include "session/manifest.h"
#include "session_temp.h"

static void
the_cgroup_mount_is_found_among_others(void **state)
{
	static const char text
	    [] = "22 1 0:5 / /proc rw - proc proc rw\n"
		 "23 1 0:6 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"
		 "24 1 0:7 /part /mnt rw - cgroup2 none rw\n"
		 "25 1 0:7 / /sys/fs/cgroup rw shared:9 - cgroup2 none rw\n";
	char out[64];

	(void)state;
	assert_int_equal(scope_find_mount(text, out, sizeof(out)), 0);
	assert_string_equal(out, "/sys/fs/cgroup");
	assert_int_equal(scope_find_mount("22 1 0:5 / /proc rw - proc p rw\n",
			     out, sizeof(out)),
	    -ENOENT);
	assert_int_equal(scope_find_mount("", out, sizeof(out)), -ENOENT);
	assert_int_equal(scope_find_mount("rubbish - cgroup2\n\n", out,
			     sizeof(out)),
	    -ENOENT);
}

static void
our_own_group_is_the_line_without_controllers(void **state)
{
	char out[64];

	(void)state;
	assert_int_equal(scope_find_own("4:memory:/a\n0::/user.slice/b\n", out,
			     sizeof(out)),
	    0);
	assert_string_equal(out, "/user.slice/b");
	assert_int_equal(scope_find_own("0::/\n", out, sizeof(out)), 0);
	assert_string_equal(out, "/");
	assert_int_equal(scope_find_own("4:memory:/a\n", out, sizeof(out)),
	    -ENOENT);
}

static void
make_file(int dirfd, const char *name)
{
	auto_close int fd = openat(dirfd, name, O_CREAT | O_WRONLY, 0600);

	assert_true(fd >= 0);
}

static void
file_is(int dirfd, const char *name, const char *text)
{
	auto_close int fd = openat(dirfd, name, O_RDONLY);
	char got[64] = "";

	assert_true(read(fd, got, sizeof(got) - 1) >= 0);
	assert_string_equal(got, text);
}

static void
limits_are_written_and_the_others_are_reported(void **state)
{
	struct manifest m;
	char temp[4096], why[256];
	int dirfd;

	(void)state;
	temp_make(temp);
	dirfd = open(temp, O_RDONLY | O_DIRECTORY);
	make_file(dirfd, "memory.max");
	make_file(dirfd, "memory.swap.max");
	make_file(dirfd, "cpu.weight");
	manifest_init(&m);
	m.memory_max = 2ull << 30;
	m.pids_max = 500;
	m.cpu_weight = 50;
	scope_set_limits(dirfd, "cpuset cpu memory\n", &m, why, sizeof(why));
	file_is(dirfd, "memory.max", "2147483648");
	file_is(dirfd, "memory.swap.max", "0");
	file_is(dirfd, "cpu.weight", "50");
	assert_string_equal(why,
	    "pids: this cgroup2 does not have the controller");
	/* A controller that is on but has no file gives an error. */
	m.memory_max = m.cpu_weight = 0;
	scope_set_limits(dirfd, "pids", &m, why, sizeof(why));
	assert_string_equal(why, "pids: No such file or directory");
	m.pids_max = 0;
	scope_set_limits(dirfd, "", &m, why, sizeof(why));
	assert_string_equal(why, "");
	close(dirfd);
	temp_remove(temp);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_cgroup_mount_is_found_among_others),
		cmocka_unit_test(our_own_group_is_the_line_without_controllers),
		cmocka_unit_test(
		    limits_are_written_and_the_others_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
