#include "hub/subscription_call.h"

#include <stdlib.h>

#include <jansson.h>

#include "base/error.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "client/channel.h"
#include "home/fault.h"
#include "hub/audit.h"
#include "hub/hub.h"
#include "hub/stream_message.h"
#include "hub/stream_send.h"
#include "hub/stream_state.h"
#include "hub/subscription.h"
#include "op/ops.h"

bool
subscription_call_fits(const struct op *op)
{
	return op_has(op, OP_WEBSOCKET) && !op_has(op, OP_HTTP);
}

static void
on_answer(void *arg, const struct channel_answer *a)
{
	struct subscription_request *r = arg;
	bool done = subscription_request_is_done(r, a);

	if (done)
		stream_send_answer(r->subscription->stream, r->id,
		    json_incref(a->result));
	subscription_request_end(r, done ? AUDIT_ALLOWED : AUDIT_FAILED);
}

static struct audit_use
use_of(const struct subscription *s, const struct op *op)
{
	return (struct audit_use){ .who = &s->stream->who,
		.from = s->stream->from,
		.what = op->name,
		.session = s->id,
		.name = s->name,
		.mode = op_permission_name(op->permission) };
}

static int
check(const struct subscription *s, const struct op *op, json_t *args,
    struct fault *f)
{
	const struct audit_use use = use_of(s, op);
	struct error err;

	if (!s->readwrite) {
		audit_denied(s->stream->hub->audit, &use);
		return fault_set(f, FAIL_DENIED,
		    "the subscription is read-only");
	}
	if (s->channel == NULL)
		return fault_set(f, FAIL_NOT_RUNNING, "the session has ended");
	if (op_take_arguments(op, args, &err) < 0)
		return fault_set(f, FAIL_USAGE, "%s", err.msg);
	return 0;
}

static void
post(struct subscription *s, const struct op *op, const json_t *args,
    uint64_t id)
{
	const struct audit_use use = use_of(s, op);
	struct subscription_request *r = subscription_request(s, id);
	auto_free char *text = json_dumps(args, JSON_COMPACT);
	uint64_t number;
	struct error err;

	if (r == NULL)
		return;
	r->is_call = true;
	r->audit = audit_begin(s->stream->hub->audit, &use, AUDIT_ALLOWED);
	if (channel_post(s->channel, op->name, text, on_answer, r, &number,
		&err) < 0) {
		stream_send_error(s->stream, id, "busy", err.msg, true);
		subscription_request_end(r, AUDIT_FAILED);
		return;
	}
	/* Its answer comes behind the output. */
	s->kind->on_room(s);
}

void
subscription_call_start(struct subscription *s, const struct op *op,
    const struct stream_message *m)
{
	json_t *given = json_object_get(m->tree, "args");
	auto_json json_t *args = given != NULL ? json_incref(given) :
						 json_object();
	struct fault f;

	if (check(s, op, args, &f) < 0)
		stream_send_fault(s->stream, m->id, &f);
	else
		post(s, op, args, m->id);
}

void
subscription_call_cancel(struct stream *stream, uint64_t id)
{
	list_for_each(it, &stream->subscriptions) {
		struct subscription *s = container_of(it, struct subscription,
		    link);

		list_for_each(at, &s->requests) {
			struct subscription_request *r = container_of(at,
			    struct subscription_request, link);

			if (r->is_call && r->id == id)
				r->id = 0;
		}
	}
}
