#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/fd.h"
#include "base/mem.h"
#include "session/tree.h"
#include "session_temp.h"

struct place {
	char temp[4096];
	int fd;
};

static int
set_up(void **state)
{
	struct place *p = xcalloc(1, sizeof(*p));

	temp_make(p->temp);
	p->fd = open(p->temp, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*state = p;
	return 0;
}

static int
tear_down(void **state)
{
	struct place *p = *state;

	close(p->fd);
	temp_remove(p->temp);
	free(p);
	return 0;
}

static void
make_file(const struct place *p, const char *name, size_t len)
{
	auto_free char *bytes = xcalloc(1, len + 1);
	auto_close int fd = openat(p->fd, name, O_CREAT | O_WRONLY | O_CLOEXEC,
	    0600);

	memset(bytes, 'x', len);
	assert_int_equal(fd_write_all(fd, bytes, len), 0);
}

static void
make_dir(const struct place *p, const char *name)
{
	assert_int_equal(mkdirat(p->fd, name, 0700), 0);
}

static uint64_t
bytes_of(const struct place *p)
{
	struct tree_size size;

	assert_int_equal(tree_measure(p->fd, &size), 0);
	return size.bytes;
}

static void
a_tree_is_measured_with_all_below_and_no_link(void **state)
{
	struct place *p = *state;
	uint64_t empty = bytes_of(p), with;

	make_dir(p, "a");
	make_dir(p, "a/b");
	make_file(p, "a/b/c", 100000);
	with = bytes_of(p);
	if (with < empty + 100000)
		fail_msg("%lu and then %lu", empty, with);
	assert_int_equal(symlinkat("/usr", p->fd, "a/link"), 0);
	if (bytes_of(p) > with + 8192)
		fail_msg("%lu, and with a link %lu", with, bytes_of(p));
}

static void
the_newest_time_of_a_tree_is_found(void **state)
{
	const struct timespec old[2] = { { 1000, 0 }, { 1000, 0 } };
	const struct timespec new[2] = { { 3000, 5000000 }, { 3000, 5000000 } };
	struct place *p = *state;
	struct tree_size size;

	make_dir(p, "a");
	make_file(p, "a/old", 1);
	make_file(p, "a/new", 1);
	assert_int_equal(utimensat(p->fd, "a/old", old, 0), 0);
	assert_int_equal(utimensat(p->fd, "a/new", new, 0), 0);
	assert_int_equal(utimensat(p->fd, "a", old, 0), 0);
	assert_int_equal(utimensat(p->fd, ".", old, 0), 0);
	assert_int_equal(tree_measure(p->fd, &size), 0);
	assert_int_equal(size.newest_ms, 3000005);
}

static void
removing_a_tree_keeps_the_targets_of_its_links(void **state)
{
	struct place *p = *state;

	make_dir(p, "kept");
	make_file(p, "kept/file", 1);
	make_dir(p, "a");
	make_dir(p, "a/b");
	make_file(p, "a/b/c", 1);
	assert_int_equal(symlinkat("../kept", p->fd, "a/link"), 0);
	assert_int_equal(symlinkat("../../kept", p->fd, "a/b/link"), 0);
	assert_int_equal(tree_remove(p->fd, "a"), 0);
	assert_int_equal(faccessat(p->fd, "a", F_OK, 0), -1);
	assert_int_equal(faccessat(p->fd, "kept/file", F_OK, 0), 0);
	assert_int_equal(symlinkat("kept", p->fd, "link"), 0);
	assert_int_equal(tree_remove(p->fd, "link"), 0);
	assert_int_equal(faccessat(p->fd, "kept/file", F_OK, 0), 0);
	assert_int_equal(tree_remove(p->fd, "nothing"), 0);
}

static void
a_tree_that_is_too_deep_is_refused(void **state)
{
	struct place *p = *state;
	char path[256] = "d";
	struct tree_size size;

	make_dir(p, path);
	for (int i = 0; i < TREE_DEPTH + 2; i++) {
		strcat(path, "/d");
		make_dir(p, path);
	}
	assert_int_equal(tree_measure(p->fd, &size), -ELOOP);
	assert_int_equal(tree_remove(p->fd, "d"), -ELOOP);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_tree_is_measured_with_all_below_and_no_link),
		TEST(the_newest_time_of_a_tree_is_found),
		TEST(removing_a_tree_keeps_the_targets_of_its_links),
		TEST(a_tree_that_is_too_deep_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
