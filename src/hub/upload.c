#include "hub/upload.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "home/fault.h"
#include "home/workers.h"
#include "hub/access.h"
#include "hub/api.h"
#include "hub/api_query.h"
#include "hub/audit.h"
#include "hub/exchange.h"
#include "hub/hub.h"
#include "hub/identity.h"
#include "hub/pasting.h"
#include "op/ops.h"
#include "session/find.h"
#include "session/manifest.h"
#include "web/http.h"

/* Bytes that are written at once; more are collected meanwhile. */
#define PIECE (256u << 10)

struct uploads {
	struct hub *hub;
	struct workers *workers;
	unsigned n; /* under way */
};

struct upload {
	struct uploads *all;
	struct exchange *exchange; /* NULL: the client has left */
	struct identity who;
	struct api_target target;
	struct audit_entry *entry;
	char from[64];
	char *type; /* of the content, or NULL */
	json_t *args;
	bool paste;
	struct task task;
	bool busy;             /* a thread writes */
	bool end;              /* the body is complete */
	bool counted;          /* among those under way */
	struct buf arrived;    /* not yet written */
	struct buf content;    /* for pasting; full: it is too long for that */
	uint64_t bytes;        /* of the file, so far */
	struct api_call *call; /* that pastes, or NULL */
	enum pasting pasted;
	/* The thread's: */
	struct inbox inbox;
	struct buf writing;
	bool last; /* it has all of the file */
	bool failed;
	struct fault fault;
	char *cwd;                 /* of the session */
	char path[PATH_MAX + 160]; /* of the file */
};

/* ------------------------------------------------------------------ the end */

static void
uncount(struct upload *u)
{
	if (u->counted)
		u->all->n--;
	u->counted = false;
}

static void
finish(struct upload *u, enum audit_outcome outcome)
{
	uncount(u);
	audit_end(u->entry, outcome);
	inbox_finish(&u->inbox);
	buf_finish(&u->arrived);
	buf_finish(&u->writing);
	buf_finish(&u->content);
	json_decref(u->args);
	free(u->type);
	free(u->cwd);
	free(u);
}

/* No file remains. */
static void
fail(struct upload *u)
{
	struct exchange *x = u->exchange;

	inbox_drop(&u->inbox);
	if (x != NULL)
		exchange_fault(x, &u->fault);
	finish(u, AUDIT_FAILED);
}

static void
succeed(struct upload *u)
{
	static const char *const pasted[] = { [PASTING_CONTENT] = "content",
		[PASTING_ABSOLUTE] = "path",
		[PASTING_RELATIVE] = "relative" };

	if (u->exchange != NULL)
		exchange_json(u->exchange, 200,
		    json_pack("{s:s, s:I, s:s?}", "path", u->path, "bytes",
			(json_int_t)u->bytes, "pasted",
			u->paste ? pasted[u->pasted] : NULL));
	finish(u, AUDIT_ALLOWED);
}

/* ------------------------------------------------------------------- pasting */

static void
on_pasted(void *arg, const struct calls_answer *a)
{
	struct upload *u = arg;

	u->call = NULL;
	if (a->result != NULL) {
		succeed(u);
		return;
	}
	u->fault = *a->fault;
	if (u->fault.failure != FAIL_UNKNOWN &&
	    u->fault.failure != FAIL_CUT_OFF) {
		fail(u);
		return;
	}
	if (u->exchange != NULL)
		exchange_fault(u->exchange, &u->fault);
	finish(u, AUDIT_FAILED);
}

static json_t *
pasted_text(struct upload *u)
{
	const struct buf *c = &u->content;

	u->pasted = pasting_of(u->type, c->full ? NULL : c->data, c->len);
	if (u->pasted == PASTING_CONTENT)
		return json_stringn((const char *)c->data, c->len);
	if (u->pasted == PASTING_RELATIVE) {
		const char *below = pasting_path(u->path, u->cwd);

		if (below != u->path)
			return json_string(below);
		u->pasted = PASTING_ABSOLUTE;
	}
	return json_string(u->path);
}

static void
paste(struct upload *u)
{
	auto_json json_t *args = json_pack("{s:s, s:[{s:o}]}", "session",
	    u->target.id, "input", "paste", pasted_text(u));
	const struct api_request r = { .who = &u->who,
		.from = u->from,
		.op = &ops[OP_ID_session_send],
		.args = args };

	if (api_start(u->all->hub, &r, on_pasted, u, &u->call, &u->fault) < 0)
		fail(u);
}

/* ---------------------------------------------------------------- in threads */

static void
say_storage(struct upload *u, int rc)
{
	u->failed = true;
	if (rc == -EDQUOT)
		fault_set(&u->fault, FAIL_STORAGE,
		    "the files of the session take a gigabyte already");
	else
		fault_set(&u->fault, FAIL_STORAGE,
		    "cannot store the file in the session: %s", strerror(-rc));
}

/* Only an active session has somebody to send a file to. */
static int
open_session(struct upload *u)
{
	auto_close int dirfd = -1;
	struct manifest m;
	struct error err;
	bool active;

	u->failed = true;
	if (find_session(&u->all->hub->home, u->target.id, 0, &m, &dirfd,
		&err) < 0)
		return fault_set(&u->fault, FAIL_NOT_FOUND, "%s", err.msg);
	active = status_is_active(m.status);
	u->cwd = xstrdup(m.cwd != NULL ? m.cwd : "");
	manifest_finish(&m);
	if (!active)
		return fault_set(&u->fault, FAIL_NOT_RUNNING,
		    "the session has ended");
	u->failed = false;
	return inbox_open(&u->inbox, dirfd);
}

static int
keep(struct upload *u)
{
	const char *name = op_string(u->args, "name", NULL);
	int rc = inbox_keep(&u->inbox, name);

	if (rc == 0)
		snprintf(u->path, sizeof(u->path), "%s/sessions/%s/files/%s",
		    u->all->hub->home.path, u->target.id, u->inbox.name);
	return rc;
}

static void
run(struct task *t)
{
	struct upload *u = container_of(t, struct upload, task);
	int rc = u->inbox.fd < 0 ? open_session(u) : 0;

	if (rc == 0)
		rc = inbox_write(&u->inbox, u->writing.data, u->writing.len);
	if (rc == 0 && u->last)
		rc = keep(u);
	if (rc < 0 && !u->failed)
		say_storage(u, rc);
}

/* --------------------------------------------------------------- in the loop */

static void pump(struct upload *u);

/* The rights may have changed since the beginning. */
static bool
is_allowed(struct upload *u)
{
	struct api_target t;

	if (api_find(u->all->hub, &u->who, u->target.id, &t, &u->fault) < 0)
		return false;
	if (t.granted & (1u << OP_DRIVE))
		return true;
	fault_set(&u->fault, FAIL_DENIED,
	    "the permission for session.upload was taken away");
	return false;
}

static void
complete(struct upload *u)
{
	uncount(u);
	if (!is_allowed(u)) {
		fail(u);
	} else if (!utf8_valid(u->path, strlen(u->path))) {
		fault_set(&u->fault, FAIL_INPUT,
		    "the home's path is not UTF-8, so no answer can have it");
		fail(u);
	} else if (u->paste) {
		paste(u);
	} else {
		succeed(u);
	}
}

static void
done(struct task *t)
{
	struct upload *u = container_of(t, struct upload, task);

	u->busy = false;
	buf_finish(&u->writing);
	if (t->error != 0)
		say_storage(u, -t->error);
	if (u->exchange == NULL || u->failed)
		fail(u);
	else if (u->last)
		complete(u);
	else
		pump(u);
}

/* Give a thread what has arrived, if that is worth it. */
static void
pump(struct upload *u)
{
	int rc;

	if (u->busy || (u->arrived.len < PIECE && !u->end))
		return;
	u->writing = u->arrived;
	buf_init(&u->arrived, INBOX_FILE_MAX);
	u->last = u->end;
	u->task.run = run;
	u->task.done = done;
	u->task.error = 0;
	u->task.began = false;
	rc = workers_add(u->all->workers, &u->task);
	if (rc < 0) {
		say_storage(u, rc);
		fail(u);
		return;
	}
	u->busy = true;
}

/* The exchange bounds the sum of all pieces. */
static void
on_body(void *arg, const uint8_t *p, size_t len, bool end)
{
	struct upload *u = arg;

	(void)buf_append(&u->arrived, p, len);
	if (u->paste)
		(void)buf_append(&u->content, p, len);
	u->bytes += len;
	u->end = end;
	pump(u);
}

static void
on_gone(void *arg)
{
	struct upload *u = arg;

	u->exchange = NULL;
	if (u->busy)
		return;        /* until the thread is done */
	if (u->call != NULL) { /* that goes on, as all input does */
		api_cancel(u->call);
		finish(u, AUDIT_ALLOWED);
		return;
	}
	fault_set(&u->fault, FAIL_CANCELLED, "the client has left");
	fail(u);
}

/* ------------------------------------------------------------------ requests */

static int
check(struct exchange *x, const struct api_request *r,
    struct api_target *target, struct fault *f)
{
	const struct http_request *h = exchange_request(x);
	const char *type = http_field(h, "content-type");
	const struct uploads *all = exchange_hub(x)->uploads;
	unsigned needs;

	if (http_field(h, "idempotency-key") != NULL)
		return fault_set(f, FAIL_USAGE,
		    "session.upload has no key, so Idempotency-Key cannot "
		    "make it happen at most once");
	if (type != NULL && strncasecmp(type, "multipart/", 10) == 0)
		return fault_set(f, FAIL_USAGE,
		    "the body must be the file itself, not a form");
	if (api_check(exchange_hub(x), r, target, &needs, f) < 0)
		return -1;
	if (all->n >= access_share(r->who, UPLOADS_MAX))
		return fault_set(f, FAIL_BUSY,
		    "%u files are being uploaded; try again soon", all->n);
	return 0;
}

static void
start(struct exchange *x, const struct api_request *r,
    const struct api_target *target)
{
	const char *type = http_field(exchange_request(x), "content-type");
	struct hub *hub = exchange_hub(x);
	struct upload *u = xcalloc(1, sizeof(*u));
	char unique[ID_SIZE];

	u->all = hub->uploads;
	u->exchange = x;
	u->who = *r->who;
	u->target = *target;
	u->type = type != NULL ? xstrdup(type) : NULL;
	u->args = json_incref(r->args);
	u->paste = op_bool(r->args, "paste", false);
	snprintf(u->from, sizeof(u->from), "%s", r->from);
	id_create(&hub->ids, unique);
	inbox_init(&u->inbox, unique);
	buf_init(&u->arrived, INBOX_FILE_MAX);
	buf_init(&u->content, PASTING_TEXT_MAX);
	u->entry = api_audit(hub, r, target);
	u->counted = true;
	u->all->n++;
	exchange_on_gone(x, on_gone, u);
	exchange_on_body(x, on_body, u);
}

void
upload_run(struct exchange *x)
{
	const struct op *op = &ops[OP_ID_session_upload];
	struct error err;
	auto_json json_t *args = api_query_read(exchange_request(x), op, &err);
	const struct api_request r = { .who = exchange_identity(x),
		.from = exchange_from(x),
		.op = op,
		.args = args };
	struct api_target target;
	struct fault f;

	if (args == NULL) {
		exchange_problem(x, 400, "usage", err.msg);
		return;
	}
	if (check(x, &r, &target, &f) < 0) {
		exchange_fault(x, &f);
		return;
	}
	start(x, &r, &target);
}

struct uploads *
uploads_create(struct hub *hub)
{
	struct uploads *all = xcalloc(1, sizeof(*all));

	all->hub = hub;
	all->workers = workers_create(hub->loop, UPLOADS_MAX, UPLOADS_MAX);
	if (all->workers != NULL)
		return all;
	free(all);
	return NULL;
}

void
uploads_destroy(struct uploads *all)
{
	if (all == NULL)
		return;
	workers_destroy(all->workers);
	free(all);
}
