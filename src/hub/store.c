#include "hub/store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/failpoint.h"
#include "base/fd.h"
#include "base/list.h"
#include "base/loop.h"
#include "base/mem.h"
#include "base/path.h"
#include "home/words.h"
#include "home/workers.h"
#include "hub/secret.h"
#include "session/home.h"

#define VERSION 1
#define TRIM_EVERY 1000 /* audit entries between two trims */

struct store {
	sqlite3 *db; /* used by the thread alone, after store_open */
	char id[STORE_ID_SIZE];
	struct workers *workers;
	unsigned audits;     /* since the last trim */
	struct list left;    /* jobs that had not begun when it closed */
	struct list refused; /* jobs that no thread has taken */
	struct watch *refusal;
};

static const char *const kinds[STORE_KINDS] = {
	[STORE_TOKEN] = "token",
	[STORE_CODE] = "code",
	[STORE_COOKIE] = "cookie",
	[STORE_SHARE] = "share",
};

/* One transaction: a hub may be killed in the middle of it. */
static const char schema
    [] = "BEGIN IMMEDIATE;"
	 "CREATE TABLE credential ("
	 " id TEXT PRIMARY KEY, kind TEXT NOT NULL, label TEXT NOT NULL,"
	 " principal TEXT NOT NULL, owner INTEGER NOT NULL,"
	 " scope INTEGER NOT NULL, targets TEXT NOT NULL,"
	 " secret BLOB NOT NULL UNIQUE, key BLOB, parent TEXT,"
	 " created_ms INTEGER NOT NULL, until_ms INTEGER NOT NULL,"
	 " used_ms INTEGER NOT NULL DEFAULT 0) STRICT;"
	 "CREATE INDEX credential_parent ON credential(parent);"
	 "CREATE TABLE audit ("
	 " n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,"
	 " began_ms INTEGER NOT NULL, ended_ms INTEGER NOT NULL,"
	 " principal TEXT NOT NULL, verified TEXT NOT NULL,"
	 " credential TEXT NOT NULL, source TEXT NOT NULL, what TEXT NOT NULL,"
	 " session TEXT NOT NULL, name TEXT NOT NULL, mode TEXT NOT NULL,"
	 " outcome TEXT NOT NULL) STRICT;"
	 "CREATE INDEX audit_session ON audit(session);"
	 "PRAGMA user_version = 1;"
	 "COMMIT;";

/* Databases of before have no id; hubs of before do not look at it. */
static const char
    give_id[] = "CREATE TABLE IF NOT EXISTS hub (id TEXT NOT NULL) STRICT;"
		"INSERT INTO hub SELECT lower(hex(randomblob(4)))"
		" WHERE NOT EXISTS (SELECT 1 FROM hub);";

static int64_t
now_ms(void)
{
	return clock_ms(CLOCK_REALTIME);
}

/* ----------------------------------------------------------------- opening */

static int
query_number(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *st = NULL;
	int n = -1;

	if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) == SQLITE_OK &&
	    sqlite3_step(st) == SQLITE_ROW)
		n = sqlite3_column_int(st, 0);
	sqlite3_finalize(st);
	return n;
}

/*
 * Uses that a crash of the hub has ended.  The time of that is not known; now
 * is the latest that it can be.
 */
static int
close_interrupted(sqlite3 *db, const char *path, struct error *err)
{
	char sql[160];

	snprintf(sql, sizeof(sql),
	    "UPDATE audit SET ended_ms = max(began_ms, %lld), outcome = "
	    "'interrupted' WHERE ended_ms = 0",
	    (long long)now_ms());
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
		return error_set(err, EIO, "cannot write %s: %s", path,
		    sqlite3_errmsg(db));
	return 0;
}

static int
take_id(struct store *s, const char *path, struct error *err)
{
	sqlite3_stmt *st = NULL;
	int n = 0;

	if (sqlite3_exec(s->db, give_id, NULL, NULL, NULL) == SQLITE_OK &&
	    sqlite3_prepare_v2(s->db, "SELECT id FROM hub", -1, &st, NULL) ==
		SQLITE_OK &&
	    sqlite3_step(st) == SQLITE_ROW)
		n = snprintf(s->id, sizeof(s->id), "%s",
		    (const char *)sqlite3_column_text(st, 0));
	sqlite3_finalize(st);
	if (n != STORE_ID_SIZE - 1 ||
	    strspn(s->id, "0123456789abcdef") != (size_t)n)
		return error_set(err, EIO, "%s has no valid id: %s", path,
		    sqlite3_errmsg(s->db));
	return 0;
}

static int
prepare(struct store *s, const char *path, struct error *err)
{
	sqlite3 *db = s->db;
	int version, rc;

	if (sqlite3_exec(db,
		"PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
		/* The sandbox has no directory for temporary files. */
		"PRAGMA temp_store = MEMORY;",
		NULL, NULL, NULL) != SQLITE_OK)
		return error_set(err, EIO, "cannot use %s: %s", path,
		    sqlite3_errmsg(db));
	version = query_number(db, "PRAGMA user_version");
	if (version == 0 &&
	    sqlite3_exec(db, schema, NULL, NULL, NULL) != SQLITE_OK)
		return error_set(err, EIO, "cannot prepare %s: %s", path,
		    sqlite3_errmsg(db));
	if (version != 0 && version != VERSION)
		return error_set(err, EIO,
		    "%s has version %d; this hub knows version %d", path,
		    version, VERSION);
	rc = take_id(s, path, err);
	return rc < 0 ? rc : close_interrupted(db, path, err);
}

/* SQLite would follow a link, and make the file with another mode. */
static int
check_file(const struct home *home, const char *path, struct error *err)
{
	auto_close int fd = openat(home->fd, STORE_FILE,
	    O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return error_set(err, errno, "cannot open %s: %s", path,
		    strerror(errno));
	if (!S_ISREG(st.st_mode) || st.st_uid != getuid() ||
	    (st.st_mode & 077) != 0)
		return error_set(err, EACCES,
		    "%s must be a file of yours with mode 0600", path);
	return 0;
}

static void on_refusal(void *arg);

struct store *
store_open(struct loop *loop, const struct home *home, struct error *err)
{
	struct store *s = xcalloc(1, sizeof(*s));
	char path[PATH_MAX];
	int rc;

	list_init(&s->left);
	list_init(&s->refused);
	s->refusal = loop_timer(loop, -1, on_refusal, s);
	rc = path_join(path, sizeof(path), home->path, STORE_FILE);
	if (rc == 0)
		rc = check_file(home, path, err);
	if (rc == 0 &&
	    sqlite3_open_v2(path, &s->db,
		SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX |
		    SQLITE_OPEN_NOFOLLOW,
		NULL) != SQLITE_OK)
		rc = error_set(err, EIO, "cannot open %s: %s", path,
		    sqlite3_errmsg(s->db));
	if (rc == 0) {
		sqlite3_busy_timeout(s->db, 5000);
		rc = prepare(s, path, err);
	}
	if (rc == 0) {
		s->workers = workers_create(loop, 1, STORE_QUEUE);
		if (s->workers == NULL)
			rc = error_set(err, errno, "no thread for %s: %s", path,
			    strerror(errno));
	}
	if (rc < 0) {
		store_close(s);
		return NULL;
	}
	return s;
}

const char *
store_id(const struct store *s)
{
	return s->id;
}

/* -------------------------------------------------------------------- jobs */

/* A call: its statement runs in the thread, and reports to the loop. */
struct job {
	struct task task;
	struct list left; /* of store->left or store->refused */
	struct store *store;
	int (*run)(struct job *j);
	store_done_fn *fn; /* NULL: nobody waits */
	void *arg;
	int rc;
	json_t *result;
	/* The arguments, as far as the call has them: */
	enum store_kind kind;
	struct identity who, *out;
	char *texts[10];
	uint8_t secret[SECRET_HASH], key[SECRET_HASH];
	bool has_key;
	int64_t numbers[2];
	unsigned limit;
};

static void
job_free(struct job *j)
{
	for (size_t i = 0; i < sizeof(j->texts) / sizeof(*j->texts); i++)
		free(j->texts[i]);
	json_decref(j->result);
	free(j);
}

static void
on_run(struct task *t)
{
	struct job *j = container_of(t, struct job, task);

	failpoint("store-run");
	j->rc = j->run(j);
	failpoint("store-committed");
}

static void
on_done(struct task *t)
{
	struct job *j = container_of(t, struct job, task);

	if (t->error != 0)
		j->rc = -t->error;
	if (t->error == ECANCELED) {
		list_append(&j->store->left, &j->left);
		return;
	}
	if (j->rc == 0 && j->out != NULL)
		*j->out = j->who;
	if (j->fn != NULL)
		j->fn(j->arg, j->rc, j->result);
	job_free(j);
}

static struct job *
job_of(struct list *link)
{
	return container_of(link, struct job, left);
}

/* Jobs that are refused by what is called here have their turn later. */
static void
on_refusal(void *arg)
{
	struct store *s = arg;
	struct list due;

	list_init(&due);
	while (!list_is_empty(&s->refused)) {
		struct list *it = s->refused.next;

		list_remove(it);
		list_append(&due, it);
	}
	while (!list_is_empty(&due)) {
		struct job *j = job_of(due.next);

		list_remove(&j->left);
		if (j->fn != NULL)
			j->fn(j->arg, j->rc, NULL);
		job_free(j);
	}
}

void
store_close(struct store *s)
{
	if (s == NULL)
		return;
	watch_remove(s->refusal);
	while (!list_is_empty(&s->refused)) {
		struct job *j = job_of(s->refused.next);

		list_remove(&j->left);
		job_free(j);
	}
	workers_destroy(s->workers);
	/* The thread has ended: nobody else uses the database. */
	while (!list_is_empty(&s->left)) {
		struct job *j = job_of(s->left.next);

		list_remove(&j->left);
		(void)j->run(j);
		job_free(j);
	}
	sqlite3_close(s->db);
	free(s);
}

static struct job *
job_create(struct store *s, int (*run)(struct job *j), store_done_fn *fn,
    void *arg)
{
	struct job *j = xcalloc(1, sizeof(*j));

	j->task.run = on_run;
	j->task.done = on_done;
	list_init(&j->left);
	j->store = s;
	j->run = run;
	j->fn = fn;
	j->arg = arg;
	return j;
}

/* Callers do not expect the result of a refused job before they return. */
static void
job_start(struct job *j)
{
	struct store *s = j->store;
	int rc = workers_add(s->workers, &j->task);

	if (rc == 0)
		return;
	j->rc = rc;
	list_append(&s->refused, &j->left);
	watch_rearm(s->refusal, 0);
}

/* ------------------------------------------------------------- statements */

static sqlite3_stmt *
statement(struct job *j, const char *sql)
{
	sqlite3_stmt *st = NULL;

	if (sqlite3_prepare_v2(j->store->db, sql, -1, &st, NULL) != SQLITE_OK)
		return NULL;
	return st;
}

static void
bind_text(sqlite3_stmt *st, int i, const char *s)
{
	sqlite3_bind_text(st, i, s != NULL ? s : "", -1, SQLITE_STATIC);
}

/* Run a statement without rows. */
static int
finish(sqlite3_stmt *st)
{
	int rc = st != NULL ? sqlite3_step(st) : SQLITE_ERROR;

	sqlite3_finalize(st);
	return rc == SQLITE_DONE ? 0 : -EIO;
}

static const char *
text(sqlite3_stmt *st, int column)
{
	const char *s = (const char *)sqlite3_column_text(st, column);

	return s != NULL ? s : "";
}

/* ------------------------------------------------------------- credentials */

/*
 * Remove what is over, and see if there is room for one more.  Its parent may have
 * been revoked since that was verified.
 */
static int
make_room(struct job *j)
{
	sqlite3_stmt *st = statement(j,
	    "DELETE FROM credential WHERE until_ms <= ?1");
	int rc;

	if (st == NULL)
		return -EIO;
	sqlite3_bind_int64(st, 1, now_ms());
	rc = finish(st);
	if (rc < 0)
		return rc;
	st = statement(j,
	    "SELECT count(*), count(*) FILTER (WHERE parent = ?1 AND parent !="
	    " ''), ?1 = '' OR count(*) FILTER (WHERE id = ?1) FROM credential");
	if (st == NULL)
		return -EIO;
	bind_text(st, 1, j->texts[1]);
	if (sqlite3_step(st) != SQLITE_ROW)
		rc = -EIO;
	else if (sqlite3_column_int(st, 2) == 0)
		rc = -ENOENT;
	else if (sqlite3_column_int(st, 0) >= STORE_MAX ||
	    sqlite3_column_int(st, 1) >= STORE_CHILDREN_MAX)
		rc = -EDQUOT;
	sqlite3_finalize(st);
	return rc;
}

static int
run_add(struct job *j)
{
	int rc = make_room(j);
	sqlite3_stmt *st = rc < 0 ?
	    NULL :
	    statement(j,
		"INSERT INTO credential (id, kind, label, principal, owner, scope,"
		" targets, secret, key, parent, created_ms, until_ms)"
		" VALUES (?,?,?,?,?,?,?,?,?,?,?,?)");

	if (st == NULL)
		return rc < 0 ? rc : -EIO;
	bind_text(st, 1, j->who.credential);
	bind_text(st, 2, kinds[j->kind]);
	bind_text(st, 3, j->texts[0]);
	bind_text(st, 4, j->who.principal);
	sqlite3_bind_int(st, 5, j->who.owner);
	sqlite3_bind_int64(st, 6, j->who.scope);
	bind_text(st, 7, j->who.targets);
	sqlite3_bind_blob(st, 8, j->secret, SECRET_HASH, SQLITE_STATIC);
	if (j->has_key)
		sqlite3_bind_blob(st, 9, j->key, SECRET_HASH, SQLITE_STATIC);
	bind_text(st, 10, j->texts[1]);
	sqlite3_bind_int64(st, 11, now_ms());
	sqlite3_bind_int64(st, 12, j->who.until_ms);
	return finish(st);
}

void
store_add(struct store *s, const struct store_new *n, store_done_fn *fn,
    void *arg)
{
	struct job *j = job_create(s, run_add, fn, arg);

	j->kind = n->kind;
	j->who = n->who;
	j->texts[0] = xstrdup(n->label != NULL ? n->label : "");
	j->texts[1] = xstrdup(n->parent != NULL ? n->parent : "");
	secret_hash(n->secret, j->secret);
	j->has_key = n->key != NULL;
	if (j->has_key)
		secret_hash(n->key, j->key);
	job_start(j);
}

/* Take the identity of a row; false if the row is of another credential. */
static bool
take_row(struct job *j, sqlite3_stmt *st)
{
	static const char *const verified[STORE_KINDS] = {
		[STORE_TOKEN] = "token",
		[STORE_CODE] = "code",
		[STORE_COOKIE] = "cookie",
		[STORE_SHARE] = "share",
	};
	struct identity *who = &j->who;
	const void *secret = sqlite3_column_blob(st, 6);
	const void *key = sqlite3_column_blob(st, 7);

	if (sqlite3_column_bytes(st, 6) != SECRET_HASH ||
	    !secret_equals(secret, j->secret))
		return false;
	if (j->kind == STORE_COOKIE &&
	    (!j->has_key || sqlite3_column_bytes(st, 7) != SECRET_HASH ||
		!secret_equals(key, j->key)))
		return false;
	memset(who, 0, sizeof(*who));
	snprintf(who->credential, sizeof(who->credential), "%s", text(st, 0));
	snprintf(who->principal, sizeof(who->principal), "%s", text(st, 1));
	who->owner = sqlite3_column_int(st, 2) != 0;
	who->scope = (unsigned)sqlite3_column_int64(st, 3);
	snprintf(who->targets, sizeof(who->targets), "%s", text(st, 4));
	who->until_ms = sqlite3_column_int64(st, 5);
	snprintf(who->verified, sizeof(who->verified), "%s", verified[j->kind]);
	return who->until_ms > now_ms();
}

static int
note_use(struct job *j)
{
	sqlite3_stmt *st = statement(j,
	    j->kind == STORE_CODE ?
		"DELETE FROM credential WHERE id = ?1" :
		"UPDATE credential SET used_ms = ?2 WHERE id = ?1");

	bind_text(st, 1, j->who.credential);
	if (j->kind != STORE_CODE)
		sqlite3_bind_int64(st, 2, now_ms());
	return finish(st);
}

static int
run_verify(struct job *j)
{
	sqlite3_stmt *st = statement(j,
	    "SELECT id, principal, owner, scope, targets, until_ms, secret, key"
	    " FROM credential WHERE secret = ?1 AND kind = ?2");
	int rc, found;

	if (st == NULL)
		return -EIO;
	sqlite3_bind_blob(st, 1, j->secret, SECRET_HASH, SQLITE_STATIC);
	bind_text(st, 2, kinds[j->kind]);
	rc = sqlite3_step(st);
	found = rc == SQLITE_ROW && take_row(j, st);
	sqlite3_finalize(st);
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return -EIO;
	return found ? note_use(j) : -ENOENT;
}

void
store_verify(struct store *s, enum store_kind kind, const char *secret,
    const char *key, struct identity *who, store_done_fn *fn, void *arg)
{
	struct job *j = job_create(s, run_verify, fn, arg);

	j->kind = kind;
	j->out = who;
	secret_hash(secret, j->secret);
	j->has_key = key != NULL;
	if (j->has_key)
		secret_hash(key, j->key);
	job_start(j);
}

/* A moment as JSON; 0 is null. */
static json_t *
date_json(int64_t ms)
{
	char out[WORDS_TIME_MAX];

	if (ms == 0)
		return json_null();
	words_time(ms, out);
	return json_string(out);
}

/* Browsers that have logged in are listed and ended as tokens are. */
#define IS_OF_KIND \
	"(kind = ?1 OR (?1 = 'token' AND kind = 'cookie' AND NOT EXISTS" \
	" (SELECT 1 FROM credential p WHERE p.id = credential.parent)))"

static int
run_list(struct job *j)
{
	sqlite3_stmt *st = statement(j,
	    "SELECT id, label, principal, owner, scope, targets, created_ms,"
	    " until_ms, used_ms FROM credential WHERE " IS_OF_KIND
	    " AND until_ms > ?2 ORDER BY id DESC LIMIT 10000");
	int rc;

	if (st == NULL)
		return -EIO;
	bind_text(st, 1, kinds[j->kind]);
	sqlite3_bind_int64(st, 2, now_ms());
	j->result = json_array();
	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		json_array_append_new(j->result,
		    json_pack("{s:s, s:s, s:s, s:b, s:I, s:s, s:o, s:o, s:o}",
			"id", text(st, 0), "label", text(st, 1), "principal",
			text(st, 2), "owner", sqlite3_column_int(st, 3),
			"scope", sqlite3_column_int64(st, 4), "targets",
			text(st, 5), "created_at",
			date_json(sqlite3_column_int64(st, 6)), "expires_at",
			date_json(sqlite3_column_int64(st, 7)), "used_at",
			date_json(sqlite3_column_int64(st, 8))));
	}
	sqlite3_finalize(st);
	return rc == SQLITE_DONE ? 0 : -EIO;
}

void
store_list(struct store *s, enum store_kind kind, store_done_fn *fn, void *arg)
{
	struct job *j = job_create(s, run_list, fn, arg);

	j->kind = kind;
	job_start(j);
}

static int
run_revoke(struct job *j)
{
	sqlite3_stmt *st = statement(j,
	    "DELETE FROM credential WHERE (id = ?2 AND " IS_OF_KIND
	    ") OR (parent = ?2 AND EXISTS (SELECT 1 FROM credential WHERE id ="
	    " ?2 AND kind = ?1)) RETURNING id");
	int rc;

	if (st == NULL)
		return -EIO;
	bind_text(st, 1, kinds[j->kind]);
	bind_text(st, 2, j->texts[0]);
	j->result = json_array();
	while ((rc = sqlite3_step(st)) == SQLITE_ROW)
		json_array_append_new(j->result, json_string(text(st, 0)));
	sqlite3_finalize(st);
	if (rc != SQLITE_DONE)
		return -EIO;
	return json_array_size(j->result) > 0 ? 0 : -ENOENT;
}

void
store_revoke(struct store *s, enum store_kind kind, const char *id,
    store_done_fn *fn, void *arg)
{
	struct job *j = job_create(s, run_revoke, fn, arg);

	j->kind = kind;
	j->texts[0] = xstrdup(id);
	job_start(j);
}

/* ------------------------------------------------------------------- audit */

static int
trim(struct job *j)
{
	sqlite3_stmt *st;

	if (++j->store->audits < TRIM_EVERY)
		return 0;
	j->store->audits = 0;
	st = statement(j,
	    "DELETE FROM audit WHERE n <= (SELECT max(n) FROM audit) - ?1");
	sqlite3_bind_int(st, 1, STORE_AUDIT_MAX);
	return finish(st);
}

static int
run_audit(struct job *j)
{
	sqlite3_stmt *st = statement(j,
	    "INSERT INTO audit (id, principal, verified, credential, source,"
	    " what, session, name, mode, outcome, began_ms, ended_ms)"
	    " VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12)"
	    " ON CONFLICT (id) DO UPDATE SET ended_ms = ?12, outcome = ?10,"
	    " mode = ?9, session = ?7, name = ?8");

	if (st == NULL)
		return -EIO;
	for (int i = 0; i < 10; i++)
		bind_text(st, i + 1, j->texts[i]);
	sqlite3_bind_int64(st, 11, j->numbers[0]);
	sqlite3_bind_int64(st, 12, j->numbers[1]);
	return finish(st) < 0 ? -EIO : trim(j);
}

void
store_audit(struct store *s, const struct store_entry *e, store_done_fn *fn,
    void *arg)
{
	struct job *j = job_create(s, run_audit, fn, arg);
	const char *const texts[] = { e->id, e->principal, e->verified,
		e->credential, e->from, e->what, e->session, e->name, e->mode,
		e->outcome };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		j->texts[i] = xstrdup(texts[i] != NULL ? texts[i] : "");
	j->numbers[0] = e->began_ms;
	j->numbers[1] = e->ended_ms;
	job_start(j);
}

static json_t *
entry_json(sqlite3_stmt *st)
{
	static const char *const names[] = { "id", "principal", "verified",
		"credential", "from", "what", "session", "name", "mode",
		"outcome" };
	int64_t began = sqlite3_column_int64(st, 10);
	int64_t ended = sqlite3_column_int64(st, 11);
	json_t *o = json_object();

	for (int i = 0; i < 10; i++)
		json_object_set_new(o, names[i], json_string(text(st, i)));
	json_object_set_new(o, "began_at", date_json(began));
	json_object_set_new(o, "ended_at", date_json(ended));
	json_object_set_new(o, "duration_ms",
	    ended != 0 ? json_integer(ended - began) : json_null());
	return o;
}

static int
run_audit_list(struct job *j)
{
	sqlite3_stmt *st = statement(j,
	    "SELECT id, principal, verified, credential, source, what, session,"
	    " name, mode, outcome, began_ms, ended_ms FROM audit"
	    " WHERE (?1 = '' OR principal = ?1)"
	    " AND (?2 = '' OR session = ?2 OR name = ?2) AND began_ms >= ?3"
	    " ORDER BY n DESC LIMIT ?4");
	int rc;

	if (st == NULL)
		return -EIO;
	bind_text(st, 1, j->texts[0]);
	bind_text(st, 2, j->texts[1]);
	sqlite3_bind_int64(st, 3, j->numbers[0]);
	sqlite3_bind_int64(st, 4, j->limit);
	j->result = json_array();
	while ((rc = sqlite3_step(st)) == SQLITE_ROW)
		json_array_append_new(j->result, entry_json(st));
	sqlite3_finalize(st);
	return rc == SQLITE_DONE ? 0 : -EIO;
}

void
store_audit_list(struct store *s, const char *principal, const char *session,
    int64_t since_ms, unsigned limit, store_done_fn *fn, void *arg)
{
	struct job *j = job_create(s, run_audit_list, fn, arg);

	j->texts[0] = xstrdup(principal);
	j->texts[1] = xstrdup(session);
	j->numbers[0] = since_ms;
	j->limit = limit;
	job_start(j);
}
