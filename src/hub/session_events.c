#include "hub/session_events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/json_tree.h"
#include "base/loop.h"
#include "base/mem.h"
#include "base/number.h"
#include "home/fault.h"
#include "hub/api.h"
#include "hub/api_query.h"
#include "hub/audit.h"
#include "hub/connection.h"
#include "hub/directory.h"
#include "hub/exchange.h"
#include "hub/hub.h"
#include "hub/identity.h"
#include "hub/log_watch.h"
#include "hub/sse.h"
#include "op/failure.h"
#include "op/ops.h"
#include "session/home.h"

#define READ_BYTES (128 << 10) /* of events, at once */

struct session_events {
	struct hub *hub;
	struct identity who;
	char from[CONNECTION_FROM_SIZE];
	char id[ID_SIZE];
	int dirfd;
	struct sse *sse;
	struct api_call *call; /* reads the log; NULL: nothing does */
	bool has_cursor;
	uint64_t cursor; /* the seq of the last event that was sent */
	bool grown;      /* the log may have more */
	bool waits;      /* for the pause between two readings */
	bool blind;      /* the kernel does not watch the log */
	bool over;       /* before this reading, the session had ended */
	struct watch *pause;
	struct log_watcher watcher;
	struct directory_follower follower;
	struct hub_hook rights;
	struct audit_entry *entry;
};

static void
destroy(struct session_events *e)
{
	if (e->call != NULL)
		api_cancel(e->call);
	watch_remove(e->pause);
	log_watch_forget(&e->watcher);
	list_remove(&e->follower.link);
	list_remove(&e->rights.link);
	audit_end(e->entry, AUDIT_ALLOWED);
	fd_close(&e->dirfd);
	free(e);
}

/* The last event, and the end of the stream. */
static void
end(struct session_events *e, const char *event, json_t *fields)
{
	auto_free char *text = json_dumps(fields, JSON_COMPACT);

	json_decref(fields);
	sse_send(e->sse, event, NULL, text);
	sse_end(e->sse);
	destroy(e);
}

static void
fail(struct session_events *e, const struct fault *f)
{
	end(e, "error",
	    json_pack("{s:s,s:s}", "code", failure_code(f->failure), "detail",
		f->msg));
}

/* ----------------------------------------------------------------- reading */

static void look(struct session_events *e);

static void
send_entry(struct session_events *e, json_t *entry)
{
	const char *type = json_string_value(json_object_get(entry, "type"));
	json_int_t seq = json_integer_value(json_object_get(entry, "seq"));
	auto_free char *text = NULL;
	char id[32];

	/* The text of input is not for everybody who may watch. */
	json_object_del(entry, "data");
	json_object_del(entry, "data_base64");
	snprintf(id, sizeof(id), "%" JSON_INTEGER_FORMAT, seq);
	text = json_dumps(entry, JSON_COMPACT | JSON_PRESERVE_ORDER);
	sse_send(e->sse, type != NULL ? type : "event", seq > 0 ? id : NULL,
	    text);
}

static bool
has_ended(const struct session_events *e)
{
	const struct directory_session *s = directory_find(e->hub->directory,
	    e->id);

	return s == NULL || !s->active;
}

static void
pause_for(struct session_events *e, int64_t ms)
{
	e->waits = true;
	watch_rearm(e->pause, ms);
}

static void
take(struct session_events *e, json_t *result)
{
	json_int_t next = json_integer_value(
	    json_object_get(result, "next_seq"));
	json_t *entry;
	size_t i;

	/* The first reading of a client without a cursor finds the end. */
	if (e->has_cursor) {
		json_array_foreach(json_object_get(result, "events"), i, entry)
		    send_entry(e, entry);
	}
	if (next > 0 && (uint64_t)next > e->cursor)
		e->cursor = (uint64_t)next;
	e->grown |= !e->has_cursor ||
	    json_is_true(json_object_get(result, "truncated"));
	e->has_cursor = true;
}

static void
on_read(void *arg, const struct calls_answer *a)
{
	struct session_events *e = arg;

	e->call = NULL;
	if (a->result == NULL && a->fault->failure != FAIL_BUSY) {
		fail(e, a->fault);
		return;
	}
	if (a->result != NULL)
		take(e, a->result);
	else
		e->grown = true;
	if (!e->grown && e->over) {
		end(e, "end", json_object());
		return;
	}
	pause_for(e,
	    e->blind && !e->grown ? SESSION_EVENTS_LOOK_MS : SESSION_EVENTS_MS);
}

static json_t *
arguments(const struct session_events *e)
{
	return e->has_cursor ?
	    json_pack("{s:s,s:I,s:b,s:i}", "session", e->id, "since",
		(json_int_t)e->cursor, "no_output", 1, "max_bytes",
		READ_BYTES) :
	    json_pack("{s:s,s:i}", "session", e->id, "last", 1);
}

/* Read what is new, unless that is under way or must wait. */
static void
look(struct session_events *e)
{
	struct api_request r = { .who = &e->who,
		.from = e->from,
		.op = &ops[OP_ID_session_events] };
	auto_json json_t *args = NULL;
	struct fault f;

	if (!e->grown || e->waits || e->call != NULL || !sse_has_room(e->sse))
		return;
	e->grown = false;
	/* First, so that no change is missed. */
	e->over = has_ended(e);
	e->blind = !log_watch_ask(e->hub->log_watches, &e->watcher, e->dirfd);
	args = arguments(e);
	r.args = args;
	if (api_start(e->hub, &r, on_read, e, &e->call, &f) == 0)
		return;
	e->call = NULL;
	if (f.failure != FAIL_BUSY) {
		fail(e, &f);
		return;
	}
	e->grown = true;
	pause_for(e, SESSION_EVENTS_LOOK_MS);
}

static void
on_grown(void *arg)
{
	struct session_events *e = arg;

	e->grown = true;
	look(e);
}

static void
on_pause(void *arg)
{
	struct session_events *e = arg;

	e->waits = false;
	e->grown |= e->blind;
	look(e);
}

static void
on_event(void *arg, const struct directory_event *event)
{
	struct session_events *e = arg;

	/* Not from here: it may end, and the directory is calling. */
	if (strcmp(event->id, e->id) == 0 && !e->waits) {
		e->grown = true;
		pause_for(e, 0);
	} else if (strcmp(event->id, e->id) == 0) {
		e->grown = true;
	}
}

static void
on_room(void *arg)
{
	look(arg);
}

static void
on_gone(void *arg)
{
	destroy(arg);
}

/* ------------------------------------------------------------------- begin */

/* The cursor: Last-Event-ID, or `since`; 0, or -EINVAL and err. */
static int
take_cursor(struct session_events *e, const struct exchange *x,
    const json_t *args, struct error *err)
{
	const char *last = sse_last_id(x);
	const json_t *since = json_object_get(args, "since");

	if (last[0] != '\0') {
		e->has_cursor = true;
		if (!number_take(&last, INT64_MAX, &e->cursor) || *last != '\0')
			return error_set(err, EINVAL,
			    "Last-Event-ID must be the id of an event");
	} else if (since != NULL) {
		e->has_cursor = true;
		e->cursor = (uint64_t)json_integer_value(since);
		if (!json_is_integer(since) || json_integer_value(since) < 0)
			return error_set(err, EINVAL,
			    "'since' must be the seq of an event");
	}
	return json_object_size(args) > (since != NULL) + 1u ?
	    error_set(err, EINVAL, "this takes `session` and `since` only") :
	    0;
}

/* 0, or -1 after the exchange was answered. */
static int
prepare(struct session_events *e, struct exchange *x, struct api_target *t)
{
	auto_json json_t *args = NULL;
	const char *session;
	struct error err;
	struct fault f;

	args = api_query_read(exchange_request(x), &ops[OP_ID_session_events],
	    &err);
	if (args == NULL || take_cursor(e, x, args, &err) < 0) {
		exchange_problem(x, 400, "usage", err.msg);
		return -1;
	}
	session = json_string_value(json_object_get(args, "session"));
	if (session == NULL) {
		exchange_problem(x, 400, "usage",
		    "'session' must be the id or the name of a session");
		return -1;
	}
	if (api_find(e->hub, &e->who, session, t, &f) < 0) {
		exchange_fault(x, &f);
		return -1;
	}
	if (!(t->granted & (1u << OP_OBSERVE))) {
		exchange_problem(x, 403, "denied",
		    "this needs the permission observe");
		return -1;
	}
	memcpy(e->id, t->id, ID_SIZE);
	e->dirfd = home_session_dir(&e->hub->home, e->id, &err);
	if (e->dirfd < 0)
		exchange_problem(x, 503, "busy", err.msg);
	return e->dirfd < 0 ? -1 : 0;
}

static void
begin(struct session_events *e, const struct api_target *t)
{
	const struct audit_use use = { .who = &e->who,
		.from = e->from,
		.what = ops[OP_ID_session_events].name,
		.session = t->id,
		.name = t->name,
		.mode = "observe" };

	e->entry = audit_begin(e->hub->audit, &use, AUDIT_ALLOWED);
	e->pause = loop_timer(e->hub->loop, -1, on_pause, e);
	log_watcher_init(&e->watcher, on_grown, e);
	e->follower.fn = on_event;
	e->rights.fn = on_grown;
	e->follower.arg = e->rights.arg = e;
	directory_follow(e->hub->directory, &e->follower);
	hub_on_reconsider(e->hub, &e->rights);
	on_grown(e);
}

void
session_events_run(struct exchange *x)
{
	static const struct sse_handlers handlers = { on_room, on_gone };
	struct session_events *e = xcalloc(1, sizeof(*e));
	struct api_target t;

	e->hub = exchange_hub(x);
	e->who = *exchange_identity(x);
	e->dirfd = -1;
	snprintf(e->from, sizeof(e->from), "%s", exchange_from(x));
	if (prepare(e, x, &t) == 0) {
		e->sse = sse_create(x, &handlers, e);
		if (e->sse != NULL) {
			begin(e, &t);
			return;
		}
	}
	fd_close(&e->dirfd);
	free(e);
}
