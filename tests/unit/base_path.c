#include "unit.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"

static int
start_without_an_environment(void **state)
{
	(void)state;
	unsetenv("TEND_HOME");
	unsetenv("XDG_STATE_HOME");
	return setenv("HOME", "/home/alice", 1);
}

static void
check(const char *option, const char *want)
{
	struct error err = { 0 };
	char home[PATH_MAX];
	int rc = path_home(option, home, sizeof(home), &err);

	if (rc < 0)
		print_error("path_home: %s\n", err.msg);
	assert_int_equal(rc, 0);
	assert_string_equal(home, want);
}

static void
the_home_is_in_the_users_state_directory(void **state)
{
	(void)state;
	check(NULL, "/home/alice/.local/state/tend");
	setenv("HOME", "/", 1);
	check(NULL, "/.local/state/tend");
}

static void
xdg_state_home_is_followed_when_it_is_absolute(void **state)
{
	(void)state;
	setenv("XDG_STATE_HOME", "/var/state", 1);
	check(NULL, "/var/state/tend");
	setenv("XDG_STATE_HOME", "state", 1);
	check(NULL, "/home/alice/.local/state/tend");
	setenv("XDG_STATE_HOME", "", 1);
	check(NULL, "/home/alice/.local/state/tend");
}

static void
tend_home_wins_over_xdg_and_the_option_over_both(void **state)
{
	(void)state;
	setenv("XDG_STATE_HOME", "/var/state", 1);
	setenv("TEND_HOME", "/srv/tend", 1);
	check(NULL, "/srv/tend");
	check("", "/srv/tend");
	check("/opt/tend", "/opt/tend");
	setenv("TEND_HOME", "", 1);
	check(NULL, "/var/state/tend");
}

static void
a_relative_home_is_taken_from_the_current_directory(void **state)
{
	(void)state;
	assert_int_equal(chdir("/usr"), 0);
	check("here", "/usr/here");
	setenv("TEND_HOME", "there/tend", 1);
	check(NULL, "/usr/there/tend");
}

static void
the_user_database_knows_the_home_when_the_environment_does_not(void **state)
{
	struct passwd *pw = getpwuid(getuid());
	char want[PATH_MAX];

	(void)state;
	assert_non_null(pw);
	unsetenv("HOME");
	snprintf(want, sizeof(want), "%s/.local/state/tend", pw->pw_dir);
	check(NULL, want);
}

static void
an_invalid_home_is_refused_with_a_reason(void **state)
{
	char home[PATH_MAX] = "untouched", small[8] = "before";
	struct error err = { 0 };

	(void)state;
	setenv("HOME", "relative", 1);
	assert_int_equal(path_home(NULL, home, sizeof(home), &err), -ENOENT);
	assert_string_equal(err.msg,
	    "no home directory: set HOME or TEND_HOME");
	assert_string_equal(home, "untouched");
	assert_int_equal(path_home("/long/name", small, sizeof(small), &err),
	    -ENAMETOOLONG);
	assert_string_equal(err.msg, "home path is too long");
	assert_string_equal(small, "before");
}

static void
path_join_puts_one_slash_between(void **state)
{
	char out[32];

	(void)state;
	assert_int_equal(path_join(out, sizeof(out), "/a", "b"), 0);
	assert_string_equal(out, "/a/b");
	assert_int_equal(path_join(out, sizeof(out), "/a/", "b"), 0);
	assert_string_equal(out, "/a/b");
	assert_int_equal(path_join(out, sizeof(out), "/", "b"), 0);
	assert_string_equal(out, "/b");
	assert_int_equal(path_join(out, sizeof(out), "", "b"), 0);
	assert_string_equal(out, "b");
}

static void
path_join_fits_exactly_or_leaves_the_result_alone(void **state)
{
	char out[8] = "before";

	(void)state;
	assert_int_equal(path_join(out, 5, "/a", "bc"), -ENAMETOOLONG);
	assert_string_equal(out, "before");
	assert_int_equal(path_join(out, 6, "/a", "bc"), 0);
	assert_string_equal(out, "/a/bc");
	assert_int_equal(path_join(out, 0, "", ""), -ENAMETOOLONG);
}

static void
a_clean_path_has_only_names(void **state)
{
	static const char *const cases[][2] = {
		{ "/", "/" },
		{ "/a/b", "/a/b" },
		{ "//a///b/", "/a/b" },
		{ "/a/./b/.", "/a/b" },
		{ "/a/b/../c", "/a/c" },
		{ "/a/../../..", "/" },
		{ "/a/../../b", "/b" },
		{ "/a/.../..b/c..", "/a/.../..b/c.." },
	};
	char path[32];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		snprintf(path, sizeof(path), "%s", cases[i][0]);
		path_clean(path);
		assert_string_equal(path, cases[i][1]);
	}
}

static void
a_socket_path_must_fit_with_its_nul(void **state)
{
	char path[sizeof(((struct sockaddr_un *)0)->sun_path) + 1];

	(void)state;
	memset(path, 'x', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	assert_false(path_fits_socket(path));
	path[sizeof(path) - 2] = '\0';
	assert_true(path_fits_socket(path));
	assert_true(path_fits_socket(""));
}

#define TEST(fn) cmocka_unit_test_setup(fn, start_without_an_environment)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_home_is_in_the_users_state_directory),
		TEST(xdg_state_home_is_followed_when_it_is_absolute),
		TEST(tend_home_wins_over_xdg_and_the_option_over_both),
		TEST(a_relative_home_is_taken_from_the_current_directory),
		TEST(
		    the_user_database_knows_the_home_when_the_environment_does_not),
		TEST(an_invalid_home_is_refused_with_a_reason),
		TEST(path_join_puts_one_slash_between),
		TEST(path_join_fits_exactly_or_leaves_the_result_alone),
		TEST(a_clean_path_has_only_names),
		TEST(a_socket_path_must_fit_with_its_nul),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
