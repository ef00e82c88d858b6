#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/mem.h"
#include "session_temp.h"

struct place {
	char path[4096];
	int dir;
};

static int
set_up(void **state)
{
	struct place *p = xcalloc(1, sizeof(*p));

	temp_make(p->path);
	p->dir = open(p->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*state = p;
	return 0;
}

static int
tear_down(void **state)
{
	struct place *p = *state;

	fd_close(&p->dir);
	temp_remove(p->path);
	free(p);
	return 0;
}

/* A file of so many bytes, each different from its neighbours. */
static void
make_file(const struct place *p, size_t len)
{
	auto_free char *bytes = xmalloc(len + 1);
	auto_close int fd = openat(p->dir, "file",
	    O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	for (size_t i = 0; i < len; i++)
		bytes[i] = (char)(i % 251);
	assert_int_equal(fd_write_all(fd, bytes, len), 0);
}

static void
reads(const struct place *p, size_t len, size_t max, int want)
{
	auto_close int fd = -1;
	struct stat st;
	struct buf b;

	make_file(p, len);
	fd = file_open(p->dir, "file", &st);
	assert_true(fd >= 0);
	assert_true(S_ISREG(st.st_mode));
	assert_int_equal(st.st_size, len);
	buf_init(&b, max + 1);
	assert_int_equal(file_read(fd, max, &b), want);
	if (want == 0)
		assert_int_equal(b.len, len);
	for (size_t i = 0; i < b.len; i++)
		assert_int_equal(b.data[i], i % 251);
	buf_finish(&b);
}

static void
file_read_reads_a_whole_file_or_reports_that_it_is_too_long(void **state)
{
	const struct place *p = *state;

	reads(p, 0, 0, 0);
	reads(p, 0, 10, 0);
	reads(p, 10, 10, 0);
	reads(p, 11, 10, -EFBIG);
	reads(p, 16384, 16384, 0);
	reads(p, 16385, 16384, -EFBIG);
	reads(p, 50000, 100000, 0);
	reads(p, 100001, 100000, -EFBIG);
}

static void
file_read_reports_the_error(void **state)
{
	const struct place *p = *state;
	struct buf b;

	buf_init(&b, 11);
	assert_int_equal(file_read(p->dir, 10, &b), -EISDIR);
	assert_int_equal(file_read(-1, 10, &b), -EBADF);
	buf_finish(&b);
}

static void
file_open_follows_no_link(void **state)
{
	const struct place *p = *state;
	struct stat st;

	make_file(p, 1);
	assert_int_equal(symlinkat("file", p->dir, "link"), 0);
	assert_int_equal(file_open(p->dir, "link", &st), -ELOOP);
	assert_int_equal(file_open(p->dir, "nothing", &st), -ENOENT);
}

/* The fifo has no writer: an open that waits would hang. */
static void
file_open_does_not_wait_at_a_fifo(void **state)
{
	const struct place *p = *state;
	auto_close int fd = -1;
	struct stat st;

	assert_int_equal(mkfifoat(p->dir, "fifo", 0600), 0);
	fd = file_open(p->dir, "fifo", &st);
	assert_true(fd >= 0);
	assert_true(S_ISFIFO(st.st_mode));
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
		    file_read_reads_a_whole_file_or_reports_that_it_is_too_long,
		    set_up, tear_down),
		cmocka_unit_test_setup_teardown(file_read_reports_the_error,
		    set_up, tear_down),
		cmocka_unit_test_setup_teardown(file_open_follows_no_link,
		    set_up, tear_down),
		cmocka_unit_test_setup_teardown(
		    file_open_does_not_wait_at_a_fifo, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
