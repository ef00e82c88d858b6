#include "hub/api.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/json_out.h"
#include "base/json_tree.h"
#include "base/list.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "home/fault.h"
#include "home/operation.h"
#include "home/report.h"
#include "hub/access.h"
#include "hub/api_query.h"
#include "hub/audit.h"
#include "hub/credentials.h"
#include "hub/directory.h"
#include "hub/exchange.h"
#include "hub/follow.h"
#include "hub/hub.h"
#include "hub/identity.h"
#include "hub/launcher.h"
#include "hub/listing.h"
#include "op/failure.h"
#include "op/ops.h"
#include "op/visible.h"
#include "session/find.h"
#include "session/manifest.h"
#include "web/http.h"

#define LIST_MAX (16u << 20)

const struct op *
api_operation(const char *path)
{
	char name[64];
	const char *slash;
	const struct op *op;

	if (strncmp(path, API_PATH, strlen(API_PATH)) != 0)
		return NULL;
	path += strlen(API_PATH);
	slash = strchr(path, '/');
	if (slash == NULL || strchr(slash + 1, '/') != NULL ||
	    strchr(path, '.') != NULL ||
	    (size_t)snprintf(name, sizeof(name), "%.*s.%s", (int)(slash - path),
		path, slash + 1) >= sizeof(name))
		return NULL;
	op = op_find(name);
	return op != NULL && op_has(op, OP_HTTP) ? op : NULL;
}

/* ----------------------------------------------------------------- targets */

static int
not_found(const char *session, struct fault *f)
{
	return fault_set(f, FAIL_NOT_FOUND, "there is no session \"%.100s\"",
	    session);
}

/* By its id, without reading files; false: it is not known, or not an id. */
static bool
find_known(struct hub *hub, const char *session, struct api_target *out)
{
	const struct directory_session *s;

	if (!id_is_valid(session))
		return false;
	follow_look(hub->follow, session);
	s = directory_find(hub->directory, session);
	if (s == NULL)
		return false;
	snprintf(out->id, sizeof(out->id), "%s", s->id);
	snprintf(out->name, sizeof(out->name), "%s", s->name);
	out->active = s->active;
	return true;
}

static int
find_in_files(struct hub *hub, const struct identity *who, const char *session,
    struct api_target *out, struct fault *f)
{
	auto_close int dirfd = -1;
	struct manifest m;
	struct error err;
	int rc = find_session(&hub->home, session, FIND_DESTROYED, &m, &dirfd,
	    &err);

	/* Candidates that the client may not see are no hint for it. */
	if (rc == -ENOENT || (rc == -ENOTUNIQ && !access_sees_all(who)))
		return not_found(session, f);
	if (rc < 0)
		return fault_set(f, rc == -ENOTUNIQ ? FAIL_USAGE : FAIL_STORAGE,
		    "%s", err.msg);
	snprintf(out->id, sizeof(out->id), "%s", m.id);
	snprintf(out->name, sizeof(out->name), "%s", m.name);
	out->active = status_is_active(m.status);
	manifest_finish(&m);
	return 0;
}

int
api_find(struct hub *hub, const struct identity *who, const char *session,
    struct api_target *out, struct fault *f)
{
	if (!find_known(hub, session, out) &&
	    find_in_files(hub, who, session, out, f) < 0)
		return -1;
	out->granted = access_permissions(hub->access, who, out->id, out->name);
	return out->granted != 0 ? 0 : not_found(session, f);
}

bool
api_has_session(const struct op *op)
{
	if (op_has(op, OP_SOCKET))
		return true;
	return strncmp(op->name, "session.", 8) == 0 &&
	    op != &ops[OP_ID_session_create] && op != &ops[OP_ID_session_list];
}

/* ------------------------------------------------------------------- calls */

struct api_call {
	struct list link; /* hub->guests, if it is counted there */
	struct hub *hub;
	const struct op *op;
	struct identity who;
	unsigned needs;            /* permissions, 1 << OP_… each */
	unsigned granted;          /* on its target */
	char session[ID_SIZE];     /* its target; "": the home */
	json_t *sessions;          /* ids of home.wait; NULL: none */
	struct audit_entry *entry; /* NULL: one read among others */
	struct hub_hook hook;
	calls_done_fn *fn;
	void *arg;
	/* One of these: */
	struct calling *calling;
	struct launch_call *launch;
	struct hub_call *own;
};

/* The permissions of a client on a session of an answer. */
static unsigned
rights_on(void *arg, const char *id, const char *name)
{
	const struct api_call *c = arg;

	return access_permissions(c->hub->access, &c->who, id, name);
}

/* Typed text is for those who may type; the log has more than the screen. */
static void
hide_input(const struct api_call *c, json_t *result)
{
	json_t *e;
	size_t i;

	if (c->op != &ops[OP_ID_session_events] ||
	    (c->granted & (1u << OP_DRIVE)))
		return;
	json_array_foreach(json_object_get(result, "events"), i, e)
	{
		const char *type = json_string_value(
		    json_object_get(e, "type"));

		if (type == NULL || strcmp(type, "input") != 0)
			continue;
		json_object_del(e, "data");
		json_object_del(e, "data_base64");
	}
}

/* Leave in an answer only what the client may see. */
static void
filter(struct api_call *c, json_t *result)
{
	const struct visible by = { .granted = c->granted,
		.rights = rights_on,
		.arg = c };

	visible_limit(&by, c->op->result, result);
	hide_input(c, result);
}

static void
call_end(struct api_call *c, enum audit_outcome outcome)
{
	list_remove(&c->hook.link);
	list_remove(&c->link);
	audit_end(c->entry, outcome);
	json_decref(c->sessions);
	free(c);
}

static void
on_done(void *arg, const struct calls_answer *a)
{
	struct api_call *c = arg;

	if (a->result != NULL && c->needs & (1u << OP_CREATE))
		audit_about(c->entry, op_string(a->result, "id", ""),
		    op_string(a->result, "name", ""));
	if (a->result != NULL &&
	    (c->who.scope != OP_EVERY_PERMISSION || !access_sees_all(&c->who)))
		filter(c, a->result);
	c->fn(c->arg, a);
	call_end(c, a->result != NULL ? AUDIT_ALLOWED : AUDIT_FAILED);
}

static int
deny(const struct op *op, unsigned lacks, struct fault *f)
{
	enum op_permission p = 0;

	while (!(lacks & (1u << p)))
		p++;
	return fault_set(f, FAIL_DENIED, "%s needs the permission %s", op->name,
	    op_permission_name(p));
}

/* Several sessions of one operation: each must be visible. */
static int
check_sessions(struct hub *hub, const struct api_request *r, struct fault *f)
{
	json_t *list = json_object_get(r->args, "sessions");
	struct api_target t;

	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *s = json_string_value(json_array_get(list, i));

		if (api_find(hub, r->who, s, &t, f) < 0)
			return -1;
		if (!(t.granted & (1u << OP_OBSERVE)))
			return deny(r->op, 1u << OP_OBSERVE, f);
		json_array_set_new(list, i, json_string(t.id));
	}
	return 0;
}

/* Everybody who is verified may use these; they show what the caller may see. */
static bool
is_for_all(const struct op *op)
{
	return op == &ops[OP_ID_session_list] || op == &ops[OP_ID_home_wait] ||
	    op == &ops[OP_ID_identity_get];
}

/* The permissions of a client for an operation of the home. */
static unsigned
home_permissions(const struct hub *hub, const struct identity *who,
    const struct op *op)
{
	unsigned granted = access_home(hub->access, who);

	if (is_for_all(op) && access_is_valid(hub->access, who))
		granted |= 1u << OP_OBSERVE;
	return granted;
}

/* A link gives no permission that its maker does not have. */
static int
check_share(const struct api_request *r, const struct api_target *shared,
    struct fault *f)
{
	unsigned gives = 1u << OP_OBSERVE |
	    (json_is_true(json_object_get(r->args, "drive")) ? 1u << OP_DRIVE :
							       0);
	unsigned lacks = gives & ~shared->granted;

	return lacks == 0 ? 0 : deny(r->op, lacks, f);
}

/* An operation of the home. */
static int
resolve_home(struct hub *hub, const struct api_request *r, struct api_target *t,
    struct fault *f)
{
	const char *session = op_string(r->args, "session", NULL);
	struct api_target shared;
	struct type_field field;

	t->granted = home_permissions(hub, r->who, r->op);
	if (json_object_get(r->args, "session") == NULL)
		return 0;
	if (!op_find_argument(r->op, "session", &field))
		return fault_argument(f, "session",
		    ": %s is not about one session", r->op->name);
	/* The audit also knows sessions that were removed. */
	if (r->op != &ops[OP_ID_share_create] || session == NULL)
		return 0;
	if (api_find(hub, r->who, session, &shared, f) < 0)
		return -1;
	memcpy(t->id, shared.id, sizeof(t->id));
	memcpy(t->name, shared.name, sizeof(t->name));
	return check_share(r, &shared, f);
}

/*
 * Find the target and the permissions; `session` leaves the arguments.  The id
 * is used from here on, so that a rename cannot change the target.
 */
static int
resolve(struct hub *hub, const struct api_request *r, struct api_target *t,
    struct fault *f)
{
	json_t *session = json_object_get(r->args, "session");

	t->id[0] = t->name[0] = '\0';
	t->active = false;
	if (!api_has_session(r->op))
		return resolve_home(hub, r, t, f);
	if (!json_is_string(session))
		return fault_argument(f, "session",
		    " must be the id or the name of a session");
	if (api_find(hub, r->who, json_string_value(session), t, f) < 0)
		return -1;
	json_object_del(r->args, "session");
	return 0;
}

/* Rights depend on names, so nobody gives a session a name that gives it more. */
static int
check_name(struct hub *hub, const struct api_request *r,
    const struct api_target *t, struct fault *f)
{
	const char *name = op_string(r->args, "name", NULL);
	unsigned gains;

	if (r->op != &ops[OP_ID_session_rename] || name == NULL)
		return 0;
	gains = access_permissions(hub->access, r->who, t->id, name) &
	    ~t->granted;
	if (gains == 0)
		return 0;
	return fault_set(f, FAIL_DENIED,
	    "with this name the caller would have more permissions on the "
	    "session");
}

/* An invisible session must not be found by trying to create it. */
static void
check_reuse(struct hub *hub, const struct api_request *r)
{
	const char *name = op_string(r->args, "name", NULL);
	struct api_target t;
	struct fault f;

	if (r->op == &ops[OP_ID_session_create] && name != NULL &&
	    (api_find(hub, r->who, name, &t, &f) < 0 ||
		!(t.granted & (1u << OP_OBSERVE))))
		json_object_del(r->args, "reuse");
}

static int
check(struct hub *hub, const struct api_request *r, struct api_target *t,
    unsigned *needs, struct fault *f)
{
	struct error err;
	unsigned lacks;

	if (resolve(hub, r, t, f) < 0)
		return -1;
	if (op_take_arguments(r->op, r->args, &err) < 0)
		return fault_set(f, FAIL_USAGE, "%s", err.msg);
	*needs = op_needs(r->op, r->args);
	lacks = *needs & ~t->granted;
	if (lacks != 0)
		return deny(r->op, lacks, f);
	if (op_bool(r->args, "all_homes", false) && !access_sees_all(r->who))
		return deny(r->op, 1u << OP_ADMIN, f);
	check_reuse(hub, r);
	if (check_name(hub, r, t, f) < 0)
		return -1;
	return check_sessions(hub, r, f);
}

static struct audit_use
use_of(const struct api_request *r, const struct api_target *t)
{
	return (struct audit_use){ .who = r->who,
		.from = r->from,
		.what = r->op->name,
		.session = t->id,
		.name = t->name,
		.mode = op_permission_name(r->op->permission) };
}

int
api_check(struct hub *hub, const struct api_request *r, struct api_target *t,
    unsigned *needs, struct fault *f)
{
	*needs = 0;
	if (check(hub, r, t, needs, f) < 0) {
		const struct audit_use use = use_of(r, t);

		/* Wrong arguments are no denial, nor are wrong names. */
		if (f->failure == FAIL_DENIED ||
		    (f->failure == FAIL_NOT_FOUND && t->id[0] != '\0'))
			audit_denied(hub->audit, &use);
		return -1;
	}
	return 0;
}

struct audit_entry *
api_audit(struct hub *hub, const struct api_request *r,
    const struct api_target *t)
{
	const struct audit_use use = use_of(r, t);

	return audit_begin(hub->audit, &use, AUDIT_ALLOWED);
}

/* True if the client still has these permissions on a session. */
static bool
has_permissions(struct hub *hub, const struct identity *who,
    const char *session, unsigned needs)
{
	struct api_target t;
	struct fault f;

	return api_find(hub, who, session, &t, &f) == 0 &&
	    (needs & ~t.granted) == 0;
}

static bool
is_allowed(const struct api_call *c)
{
	if (c->session[0] != '\0')
		return has_permissions(c->hub, &c->who, c->session, c->needs);
	for (size_t i = 0; i < json_array_size(c->sessions); i++) {
		if (!has_permissions(c->hub, &c->who,
			json_string_value(json_array_get(c->sessions, i)),
			1u << OP_OBSERVE))
			return false;
	}
	return (c->needs & ~home_permissions(c->hub, &c->who, c->op)) == 0;
}

/* The rights have changed: end the call if it needs those that are gone. */
static void
on_reconsider(void *arg)
{
	struct api_call *c = arg;
	struct report r;
	struct fault f;
	const struct calls_answer a = { .fault = &f, .report = &r };

	/* Anything else is carried out. */
	if (c->calling == NULL || is_allowed(c))
		return;
	report_init(&r, NULL, NULL);
	fault_set(&f, FAIL_DENIED, "the permission for %s was taken away",
	    c->op->name);
	calls_cancel(c->calling);
	c->fn(c->arg, &a);
	report_finish(&r);
	call_end(c, AUDIT_REVOKED);
}

/* Record a call, and watch for changes of its rights. */
static void
call_begin(struct api_call *c, const struct api_request *r,
    const struct api_target *t)
{
	const struct audit_use use = use_of(r, t);

	c->hook.fn = on_reconsider;
	c->hook.arg = c;
	hub_on_reconsider(c->hub, &c->hook);
	if (c->needs != 1u << OP_OBSERVE)
		c->entry = api_audit(c->hub, r, t);
	else if (c->op != &ops[OP_ID_identity_get])
		audit_read(c->hub->audit, &use);
}

static int
run(struct api_call *c, const struct api_request *r, const struct api_target *t,
    struct fault *f)
{
	struct hub *hub = c->hub;
	struct operation o = { .op = r->op,
		.home = hub->home.path,
		.session = json_filled(t->id),
		.is_active = t->active,
		.args = r->args,
		.environ = hub->no_environ,
		.granted = t->granted,
		.principal = json_filled(r->who->principal),
		.verified = json_filled(r->who->verified) };

	if (o.principal == NULL)
		o.verified = NULL;
	if (r->op->runner == OP_BY_HUB)
		return credentials_start(hub, r->op, r->args, t->id, r->who,
		    on_done, c, &c->own, f);
	if (launcher_runs(&o))
		return launcher_start(hub->launcher, &o, on_done, c, &c->launch,
		    f);
	return calls_start(hub->calls, &o, on_done, c, &c->calling, f);
}

/* A guest's call that may take long: other ones end soon. */
static bool
is_counted(const struct api_request *r)
{
	struct type_field timeout;

	return !access_sees_all(r->who) &&
	    op_find_argument(r->op, "timeout", &timeout);
}

/*
 * Each wait for a session needs a connection to its host, and each one for
 * several a thread.  There are few of both.
 */
static int
check_room(struct hub *hub, const struct api_request *r,
    const struct api_target *t, struct fault *f)
{
	unsigned most = t->id[0] != '\0' ? API_GUESTS : API_GUESTS_HOME;
	unsigned n = 0;

	if (!is_counted(r))
		return 0;
	list_for_each(it, &hub->guests) {
		const struct api_call *c = container_of(it, struct api_call,
		    link);

		n += strcmp(c->session, t->id) == 0;
	}
	if (n >= most ||
	    calls_count(hub->calls) >= access_share(r->who, HUB_CALLS_MAX))
		return fault_set(f, FAIL_BUSY,
		    "too many calls of guests are under way; try again soon");
	return 0;
}

int
api_start(struct hub *hub, const struct api_request *r, calls_done_fn *fn,
    void *arg, struct api_call **call, struct fault *f)
{
	struct api_target t;
	struct api_call *c;
	unsigned needs;

	if (api_check(hub, r, &t, &needs, f) < 0)
		return -1;
	if (check_room(hub, r, &t, f) < 0)
		return -1;
	c = xcalloc(1, sizeof(*c));
	*c = (struct api_call){ .hub = hub,
		.op = r->op,
		.who = *r->who,
		.needs = needs,
		.granted = t.granted,
		.fn = fn,
		.arg = arg };
	list_init(&c->link);
	if (is_counted(r))
		list_append(&hub->guests, &c->link);
	snprintf(c->session, sizeof(c->session), "%.26s",
	    api_has_session(r->op) ? t.id : "");
	c->sessions = json_incref(json_object_get(r->args, "sessions"));
	call_begin(c, r, &t);
	if (run(c, r, &t, f) < 0) {
		call_end(c, AUDIT_FAILED);
		return -1;
	}
	*call = c;
	return 0;
}

void
api_cancel(struct api_call *call)
{
	if (call->own != NULL)
		credentials_cancel(call->own);
	else if (call->launch != NULL)
		launcher_cancel(call->launch);
	else
		calls_cancel(call->calling);
	call_end(call, AUDIT_ALLOWED);
}

/* -------------------------------------------------------------------- HTTP */

struct request {
	struct exchange *exchange;
	struct api_call *call;
};

static void
on_answer(void *arg, const struct calls_answer *a)
{
	struct request *r = arg;

	if (a->result != NULL)
		exchange_json(r->exchange, 200, json_incref(a->result));
	else
		exchange_fault(r->exchange, a->fault);
	free(r);
}

static void
on_gone(void *arg)
{
	struct request *r = arg;

	api_cancel(r->call);
	free(r);
}

/* application/json, in UTF-8 as always. */
static bool
is_json(const struct http_request *h)
{
	static const char json[] = "application/json";
	const char *type = http_field(h, "content-type");
	const char *rest;

	if (type == NULL || strncasecmp(type, json, strlen(json)) != 0)
		return false;
	rest = type + strlen(json);
	rest += strspn(rest, " \t;");
	return rest[0] == '\0' || strcasecmp(rest, "charset=utf-8") == 0;
}

/* Arguments are in the query of a GET, or in the body of a POST. */
static json_t *
read_arguments(const struct exchange *x, const struct op *op, struct error *err)
{
	const struct http_request *h = exchange_request(x);
	size_t len;
	const uint8_t *body = exchange_body(x, &len);

	if (strcmp(h->method, "POST") != 0) {
		if (len == 0)
			return api_query_read(h, op, err);
		error_set(err, EINVAL, "%s has no body; use POST", h->method);
		return NULL;
	}
	if (h->query[0] != '\0') {
		error_set(err, EINVAL,
		    "the arguments of a POST are in its body, not in the URL");
		return NULL;
	}
	if (len == 0)
		return json_object();
	return json_tree_object((const char *)body, len, err);
}

/*
 * The header Idempotency-Key is the argument `key`.  An operation without it
 * would not keep the promise of the header, and refuses it.
 */
static int
take_key(const struct http_request *h, const struct op *op, json_t *args,
    struct error *err)
{
	const char *key = http_field(h, "idempotency-key");
	const json_t *given = json_object_get(args, "key");
	struct type_field field;

	if (key == NULL)
		return 0;
	if (!op_find_argument(op, "key", &field))
		return error_set(err, EINVAL,
		    "%s has no key, so Idempotency-Key cannot make it happen "
		    "at most once",
		    op->name);
	if (!utf8_valid(key, strlen(key)))
		return error_set(err, EINVAL, "Idempotency-Key is not UTF-8");
	if (given != NULL && !json_is_null(given) &&
	    (!json_is_string(given) ||
		strcmp(json_string_value(given), key) != 0))
		return error_set(err, EINVAL,
		    "'key' and Idempotency-Key differ; send one");
	return json_object_set_new(args, "key", json_string(key));
}

/* Answer session.list from the directory; false: it cannot answer that. */
static bool
list(struct exchange *x, const struct api_request *r)
{
	struct hub *hub = exchange_hub(x);
	struct api_target t;
	unsigned needs;
	struct fault f;
	struct buf b;

	if (r->op != &ops[OP_ID_session_list] || !hub->ready ||
	    json_object_get(r->args, "labels") != NULL ||
	    json_object_get(r->args, "all_homes") != NULL)
		return false;
	if (api_check(hub, r, &t, &needs, &f) < 0) {
		exchange_fault(x, &f);
		return true;
	}
	buf_init(&b, LIST_MAX);
	listing_put(hub, r->who, op_bool(r->args, "all", false), &b);
	if (!b.full) {
		const struct audit_use use = use_of(r, &t);

		audit_read(hub->audit, &use);
		exchange_text(x, 200, "application/json", b.data, b.len);
		buf_finish(&b);
		return true;
	}
	buf_finish(&b);
	return false;
}

void
api_run(struct exchange *x)
{
	const struct op *op = api_operation(exchange_request(x)->path);
	auto_json json_t *args = NULL;
	struct api_request r = { .who = exchange_identity(x),
		.from = exchange_from(x),
		.op = op };
	const struct http_request *h = exchange_request(x);
	struct request *q;
	struct error err;
	struct fault f;
	size_t len;

	(void)exchange_body(x, &len);
	if (len > 0 && strcmp(h->method, "POST") == 0 && !is_json(h)) {
		exchange_problem(x, 415, "usage",
		    "the body must be application/json");
		return;
	}
	args = read_arguments(x, op, &err);
	if (args == NULL || take_key(h, op, args, &err) < 0) {
		exchange_problem(x, 400, "usage", err.msg);
		return;
	}
	r.args = args;
	if (list(x, &r))
		return;
	q = xcalloc(1, sizeof(*q));
	q->exchange = x;
	if (api_start(exchange_hub(x), &r, on_answer, q, &q->call, &f) < 0) {
		free(q);
		exchange_fault(x, &f);
		return;
	}
	exchange_on_gone(x, on_gone, q);
}
