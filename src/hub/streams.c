#include "hub/streams.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/version.h"
#include "client/channel.h"
#include "hub/access.h"
#include "hub/exchange_state.h"
#include "hub/hub.h"
#include "hub/identify.h"
#include "hub/socket.h"
#include "hub/store.h"
#include "hub/stream_calls.h"
#include "hub/stream_input.h"
#include "hub/stream_message.h"
#include "hub/stream_send.h"
#include "hub/stream_state.h"
#include "hub/stream_subscribe.h"
#include "hub/subscription.h"
#include "hub/subscription_call.h"
#include "hub/verifier.h"
#include "op/ops.h"

#define PROTOCOL "tend.v1"

static struct stream *
stream_of(struct list *link)
{
	return container_of(link, struct stream, link);
}

static struct subscription *
subscription_of(struct list *link)
{
	return container_of(link, struct subscription, link);
}

/* -------------------------------------------------------------------- hello */

static void
close_unknown(struct stream *s, const char *why)
{
	socket_close(s->socket, 4401, why);
}

static void
welcome(struct stream *s)
{
	/* This also makes the hub look again at the credential's end. */
	if (!access_is_valid(s->hub->access, &s->who)) {
		close_unknown(s, "the credential has ended");
		return;
	}
	s->greeted = true;
	socket_set_verified(s->socket, &s->who);
	socket_set_max(s->socket, STREAM_MESSAGE_MAX);
	stream_send_object(s,
	    json_pack("{s:s,s:i,s:[],s:s,s:s,s:s,s:{s:i,s:i,s:i}}", "type",
		"hello", "version", STREAM_VERSION, "features", "hub",
		"tend " TEND_VERSION, "principal", s->who.principal, "verified",
		s->who.verified, "limits", "message", (int)STREAM_MESSAGE_MAX,
		"subscriptions", STREAM_SUBSCRIPTIONS, "calls", STREAM_CALLS));
}

static void
on_verified(void *arg, int rc, const struct identity *who)
{
	struct stream *s = arg;

	s->verifying = NULL;
	if (rc == 0) {
		s->who = *who;
		memset(s->cookie, 0, sizeof(s->cookie));
		welcome(s);
		return;
	}
	if (rc != -ENOENT) {
		hub_note(s->hub, HUB_STORE_FAILED, "cannot verify a credential",
		    strerror(-rc));
		socket_close(s->socket, 1011, "cannot read the credentials");
		return;
	}
	identify_failed(s->hub, s->from, "credential");
	close_unknown(s, "the credential is not valid, or has ended");
}

static void
take_hello(struct stream *s, const struct stream_message *m)
{
	struct verifying *w;

	if (s->verifying != NULL) {
		socket_close(s->socket, 1008, "there can be only one hello");
		return;
	}
	if (s->cookie[0] == '\0') {
		welcome(s);
		return;
	}
	if (identify_wait(s->hub, s->from, STORE_COOKIE, s->cookie, m->key) >
	    0) {
		socket_close(s->socket, 4429, "too many wrong credentials");
		return;
	}
	/* The answer may come at once. */
	w = verifier_check(s->hub->verifier, STORE_COOKIE, s->cookie, m->key,
	    on_verified, s);
	if (w != NULL)
		s->verifying = w;
}

/* ----------------------------------------------------------------- messages */

/* The subscription of a message, or NULL and an answer. */
static struct subscription *
find(struct stream *s, const struct stream_message *m)
{
	struct subscription *found = subscription_find(s, m->sub);

	if (found == NULL)
		stream_send_error(s, m->id, "not_found",
		    "there is no such subscription", false);
	return found;
}

static void
on_ping(struct stream *s, const struct stream_message *m)
{
	stream_send_answer(s, m->id, json_object());
}

static void
on_unsubscribe(struct stream *s, const struct stream_message *m)
{
	struct subscription *sub = find(s, m);

	if (sub == NULL)
		return;
	if (sub->channel != NULL)
		channel_detach(sub->channel);
	subscription_destroy(sub);
	stream_send_answer(s, m->id, json_object());
}

static void
on_credit(struct stream *s, const struct stream_message *m)
{
	struct subscription *sub = subscription_find(s, m->sub);

	if (sub == NULL || !sub->allowance.has_credit)
		return;
	stream_allowance_grant(&sub->allowance, m->bytes);
	sub->kind->on_room(sub);
}

static void
on_input(struct stream *s, const struct stream_message *m)
{
	struct subscription *sub = find(s, m);

	if (sub != NULL)
		stream_input_take(sub, m);
}

static void
on_resize(struct stream *s, const struct stream_message *m)
{
	struct subscription *sub = find(s, m);

	if (sub == NULL)
		return;
	sub->hello.cols = m->cols;
	sub->hello.rows = m->rows;
	if (sub->channel != NULL)
		channel_resize(sub->channel, m->cols, m->rows);
	stream_send_answer(s, m->id, json_object());
}

static void
on_visible(struct stream *s, const struct stream_message *m)
{
	struct subscription *sub = find(s, m);

	if (sub == NULL)
		return;
	sub->hello.hidden = !m->visible;
	if (sub->channel != NULL)
		channel_view(sub->channel, m->visible);
	stream_send_answer(s, m->id, json_object());
}

/* An operation that belongs to a connection needs a subscription's. */
static void
call_over(struct stream *s, const struct stream_message *m, const struct op *op)
{
	struct subscription *sub;

	if (m->sub == 0) {
		stream_send_error(s, m->id, "usage",
		    "the operation belongs to a connection: sub is missing",
		    false);
		return;
	}
	sub = find(s, m);
	if (sub != NULL)
		subscription_call_start(sub, op, m);
}

static void
on_call(struct stream *s, const struct stream_message *m)
{
	json_t *args = json_object_get(m->tree, "args");
	const struct op *op = op_find(m->op);

	if (op != NULL && subscription_call_fits(op))
		call_over(s, m, op);
	else if (m->sub != 0)
		stream_send_error(s, m->id, "usage",
		    "sub is only for operations that belong to a connection",
		    false);
	else
		stream_calls_start(s, m->id, m->op,
		    args != NULL ? json_incref(args) : json_object(), NULL);
}

static void
on_cancel(struct stream *s, const struct stream_message *m)
{
	stream_calls_cancel(s, m->call);
	subscription_call_cancel(s, m->call);
}

typedef void message_fn(struct stream *s, const struct stream_message *m);

static message_fn *const handlers[STREAM_TYPES] = {
	[STREAM_PING] = on_ping,
	[STREAM_SUBSCRIBE] = stream_subscribe,
	[STREAM_UNSUBSCRIBE] = on_unsubscribe,
	[STREAM_CREDIT] = on_credit,
	[STREAM_INPUT] = on_input,
	[STREAM_RESIZE] = on_resize,
	[STREAM_VISIBLE] = on_visible,
	[STREAM_CALL] = on_call,
	[STREAM_CANCEL] = on_cancel,
};

static void
handle(struct stream *s, const struct stream_message *m, int rc,
    const struct error *err)
{
	if (s->greeted != (m->type != STREAM_HELLO))
		socket_close(s->socket, 1008,
		    "the first message is hello, and no other");
	else if (rc < 0)
		stream_send_error(s, m->id, "usage", err->msg, false);
	else if (m->type == STREAM_HELLO)
		take_hello(s, m);
	else
		handlers[m->type](s, m);
}

static void
on_message(void *arg, bool binary, const uint8_t *p, size_t len)
{
	struct stream *s = arg;
	struct stream_message m;
	struct error err;
	int rc;

	rc = binary ? stream_message_read_binary(&m, p, len, &err) :
		      stream_message_read(&m, p, len, &err);
	if (rc == -EPROTO)
		socket_close(s->socket, binary ? 1003 : 1007, err.msg);
	else
		handle(s, &m, rc, &err);
	stream_message_finish(&m);
}

static void
on_room(void *arg)
{
	struct stream *s = arg;

	s->choked = false;
	list_for_each_safe(it, &s->subscriptions) {
		struct subscription *sub = subscription_of(it);

		if (!s->choked)
			sub->kind->on_room(sub);
	}
}

static void
on_gone(void *arg)
{
	struct stream *s = arg;

	if (s->verifying != NULL)
		verifier_cancel(s->verifying);
	list_for_each_safe(it, &s->subscriptions)
		subscription_destroy(subscription_of(it));
	stream_calls_cancel_all(s);
	list_remove(&s->link);
	free(s);
}

/* ---------------------------------------------------------------- beginning */

void
streams_open(struct exchange *x)
{
	static const struct socket_handlers on = { on_message, on_room,
		on_gone };
	struct stream *s = xcalloc(1, sizeof(*s));
	struct hub *hub = exchange_hub(x);

	s->hub = hub;
	s->who = x->who;
	snprintf(s->cookie, sizeof(s->cookie), "%s", x->cookie);
	list_init(&s->subscriptions);
	list_init(&s->calls);
	s->socket = exchange_upgrade(x, PROTOCOL, &on, s);
	if (s->socket == NULL) {
		free(s);
		return;
	}
	snprintf(s->from, sizeof(s->from), "%s", socket_from(s->socket));
	socket_must_verify(s->socket);
	list_append(&hub->streams->list, &s->link);
}

/* ------------------------------------------------------------- permissions */

static void
reconsider(void *arg)
{
	struct streams *all = arg;

	list_for_each_safe(it, &all->list) {
		struct stream *s = stream_of(it);

		list_for_each_safe(at, &s->subscriptions)
			subscription_reconsider(subscription_of(at));
		if (!access_is_valid(all->hub->access, &s->who))
			close_unknown(s, "the credential has ended");
	}
}

struct streams *
streams_create(struct hub *hub)
{
	struct streams *all = xcalloc(1, sizeof(*all));

	all->hub = hub;
	list_init(&all->list);
	all->hook = (struct hub_hook){ .fn = reconsider, .arg = all };
	hub_on_reconsider(hub, &all->hook);
	return all;
}

void
streams_stop(struct streams *all)
{
	list_for_each(it, &all->list)
		socket_close(stream_of(it)->socket, 1001, "the hub stops");
}

void
streams_destroy(struct streams *all)
{
	if (all == NULL)
		return;
	list_remove(&all->hook.link);
	free(all);
}
