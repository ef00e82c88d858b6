/*
 * The thread that writes session.json, on a disk that accepts a write when the
 * test says so: the program is linked with -Wl,--wrap=renameat.
 */

#include "unit.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "host/store/manifest_writer.h"
#include "session/manifest.h"

/* A busy machine may miss a time; all of these do not. */
#define TRIES 20

/* The wrapped call has no argument for it. */
static _Atomic bool hangs;

struct fixture {
	char dir[64];
	int dirfd;
	struct manifest m;
	struct manifest_writer *writer;
};

static void
pause_ms(unsigned ms)
{
	struct timespec moment = { .tv_nsec = (long)ms * 1000000 };

	nanosleep(&moment, NULL);
}

int __real_renameat(int from_fd, const char *from, int to_fd, const char *to);
int __wrap_renameat(int from_fd, const char *from, int to_fd, const char *to);

int
__wrap_renameat(int from_fd, const char *from, int to_fd, const char *to)
{
	while (atomic_load(&hangs))
		pause_ms(1);
	return __real_renameat(from_fd, from, to_fd, to);
}

static int
set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	snprintf(f->dir, sizeof(f->dir), "/tmp/tend-unit-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	f->dirfd = open(f->dir, O_DIRECTORY | O_CLOEXEC);
	manifest_init(&f->m);
	f->writer = manifest_writer_create(f->dirfd, NULL);
	assert_non_null(f->writer);
	*state = f;
	return 0;
}

static int
tear_down(void **state)
{
	struct fixture *f = *state;

	atomic_store(&hangs, false);
	manifest_writer_destroy(f->writer);
	manifest_finish(&f->m);
	unlinkat(f->dirfd, "session.json", 0);
	unlinkat(f->dirfd, "host.log", 0);
	close(f->dirfd);
	rmdir(f->dir);
	free(f);
	return 0;
}

static void *
recover(void *arg)
{
	(void)arg;
	pause_ms(100);
	atomic_store(&hangs, false);
	return NULL;
}

/* True if a disk that hangs for 100 ms, longer than a save waits, is in time. */
static bool
waits_for_a_moment(struct fixture *f)
{
	pthread_t thread;
	bool saved;

	atomic_store(&hangs, true);
	manifest_writer_save(f->writer, &f->m, false);
	assert_int_equal(pthread_create(&thread, NULL, recover, NULL), 0);
	saved = manifest_writer_has_saved(f->writer);
	pthread_join(thread, NULL);
	manifest_writer_save(f->writer, &f->m, true);
	return saved;
}

static void
a_disk_that_was_slow_for_a_moment_is_waited_for(void **state)
{
	struct fixture *f = *state;
	int tries = 0;

	while (!waits_for_a_moment(f))
		assert_in_range(++tries, 0, TRIES);
}

static void
a_disk_that_hangs_is_not_waited_for_again(void **state)
{
	struct fixture *f = *state;
	int64_t begin, took = MANIFEST_WRITER_ANSWER_MS;

	atomic_store(&hangs, true);
	manifest_writer_save(f->writer, &f->m, false);
	assert_false(manifest_writer_has_saved(f->writer));
	for (int i = 0; i < TRIES && took >= MANIFEST_WRITER_WAIT_MS; i++) {
		begin = clock_ms(CLOCK_MONOTONIC);
		manifest_writer_save(f->writer, &f->m, false);
		assert_false(manifest_writer_has_saved(f->writer));
		took = clock_ms(CLOCK_MONOTONIC) - begin;
	}
	assert_in_range(took, 0, MANIFEST_WRITER_WAIT_MS - 1);
}

static void
all_is_saved_on_a_good_disk(void **state)
{
	struct fixture *f = *state;

	manifest_writer_save(f->writer, &f->m, true);
	assert_true(manifest_writer_has_saved(f->writer));
	assert_int_equal(faccessat(f->dirfd, "session.json", R_OK, 0), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
		    a_disk_that_was_slow_for_a_moment_is_waited_for, set_up,
		    tear_down),
		cmocka_unit_test_setup_teardown(
		    a_disk_that_hangs_is_not_waited_for_again, set_up,
		    tear_down),
		cmocka_unit_test_setup_teardown(all_is_saved_on_a_good_disk,
		    set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
