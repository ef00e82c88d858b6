#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/id.h"
#include "base/mem.h"
#include "keep/control.h"
#include "session/find.h"
#include "session/home.h"
#include "session/manifest.h"
#include "session_temp.h"

#define OLD "01J000000000000000000000A0"
#define MID "01J000000000000000000000B0"
#define NEW "01K000000000000000000000C0"

struct place {
	char temp[4096];
	struct home home;
};

/* A session as its directory would have it; a running one has this process. */
static void
add(struct place *p, const char *id, const char *name, enum status status)
{
	struct manifest m;
	struct error err;
	int fd, rc;

	manifest_init(&m);
	snprintf(m.id, sizeof(m.id), "%s", id);
	snprintf(m.name, sizeof(m.name), "%s", name);
	m.status = status;
	m.command = xcalloc(2, sizeof(char *));
	m.command[0] = xstrdup("sh");
	m.cwd = xstrdup("/");
	assert_int_equal(boot_id(m.boot_id), 0);
	m.keeper = (struct process){ getpid(), process_start_time(getpid()) };
	m.host = m.keeper;
	rc = home_make_dir(p->home.sessions_fd, id);
	assert_true(rc == 0 || rc == -EEXIST);
	fd = home_session_dir(&p->home, id, &err);
	assert_int_equal(manifest_write(fd, &m, false, &err), 0);
	close(fd);
	if (status_is_active(status))
		assert_int_equal(name_claim(&p->home, name, id, find_is_active,
				     &p->home, &err),
		    0);
	manifest_finish(&m);
}

static int
set_up(void **state)
{
	struct place *p = xcalloc(1, sizeof(*p));
	char path[8192];

	temp_make(p->temp);
	snprintf(path, sizeof(path), "%s/home", p->temp);
	assert_int_equal(home_open(&p->home, path, true, NULL), 0);
	*state = p;
	return 0;
}

static int
tear_down(void **state)
{
	struct place *p = *state;

	home_close(&p->home);
	temp_remove(p->temp);
	free(p);
	return 0;
}

static void
finds(struct place *p, const char *arg, unsigned flags, const char *id)
{
	struct error err = { 0 };
	struct manifest m;
	int fd;

	if (find_session(&p->home, arg, flags, &m, &fd, &err) != 0)
		fail_msg("%s: %s", arg, err.msg);
	assert_string_equal(m.id, id);
	assert_true(fd >= 0);
	close(fd);
	manifest_finish(&m);
}

static void
finds_not(struct place *p, const char *arg, unsigned flags, int rc,
    const char *why)
{
	struct error err = { 0 };
	struct manifest m;
	int fd;

	assert_int_equal(find_session(&p->home, arg, flags, &m, &fd, &err), rc);
	assert_int_equal(fd, -1);
	assert_null(m.command);
	if (strstr(err.msg, why) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", err.msg, why);
}

/* C-17 */
static void
a_session_is_found_by_id_prefix_and_name(void **state)
{
	struct place *p = *state;

	add(p, OLD, "one", STATUS_RUNNING);
	add(p, NEW, "two/x", STATUS_EXITED);
	finds(p, OLD, 0, OLD);
	finds(p, "01j000000000000000000000a0", 0, OLD);
	finds(p, "01J0", 0, OLD);
	finds(p, "o1ko", 0, NEW);
	finds(p, "one", 0, OLD);
	finds(p, "two/x", 0, NEW);
	finds_not(p, "01J", 0, -ENOENT, "no session named \"01J\"");
	finds_not(p, "01J1", 0, -ENOENT, "no session");
	finds_not(p, "three", 0, -ENOENT, "no session named \"three\"");
	finds_not(p, "../sessions", 0, -ENOENT, "no session");
	finds_not(p, "", 0, -ENOENT, "no session");
	finds_not(p, MID, 0, -ENOENT, MID);
}

static void
a_prefix_of_two_ids_is_not_unique(void **state)
{
	struct place *p = *state;

	add(p, OLD, "one", STATUS_RUNNING);
	add(p, MID, "two", STATUS_RUNNING);
	finds_not(p, "01J0", 0, -ENOTUNIQ, OLD);
	finds_not(p, "01J0", 0, -ENOTUNIQ, MID);
	finds(p, "01J000000000000000000000B", 0, MID);
}

static void
the_beginning_of_one_active_name_is_found(void **state)
{
	struct place *p = *state;

	add(p, OLD, "proj/web", STATUS_RUNNING);
	add(p, MID, "proj/api", STATUS_EXITED);
	finds(p, "proj/", FIND_BEGINNING, OLD);
	finds(p, "p", FIND_BEGINNING, OLD);
	finds(p, "proj/api", FIND_BEGINNING, MID);
	finds_not(p, "p", 0, -ENOENT, "no session");
	finds_not(p, "proj/a", FIND_BEGINNING, -ENOENT, "no session");
	finds_not(p, "web", FIND_BEGINNING, -ENOENT, "no session");
	finds_not(p, "", FIND_BEGINNING, -ENOENT, "no session");
	add(p, NEW, "proj/docs", STATUS_RUNNING);
	finds_not(p, "proj", FIND_BEGINNING, -ENOTUNIQ,
	    "proj could be proj/docs, proj/web");
}

static void
a_word_that_is_a_name_and_a_prefix_is_not_unique(void **state)
{
	struct place *p = *state;

	add(p, OLD, "01K0", STATUS_RUNNING);
	add(p, NEW, "01K00", STATUS_RUNNING);
	finds_not(p, "01K0", 0, -ENOTUNIQ, "the name of " OLD);
	finds(p, "01K00", 0, NEW);
	finds(p, "01K000", 0, NEW);
}

static void
a_name_finds_its_active_session_before_the_newest(void **state)
{
	struct place *p = *state;

	add(p, OLD, "x", STATUS_EXITED);
	add(p, MID, "x", STATUS_EXITED);
	finds(p, "x", 0, MID);
	add(p, OLD, "x", STATUS_RUNNING);
	finds(p, "x", 0, OLD);
	add(p, NEW, "x", STATUS_FAILED);
	finds(p, "x", 0, OLD);
}

static void
the_newest_session_is_found_only_on_request(void **state)
{
	struct place *p = *state;

	finds_not(p, NULL, FIND_NEWEST_OK, -ENOENT, "there is no session in");
	finds_not(p, NULL, 0, -EINVAL, "which session");
	add(p, OLD, "x", STATUS_RUNNING);
	add(p, MID, "y", STATUS_EXITED);
	add(p, NEW, "z", STATUS_DESTROYED);
	finds(p, NULL, FIND_NEWEST_OK, MID);
	finds(p, NULL, FIND_NEWEST_OK | FIND_DESTROYED, NEW);
	finds_not(p, NEW, 0, -ENOENT, "was destroyed");
	finds_not(p, "01K0", 0, -ENOENT, "no session");
	finds_not(p, "z", 0, -ENOENT, "no session");
	finds(p, NEW, FIND_DESTROYED, NEW);
}

static void
a_damaged_manifest_is_reported_and_skipped(void **state)
{
	struct place *p = *state;
	char path[8192];
	FILE *f;

	add(p, OLD, "x", STATUS_RUNNING);
	add(p, NEW, "y", STATUS_RUNNING);
	snprintf(path, sizeof(path), "%s/home/sessions/%s/session.json",
	    p->temp, NEW);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("{\"version\":1", f);
	fclose(f);
	finds_not(p, NEW, 0, -EBADMSG, "session.json is damaged");
	finds(p, NULL, FIND_NEWEST_OK, OLD);
	assert_false(find_is_active(&p->home, NEW));
}

/* A session is active between its claim of a name and its session.json. */
static void
a_session_being_started_keeps_its_name(void **state)
{
	struct place *p = *state;
	struct id_maker maker = { 0 };
	struct error err;
	char id[ID_SIZE];

	id_create(&maker, id);
	assert_false(find_is_active(&p->home, id));
	assert_int_equal(home_make_dir(p->home.sessions_fd, id), 0);
	assert_true(find_is_active(&p->home, id));
	assert_int_equal(home_make_dir(p->home.sessions_fd, OLD), 0);
	assert_false(find_is_active(&p->home, OLD));
	assert_int_equal(name_claim(&p->home, "n", id, find_is_active, &p->home,
			     &err),
	    0);
	assert_int_equal(name_claim(&p->home, "n", OLD, find_is_active,
			     &p->home, &err),
	    -EEXIST);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_session_is_found_by_id_prefix_and_name),
		TEST(a_prefix_of_two_ids_is_not_unique),
		TEST(the_beginning_of_one_active_name_is_found),
		TEST(a_word_that_is_a_name_and_a_prefix_is_not_unique),
		TEST(a_name_finds_its_active_session_before_the_newest),
		TEST(the_newest_session_is_found_only_on_request),
		TEST(a_damaged_manifest_is_reported_and_skipped),
		TEST(a_session_being_started_keeps_its_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
