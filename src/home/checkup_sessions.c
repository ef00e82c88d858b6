#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "base/version.h"
#include "client/conn.h"
#include "home/checkup_state.h"
#include "home/damage.h"
#include "home/handle.h"
#include "session/quota.h"

/* Checks that every running session is reachable and healthy. */

#define ANSWER_MS 2000
#define SILENT_MAX 5 /* then stop waiting for hosts */

struct tour {
	struct checkup *c;
	unsigned active, reached, silent, old, lost;
};

static int
greet(struct conn *conn, int dirfd, struct error *err)
{
	struct hello hello;

	hello_init(&hello);
	hello.mode = HELLO_CONTROL;
	snprintf(hello.client, sizeof(hello.client), "tend %s", TEND_VERSION);
	return conn_open(conn, dirfd, &hello, ANSWER_MS, err);
}

/* The host reports its own state: a log that is behind, or worse. */
static void
look_at_state(struct tour *t, const struct manifest *m, struct conn *conn)
{
	auto_free char *text = NULL;
	auto_json json_t *tree = NULL;
	char code[32], fix[64];
	const char *degraded;

	if (conn_call(conn, "session.get", "{}", &text, code, NULL) < 0)
		return;
	tree = json_loads(text, 0, NULL);
	degraded = json_string_value(json_object_get(tree, "degraded"));
	snprintf(fix, sizeof(fix), "tend info %s", m->id);
	if (degraded != NULL)
		checkup_bad(t->c, CHECKUP_WARNING,
		    "the program keeps running, but part of its output is not "
		    "shown or not logged, or its screen may be wrong",
		    fix, "%s: %s", m->name, degraded);
	if (m->unkept)
		checkup_bad(t->c, CHECKUP_WARNING,
		    "the exit status of its program will not be known", fix,
		    "%s has lost its keeper", m->name);
}

static void
visit(struct tour *t, const struct manifest *m, int dirfd)
{
	struct conn conn;
	struct error err = { 0 };
	char fix[128];

	if (t->silent >= SILENT_MAX)
		return;
	if (greet(&conn, dirfd, &err) < 0) {
		t->silent++;
		snprintf(fix, sizeof(fix), "kill -9 %d", (int)m->host.pid);
		checkup_bad(t->c, CHECKUP_PROBLEM,
		    "the program runs, but you can neither see it nor type "
		    "into it",
		    m->host.pid > 0 ? fix : NULL,
		    "%s: the host does not answer: %s%s", m->name, err.msg,
		    m->host.pid > 0 ?
			" (kill it, and the keeper starts another)" :
			"");
		return;
	}
	t->reached++;
	t->old += strcmp(conn.welcome.host, "tend " TEND_VERSION) != 0;
	look_at_state(t, m, &conn);
	conn_close(&conn);
}

/* Only logs of ended sessions: the host of a running one reports damage. */
static void
look_at_log(struct tour *t, const struct manifest *m, int dirfd)
{
	char fix[64];

	snprintf(fix, sizeof(fix), "tend log %s", m->id);
	if (damage_look(t->c->report, m, dirfd, DAMAGE_DEEP))
		checkup_bad(t->c, CHECKUP_PROBLEM,
		    "the missing part is lost, unless you have a copy of its "
		    "directory; the rest can be read",
		    fix, "%s: the log is damaged", m->name);
}

static int
on_session(void *arg, const char *id)
{
	struct tour *t = arg;
	struct error err = { 0 };
	struct manifest m;
	auto_close int dirfd = home_session_dir(&t->c->handle->home, id, &err);

	manifest_init(&m);
	if (dirfd < 0 || manifest_read_now(dirfd, &m, &err) < 0) {
		checkup_bad(t->c, CHECKUP_WARNING,
		    "the session cannot be listed; its log may be complete",
		    NULL, "session %s: %s", id, err.msg);
	} else {
		t->lost += m.outcome == OUTCOME_LOST &&
		    m.status == STATUS_EXITED;
		t->active += status_is_active(m.status);
		if (damage_report_manifest(t->c->report, &m))
			checkup_bad(t->c, CHECKUP_PROBLEM,
			    "the details of the session may be wrong", NULL,
			    "%s: session.json is damaged", m.id);
		if (status_has_live_host(m.status))
			visit(t, &m, dirfd);
		else
			look_at_log(t, &m, dirfd);
	}
	manifest_finish(&m);
	return 0;
}

static void
look_at_count(struct checkup *c, unsigned active)
{
	uint64_t most = checkup_limit(c, CONFIG_MAX_SESSIONS);
	char why[80];

	if (most == 0 || active * 100ull < most * QUOTA_NEAR_PERCENT)
		return;
	snprintf(why, sizeof(why), "the limit of active sessions is %" PRIu64,
	    most);
	checkup_bad(c, CHECKUP_WARNING, why, "tend ls", "%u sessions run",
	    active);
}

static void
sum_up(struct tour *t)
{
	struct checkup *c = t->c;

	if (t->silent >= SILENT_MAX)
		checkup_bad(c, CHECKUP_PROBLEM,
		    "too many did not answer, so the others were not asked",
		    NULL, "%u of %u sessions were reached", t->reached,
		    t->active);
	else if (t->silent == 0)
		checkup_ok(c, "%u running, all answer", t->active);
	if (t->old > 0)
		checkup_bad(c, CHECKUP_WARNING,
		    "they lack the changes of this version",
		    "tend upgrade --all",
		    "%u of another version than " //
		    TEND_VERSION,
		    t->old);
	if (t->lost > 0)
		checkup_ok(c,
		    "%u lost by a reboot or a kill; 'tend rerun' starts one "
		    "again",
		    t->lost);
	look_at_count(c, t->active);
}

void
checkup_sessions(struct checkup *c)
{
	struct tour t = { .c = c };
	struct error err;

	if (!c->handle->has_home)
		checkup_ok(c, "there is no home to check");
	else if (home_each(&c->handle->home, on_session, &t, &err) < 0)
		checkup_bad(c, CHECKUP_PROBLEM, "no session can be found", NULL,
		    "%s", err.msg);
	else
		sum_up(&t);
}
