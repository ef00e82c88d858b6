#include "hub/subscription.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/json_tree.h"
#include "base/loop.h"
#include "base/mem.h"
#include "client/channel.h"
#include "home/fault.h"
#include "hub/access.h"
#include "hub/api.h"
#include "hub/audit.h"
#include "hub/hub.h"
#include "hub/stream_send.h"
#include "hub/stream_state.h"
#include "op/ops.h"
#include "session/manifest.h"
#include "wire/frame.h"

static int64_t
now_ms(void)
{
	return clock_ms(CLOCK_MONOTONIC);
}

/* ---------------------------------------------------------------- requests */

struct subscription_request *
subscription_request(struct subscription *s, uint64_t id)
{
	struct subscription_request *r;

	if (s->n_requests >= STREAM_INPUTS) {
		stream_send_error(s->stream, id, "busy",
		    "too many inputs wait for an answer", true);
		return NULL;
	}
	r = xcalloc(1, sizeof(*r));
	r->subscription = s;
	r->id = id;
	list_append(&s->requests, &r->link);
	s->n_requests++;
	return r;
}

void
subscription_request_end(struct subscription_request *r,
    enum audit_outcome outcome)
{
	audit_end(r->audit, outcome);
	r->subscription->n_requests--;
	list_remove(&r->link);
	free(r);
}

bool
subscription_request_is_done(const struct subscription_request *r,
    const struct channel_answer *a)
{
	static const char *const codes[] = {
		[CHANNEL_UNKNOWN] = "unknown",
		[CHANNEL_NOT_SENT] = "not_running",
	};

	if (a->outcome != CHANNEL_DONE)
		stream_send_error(r->subscription->stream, r->id,
		    a->outcome == CHANNEL_REFUSED ? a->code : codes[a->outcome],
		    a->message, a->retryable);
	return a->outcome == CHANNEL_DONE;
}

/* ------------------------------------------------------------------ ending */

/* Nobody will answer: the host may have done it. */
static void
lose_requests(struct subscription *s)
{
	while (!list_is_empty(&s->requests)) {
		struct subscription_request *r = container_of(s->requests.next,
		    struct subscription_request, link);

		stream_send_error(s->stream, r->id, "unknown",
		    "the connection to the host has ended before its answer",
		    false);
		subscription_request_end(r, AUDIT_FAILED);
	}
}

/* Leave the host; unanswered requests are answered as unknown. */
static void
disconnect(struct subscription *s)
{
	channel_destroy(s->channel);
	s->channel = NULL;
	lose_requests(s);
}

void
subscription_destroy(struct subscription *s)
{
	list_remove(&s->link);
	s->stream->n_subscriptions--;
	disconnect(s);
	if (s->call != NULL)
		api_cancel(s->call);
	watch_remove(s->timer);
	audit_end(s->audit, AUDIT_ALLOWED);
	json_decref(s->ending);
	if (s->kind->destroy != NULL)
		s->kind->destroy(s);
	fd_close(&s->dirfd);
	free(s);
}

/* End it with the event `closed`. */
static void
close_with(struct subscription *s, const char *code, const char *message,
    bool retryable)
{
	stream_send_event(s->stream, s->number, "closed",
	    json_pack("{s:s,s:s,s:b}", "code", code, "message", message,
		"retryable", retryable));
	subscription_destroy(s);
}

void
subscription_finish(struct subscription *s)
{
	stream_send_event(s->stream, s->number, "ended",
	    json_incref(s->ending));
	subscription_destroy(s);
}

struct subscription *
subscription_find(struct stream *stream, uint32_t number)
{
	list_for_each(it, &stream->subscriptions) {
		struct subscription *s = container_of(it, struct subscription,
		    link);

		if (s->number == number)
			return s;
	}
	return NULL;
}

/* ----------------------------------------------------------------- sending */

void
subscription_send(struct subscription *s, const char *name, json_t *fields)
{
	stream_allowance_spend(&s->allowance,
	    stream_send_event(s->stream, s->number, name, fields));
}

void
subscription_bytes(struct subscription *s, const void *head, size_t head_len,
    const void *p, size_t len)
{
	stream_send_binary(s->stream, head, head_len, p, len);
	stream_allowance_spend(&s->allowance, len);
}

/*
 * Take the new name; false if the client may not see the session under it.  The
 * host may tell it before the hub has looked at the rights again (rights.c).
 */
static bool
take_name(struct subscription *s, const char *name)
{
	const struct access *access = s->stream->hub->access;

	if (name == NULL ||
	    !(access_permissions(access, &s->stream->who, s->id, name) &
		(1u << OP_OBSERVE)))
		return false;
	snprintf(s->name, sizeof(s->name), "%s", name);
	return true;
}

void
subscription_notice(struct subscription *s, const struct frame *f)
{
	auto_json json_t *o = json_tree_object((const char *)f->payload, f->len,
	    NULL);
	const char *event = json_string_value(json_object_get(o, "event"));

	/* The channel closes with this one, and says why. */
	if (event == NULL || strcmp(event, "detached") == 0)
		return;
	if (strcmp(event, "renamed") == 0 &&
	    !take_name(s, json_string_value(json_object_get(o, "name"))))
		return;
	stream_send_event(s->stream, s->number, event, json_incref(o));
}

static void
add_counts(const struct subscription *s, json_t *o)
{
	struct manifest m;

	if (manifest_read(s->dirfd, &m, NULL) < 0)
		return;
	json_object_set_new(o, "bells",
	    json_integer((json_int_t)m.notices.bells));
	json_object_set_new(o, "notifications",
	    json_integer((json_int_t)m.notices.count));
	manifest_finish(&m);
}

/* Of the host's METADATA, or of session.get. */
static void
send_opened(struct subscription *s, const json_t *fields)
{
	static const char *const names[] = { "id", "name", "status", "cols",
		"rows", "offset", "seq", "title", "program_status", "agent",
		"activity", "evidence", "modes" };
	json_t *o = json_object();

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		json_t *v = json_object_get(fields, names[i]);

		if (v != NULL)
			json_object_set(o, names[i], v);
	}
	json_object_set_new(o, "granted",
	    json_string(s->readwrite ? "readwrite" : "readonly"));
	add_counts(s, o);
	stream_send_event(s->stream, s->number, "opened", o);
	s->opened = true;
}

/* The fields of `ended`, of session.get. */
static json_t *
ending_of(const json_t *session)
{
	static const char *const names[] = { "exit_code", "exit_signal",
		"outcome", "status", "offset" };
	json_t *o = json_object();

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		json_t *v = json_object_get(session, names[i]);

		json_object_set(o, names[i], v != NULL ? v : json_null());
	}
	return o;
}

/* ------------------------------------------------------------------- speed */

bool
subscription_may_send(struct subscription *s)
{
	int64_t wait = stream_allowance_wait(&s->allowance, now_ms());

	if (wait > 0)
		watch_rearm(s->timer, wait);
	return wait == 0 && !s->stream->choked;
}

void
subscription_update(struct subscription *s)
{
	bool stop = s->resting || s->stream->choked ||
	    (s->counts && !subscription_may_send(s));

	if (!stop)
		s->stopped_ms = 0;
	else if (s->stopped_ms == 0)
		s->stopped_ms = now_ms();
	if (s->channel != NULL)
		channel_pause(s->channel, stop);
}

static void
on_timer(void *arg)
{
	struct subscription *s = arg;

	s->kind->on_room(s);
}

/* -------------------------------------------------------------------- host */

static void
on_open(void *arg, const struct welcome *w)
{
	struct subscription *s = arg;

	(void)w;
	if (s->kind->on_open != NULL)
		s->kind->on_open(s);
}

static void
on_metadata(struct subscription *s, const struct frame *f)
{
	auto_json json_t *o = json_tree_object((const char *)f->payload, f->len,
	    NULL);

	send_opened(s, o);
	if (s->kind->on_opened != NULL)
		s->kind->on_opened(s, o);
}

static void
on_frame(void *arg, const struct frame *f)
{
	struct subscription *s = arg;

	if (f->type == FRAME_METADATA) {
		on_metadata(s, f);
	} else if (f->type == FRAME_ENDED) {
		s->ending = json_tree_object((const char *)f->payload, f->len,
		    NULL);
		disconnect(s);
		s->kind->on_ended(s, NULL);
	} else {
		s->kind->on_frame(s, f);
	}
}

static void
on_details(struct subscription *s, json_t *session)
{
	const char *status = json_string_value(
	    json_object_get(session, "status"));

	if (status != NULL && strcmp(status, "running") == 0) {
		close_with(s, "unreachable",
		    "the host of the session cannot be reached", true);
		return;
	}
	if (!s->opened)
		send_opened(s, session);
	s->ending = ending_of(session);
	s->kind->on_ended(s, session);
}

static const char *
code_of(int rc)
{
	switch (rc) {
	case -ECONNABORTED:
	case -EACCES:
		return failure_code(FAIL_DENIED);
	case -EBUSY:
		return failure_code(FAIL_BUSY);
	case -EPROTO:
		return failure_code(FAIL_PROTOCOL);
	default:
		return failure_code(FAIL_UNREACHABLE);
	}
}

static void
on_close(void *arg, int rc, const struct error *err)
{
	struct subscription *s = arg;

	if (rc == -ECONNREFUSED || rc == -ENOENT) {
		disconnect(s);
		subscription_ask(s, "session.get", json_object(), on_details);
		return;
	}
	close_with(s, code_of(rc), err->msg,
	    rc != -ECONNABORTED && rc != -EACCES && rc != -EPROTO);
}

void
subscription_connect(struct subscription *s)
{
	static const struct channel_handlers on = { on_open, on_frame,
		on_close };

	disconnect(s);
	s->hello.readonly = !s->readwrite;
	s->channel = channel_create(s->stream->hub->loop, s->dirfd, &s->hello,
	    &on, s);
	subscription_update(s);
}

/* --------------------------------------------------------------- questions */

static void
on_asked(void *arg, const struct calls_answer *a)
{
	struct subscription *s = arg;
	char words[FAULT_WORDS_MAX];

	s->call = NULL;
	if (a->result != NULL) {
		s->on_answer(s, a->result);
		return;
	}
	fault_words(a->fault, a->fault->argument, "", words);
	close_with(s, failure_code(a->fault->failure), words,
	    failure_is_retryable(a->fault->failure));
}

void
subscription_ask(struct subscription *s, const char *op, json_t *args,
    void (*fn)(struct subscription *s, json_t *result))
{
	struct api_request r = { .who = &s->stream->who,
		.from = s->stream->from,
		.op = op_find(op),
		.args = args };
	char words[FAULT_WORDS_MAX];
	struct fault f;

	if (s->call != NULL)
		api_cancel(s->call);
	s->on_answer = fn;
	json_object_set_new(args, "session", json_string(s->id));
	if (api_start(s->stream->hub, &r, on_asked, s, &s->call, &f) < 0) {
		s->call = NULL;
		fault_words(&f, f.argument, "", words);
		close_with(s, failure_code(f.failure), words,
		    failure_is_retryable(f.failure));
	}
	json_decref(args);
}

/* ------------------------------------------------------------- permissions */

void
subscription_reconsider(struct subscription *s)
{
	struct api_target t;
	struct fault f;
	bool found;

	if (s->want == STREAM_HOME)
		return; /* home_events.c looks at the rights itself */
	found = api_find(s->stream->hub, &s->stream->who, s->id, &t, &f) == 0;
	if (!found || !(t.granted & (1u << OP_OBSERVE))) {
		audit_end(s->audit, AUDIT_REVOKED);
		s->audit = NULL;
		close_with(s, "denied", "the permission to observe has ended",
		    false);
		return;
	}
	if (!s->readwrite || (t.granted & (1u << OP_DRIVE)))
		return;
	s->readwrite = false;
	audit_change(s->audit, "observe", AUDIT_DOWNGRADED);
	stream_send_event(s->stream, s->number, "granted",
	    json_pack("{s:s}", "granted", "readonly"));
	if (s->kind->on_access != NULL)
		s->kind->on_access(s);
}

/* --------------------------------------------------------------- beginning */

void
subscription_init(struct subscription *s, struct stream *stream,
    const struct subscription_kind *kind, const struct stream_message *m)
{
	s->stream = stream;
	s->kind = kind;
	s->number = m->sub;
	s->want = m->want;
	s->dirfd = -1;
	list_init(&s->requests);
	hello_init(&s->hello);
	snprintf(s->hello.client, sizeof(s->hello.client), "tend hub");
	s->hello.mode = HELLO_ATTACH;
	s->hello.features = HELLO_OFFSET | HELLO_EVENTS;
	s->hello.cols = m->cols;
	s->hello.rows = m->rows;
	s->hello.hidden = !m->visible;
	s->hello.steal = m->steal;
	s->hello.who = m->who;
	snprintf(s->hello.principal, sizeof(s->hello.principal), "%s",
	    stream->who.principal);
	if (s->hello.principal[0] != '\0')
		snprintf(s->hello.verified, sizeof(s->hello.verified), "%s",
		    stream->who.verified);
	stream_allowance_init(&s->allowance, m->has_credit, m->credit, m->rate,
	    now_ms());
	s->timer = loop_timer(stream->hub->loop, -1, on_timer, s);
	list_append(&stream->subscriptions, &s->link);
	stream->n_subscriptions++;
}
