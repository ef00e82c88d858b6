#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/mem.h"
#include "session/home.h"
#include "session_temp.h"

struct place {
	char temp[4096];
	char path[8192]; /* temp/home, not there yet */
};

static int
set_up(void **state)
{
	struct place *p = xcalloc(1, sizeof(*p));

	temp_make(p->temp);
	snprintf(p->path, sizeof(p->path), "%s/home", p->temp);
	*state = p;
	return 0;
}

static int
tear_down(void **state)
{
	struct place *p = *state;

	temp_remove(p->temp);
	free(p);
	return 0;
}

static void
opens(struct home *h, const char *path, bool create)
{
	struct error err = { 0 };

	if (home_open(h, path, create, &err) != 0)
		fail_msg("%s: %s", path, err.msg);
}

static void
refuses(const char *path, bool create, int rc, const char *why)
{
	struct error err = { 0 };
	struct home h;

	assert_int_equal(home_open(&h, path, create, &err), rc);
	if (strstr(err.msg, why) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", err.msg, why);
	assert_true(h.fd == -1 && h.sessions_fd == -1);
}

/* K-01: a home is created at its first use, and for its owner alone. */
static void
a_home_is_made_private_whatever_the_umask(void **state)
{
	static const mode_t masks[] = { 0, 022, 077, 0777 };
	struct place *p = *state;
	struct home h;

	for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
		char path[9000];
		mode_t before = umask(masks[i]);

		snprintf(path, sizeof(path), "%s/%03o/a/b/", p->temp, masks[i]);
		opens(&h, path, true);
		assert_true(h.made);
		assert_int_equal(home_make_dir(h.sessions_fd, "x"), 0);
		umask(before);
		path[strlen(path) - 1] = '\0';
		assert_string_equal(h.path, path);
		assert_int_equal(mode_of(path, "."), 0700);
		assert_int_equal(mode_of(path, ".."), 0700);
		assert_int_equal(mode_of(path, "sessions"), 0700);
		assert_int_equal(mode_of(path, "sessions/x"), 0700);
		home_close(&h);
	}
}

static void
a_missing_home_has_no_sessions(void **state)
{
	struct place *p = *state;
	struct error err;
	struct home h;

	opens(&h, p->path, false);
	assert_true(h.fd == -1 && h.sessions_fd == -1);
	assert_int_equal(home_session_dir(&h, "01J0000000000000000000000A",
			     &err),
	    -ENOENT);
	home_close(&h);
	assert_int_equal(mkdir(p->path, 0755), 0);
	opens(&h, p->path, false);
	assert_true(h.fd >= 0 && h.sessions_fd == -1);
	home_close(&h);
}

static void
a_home_open_to_others_is_refused(void **state)
{
	struct place *p = *state;
	struct home h;

	assert_int_equal(mkdir(p->path, 0700), 0);
	assert_int_equal(chmod(p->path, 0770), 0);
	refuses(p->path, true, -EACCES, "chmod 700");
	assert_int_equal(chmod(p->path, 0777), 0);
	refuses(p->path, false, -EACCES, "chmod 700");
	assert_int_equal(chmod(p->path, 0755), 0);
	opens(&h, p->path, true);
	home_close(&h);
	opens(&h, p->path, true);
	assert_false(h.made);
	fchmod(h.sessions_fd, 0722);
	home_close(&h);
	refuses(p->path, true, -EACCES, "sessions is writable by others");
}

static void
a_link_is_refused_as_a_home(void **state)
{
	struct place *p = *state;
	char other[9000], slash[9000];

	snprintf(other, sizeof(other), "%s/other", p->temp);
	snprintf(slash, sizeof(slash), "%s/", p->path);
	assert_int_equal(mkdir(other, 0700), 0);
	assert_int_equal(symlink(other, p->path), 0);
	refuses(p->path, true, -ENOTDIR, "symbolic link");
	refuses(slash, true, -ENOTDIR, "symbolic link");
	assert_int_equal(unlink(p->path), 0);
	assert_int_equal(mkdir(p->path, 0700), 0);
	snprintf(slash, sizeof(slash), "%s/sessions", p->path);
	assert_int_equal(symlink(other, slash), 0);
	refuses(p->path, true, -ENOTDIR, "symbolic link");
}

static void
a_file_is_refused_as_a_home(void **state)
{
	struct place *p = *state;
	int fd = open(p->path, O_CREAT | O_WRONLY, 0600);

	close(fd);
	refuses(p->path, true, -ENOTDIR, "Not a directory");
}

/* A path longer than a socket's address. */
static void
a_long_home_works(void **state)
{
	struct place *p = *state;
	char path[5000];
	size_t len = (size_t)snprintf(path, sizeof(path), "%s", p->temp);
	struct home h;

	while (len < 1000)
		len += (size_t)snprintf(path + len, sizeof(path) - len,
		    "/%0200d", 1);
	opens(&h, path, true);
	home_close(&h);
	snprintf(path + len, sizeof(path) - len, "/%0300d", 1);
	refuses(path, true, -ENAMETOOLONG, "file name too long: /");
}

static int
collect(void *arg, const char *id)
{
	buf_puts(arg, id + 24);
	return strcmp(id + 24, "0C") == 0 ? 7 : 0;
}

static void
sessions_come_newest_first(void **state)
{
	static const char *const names[] = { "01J000000000000000000000A0",
		"01J000000000000000000000B0", "01J0000000000000000000000C",
		"01J00000000000000000000000", "lost+found", "01J",
		"01j000000000000000000000d0" };
	struct place *p = *state;
	struct buf seen;
	struct error err;
	struct home h;

	buf_init(&seen, 100);
	opens(&h, p->path, true);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_int_equal(home_make_dir(h.sessions_fd, names[i]), 0);
	assert_int_equal(home_make_dir(h.sessions_fd, names[0]), -EEXIST);
	assert_int_equal(home_each(&h, collect, &seen, &err), 7);
	assert_int_equal(buf_putc(&seen, '\0'), 0);
	assert_string_equal((char *)seen.data, "B0A00C");
	buf_finish(&seen);
	home_close(&h);
}

static void
a_session_is_removed_with_all_it_has(void **state)
{
	static const char id[] = "01J000000000000000000000A0";
	struct place *p = *state;
	struct error err;
	struct home h;
	int fd, file;

	opens(&h, p->path, true);
	assert_int_equal(home_make_dir(h.sessions_fd, id), 0);
	fd = home_session_dir(&h, id, &err);
	assert_true(fd >= 0);
	assert_int_equal(home_make_dir(fd, "log"), 0);
	file = openat(fd, "log/1", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	close(file);
	assert_int_equal(symlinkat(p->temp, fd, "link"), 0);
	close(fd);
	assert_int_equal(home_remove_session(&h, id, &err), 0);
	assert_int_equal(home_session_dir(&h, id, &err), -ENOENT);
	assert_int_equal(access(p->temp, F_OK), 0);
	assert_int_equal(home_remove_session(&h, "../sessions", &err), -ENOENT);
	assert_int_equal(home_session_dir(&h, "..", &err), -ENOENT);
	home_close(&h);
}

/* A process that removes a session may be stopped half-way. */
static void
the_rest_of_a_removal_is_swept(void **state)
{
	static const char id[] = "01J000000000000000000000A0";
	static const char left[] = "gone-01J000000000000000000000A0";
	struct place *p = *state;
	struct error err;
	struct home h;

	opens(&h, p->path, true);
	assert_int_equal(home_make_dir(h.sessions_fd, id), 0);
	assert_int_equal(home_make_dir(h.sessions_fd, left), 0);
	assert_int_equal(mkdirat(h.sessions_fd,
			     "gone-01J000000000000000000000A0/log", 0700),
	    0);
	assert_int_equal(home_remove_session(&h, id, &err), 0);
	assert_int_equal(faccessat(h.sessions_fd, left, F_OK, 0), -1);
	assert_int_equal(home_make_dir(h.sessions_fd, left), 0);
	assert_int_equal(home_sweep(&h, &err), 0);
	assert_int_equal(faccessat(h.sessions_fd, left, F_OK, 0), -1);
	home_close(&h);
}

static void
a_session_being_removed_is_recognised(void **state)
{
	static const char id[] = "01J000000000000000000000A0";
	static const char gone[] = "gone-01J000000000000000000000A0";
	struct place *p = *state;
	struct home h;
	int fd;

	opens(&h, p->path, true);
	assert_int_equal(home_make_dir(h.sessions_fd, id), 0);
	assert_int_equal(home_make_dir(h.sessions_fd, gone), 0);
	fd = openat(h.sessions_fd, id, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_false(
	    home_is_leaving(fd, id)); /* another one of that name was */
	assert_int_equal(unlinkat(h.sessions_fd, gone, AT_REMOVEDIR), 0);
	assert_false(home_is_leaving(fd, id));
	assert_int_equal(renameat(h.sessions_fd, id, h.sessions_fd, gone), 0);
	assert_true(home_is_leaving(fd, id));
	assert_int_equal(unlinkat(h.sessions_fd, gone, AT_REMOVEDIR), 0);
	assert_true(home_is_leaving(fd, id));
	fd_close(&fd);
	home_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
		    a_home_is_made_private_whatever_the_umask, set_up,
		    tear_down),
		cmocka_unit_test_setup_teardown(a_missing_home_has_no_sessions,
		    set_up, tear_down),
		cmocka_unit_test_setup_teardown(
		    a_home_open_to_others_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_link_is_refused_as_a_home,
		    set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_file_is_refused_as_a_home,
		    set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_long_home_works, set_up,
		    tear_down),
		cmocka_unit_test_setup_teardown(sessions_come_newest_first,
		    set_up, tear_down),
		cmocka_unit_test_setup_teardown(
		    a_session_is_removed_with_all_it_has, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_rest_of_a_removal_is_swept,
		    set_up, tear_down),
		cmocka_unit_test_setup_teardown(
		    a_session_being_removed_is_recognised, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
