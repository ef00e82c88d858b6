#include "home/operation.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/id.h"
#include "base/json_out.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "client/batch.h"
#include "home/checkup.h"
#include "home/config.h"
#include "home/create.h"
#include "home/damage.h"
#include "home/describe.h"
#include "home/ending.h"
#include "home/excerpt.h"
#include "home/fault.h"
#include "home/gc.h"
#include "home/handle.h"
#include "home/homes.h"
#include "home/marks.h"
#include "home/next_host.h"
#include "home/output.h"
#include "home/pairs.h"
#include "home/past_screen.h"
#include "home/permit.h"
#include "home/report.h"
#include "home/rerun.h"
#include "home/sessions.h"
#include "home/steps.h"
#include "home/upgrades.h"
#include "home/variables.h"
#include "home/waiting.h"
#include "op/condition.h"
#include "op/ops.h"
#include "op/snapshot.h"
#include "session/find.h"

#define RESULT_MAX (64u << 20)
#define TEXT_KEPT (512u << 10) /* of a log, unless max_bytes is given */
#define EVENTS_KEPT (4u << 20) /* of events, unless max_bytes is given */
#define WAIT_MS 30000
#define ANSWER_MS 15000 /* beyond the timeout of the request itself */

/* A running operation. */
struct work {
	const struct operation *o;
	const json_t *args;
	struct handle handle;
	struct report *report;
	struct fault *fault;
	struct buf buf;
	struct json_out j; /* receives the result */
};

typedef int work_fn(struct work *w);

static int
put_session(struct work *w)
{
	manifest_json(&w->handle.session, &w->j);
	return 0;
}

static int
put_text(struct work *w, char *json)
{
	json_out_json(&w->j, json);
	free(json);
	return 0;
}

/* ---------------------------------------------------------------- starting */

static void
on_warning(void *arg, const char *text)
{
	report_note(arg, "%s", text);
}

/* Read the settings for each call, since a server outlives changes to them. */
static int
with_config(struct work *w, int (*start)(struct work *w, struct config *c))
{
	struct config c;
	int rc;

	config_init(&c);
	config_read(&c, on_warning, w->report);
	rc = start(w, &c);
	config_finish(&c);
	return rc < 0 ? rc : put_session(w);
}

static int
create_with(struct work *w, struct config *c)
{
	return create_from_json(&w->handle, w->args, w->o->environ, c,
	    w->report, w->fault);
}

static int
do_create(struct work *w)
{
	return with_config(w, create_with);
}

static int
rerun_with(struct work *w, struct config *c)
{
	struct rerun q = { .from = w->o->environ };
	char **env;
	int rc;

	if (pairs_of_object(w->args, "env", &env, w->fault) < 0)
		return -1;
	q.env = (const char *const *)env;
	rc = rerun_session(&w->handle, &q, c, w->report, w->fault);
	pairs_free(env);
	return rc;
}

static int
do_rerun(struct work *w)
{
	return with_config(w, rerun_with);
}

/* ----------------------------------------------------------------- listing */

static int
put_sessions(struct work *w, const struct sessions_query *q)
{
	struct sessions s;
	int rc = sessions_read(&s, &w->handle.home, q, w->report, w->fault);

	json_out_open(&w->j, '{');
	json_out_key(&w->j, "sessions");
	sessions_json(&s, &w->j);
	json_out_close(&w->j, '}');
	sessions_finish(&s);
	return rc;
}

static void
put_home(void *arg, const struct home *h, const struct sessions *s)
{
	sessions_json_home(h, s, arg);
}

static int
put_all_homes(struct work *w, const struct sessions_query *q)
{
	json_out_open(&w->j, '{');
	json_put_open(&w->j, "homes", '[');
	sessions_each_home(&w->handle.home, q, w->report, put_home, &w->j);
	json_out_close(&w->j, ']');
	json_out_close(&w->j, '}');
	return 0;
}

static int
do_list(struct work *w)
{
	struct sessions_query q = { .all = op_bool(w->args, "all", false) };
	char **labels;
	int rc;

	if (pairs_of_object(w->args, "labels", &labels, w->fault) < 0)
		return -1;
	q.labels = (const char *const *)labels;
	rc = op_bool(w->args, "all_homes", false) ? put_all_homes(w, &q) :
						    put_sessions(w, &q);
	pairs_free(labels);
	return rc;
}

static int
do_get(struct work *w)
{
	struct handle *h = &w->handle;
	char *result = NULL;

	if (status_has_live_host(h->session.status))
		result = handle_try(h, "session.get", "{}");
	if (!handle_is_gone(h))
		damage_look(w->report, &h->session, h->dirfd, DAMAGE_DEEP);
	return result != NULL ? put_text(w, result) : put_session(w);
}

static int
do_homes(struct work *w)
{
	struct homes l;

	homes_read(&l, &w->handle.home, op_bool(w->args, "all", false),
	    w->report);
	json_out_open(&w->j, '{');
	json_out_key(&w->j, "homes");
	homes_json(&l, &w->j);
	json_out_close(&w->j, '}');
	homes_finish(&l);
	return 0;
}

static int
do_forget(struct work *w)
{
	char path[PATH_MAX];

	if (homes_forget(op_string(w->args, "directory", ""), path, w->fault) <
	    0)
		return -1;
	homes_json_forgotten(path, &w->j);
	return 0;
}

/* ----------------------------------------------------------------- the log */

/* A range of a log, from the arguments. */
struct range {
	struct output q;
	char from[32], lines[24];
};

/* Only one argument may give the start of a range. */
static int
check_range(const struct work *w)
{
	static const char *const names[] = { "since", "offset", "from", "lines",
		"last" };
	const char *first = NULL;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const json_t *v = json_object_get(w->args, names[i]);

		if (!json_is_string(v) && json_integer_value(v) == 0)
			continue;
		if (first != NULL)
			return fault_set(w->fault, FAIL_USAGE,
			    "%s: give one of '%s' and '%s'", w->o->op->name,
			    first, names[i]);
		first = names[i];
	}
	return 0;
}

static int
read_range(const struct work *w, struct range *r)
{
	uint64_t since = op_number(w->args, "since", 0);
	uint64_t offset = op_number(w->args, "offset", 0);
	uint64_t lines = op_number(w->args, "lines",
	    op_number(w->args, "last", 0));

	if (check_range(w) < 0)
		return -1;
	r->q.from = op_string(w->args, "from", NULL);
	r->q.to = op_string(w->args, "to", NULL);
	if (since > 0)
		snprintf(r->from, sizeof(r->from), "%" PRIu64, since + 1);
	else if (offset > 0)
		snprintf(r->from, sizeof(r->from), "@%" PRIu64, offset);
	if (r->from[0] != '\0')
		r->q.from = r->from;
	snprintf(r->lines, sizeof(r->lines), "%" PRIu64, lines);
	if (lines > 0)
		r->q.lines = r->lines;
	return 0;
}

/* Collects a log in an excerpt. */
struct catching {
	struct buf out;
	struct excerpt text;
};

static int
keep_text(void *arg)
{
	struct catching *c = arg;

	(void)buf_append(&c->text.text, c->out.data, c->out.len);
	buf_clear(&c->out);
	excerpt_trim(&c->text);
	return 0;
}

static void
put_caught(struct work *w, const struct excerpt *e, bool raw,
    const struct output_end *end)
{
	size_t len;
	const char *p = excerpt_text(e, &len);
	bool is_text = !raw || utf8_valid(p, len);

	json_out_open(&w->j, '{');
	json_out_key(&w->j, !raw ? "text" : is_text ? "data" : "data_base64");
	if (is_text) {
		json_out_string(&w->j, p, len);
	} else {
		buf_putc(&w->buf, '"');
		base64_encode(&w->buf, (const uint8_t *)p, len);
		buf_putc(&w->buf, '"');
		w->j.comma = true;
	}
	json_put_number(&w->j, "left_out", e->left_out);
	if (e->left_out > 0)
		json_put_bool(&w->j, "truncated", true);
	if (end->known) {
		json_put_number(&w->j, "next_seq", end->seq);
		json_put_number(&w->j, "next_offset", end->offset);
	}
	json_out_close(&w->j, '}');
}

/* A damaged log gives a partial answer; the damage is in the report. */
static bool
is_partial(const struct work *w, int rc)
{
	return rc < 0 && w->fault->failure == FAIL_REPLAY &&
	    w->report->damage.len > 0;
}

static int
do_output(struct work *w)
{
	bool raw = op_bool(w->args, "raw", false);
	struct range r = { .q.form = raw ? OUTPUT_RAW : OUTPUT_TEXT };
	struct catching c;
	struct output_end end = { 0 };
	struct output_to to = { &c.out, keep_text, NULL, &c, &end };
	int rc;

	if (read_range(w, &r) < 0)
		return -1;
	buf_init(&c.out, RESULT_MAX);
	excerpt_init(&c.text, op_number(w->args, "skip", 0),
	    (size_t)op_number(w->args, "max_bytes", TEXT_KEPT));
	rc = output_run(&w->handle, &r.q, &to, w->report, w->fault);
	if (is_partial(w, rc) && c.text.text.len > 0)
		rc = 0;
	if (rc >= 0)
		put_caught(w, &c.text, raw, &end);
	buf_finish(&c.out);
	excerpt_finish(&c.text);
	return rc < 0 ? -1 : 0;
}

/* Collects events in an array: whole lines, up to a limit. */
struct gathering {
	struct buf out;
	struct json_out *j;
	size_t left;
	bool truncated;
	uint64_t seq; /* of the last one; 0: none */
};

static int
gather(void *arg)
{
	struct gathering *g = arg;
	char *p = (char *)g->out.data, *end;
	size_t left = g->out.len;

	while (!g->truncated && left > 0 &&
	    (end = memchr(p, '\n', left)) != NULL) {
		size_t len = (size_t)(end + 1 - p);

		if (len > g->left) {
			g->truncated = true;
			break;
		}
		*end = '\0';
		(void)sscanf(p, "{\"seq\":%" SCNu64, &g->seq);
		json_out_json(g->j, p);
		g->left -= len;
		p += len;
		left -= len;
	}
	buf_clear(&g->out);
	return g->truncated;
}

static int
do_events(struct work *w)
{
	struct range r = { .q.form = OUTPUT_EVENTS,
		.q.no_output = op_bool(w->args, "no_output", false) };
	struct gathering g = { .j = &w->j,
		.left = (size_t)op_number(w->args, "max_bytes", EVENTS_KEPT) };
	struct output_end end = { 0 };
	struct output_to to = { &g.out, gather, NULL, &g, &end };
	int rc;

	if (read_range(w, &r) < 0)
		return -1;
	buf_init(&g.out, RESULT_MAX);
	json_out_open(&w->j, '{');
	json_put_open(&w->j, "events", '[');
	rc = output_run(&w->handle, &r.q, &to, w->report, w->fault);
	if (is_partial(w, rc))
		rc = 0;
	json_out_close(&w->j, ']');
	json_put_bool(&w->j, "truncated", g.truncated);
	/* Events that were left out have been read, too. */
	if (!g.truncated && end.known)
		g.seq = end.seq;
	if (g.seq > 0)
		json_put_number(&w->j, "next_seq", g.seq);
	json_out_close(&w->j, '}');
	buf_finish(&g.out);
	return rc < 0 ? -1 : 0;
}

static int
do_marks(struct work *w)
{
	int rc;

	json_out_open(&w->j, '{');
	json_out_key(&w->j, "marks");
	rc = marks_json(&w->handle, &w->j, w->fault);
	json_out_close(&w->j, '}');
	return rc;
}

static int
do_environment(struct work *w)
{
	enum variables_of of = op_bool(w->args, "program", false) ?
	    VARIABLES_OF_PROGRAM :
	    VARIABLES_OF_VISITOR;
	int rc;

	json_out_open(&w->j, '{');
	json_out_key(&w->j, "variables");
	rc = variables_json(&w->handle, of, &w->j, w->fault);
	json_out_close(&w->j, '}');
	return rc;
}

/* -------------------------------------------------------------- the screen */

static int
shoot(struct work *w, const char *at)
{
	struct snapshot want;
	struct error err;
	struct past_screen s;
	int rc;

	if (snapshot_read(&want, w->args, &err) < 0)
		return fault_set(w->fault, FAIL_USAGE, "%s", err.msg);
	rc = past_screen_take(&s, &w->handle, &want, at, w->report, w->fault);
	if (rc == 0)
		rc = past_screen_put(&s, &want, &w->j, w->fault);
	past_screen_finish(&s);
	return rc;
}

static int
do_snapshot(struct work *w)
{
	const char *at = op_string(w->args, "at", NULL);
	auto_free char *args = NULL;
	char *result = NULL;

	if (at == NULL && status_has_live_host(w->handle.session.status)) {
		args = json_dumps(w->args, JSON_COMPACT);
		if (handle_ask_live(&w->handle, w->o->op->name, args, &result,
			w->fault) < 0)
			return -1;
	}
	return result != NULL ? put_text(w, result) : shoot(w, at);
}

/* ----------------------------------------------------------------- waiting */

/* The arguments of session.wait, with a timeout; NULL and the fault. */
static json_t *
conditions(const struct work *w)
{
	json_t *args = json_copy((json_t *)w->args);
	struct condition c;
	struct error err;

	json_object_del(args, "sessions");
	json_object_del(args, "any");
	if (json_object_get(args, "timeout_ms") == NULL)
		json_object_set_new(args, "timeout_ms", json_integer(WAIT_MS));
	if (condition_read(&c, args, CONDITION_ARGUMENTS, &err) < 0) {
		fault_set(w->fault, FAIL_USAGE, "%s: %s", w->o->op->name,
		    err.msg);
		json_decref(args);
		return NULL;
	}
	condition_finish(&c);
	return args;
}

static int
do_wait(struct work *w)
{
	auto_json json_t *args = conditions(w);
	struct waiting_one one = { .handle = &w->handle };
	struct waiting in = { .report = w->report,
		.fault = w->fault,
		.ones = &one,
		.n = 1,
		.args = args,
		.cancel_fd = w->o->cancel_fd };
	int rc = args == NULL ? -1 : waiting_run(&in);

	if (rc == 0)
		put_text(w, json_dumps(one.result, JSON_COMPACT));
	json_decref(one.result);
	return rc;
}

static int
find(struct handle *h, const char *name, bool destroyed, struct fault *f)
{
	char id[ID_SIZE];

	if (handle_open_home(h, false, f) < 0)
		return -1;
	return handle_find(h, name,
	    destroyed && id_parse(name, id) == 0 ? FIND_DESTROYED : 0, f);
}

/* A handle for the caller of the operation. */
static void
init_handle(struct handle *h, const struct operation *o)
{
	handle_init(h, o->home);
	h->cancel_fd = o->cancel_fd;
	h->principal = o->principal;
	h->verified = o->verified;
}

static int
wait_for_all(struct work *w, struct waiting *in, struct handle *handles,
    const json_t *names)
{
	const json_t *name;
	size_t i;

	json_array_foreach(names, i, name)
	{
		init_handle(&handles[i], w->o);
		in->ones[in->n++].handle = &handles[i];
		if (find(&handles[i], json_string_value(name), true, w->fault) <
		    0)
			return -1;
	}
	return waiting_run(in);
}

static int
do_wait_for_several(struct work *w)
{
	const json_t *names = json_object_get(w->args, "sessions");
	size_t n = json_array_size(names);
	auto_json json_t *args = conditions(w);
	auto_free struct handle *handles = xcalloc(n + 1, sizeof(*handles));
	auto_free struct waiting_one *ones = xcalloc(n + 1, sizeof(*ones));
	struct waiting in = { .report = w->report,
		.fault = w->fault,
		.ones = ones,
		.args = args,
		.any = op_bool(w->args, "any", false),
		.cancel_fd = w->o->cancel_fd };
	int rc = args == NULL ? -1 : wait_for_all(w, &in, handles, names);

	if (rc == 0)
		waiting_json(&in, &w->j);
	for (size_t i = 0; i < in.n; i++) {
		json_decref(ones[i].result);
		handle_finish(&handles[i]);
	}
	return rc;
}

/* ----------------------------------------------------------------- driving */

static int
do_batch(struct work *w)
{
	struct error err = { 0 };
	struct batch *b;
	int rc;

	b = batch_create(json_object_get(w->args, "steps"), &err);
	if (b == NULL)
		return fault_set(w->fault, FAIL_USAGE, "%s", err.msg);
	rc = steps_run(&w->handle, b, op_bool(w->args, "keep_going", false),
	    w->fault);
	if (rc == 0)
		batch_put(b, &w->j);
	batch_destroy(b);
	return rc;
}

/* The host answers; an ended session cannot. */
static int
ask_host(struct work *w)
{
	auto_free char *args = json_dumps(w->args, JSON_COMPACT);
	char *result = NULL;

	if (handle_connect(&w->handle, w->fault) < 0)
		return -1;
	w->handle.conn.timeout_ms = operation_limit_ms(w->o->op, w->args);
	if (handle_ask(&w->handle, w->o->op->name, args, &result, w->fault) < 0)
		return -1;
	return put_text(w, result);
}

static int
do_rename(struct work *w)
{
	char *result = NULL;

	if (describe_rename(&w->handle, op_string(w->args, "name", ""), &result,
		w->fault) < 0)
		return -1;
	return put_text(w, result);
}

/* A null label is removed, written as KEY=. */
static int
do_label(struct work *w)
{
	json_t *object = json_object_get(w->args, "labels"), *v;
	auto_json json_t *texts = json_object();
	auto_json json_t *args = json_object();
	char **labels = NULL, *result = NULL;
	const char *key;
	int rc;

	json_object_foreach(object, key, v)
	{
		json_object_set_new(texts, key,
		    json_is_null(v) ? json_string("") : json_incref(v));
	}
	json_object_set(args, "labels", texts);
	rc = pairs_of_object(args, "labels", &labels, w->fault);
	if (rc == 0)
		rc = describe_label(&w->handle, (const char *const *)labels,
		    &result, w->fault);
	pairs_free(labels);
	return rc < 0 ? -1 : put_text(w, result);
}

static int
end_by(struct work *w, enum ending_how how)
{
	const struct ending e = {
		.how = how,
		.grace_ms = (uint32_t)op_number(w->args, "grace_ms",
		    ENDING_GRACE_MS),
		.interrupt = op_bool(w->args, "interrupt", false),
		.purge = op_bool(w->args, "purge", false),
	};

	if (ending_run(&w->handle, &e, w->fault) < 0)
		return -1;
	return put_session(w);
}

static int
do_stop(struct work *w)
{
	return end_by(w, ENDING_STOP);
}

static int
do_kill(struct work *w)
{
	return end_by(w, ENDING_KILL);
}

static int
do_destroy(struct work *w)
{
	return end_by(w, ENDING_DESTROY);
}

static int
do_gc(struct work *w)
{
	struct gc_request q = GC_NOTHING;
	struct gc g;
	int rc;

	q.all = op_bool(w->args, "all", false);
	q.dry = op_bool(w->args, "dry_run", false);
	q.budget = op_number(w->args, "budget", UINT64_MAX);
	if (json_object_get(w->args, "older_than_ms") != NULL)
		q.age_ms = (int64_t)op_number(w->args, "older_than_ms", 0);
	if (!gc_acts(&q) || (q.all && q.age_ms >= 0))
		return fault_set(w->fault, FAIL_USAGE,
		    "home.gc: give 'older_than' or 'all', 'budget', or both");
	gc_init(&g, &w->handle.home);
	rc = gc_run(&g, &q, w->report, w->fault);
	if (rc == 0)
		gc_json(&g, &w->j);
	gc_finish(&g);
	return rc;
}

static void
put_finding(void *arg, const struct checkup_finding *f)
{
	checkup_finding_json(f, arg);
}

/* A home that cannot be opened is a finding. */
static int
do_check(struct work *w)
{
	struct config config;
	struct checkup c = { .handle = &w->handle,
		.config = &config,
		.report = w->report,
		.fn = put_finding,
		.arg = &w->j };

	config_init(&config);
	json_out_open(&w->j, '{');
	json_put_open(&w->j, "checks", '[');
	checkup_run(&c);
	json_out_close(&w->j, ']');
	checkup_counts_json(&c, &w->j);
	json_out_close(&w->j, '}');
	config_finish(&config);
	return 0;
}

/* --------------------------------------------------------------- next host */

static int
do_revive(struct work *w)
{
	struct next_host n;

	if (next_host_revive_one(&n, &w->handle, w->fault) < 0)
		return -1;
	next_host_json(&n, &w->handle.session, &w->j);
	return 0;
}

static int
do_upgrade(struct work *w)
{
	auto_close int program = next_host_open(op_string(w->args, "program",
						    NULL),
	    w->fault);
	struct next_host n;

	if (program < 0 ||
	    next_host_upgrade_one(&n, &w->handle, program, w->fault) < 0)
		return -1;
	next_host_json(&n, &w->handle.session, &w->j);
	return 0;
}

static int
do_upgrade_all(struct work *w)
{
	auto_close int program = next_host_open(op_string(w->args, "program",
						    NULL),
	    w->fault);
	struct upgrades u;

	if (program < 0 ||
	    upgrades_run(&u, &w->handle, program, NULL, NULL, w->fault) < 0)
		return -1;
	json_out_open(&w->j, '{');
	json_out_key(&w->j, "sessions");
	upgrades_json(&u, &w->j);
	json_out_close(&w->j, '}');
	upgrades_finish(&u);
	return 0;
}

/* --------------------------------------------------------------- the table */

enum needs {
	HOME = 1 << 0,      /* open the home, if it exists */
	SESSION = 1 << 1,   /* find the session */
	DESTROYED = 1 << 2, /* find it by full id, even if destroyed */
	READS = SESSION | DESTROYED,
	LIVE = 1 << 3,  /* the host answers while the session is active */
	STEPS = 1 << 4, /* cancelling it ends it between two steps */
};

/* All operations that need more than the session's host. */
static const struct {
	work_fn *run;
	unsigned needs;
} works[OP_COUNT] = {
	[OP_ID_session_create] = { do_create, 0 },
	[OP_ID_session_rerun] = { do_rerun, READS },
	[OP_ID_session_list] = { do_list, HOME },
	[OP_ID_session_output] = { do_output, READS },
	[OP_ID_session_events] = { do_events, READS },
	[OP_ID_session_marks] = { do_marks, READS },
	[OP_ID_session_environment] = { do_environment, SESSION },
	[OP_ID_session_batch] = { do_batch, SESSION | STEPS },
	[OP_ID_session_get] = { do_get, READS | LIVE },
	[OP_ID_session_snapshot] = { do_snapshot, READS | LIVE },
	[OP_ID_session_wait] = { do_wait, READS | LIVE },
	[OP_ID_session_stop] = { do_stop, SESSION },
	[OP_ID_session_kill] = { do_kill, SESSION },
	[OP_ID_session_destroy] = { do_destroy, READS },
	[OP_ID_session_rename] = { do_rename, SESSION },
	[OP_ID_session_label] = { do_label, SESSION },
	[OP_ID_session_upgrade] = { do_upgrade, SESSION },
	[OP_ID_session_revive] = { do_revive, SESSION },
	[OP_ID_home_wait] = { do_wait_for_several, 0 },
	[OP_ID_home_list] = { do_homes, HOME },
	[OP_ID_home_forget] = { do_forget, 0 },
	[OP_ID_home_upgrade] = { do_upgrade_all, HOME },
	[OP_ID_home_check] = { do_check, 0 },
	[OP_ID_home_gc] = { do_gc, HOME },
};

static unsigned
needs_of(const struct op *op)
{
	return works[op - ops].run != NULL ? works[op - ops].needs : SESSION;
}

enum operation_by
operation_by(const struct operation *o)
{
	if (works[o->op - ops].run == NULL)
		return OPERATION_BY_HOST;
	return (needs_of(o->op) & LIVE) &&
		op_check_socket(o->op, o->args, NULL) == 0 ?
	    OPERATION_BY_HOST_OR_HOME :
	    OPERATION_BY_HOME;
}

bool
operation_ends(const struct op *op)
{
	return op->permission == OP_OBSERVE || (needs_of(op) & STEPS);
}

int
operation_find(const struct operation *o, struct handle *h, struct fault *f)
{
	if (o->session == NULL)
		return fault_set(f, FAIL_USAGE,
		    "%s needs 'session', the id or name of one", o->op->name);
	return find(h, o->session, needs_of(o->op) & DESTROYED, f);
}

static int
prepare(struct work *w)
{
	unsigned needs = needs_of(w->o->op);

	if (needs & SESSION)
		return operation_find(w->o, &w->handle, w->fault);
	return needs & HOME ? handle_open_home(&w->handle, false, w->fault) : 0;
}

static int
take_result(struct work *w, json_t **result)
{
	if (w->buf.full)
		return fault_set(w->fault, FAIL_USAGE,
		    "the answer is too large; ask for less");
	*result = json_loadb((const char *)w->buf.data, w->buf.len,
	    JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
	return *result != NULL ?
	    0 :
	    fault_set(w->fault, FAIL_PROTOCOL, "%s: the answer is not JSON",
		w->o->op->name);
}

static int
check_granted(const struct operation *o, struct fault *f)
{
	unsigned missing = op_needs(o->op, o->args) & ~o->granted;

	for (unsigned p = 0; p < OP_PERMISSIONS; p++)
		if (missing & 1u << p)
			return fault_set(f, FAIL_DENIED,
			    "%s needs the permission '%s'", o->op->name,
			    op_permission_name(p));
	return 0;
}

/* A name that does not fit would become that of somebody else. */
static int
check_principal(const struct operation *o, struct fault *f)
{
	struct hello h;

	if ((o->principal != NULL &&
		strlen(o->principal) >= sizeof(h.principal)) ||
	    (o->verified != NULL && strlen(o->verified) >= sizeof(h.verified)))
		return fault_set(f, FAIL_USAGE,
		    "the name of the principal is too long");
	return 0;
}

/* It would take effect and be undone with the connection, at once. */
static int
check_lasting(const struct operation *o, struct fault *f)
{
	const char *why = o->op->left_out[OP_FLEET];

	if (o->op->runner == OP_BY_HUB)
		return fault_set(f, FAIL_USAGE,
		    "%s is an operation of a hub; \"tend hub start\" starts "
		    "one",
		    o->op->name);
	return why == NULL ? 0 :
			     fault_set(f, FAIL_USAGE,
				 "a home cannot do %s: %s; use the session's "
				 "own socket",
				 o->op->name, why);
}

int
operation_check(const struct operation *o, struct fault *f)
{
	if (check_granted(o, f) < 0 || check_principal(o, f) < 0)
		return -1;
	return check_lasting(o, f);
}

int
operation_run(const struct operation *o, struct report *r, json_t **result,
    struct fault *f)
{
	work_fn *run = works[o->op - ops].run;
	auto_json json_t *none = json_object();
	struct work w = { .o = o,
		.args = o->args != NULL ? o->args : none,
		.report = r,
		.fault = f };
	int rc;

	init_handle(&w.handle, o);
	buf_init(&w.buf, RESULT_MAX);
	json_out_init(&w.j, &w.buf);
	rc = operation_check(o, f);
	if (rc == 0)
		rc = prepare(&w);
	if (rc == 0)
		rc = permit_operation(&w.handle.home,
		    needs_of(o->op) & SESSION ? &w.handle.session : NULL,
		    op_needs(o->op, w.args), f);
	if (rc == 0)
		rc = run != NULL ? run(&w) : ask_host(&w);
	if (rc == 0)
		rc = take_result(&w, result);
	handle_finish(&w.handle);
	buf_finish(&w.buf);
	return rc;
}

/* A command without a timeout may run for ever; everything else ends. */
int64_t
operation_limit_ms(const struct op *op, const json_t *args)
{
	uint64_t ms = op_number(args, "timeout_ms",
	    op == &ops[OP_ID_session_exec] ? CONN_NO_LIMIT : 0);

	return ms < CONN_NO_LIMIT - ANSWER_MS ? (int64_t)ms + ANSWER_MS :
						CONN_NO_LIMIT;
}
