#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/loop.h"
#include "base/mem.h"
#include "hub/secret.h"
#include "hub/store.h"
#include "hub/verifier.h"
#include "session/home.h"

#include "session_temp.h"

#define SOON 3600000

struct world {
	char temp[4096];
	struct home home;
	struct loop *loop;
	struct store *store;
	/* The answer of the last call. */
	int rc;
	json_t *result;
	unsigned answers;
};

static void
on_done(void *arg, int rc, json_t *result)
{
	struct world *w = arg;

	w->rc = rc;
	json_decref(w->result);
	w->result = json_incref(result);
	w->answers++;
	loop_stop(w->loop);
}

/* Wait for the answer that is due. */
static int
await(struct world *w)
{
	unsigned before = w->answers;

	while (w->answers == before)
		loop_run(w->loop);
	return w->rc;
}

static void
open_store(struct world *w)
{
	struct error err;

	w->store = store_open(w->loop, &w->home, &err);
	if (w->store == NULL)
		fail_msg("%s", err.msg);
}

static void
fails_to_open(struct world *w, const char *words)
{
	struct error err;

	w->store = store_open(w->loop, &w->home, &err);
	assert_null(w->store);
	if (strstr(err.msg, words) == NULL ||
	    strstr(err.msg, "tend.db") == NULL)
		fail_msg("%s", err.msg);
}

static int
set_up(void **state)
{
	struct world *w = xcalloc(1, sizeof(*w));
	struct error err;

	temp_make(w->temp);
	if (home_open(&w->home, w->temp, true, &err) < 0)
		fail_msg("%s", err.msg);
	w->loop = loop_create();
	open_store(w);
	*state = w;
	return 0;
}

static int
tear_down(void **state)
{
	struct world *w = *state;

	store_close(w->store);
	loop_destroy(w->loop);
	home_close(&w->home);
	temp_remove(w->temp);
	json_decref(w->result);
	free(w);
	return 0;
}

/* Add a credential; its id is `id`. */
static int
add(struct world *w, enum store_kind kind, const char *id, const char *parent,
    const char *secret, const char *key, int64_t left_ms)
{
	struct store_new n = { .kind = kind,
		.label = "label",
		.parent = parent,
		.secret = secret,
		.key = key };

	snprintf(n.who.credential, sizeof(n.who.credential), "%s", id);
	snprintf(n.who.principal, sizeof(n.who.principal), "user:ann");
	n.who.scope = 3;
	n.who.until_ms = clock_ms(CLOCK_REALTIME) + left_ms;
	store_add(w->store, &n, on_done, w);
	return await(w);
}

static int
verify(struct world *w, enum store_kind kind, const char *secret,
    const char *key, struct identity *who)
{
	store_verify(w->store, kind, secret, key, who, on_done, w);
	return await(w);
}

/* Change the database, which nobody has open. */
static void
change(struct world *w, const char *sql)
{
	char path[5000];
	sqlite3 *db;

	snprintf(path, sizeof(path), "%s/tend.db", w->temp);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%s", sqlite3_errmsg(db));
	sqlite3_close(db);
}

/* Cookies of browsers have this id in their names. */
static void
a_database_keeps_its_id_and_one_without_gets_one(void **state)
{
	struct world *w = *state;
	char id[STORE_ID_SIZE];

	snprintf(id, sizeof(id), "%s", store_id(w->store));
	assert_int_equal(strlen(id), STORE_ID_SIZE - 1);
	store_close(w->store);
	open_store(w);
	assert_string_equal(store_id(w->store), id);
	store_close(w->store);
	change(w, "DROP TABLE hub");
	open_store(w);
	assert_string_not_equal(store_id(w->store), id);
	store_close(w->store);
	change(w, "UPDATE hub SET id = 'a; b'");
	fails_to_open(w, "id");
}

static void
a_secret_is_found_only_as_its_kind_and_whole(void **state)
{
	struct world *w = *state;
	struct identity who = { 0 };

	assert_int_equal(add(w, STORE_TOKEN, "T", NULL, "secret", NULL, SOON),
	    0);
	assert_int_equal(verify(w, STORE_TOKEN, "secret", NULL, &who), 0);
	assert_string_equal(who.principal, "user:ann");
	assert_string_equal(who.verified, "token");
	assert_string_equal(who.credential, "T");
	assert_int_equal(who.scope, 3);
	assert_int_equal(verify(w, STORE_TOKEN, "secres", NULL, &who), -ENOENT);
	assert_int_equal(verify(w, STORE_TOKEN, "secre", NULL, &who), -ENOENT);
	assert_int_equal(verify(w, STORE_TOKEN, "", NULL, &who), -ENOENT);
	assert_int_equal(verify(w, STORE_SHARE, "secret", NULL, &who), -ENOENT);
	assert_int_equal(verify(w, STORE_CODE, "secret", NULL, &who), -ENOENT);
	assert_int_equal(verify(w, STORE_COOKIE, "secret", "secret", &who),
	    -ENOENT);
}

/* S3 */
static void
a_cookie_needs_its_key_and_a_code_works_once(void **state)
{
	struct world *w = *state;
	struct identity who = { 0 };

	add(w, STORE_COOKIE, "C", NULL, "cookie", "key", SOON);
	assert_int_equal(verify(w, STORE_COOKIE, "cookie", NULL, &who),
	    -ENOENT);
	assert_int_equal(verify(w, STORE_COOKIE, "cookie", "", &who), -ENOENT);
	assert_int_equal(verify(w, STORE_COOKIE, "cookie", "kez", &who),
	    -ENOENT);
	assert_int_equal(verify(w, STORE_COOKIE, "cookie", "key", &who), 0);
	add(w, STORE_CODE, "L", NULL, "code", NULL, SOON);
	assert_int_equal(verify(w, STORE_CODE, "code", NULL, &who), 0);
	assert_int_equal(verify(w, STORE_CODE, "code", NULL, &who), -ENOENT);
}

static void
a_credential_ends_by_itself(void **state)
{
	struct world *w = *state;
	struct identity who = { 0 };

	add(w, STORE_TOKEN, "T", NULL, "secret", NULL, -1);
	assert_int_equal(verify(w, STORE_TOKEN, "secret", NULL, &who), -ENOENT);
	store_list(w->store, STORE_TOKEN, on_done, w);
	assert_int_equal(await(w), 0);
	assert_int_equal(json_array_size(w->result), 0);
}

static void
revoking_also_ends_what_came_from_it(void **state)
{
	struct world *w = *state;
	struct identity who = { 0 };

	add(w, STORE_SHARE, "S", NULL, "share", NULL, SOON);
	add(w, STORE_COOKIE, "C1", "S", "one", "key", SOON);
	add(w, STORE_COOKIE, "C2", "S", "two", "key", SOON);
	add(w, STORE_SHARE, "X", NULL, "other", NULL, SOON);
	add(w, STORE_COOKIE, "C3", "X", "three", "key", SOON);
	store_revoke(w->store, STORE_TOKEN, "S", on_done, w);
	assert_int_equal(await(w), -ENOENT); /* it is no token */
	assert_int_equal(verify(w, STORE_COOKIE, "one", "key", &who), 0);
	store_revoke(w->store, STORE_SHARE, "S", on_done, w);
	assert_int_equal(await(w), 0);
	assert_int_equal(json_array_size(w->result), 3);
	assert_int_equal(verify(w, STORE_SHARE, "share", NULL, &who), -ENOENT);
	assert_int_equal(verify(w, STORE_COOKIE, "one", "key", &who), -ENOENT);
	assert_int_equal(verify(w, STORE_COOKIE, "two", "key", &who), -ENOENT);
	assert_int_equal(verify(w, STORE_COOKIE, "three", "key", &who), 0);
	store_revoke(w->store, STORE_SHARE, "S", on_done, w);
	assert_int_equal(await(w), -ENOENT);
}

static void
a_browser_is_listed_and_ended_as_a_token(void **state)
{
	struct world *w = *state;
	struct identity who = { 0 };

	add(w, STORE_TOKEN, "T", NULL, "token", NULL, SOON);
	add(w, STORE_COOKIE, "B", NULL, "one", "key", SOON);
	add(w, STORE_SHARE, "S", NULL, "share", NULL, SOON);
	add(w, STORE_COOKIE, "C", "S", "two", "key", SOON);
	store_list(w->store, STORE_TOKEN, on_done, w);
	assert_int_equal(await(w), 0);
	assert_int_equal(json_array_size(w->result), 2);
	store_revoke(w->store, STORE_TOKEN, "C", on_done, w);
	assert_int_equal(await(w), -ENOENT); /* its link ends it */
	store_revoke(w->store, STORE_SHARE, "B", on_done, w);
	assert_int_equal(await(w), -ENOENT);
	store_revoke(w->store, STORE_TOKEN, "B", on_done, w);
	assert_int_equal(await(w), 0);
	assert_int_equal(json_array_size(w->result), 1);
	assert_int_equal(verify(w, STORE_COOKIE, "one", "key", &who), -ENOENT);
	assert_int_equal(verify(w, STORE_COOKIE, "two", "key", &who), 0);
	assert_int_equal(verify(w, STORE_TOKEN, "token", NULL, &who), 0);
}

/* A browser may be logging in while its link is revoked. */
static void
nothing_comes_from_what_was_revoked(void **state)
{
	struct world *w = *state;
	struct identity who = { 0 };

	add(w, STORE_SHARE, "S", NULL, "share", NULL, SOON);
	assert_int_equal(verify(w, STORE_SHARE, "share", NULL, &who), 0);
	store_revoke(w->store, STORE_SHARE, "S", on_done, w);
	assert_int_equal(await(w), 0);
	assert_int_equal(add(w, STORE_COOKIE, "C", "S", "one", "key", SOON),
	    -ENOENT);
	assert_int_equal(verify(w, STORE_COOKIE, "one", "key", &who), -ENOENT);
}

static void
one_link_has_a_limited_number_of_browsers(void **state)
{
	struct world *w = *state;
	char id[32], secret[32];

	add(w, STORE_SHARE, "S", NULL, "share", NULL, SOON);
	add(w, STORE_SHARE, "T", NULL, "other", NULL, SOON);
	for (unsigned i = 0; i <= STORE_CHILDREN_MAX; i++) {
		snprintf(id, sizeof(id), "C%u", i);
		snprintf(secret, sizeof(secret), "cookie%u", i);
		assert_int_equal(add(w, STORE_COOKIE, id, "S", secret, "key",
				     SOON),
		    i < STORE_CHILDREN_MAX ? 0 : -EDQUOT);
	}
	assert_int_equal(add(w, STORE_COOKIE, "D", "T", "x", "key", SOON), 0);
}

static void
count_refusal(void *arg, int rc, json_t *result)
{
	struct world *w = arg;

	assert_null(result);
	if (rc == -EAGAIN) {
		w->rc = rc;
		w->answers++;
		loop_stop(w->loop);
	}
}

/* Not from the call: its caller still uses what the answer frees. */
static void
a_queue_that_is_full_says_so_later(void **state)
{
	struct world *w = *state;
	static struct identity who;
	char path[5000];
	sqlite3 *db;

	snprintf(path, sizeof(path), "%s/tend.db", w->temp);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL),
	    SQLITE_OK);
	store_revoke(w->store, STORE_TOKEN, "T", NULL, NULL);
	for (unsigned i = 0; i < STORE_QUEUE + 2; i++)
		store_verify(w->store, STORE_TOKEN, "secret", NULL, &who,
		    count_refusal, w);
	assert_int_equal(w->answers, 0);
	assert_int_equal(await(w), -EAGAIN);
	sqlite3_close(db);
}

/* S3: the database has only hashes, and nobody else can read it. */
static void
no_file_has_a_secret(void **state)
{
	struct world *w = *state;
	char path[5000], data[1 << 17];

	add(w, STORE_COOKIE, "C", NULL, "the-cookie-canary", "the-key-canary",
	    SOON);
	for (unsigned i = 0; i < 2; i++) {
		ssize_t n;
		int fd;

		snprintf(path, sizeof(path), "%s/tend.db%s", w->temp,
		    i == 0 ? "" : "-wal");
		assert_int_equal(mode_of(w->temp, strrchr(path, '/') + 1),
		    0600);
		fd = open(path, O_RDONLY);
		n = read(fd, data, sizeof(data));
		close(fd);
		assert_true(n > 0);
		assert_null(memmem(data, (size_t)n, "canary", 6));
		assert_true(
		    i == 0 || memmem(data, (size_t)n, "user:ann", 8) != NULL);
	}
}

/* ------------------------------------------------------------------- audit */

static void
note(struct world *w, const char *id, const char *principal, int64_t began,
    int64_t ended)
{
	struct store_entry e = { .began_ms = began,
		.ended_ms = ended,
		.principal = principal,
		.what = "observe",
		.session = "SID",
		.name = "name",
		.outcome = "allowed" };

	snprintf(e.id, sizeof(e.id), "%s", id);
	store_audit(w->store, &e, on_done, w);
}

static const json_t *
audit(struct world *w, const char *principal, const char *session,
    int64_t since, unsigned limit)
{
	store_audit_list(w->store, principal, session, since, limit, on_done,
	    w);
	assert_int_equal(await(w), 0);
	return w->result;
}

static const char *
text(const json_t *list, size_t i, const char *key)
{
	return json_string_value(json_object_get(json_array_get(list, i), key));
}

static void
the_audit_is_listed_by_who_and_when(void **state)
{
	struct world *w = *state;
	const json_t *list;

	note(w, "1", "user:ann", 1000, 2000);
	await(w);
	note(w, "2", "user:bob", 5000, 0);
	await(w);
	note(w, "3", "user:ann", 9000, 0);
	await(w);
	list = audit(w, "", "", 0, 10);
	assert_int_equal(json_array_size(list), 3);
	assert_string_equal(text(list, 0, "id"), "3");
	assert_string_equal(text(list, 2, "ended_at"),
	    "1970-01-01T00:00:02.000Z");
	assert_int_equal(json_integer_value(
			     json_object_get(json_array_get(list, 2),
				 "duration_ms")),
	    1000);
	assert_int_equal(json_array_size(audit(w, "user:ann", "", 0, 10)), 2);
	assert_int_equal(json_array_size(audit(w, "", "name", 0, 10)), 3);
	assert_int_equal(json_array_size(audit(w, "", "SID", 6000, 10)), 1);
	assert_int_equal(json_array_size(audit(w, "", "other", 0, 10)), 0);
	assert_int_equal(json_array_size(audit(w, "", "", 0, 2)), 2);
}

/* B-43: the end of a use that a crash has hidden. */
static void
the_next_start_closes_what_was_open(void **state)
{
	struct world *w = *state;
	const json_t *list;

	note(w, "1", "user:ann", 1000, 0);
	await(w);
	note(w, "2", "user:ann", 1000, 3000);
	await(w);
	store_close(w->store);
	open_store(w);
	list = audit(w, "", "", 0, 10);
	assert_string_equal(text(list, 1, "outcome"), "interrupted");
	assert_non_null(text(list, 1, "ended_at"));
	assert_string_equal(text(list, 0, "outcome"), "allowed");
}

static void
closing_writes_what_waits(void **state)
{
	struct world *w = *state;
	char id[32];

	for (unsigned i = 0; i < 500; i++) {
		snprintf(id, sizeof(id), "%u", i);
		note(w, id, "user:ann", 1000, 2000);
	}
	store_close(w->store);
	open_store(w);
	assert_int_equal(json_array_size(audit(w, "", "", 0, 1000)), 500);
}

/* ----------------------------------------------------------- bad databases */

static void
put_file(const struct world *w, const char *data, size_t len, mode_t mode)
{
	char path[5000];
	int fd;

	snprintf(path, sizeof(path), "%s/tend.db", w->temp);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
	assert_true(fd >= 0 && write(fd, data, len) == (ssize_t)len);
	fchmod(fd, mode);
	close(fd);
}

static void
remove_store(struct world *w)
{
	store_close(w->store);
	w->store = NULL;
	unlinkat(w->home.fd, "tend.db", 0);
	unlinkat(w->home.fd, "tend.db-wal", 0);
	unlinkat(w->home.fd, "tend.db-shm", 0);
}

static void
a_damaged_database_is_refused_and_kept(void **state)
{
	struct world *w = *state;
	char junk[8192], path[5000], back[8192];
	int fd;

	remove_store(w);
	memset(junk, 'x', sizeof(junk));
	put_file(w, junk, sizeof(junk), 0600);
	fails_to_open(w, "cannot use");
	snprintf(path, sizeof(path), "%s/tend.db", w->temp);
	fd = open(path, O_RDONLY);
	assert_int_equal(read(fd, back, sizeof(back)), sizeof(back));
	close(fd);
	assert_memory_equal(junk, back, sizeof(junk));
}

static void
a_file_for_others_is_refused(void **state)
{
	struct world *w = *state;

	remove_store(w);
	put_file(w, "", 0, 0644);
	fails_to_open(w, "0600");
	unlinkat(w->home.fd, "tend.db", 0);
	assert_int_equal(symlinkat("elsewhere", w->home.fd, "tend.db"), 0);
	fails_to_open(w, "cannot open");
}

/* A full disk: calls fail, later ones work again. */
static void
a_full_disk_fails_one_call(void **state)
{
	struct world *w = *state;
	struct rlimit before, none;
	struct identity who = { 0 };

	signal(SIGXFSZ, SIG_IGN);
	add(w, STORE_TOKEN, "T", NULL, "secret", NULL, SOON);
	getrlimit(RLIMIT_FSIZE, &before);
	none = before;
	none.rlim_cur = 1;
	setrlimit(RLIMIT_FSIZE, &none);
	assert_int_equal(add(w, STORE_TOKEN, "U", NULL, "other", NULL, SOON),
	    -EIO);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(verify(w, STORE_TOKEN, "other", NULL, &who), -ENOENT);
	assert_int_equal(verify(w, STORE_TOKEN, "secret", NULL, &who), 0);
	assert_int_equal(add(w, STORE_TOKEN, "U", NULL, "other", NULL, SOON),
	    0);
}

/* ---------------------------------------------------------------- verifier */

static void
on_verified(void *arg, int rc, const struct identity *who)
{
	struct world *w = arg;

	(void)who;
	w->rc = rc;
	w->answers++;
	loop_stop(w->loop);
}

/* True if the answer was remembered. */
static bool
check(struct world *w, struct verifier *v, const char *secret, int want)
{
	bool known = verifier_check(v, STORE_TOKEN, secret, NULL, on_verified,
			 w) == NULL;

	if (!known)
		await(w);
	assert_int_equal(w->rc, want);
	return known;
}

/* B-41 */
static void
a_verified_secret_is_remembered_until_a_revocation(void **state)
{
	struct world *w = *state;
	struct verifier *v = verifier_create(w->store);

	add(w, STORE_TOKEN, "T", NULL, "secret", NULL, SOON);
	assert_false(verifier_knows(v, STORE_TOKEN, "secret", NULL));
	assert_false(check(w, v, "secret", 0));
	assert_true(check(w, v, "secret", 0));
	assert_false(check(w, v, "secres", -ENOENT));
	assert_false(check(w, v, "secres", -ENOENT)); /* no failure is */
	assert_true(verifier_knows(v, STORE_TOKEN, "secret", NULL));
	assert_false(verifier_knows(v, STORE_SHARE, "secret", NULL));
	assert_false(verifier_knows(v, STORE_TOKEN, "secres", NULL));
	store_revoke(w->store, STORE_TOKEN, "T", on_done, w);
	assert_int_equal(await(w), 0);
	verifier_clear(v);
	assert_false(check(w, v, "secret", -ENOENT));
	assert_true(verifier_knows(v, STORE_TOKEN, "secret", NULL));
	verifier_destroy(v);
}

static void
an_answer_on_its_way_is_not_remembered_after_a_revocation(void **state)
{
	struct world *w = *state;
	struct verifier *v = verifier_create(w->store);

	add(w, STORE_TOKEN, "T", NULL, "secret", NULL, SOON);
	assert_non_null(
	    verifier_check(v, STORE_TOKEN, "secret", NULL, on_verified, w));
	verifier_clear(v);
	await(w);
	assert_false(check(w, v, "secret", 0));
	verifier_destroy(v);
}

static void
nothing_is_remembered_beyond_its_end(void **state)
{
	struct world *w = *state;
	struct verifier *v = verifier_create(w->store);
	int64_t end = clock_ms(CLOCK_REALTIME) + 300;

	add(w, STORE_TOKEN, "T", NULL, "secret", NULL, 300);
	check(w, v, "secret", 0);
	while (clock_ms(CLOCK_REALTIME) <= end)
		continue;
	assert_false(check(w, v, "secret", -ENOENT));
	verifier_destroy(v);
}

static void
a_cancelled_check_calls_nobody(void **state)
{
	struct world *w = *state;
	struct verifier *v = verifier_create(w->store);
	unsigned before;

	add(w, STORE_TOKEN, "T", NULL, "secret", NULL, SOON);
	before = w->answers;
	verifier_cancel(
	    verifier_check(v, STORE_TOKEN, "secret", NULL, on_verified, w));
	note(w, "1", "user:ann", 1, 2); /* answered after it */
	await(w);
	assert_int_equal(w->answers, before + 1);
	verifier_destroy(v);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_database_keeps_its_id_and_one_without_gets_one),
		TEST(a_secret_is_found_only_as_its_kind_and_whole),
		TEST(a_cookie_needs_its_key_and_a_code_works_once),
		TEST(a_credential_ends_by_itself),
		TEST(revoking_also_ends_what_came_from_it),
		TEST(a_browser_is_listed_and_ended_as_a_token),
		TEST(nothing_comes_from_what_was_revoked),
		TEST(one_link_has_a_limited_number_of_browsers),
		TEST(no_file_has_a_secret),
		TEST(the_audit_is_listed_by_who_and_when),
		TEST(the_next_start_closes_what_was_open),
		TEST(closing_writes_what_waits),
		TEST(a_queue_that_is_full_says_so_later),
		TEST(a_damaged_database_is_refused_and_kept),
		TEST(a_file_for_others_is_refused),
		TEST(a_full_disk_fails_one_call),
		TEST(a_verified_secret_is_remembered_until_a_revocation),
		TEST(an_answer_on_its_way_is_not_remembered_after_a_revocation),
		TEST(nothing_is_remembered_beyond_its_end),
		TEST(a_cancelled_check_calls_nobody),
	};

	umask(0077);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
