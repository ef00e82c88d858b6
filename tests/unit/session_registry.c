#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/mem.h"
#include "session/home.h"
#include "session/registry.h"
#include "session_temp.h"

#define DAY_MS (24ll * 60 * 60 * 1000)

struct place {
	char temp[4096];
};

static int
set_up(void **state)
{
	struct place *p = xcalloc(1, sizeof(*p));

	temp_make(p->temp);
	setenv("XDG_STATE_HOME", p->temp, 1);
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

/* temp/name, for as many calls as a test makes at once. */
static char *
below(const struct place *p, const char *name)
{
	char *path;

	assert_true(asprintf(&path, "%s/%s", p->temp, name) > 0);
	return path;
}

static void
record(const struct place *p, const char *name)
{
	auto_free char *path = below(p, name);
	struct error err = { 0 };
	struct home h;
	int rc;

	if (home_open(&h, path, true, &err) != 0)
		fail_msg("%s: %s", path, err.msg);
	do /* on a busy machine others may hold the lock for long */
		rc = registry_record(&h);
	while (rc == -EBUSY);
	assert_int_equal(rc, 0);
	home_close(&h);
}

static void
read_all(struct registry *r)
{
	struct error err = { 0 };

	if (registry_read(r, &err) != 0)
		fail_msg("%s", err.msg);
}

/* The names below temp, in order, each with a blank behind it. */
static void
holds(const struct place *p, const char *names)
{
	char seen[4096] = "";
	struct registry r;
	size_t len = 0;

	read_all(&r);
	for (size_t i = 0; i < r.n; i++)
		len += (size_t)snprintf(seen + len, sizeof(seen) - len, "%s ",
		    r.items[i].path + strlen(p->temp) + 1);
	registry_finish(&r);
	assert_string_equal(seen, names);
}

/* The file of the registry, whatever the machine is called. */
static char *
file_path(const struct place *p)
{
	auto_free char *dir = below(p, "tend");
	DIR *d = opendir(dir);
	struct dirent *entry;
	char *path = NULL;

	assert_non_null(d);
	while ((entry = readdir(d)) != NULL)
		if (strncmp(entry->d_name, "homes.", 6) == 0) {
			assert_null(path);
			assert_true(
			    asprintf(&path, "%s/%s", dir, entry->d_name) > 0);
		}
	closedir(d);
	assert_non_null(path);
	return path;
}

static void
write_file(const struct place *p, const char *text)
{
	auto_free char *path = file_path(p);
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	assert_true(fputs(text, out) >= 0);
	fclose(out);
}

static enum registry_state
look(const struct place *p, const char *name, char **other)
{
	auto_free char *path = below(p, name);
	const struct registry_entry *found = NULL;
	enum registry_state s = REGISTRY_CLOSED;
	struct registry r;

	read_all(&r);
	for (size_t i = 0; i < r.n; i++)
		if (strcmp(r.items[i].path, path) == 0)
			s = registry_look(&r, &r.items[i], &found);
	if (other != NULL)
		*other = found != NULL ? xstrdup(found->path) : NULL;
	registry_finish(&r);
	return s;
}

/* ------------------------------------------------------------ its content */

/* K-02: a home is entered with its first session, and once. */
static void
homes_are_entered_once_the_last_used_first(void **state)
{
	struct place *p = *state;

	holds(p, "");
	record(p, "a");
	record(p, "b");
	record(p, "a");
	holds(p, "b a ");
}

static void
the_file_is_private_whatever_the_umask(void **state)
{
	struct place *p = *state;

	for (unsigned mask = 0; mask <= 0777; mask += 0777) {
		mode_t before = umask((mode_t)mask);
		auto_free char *name = NULL;
		auto_free char *path = NULL;

		assert_true(asprintf(&name, "home%o", mask) > 0);
		record(p, name);
		umask(before);
		path = file_path(p);
		assert_int_equal(mode_of("/", path + 1), 0600);
		assert_int_equal(mode_of(p->temp, "tend"), 0700);
	}
}

/*
 * K-02: removing an entry changes no session, and the next session adds it
 * again.
 */
static void
a_home_is_forgotten_until_its_next_session(void **state)
{
	struct place *p = *state;
	auto_free char *a = below(p, "a");
	struct error err;

	assert_int_equal(registry_forget(a, &err), -ENOENT);
	record(p, "a");
	record(p, "b");
	assert_int_equal(registry_forget(a, &err), 0);
	holds(p, "b ");
	assert_int_equal(mode_of(a, "sessions"), 0700);
	assert_int_equal(registry_forget(a, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "not in the list"));
	record(p, "a");
	holds(p, "a b ");
}

static void
any_path_is_read_back_unchanged(void **state)
{
	static const char name[] = "a b\n\\x41\t\xff\x7f";
	struct place *p = *state;

	record(p, name);
	record(p, "plain");
	holds(p, "plain a b\n\\x41\t\xff\x7f ");
	assert_int_equal(look(p, name, NULL), REGISTRY_THERE);
}

static void
invalid_lines_are_skipped(void **state)
{
	static const char *const texts[] = {
		"",
		"no registry\n1 2 3 /a\n",
		"tend homes 1\n1 2 3 relative\n1 2 3 \n1 2 /a\nx 2 3 /a\n",
		"tend homes 1\n1 2 99999999999999999999 /a\n1 2 3 /a\\x00b\n",
		"tend homes 1\n1 2 3 /torn",
		"tend homes 2\n1 2 3 /a\n",
	};
	struct place *p = *state;

	record(p, "a");
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		write_file(p, texts[i]);
		holds(p, "");
		record(p, "a");
		holds(p, "a ");
	}
}

static void
a_registry_that_is_not_a_file_is_replaced(void **state)
{
	struct place *p = *state;
	auto_free char *other = below(p, "other");
	auto_free char *path = NULL;
	struct registry r;

	record(p, "a");
	path = file_path(p);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	holds(p, "");
	record(p, "a");
	holds(p, "a ");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink(other, path), 0);
	assert_int_equal(registry_read(&r, NULL), -ELOOP);
	assert_true(r.n == 0 && r.items == NULL);
}

static void
the_registry_has_a_limit(void **state)
{
	struct place *p = *state;
	auto_free char *path = NULL;
	struct registry r;
	FILE *out;

	record(p, "a");
	path = file_path(p);
	out = fopen(path, "w");
	fputs("tend homes 1\n", out);
	for (int i = 0; i < REGISTRY_MAX + 50; i++)
		fprintf(out, "1 %d 5 /nowhere/%d\n", i + 1, i);
	fclose(out);
	record(p, "b");
	read_all(&r);
	assert_int_equal(r.n, REGISTRY_MAX);
	assert_string_equal(r.items[1].path, "/nowhere/0");
	assert_string_equal(r.items[r.n - 1].path, "/nowhere/998");
	registry_finish(&r);
}

static void
two_simultaneous_entries_are_both_kept(void **state)
{
	struct place *p = *state;
	struct registry r;

	for (int i = 0; i < 8; i++)
		if (fork() == 0) {
			char name[16];

			snprintf(name, sizeof(name), "h%d", i);
			record(p, name);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	read_all(&r);
	assert_int_equal(r.n, 8);
	registry_finish(&r);
}

/*
 * Starting a session must not wait for a stopped process that holds the lock.
 */
static void
a_lock_that_is_never_released_blocks_nothing(void **state)
{
	struct place *p = *state;
	auto_free char *dir = below(p, "tend");
	auto_free char *path = below(p, "b");
	auto_close int fd = -1;
	struct error err;
	struct home h;

	record(p, "a");
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	record(p, "a");
	assert_int_equal(home_open(&h, path, true, &err), 0);
	assert_int_equal(registry_record(&h), -EBUSY);
	home_close(&h);
	holds(p, "a ");
}

static void
a_place_that_is_not_ours_is_not_used(void **state)
{
	struct place *p = *state;
	auto_free char *dir = below(p, "tend");
	auto_free char *path = below(p, "home");
	struct error err;
	struct registry r;
	struct home h;

	assert_int_equal(mkdir(dir, 0700), 0);
	assert_int_equal(chmod(dir, 0777), 0);
	assert_int_equal(home_open(&h, path, true, &err), 0);
	assert_int_equal(registry_record(&h), -EACCES);
	home_close(&h);
	assert_int_equal(registry_read(&r, &err), -EACCES);
	assert_non_null(strstr(err.msg, "writable by others"));
}

/* --------------------------------------------- its content and the disk */

static void
rename_to(const struct place *p, const char *from, const char *to)
{
	auto_free char *a = below(p, from);
	auto_free char *b = below(p, to);

	assert_int_equal(rename(a, b), 0);
}

/* K-02: reconciled from the directories, never the other way. */
static void
entries_are_compared_with_the_directories(void **state)
{
	struct place *p = *state;
	auto_free char *sessions = below(p, "b/sessions");
	auto_free char *c = below(p, "c");

	record(p, "a");
	record(p, "b");
	record(p, "c");
	record(p, "d");
	rename_to(p, "a", "away");
	assert_int_equal(rmdir(sessions), 0);
	rename_to(p, "c", "moved");
	close(open(c, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	assert_int_equal(look(p, "a", NULL), REGISTRY_GONE);
	assert_int_equal(look(p, "b", NULL), REGISTRY_NO_HOME);
	assert_int_equal(look(p, "c", NULL), REGISTRY_NO_HOME);
	assert_int_equal(look(p, "d", NULL), REGISTRY_THERE);
}

static void
a_moved_home_is_recognised(void **state)
{
	struct place *p = *state;
	auto_free char *b = below(p, "b");
	auto_free char *other = NULL;

	record(p, "a");
	rename_to(p, "a", "b");
	assert_int_equal(look(p, "a", NULL), REGISTRY_GONE);
	record(p, "b");
	assert_int_equal(look(p, "a", &other), REGISTRY_MOVED);
	assert_string_equal(other, b);
	assert_int_equal(registry_prune(), 0);
	holds(p, "b ");
}

static void
another_home_at_the_same_path_is_distinguished(void **state)
{
	struct place *p = *state;

	record(p, "a");
	record(p, "b");
	rename_to(p, "a", "c");
	rename_to(p, "b", "a");
	assert_int_equal(look(p, "a", NULL), REGISTRY_REPLACED);
	record(p, "a");
	assert_int_equal(look(p, "a", NULL), REGISTRY_THERE);
	assert_int_equal(look(p, "b", NULL), REGISTRY_MOVED);
}

static void
two_paths_to_one_home_make_one_entry(void **state)
{
	struct place *p = *state;
	auto_free char *real = below(p, "real");
	auto_free char *link = below(p, "link");

	assert_int_equal(mkdir(real, 0700), 0);
	assert_int_equal(symlink(real, link), 0);
	record(p, "link/home");
	record(p, "real/../link/./home/");
	holds(p, "real/home ");
}

/* As mounts make it: nothing else distinguishes the two paths. */
static void
two_entries_of_one_home_are_merged(void **state)
{
	struct place *p = *state;
	auto_free char *home = below(p, "home");
	auto_free char *text = NULL;
	auto_free char *other = NULL;
	struct stat st;

	record(p, "home");
	assert_int_equal(stat(home, &st), 0);
	assert_true(
	    asprintf(&text,
		"tend homes 1\n%lu %lu 9 %s\n"
		"%lu %lu 5 %s/../home\n",
		st.st_dev, st.st_ino, home, st.st_dev, st.st_ino, home) > 0);
	write_file(p, text);
	assert_int_equal(look(p, "home", &other), REGISTRY_THERE);
	assert_null(other);
	assert_int_equal(look(p, "home/../home", &other), REGISTRY_THERE);
	assert_string_equal(other, home);
	free(other);
	other = NULL;
	assert_int_equal(registry_prune(), 0);
	holds(p, "home ");
}

/* A disk that is not mounted today may be tomorrow. */
static void
a_missing_home_is_kept_for_a_while(void **state)
{
	struct place *p = *state;
	auto_free char *text = NULL;
	auto_free char *new = below(p, "new");
	auto_free char *old = below(p, "old");
	struct timespec now;
	int64_t ms;

	clock_gettime(CLOCK_REALTIME, &now);
	ms = (int64_t)now.tv_sec * 1000;
	record(p, "a");
	assert_true(asprintf(&text, "tend homes 1\n1 2 %lld %s\n1 3 %lld %s\n",
			(long long)(ms - DAY_MS), new,
			(long long)(ms - 31 * DAY_MS), old) > 0);
	write_file(p, text);
	holds(p, "new old ");
	assert_int_equal(registry_prune(), 0);
	holds(p, "new ");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(homes_are_entered_once_the_last_used_first),
		TEST(the_file_is_private_whatever_the_umask),
		TEST(a_home_is_forgotten_until_its_next_session),
		TEST(any_path_is_read_back_unchanged),
		TEST(invalid_lines_are_skipped),
		TEST(a_registry_that_is_not_a_file_is_replaced),
		TEST(the_registry_has_a_limit),
		TEST(two_simultaneous_entries_are_both_kept),
		TEST(a_lock_that_is_never_released_blocks_nothing),
		TEST(a_place_that_is_not_ours_is_not_used),
		TEST(entries_are_compared_with_the_directories),
		TEST(a_moved_home_is_recognised),
		TEST(another_home_at_the_same_path_is_distinguished),
		TEST(two_paths_to_one_home_make_one_entry),
		TEST(two_entries_of_one_home_are_merged),
		TEST(a_missing_home_is_kept_for_a_while),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
