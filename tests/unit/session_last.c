#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "unit.h"

#include "session/last.h"

#define ONE "01M7P5QBV8ANGMM88K4DDABRAG"
#define TWO "01M7P5QBV8ANGMM88K4DDABRAH"

static int
open_home(char path[])
{
	int fd;

	assert_non_null(mkdtemp(path));
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

static void
close_home(int fd, const char *path)
{
	unlinkat(fd, "last", 0);
	close(fd);
	assert_int_equal(rmdir(path), 0); /* nothing else is left in it */
}

static void
the_newest_note_counts(void **state)
{
	char path[] = "/tmp/tend-last-XXXXXX", id[ID_SIZE];
	int fd = open_home(path);

	(void)state;
	assert_int_equal(last_read(fd, id), -ENOENT);
	assert_int_equal(last_note(fd, ONE), 0);
	assert_int_equal(last_note(fd, TWO), 0);
	assert_int_equal(last_read(fd, id), 0);
	assert_string_equal(id, TWO);
	close_home(fd, path);
}

static void
an_invalid_note_names_no_session(void **state)
{
	static const char *const links[] = { "sessions/", "sessions/x",
		"sessions/../../../../../../etc/pa", ONE,
		"sessions/" ONE "/x" };
	char path[] = "/tmp/tend-last-XXXXXX", id[ID_SIZE];
	int fd = open_home(path);

	(void)state;
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		assert_int_equal(symlinkat(links[i], fd, "last"), 0);
		assert_int_equal(last_read(fd, id), -ENOENT);
		unlinkat(fd, "last", 0);
	}
	close(openat(fd, "last", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	assert_int_equal(last_read(fd, id), -ENOENT);
	assert_int_equal(last_note(fd, ONE), 0); /* and is replaced */
	assert_int_equal(last_read(fd, id), 0);
	close_home(fd, path);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_newest_note_counts),
		cmocka_unit_test(an_invalid_note_names_no_session),
	};

	return cmocka_run_group_tests_name("session_last", tests, NULL, NULL);
}
