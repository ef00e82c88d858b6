#include "hub/stream_input.h"

#include <jansson.h>

#include "base/buf.h"
#include "base/error.h"
#include "client/channel.h"
#include "hub/stream_calls.h"
#include "hub/stream_message.h"
#include "hub/stream_send.h"
#include "hub/stream_state.h"
#include "hub/subscription.h"
#include "wire/frame.h"

/* By enum taken_status; NULL: it is no refusal. */
static const struct {
	const char *code, *message;
} refusals[] = {
	[TAKEN_WRITTEN] = { NULL, "written" },
	[TAKEN_READ_ONLY] = { "denied", "the subscription is read-only" },
	[TAKEN_LEASED] = { "busy", "another client has the lease" },
	[TAKEN_FULL] = { "busy", "the queue to the program is full" },
	[TAKEN_ENDED] = { "not_running", "the program has ended" },
	[TAKEN_NOTHING] = { NULL, "nothing" },
	[TAKEN_MALFORMED] = { "usage", "the input is malformed" },
};

static void
answer_taken(struct stream *stream, uint64_t id, const struct channel_answer *a)
{
	const unsigned n = sizeof(refusals) / sizeof(*refusals);
	unsigned i = a->status < n ? a->status : TAKEN_MALFORMED;

	if (refusals[i].code != NULL)
		stream_send_error(stream, id, refusals[i].code,
		    refusals[i].message, i == TAKEN_LEASED || i == TAKEN_FULL);
	else
		stream_send_answer(stream, id,
		    json_pack("{s:s,s:I}", "status", refusals[i].message, "seq",
			(json_int_t)a->seq));
}

static void
on_taken(void *arg, const struct channel_answer *a)
{
	struct subscription_request *r = arg;

	if (subscription_request_is_done(r, a))
		answer_taken(r->subscription->stream, r->id, a);
	subscription_request_end(r, AUDIT_ALLOWED);
}

static void
type(struct subscription *s, const struct stream_message *m, struct buf *frame)
{
	struct subscription_request *r;
	uint64_t number;
	struct error err;

	if (stream_message_frame(m, frame, &err) < 0) {
		stream_send_error(s->stream, m->id, "usage", err.msg, false);
		return;
	}
	r = subscription_request(s, m->id);
	if (r == NULL)
		return;
	if (channel_type(s->channel, frame->data, frame->len, on_taken, r,
		&number, &err) < 0) {
		stream_send_error(s->stream, m->id, "busy", err.msg, true);
		subscription_request_end(r, AUDIT_FAILED);
		return;
	}
	/* Its answer comes behind the output. */
	s->kind->on_room(s);
}

/* As session.send, at most once. */
static void
send_once(struct subscription *s, const struct stream_message *m)
{
	struct error err;
	json_t *items = stream_message_items(m, &err);
	json_t *args;

	if (items == NULL) {
		stream_send_error(s->stream, m->id, "usage", err.msg, false);
		return;
	}
	args = json_pack("{s:s,s:o,s:s}", "session", s->id, "input", items,
	    "key", m->once);
	if (m->secret)
		json_object_set_new(args, "secret", json_true());
	stream_calls_start(s->stream, m->id, "session.send", args, "written");
}

void
stream_input_take(struct subscription *s, const struct stream_message *m)
{
	struct buf frame;

	if (!s->readwrite) {
		stream_send_error(s->stream, m->id, "denied",
		    "the subscription is read-only", false);
		return;
	}
	if (m->once[0] != '\0') {
		send_once(s, m);
		return;
	}
	if (s->channel == NULL) {
		stream_send_error(s->stream, m->id, "not_running",
		    "the session has ended", false);
		return;
	}
	buf_init(&frame, FRAME_HEADER + FRAME_MAX_CLIENT);
	type(s, m, &frame);
	buf_finish(&frame);
}
