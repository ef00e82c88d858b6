#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/error.h"
#include "base/fd.h"
#include "session/home.h"
#include "session_temp.h"

#define RACERS 4
#define RACES 200

static const char a[] = "01J000000000000000000000A0";
static const char b[] = "01J000000000000000000000B0";

static void
takes(const char *name)
{
	struct error err = { 0 };

	if (name_check(name, &err) != 0)
		fail_msg("%s: %s", name, err.msg);
}

static void
refuses(const char *name)
{
	struct error err = { 0 };

	if (name_check(name, &err) != -EINVAL || err.msg[0] == '\0')
		fail_msg("taken: %s", name);
}

static void
names_follow_the_grammar(void **state)
{
	char name[400];

	(void)state;
	takes("a");
	takes("_");
	takes("claude");
	takes("work/a.b-c_D/9");
	takes("1/2/3/4/5/6/7/8");
	refuses("");
	refuses("/");
	refuses("a/");
	refuses("/a");
	refuses("a//b");
	refuses("1/2/3/4/5/6/7/8/9");
	refuses(".");
	refuses("..");
	refuses("../a");
	refuses("a/.b");
	refuses("-a");
	refuses("a b");
	refuses("a\n");
	refuses("\xc3\xa9");
	refuses("a%2Fb");
	refuses("01J000000000000000000000A0");
	refuses("01j000000000000000000000a0");
	memset(name, 'x', sizeof(name));
	name[64] = '\0';
	takes(name);
	name[64] = 'x';
	name[65] = '\0';
	refuses(name);
	memset(name, 'x', sizeof(name));
	name[63] = name[127] = name[191] = '/';
	name[255] = '\0';
	takes(name);
	name[255] = 'x';
	name[256] = '\0';
	refuses(name);
}

static bool
everybody(void *arg, const char *id)
{
	(void)arg;
	(void)id;
	return true;
}

/* Only the id that arg names. */
static bool
only(void *arg, const char *id)
{
	return strcmp(arg, id) == 0;
}

static bool
nobody(void *arg, const char *id)
{
	(void)arg;
	(void)id;
	return false;
}

static void
open_home(struct home *h, char temp[4096])
{
	char path[8192];
	struct error err;

	temp_make(temp);
	snprintf(path, sizeof(path), "%s/home", temp);
	assert_int_equal(home_open(h, path, true, &err), 0);
}

static void
a_name_has_one_active_holder(void **state)
{
	char temp[4096], id[ID_SIZE];
	struct error err;
	struct home h;

	(void)state;
	open_home(&h, temp);
	assert_int_equal(name_holder(&h, "x", id), -ENOENT);
	assert_int_equal(name_claim(&h, "x", a, everybody, NULL, &err), 0);
	assert_int_equal(name_claim(&h, "x", b, everybody, NULL, &err),
	    -EEXIST);
	assert_string_equal(err.msg,
	    "the name x is taken by an active session");
	assert_int_equal(name_claim(&h, "x", a, everybody, NULL, &err), 0);
	assert_int_equal(name_holder(&h, "x", id), 0);
	assert_string_equal(id, a);
	assert_int_equal(name_claim(&h, "x/y", b, everybody, NULL, &err), 0);
	assert_int_equal(name_claim(&h, "..", b, nobody, NULL, &err), -EINVAL);
	home_close(&h);
	temp_remove(temp);
}

static void
a_stale_name_is_inherited_and_only_its_holder_gives_it_up(void **state)
{
	char temp[4096], id[ID_SIZE];
	struct error err;
	struct home h;

	(void)state;
	open_home(&h, temp);
	assert_int_equal(name_claim(&h, "x", a, everybody, NULL, &err), 0);
	assert_int_equal(name_claim(&h, "x", b, only, (void *)(uintptr_t)b,
			     &err),
	    0);
	name_release(&h, "x", a);
	assert_int_equal(name_holder(&h, "x", id), 0);
	assert_string_equal(id, b);
	name_release(&h, "x", b);
	assert_int_equal(name_holder(&h, "x", id), -ENOENT);
	assert_int_equal(name_claim(&h, "x", a, everybody, NULL, &err), 0);
	home_close(&h);
	temp_remove(temp);
}

static void
a_name_whose_link_is_not_an_id_has_no_holder(void **state)
{
	char temp[4096], id[ID_SIZE], path[8192];
	struct error err;
	struct home h;
	char hash[] = "2d711642b726b04401627ca9fbac32f5"; /* of "x" */

	(void)state;
	open_home(&h, temp);
	assert_int_equal(name_claim(&h, "x", a, everybody, NULL, &err), 0);
	snprintf(path, sizeof(path), "%s/home/names/%s", temp, hash);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("/etc/a-path-longer-than-any-id-is", path), 0);
	assert_int_equal(name_holder(&h, "x", id), -ENOENT);
	assert_int_equal(name_claim(&h, "x", b, everybody, NULL, &err), 0);
	assert_int_equal(name_holder(&h, "x", id), 0);
	assert_string_equal(id, b);
	assert_int_equal(mode_of(temp, "home/names"), 0700);
	home_close(&h);
	temp_remove(temp);
}

static void
defaults(const struct home *h, const char *command, name_active_fn *active,
    const char *want)
{
	struct error err = { 0 };
	char name[NAME_SIZE_MAX + 1], id[ID_SIZE];
	struct id_maker maker = { 0 };

	id_create(&maker, id);
	if (name_claim_default(h, command, id, active, NULL, name, &err) != 0)
		fail_msg("%s: %s", command, err.msg);
	assert_string_equal(name, want);
	takes(name);
}

static void
a_command_gives_its_name_and_then_a_number(void **state)
{
	char temp[4096], want[64];
	struct home h;

	(void)state;
	open_home(&h, temp);
	defaults(&h, "/usr/bin/vim", everybody, "vim");
	defaults(&h, "vim", everybody, "vim-2");
	defaults(&h, "./vim", everybody, "vim-3");
	defaults(&h, "vim", nobody, "vim");
	for (int i = 4; i < 30; i++) {
		snprintf(want, sizeof(want), "vim-%d", i);
		defaults(&h, "vim", everybody, want);
	}
	defaults(&h, ".hidden", everybody, "hidden");
	defaults(&h, "my prog+", everybody, "my-prog-");
	defaults(&h, "\xc3\xa9t\xc3\xa9", everybody, "t--");
	defaults(&h, "/", everybody, "session");
	defaults(&h, "--", everybody, "session-2");
	defaults(&h, a, everybody, "session-3");
	defaults(&h,
	    "a-name-of-more-than-fifty-six-letters-is-cut-off-right-there-not",
	    everybody,
	    "a-name-of-more-than-fifty-six-letters-is-cut-off-right-t");
	home_close(&h);
	temp_remove(temp);
}

/* The holder before the race is stale, the racers are active. */
static bool
is_racer(void *arg, const char *id)
{
	(void)arg;
	return id[20] != '0';
}

static int
race(const char *path, int round, int racer, int start)
{
	char name[32], id[ID_SIZE] = "01J00000000000000000000000", c;
	struct home h;
	int rc;

	id[20] = (char)('1' + racer);
	snprintf(name, sizeof(name), "r%d", round);
	if (home_open(&h, path, true, NULL) < 0 || read(start, &c, 1) != 0)
		return 99;
	rc = name_claim(&h, name, id, is_racer, NULL, NULL);
	home_close(&h);
	return rc == 0 ? 1 : rc == -EEXIST ? 0 : 99;
}

/* The number of simultaneous racers that got the name. */
static int
winners(const char *path, int round)
{
	int start[2], won = 0;

	assert_int_equal(pipe(start), 0);
	for (int i = 0; i < RACERS; i++) {
		if (fork() == 0) {
			close(start[1]);
			_exit(race(path, round, i, start[0]));
		}
	}
	close(start[0]);
	close(start[1]);
	for (int i = 0; i < RACERS; i++) {
		int status;

		assert_true(wait(&status) > 0);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
		won += WEXITSTATUS(status);
	}
	return won;
}

static void
a_stale_name_has_one_heir_however_many_want_it(void **state)
{
	static const char stale[] = "01J00000000000000000000000";
	char temp[4096], name[32];
	struct error err;
	struct home h;

	(void)state;
	open_home(&h, temp);
	for (int i = 0; i < RACES; i++) {
		snprintf(name, sizeof(name), "r%d", i);
		/* Every other name is free instead of stale. */
		if (i % 2 == 0)
			assert_int_equal(name_claim(&h, name, stale, everybody,
					     NULL, &err),
			    0);
		assert_int_equal(winners(h.path, i), 1);
	}
	home_close(&h);
	temp_remove(temp);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_follow_the_grammar),
		cmocka_unit_test(a_name_has_one_active_holder),
		cmocka_unit_test(
		    a_stale_name_is_inherited_and_only_its_holder_gives_it_up),
		cmocka_unit_test(a_name_whose_link_is_not_an_id_has_no_holder),
		cmocka_unit_test(a_command_gives_its_name_and_then_a_number),
		cmocka_unit_test(
		    a_stale_name_has_one_heir_however_many_want_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
