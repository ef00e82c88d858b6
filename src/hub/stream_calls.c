#include "hub/stream_calls.h"

#include <stdlib.h>

#include "base/list.h"
#include "base/mem.h"
#include "home/fault.h"
#include "hub/api.h"
#include "hub/stream_send.h"
#include "hub/stream_state.h"
#include "op/ops.h"

struct stream_call {
	struct list link;
	struct stream *stream;
	uint64_t id;
	const char *status;
	struct api_call *call;
};

static void
drop(struct stream_call *c)
{
	list_remove(&c->link);
	c->stream->n_calls--;
	free(c);
}

static void
on_done(void *arg, const struct calls_answer *a)
{
	struct stream_call *c = arg;
	json_t *result = a->result;

	if (result == NULL) {
		stream_send_fault(c->stream, c->id, a->fault);
	} else {
		if (c->status != NULL)
			json_object_set_new(result, "status",
			    json_string(c->status));
		stream_send_answer(c->stream, c->id, json_incref(result));
	}
	drop(c);
}

static bool
is_known(const struct stream *s, uint64_t id)
{
	list_for_each(it, &s->calls) {
		if (id != 0 &&
		    container_of(it, struct stream_call, link)->id == id)
			return true;
	}
	return false;
}

static int
start(struct stream_call *c, const struct op *op, json_t *args, struct fault *f)
{
	const struct api_request r = { .who = &c->stream->who,
		.from = c->stream->from,
		.op = op,
		.args = args };

	if (op == NULL || !op_has(op, OP_HTTP))
		return fault_set(f, FAIL_USAGE, "there is no such operation");
	if (c->stream->n_calls >= STREAM_CALLS)
		return fault_set(f, FAIL_BUSY, "too many calls are unanswered");
	if (is_known(c->stream, c->id))
		return fault_set(f, FAIL_USAGE,
		    "a call with this id is unanswered");
	return api_start(c->stream->hub, &r, on_done, c, &c->call, f);
}

void
stream_calls_start(struct stream *s, uint64_t id, const char *op, json_t *args,
    const char *status)
{
	struct stream_call *c = xcalloc(1, sizeof(*c));
	struct fault f;

	c->stream = s;
	c->id = id;
	c->status = status;
	if (start(c, op_find(op), args, &f) < 0) {
		stream_send_fault(s, id, &f);
		free(c);
	} else {
		list_append(&s->calls, &c->link);
		s->n_calls++;
	}
	json_decref(args);
}

static void
cancel(struct stream_call *c)
{
	api_cancel(c->call);
	drop(c);
}

void
stream_calls_cancel(struct stream *s, uint64_t id)
{
	list_for_each_safe(it, &s->calls) {
		struct stream_call *c = container_of(it, struct stream_call,
		    link);

		if (id != 0 && c->id == id)
			cancel(c);
	}
}

void
stream_calls_cancel_all(struct stream *s)
{
	list_for_each_safe(it, &s->calls)
		cancel(container_of(it, struct stream_call, link));
}
