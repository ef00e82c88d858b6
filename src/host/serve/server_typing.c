#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "host/core/events.h"
#include "host/core/session.h"
#include "host/input/input.h"
#include "host/serve/connection.h"
#include "host/serve/requests.h"
#include "host/serve/server.h"
#include "host/serve/server_state.h"
#include "host/serve/viewer_event.h"
#include "host/store/event_log.h"
#include "vt/vt.h"
#include "wire/event.h"
#include "wire/frame.h"

/* The server: typing for clients, and reporting the result. */

/* An answer that waits until its event is in the log. */
struct later {
	struct list link;
	struct input_done done;
};

static bool
has_lease(const struct server *s)
{
	return s->session->manifest.input == INPUT_POLICY_LEASE;
}

const char *
server_lease_holder(struct server *s, char *out, size_t size)
{
	struct connection *c = server_connection(s,
	    lease_holder(&s->lease, s->session->turn.now_ms));

	if (c == NULL)
		return NULL;
	snprintf(out, size, "%s#%" PRIu64, c->by, c->number);
	return out;
}

static void
tell_holder(struct server *s)
{
	char holder[SERVER_HOLDER_SIZE];

	server_text_event(s, WIRE_EVENT_LEASE,
	    server_lease_holder(s, holder, sizeof(holder)));
}

/* The ring tells the next host who has the lease. */
static void
note_lease(struct server *s)
{
	atomic_store(&s->session->terminal.ring.shared->leased, s->lease.who);
}

/* Tell the previous holder, and log who took the lease. */
static void
tell_stolen(struct server *s, struct connection *from,
    const struct connection *by)
{
	struct buf b;

	buf_init(&b, VIEWER_EVENT_MAX);
	wire_event_put_plain(&b, WIRE_EVENT_REPLACED);
	connection_put_event(from, (const char *)b.data, b.len);
	buf_finish(&b);
	event_lease_stolen(s->session, from->by, by->by);
}

/* True if both are connections of the same client. */
static bool
is_same(const struct connection *a, const struct connection *b)
{
	return a->hello.who != 0 && a->hello.who == b->hello.who;
}

bool
server_take_lease(struct server *s, struct connection *c, bool steal)
{
	uint64_t holder = lease_holder(&s->lease, s->session->turn.now_ms);
	struct connection *before;

	if (!has_lease(s))
		return true;
	switch (lease_take(&s->lease, c->number, c->hello.who, steal,
	    s->session->turn.now_ms)) {
	case LEASE_DENIED:
		return false;
	case LEASE_KEPT:
		return true;
	case LEASE_GAINED:
		break;
	}
	note_lease(s);
	before = holder != 0 ? server_connection(s, holder) : NULL;
	if (before != NULL && !is_same(before, c))
		tell_stolen(s, before, c);
	tell_holder(s);
	return true;
}

bool
server_has_lease(const struct server *s, const struct connection *c)
{
	return s->lease.holder == c->number;
}

void
server_claim_lease(struct server *s, struct connection *c)
{
	if (c->hello.steal ||
	    lease_is_of(&s->lease, c->hello.who, s->session->turn.now_ms))
		server_take_lease(s, c, c->hello.steal);
}

void
server_release_lease(struct server *s, struct connection *c)
{
	if (!lease_release(&s->lease, c->number))
		return;
	note_lease(s);
	tell_holder(s);
}

void
server_lose_lease(struct server *s, struct connection *c)
{
	if (!lease_lose(&s->lease, c->number, s->session->turn.now_ms))
		return;
	note_lease(s);
	tell_holder(s);
}

/* The holder has not typed for too long, or has not come back. */
void
server_expire_lease(struct server *s)
{
	bool told = s->lease.holder == 0;

	if (told && s->lease.who == 0)
		return;
	if (s->session->turn.now_ms < s->lease.until_ms) {
		turn_wake_at(&s->session->turn, s->lease.until_ms);
		return;
	}
	s->lease = (struct lease){ 0 };
	note_lease(s);
	if (!told)
		tell_holder(s);
}

/* --------------------------------------------------------------- typing */

/* The colours that the program gets are those of the client that types. */
static void
use_colours(struct server *s, const struct connection *c)
{
	struct vt *vt = s->session->display.vt;
	const struct hello *h = &c->hello;

	if (vt == NULL || !h->has_colours || s->colours_of == c->number)
		return;
	s->colours_of = c->number;
	vt_set_default_colours(vt, h->fg, h->bg);
	input_replied(s->input, 0); /* a program may want a report */
}

void
server_colours_known(struct server *s, struct connection *c)
{
	if (s->colours_of != 0 && s->colours_of != c->number)
		return;
	s->colours_of = 0;
	use_colours(s, c);
}

int
server_type(struct server *s, struct connection *c, struct input_piece *piece,
    uint64_t *seq)
{
	int status;

	if (!connection_may_type(c))
		return TAKEN_READ_ONLY;
	if (piece->len == 0)
		return TAKEN_NOTHING;
	if (!server_take_lease(s, c, false))
		return TAKEN_LEASED;
	piece->client = c->number;
	piece->by = c->by;
	status = input_type(s->input, piece, seq);
	s->hooks->on_typed(s->arg, piece->p, piece->len);
	use_colours(s, c);
	if (s->session->manifest.size == SIZE_LATEST)
		server_vote(s, c);
	return status;
}

/* A refused piece may have been typed in part. */
static void
answer_request(struct server *s, const struct input_done *done)
{
	static const struct error ended = { ESRCH, "the program has ended" };
	const struct server_request r = { done->client, done->id };
	struct json_out j;
	struct buf b;

	if (done->status != TAKEN_WRITTEN) {
		server_fail(s, &r, true, FAIL_NOT_RUNNING, &ended);
		return;
	}
	buf_init(&b, 128);
	json_out_init(&j, &b);
	requests_put_typed(&j, done->seq, s->session->display.shown);
	server_answer(s, &r, true, &b, 0);
	buf_finish(&b);
}

static void
answer(struct server *s, const struct input_done *done)
{
	struct connection *c = server_connection(s, done->client);

	if (done->request)
		answer_request(s, done);
	else if (c != NULL)
		connection_put_taken(c,
		    &(struct frame_taken){ done->id, done->seq,
			(uint8_t)done->status });
}

static void
on_logged(void *arg, uint64_t seq)
{
	struct server *s = arg;

	list_for_each_safe(it, &s->later) {
		struct later *l = container_of(it, struct later, link);

		if (l->done.seq > seq)
			break;
		answer(s, &l->done);
		list_remove(&l->link);
		free(l);
	}
}

void
server_answer_now(struct server *s)
{
	if (!s->session->manifest.durable)
		on_logged(s, UINT64_MAX);
}

/*
 * A client that sent a request may read the log next; keys do not wait for a
 * disk.
 */
static bool
must_be_logged(const struct server *s, const struct input_done *done)
{
	const struct session *session = s->session;

	if (done->status != TAKEN_WRITTEN || done->seq == 0)
		return false;
	return session->manifest.durable ||
	    (done->request &&
		event_log_unlogged_since(session->event_log) == 0);
}

void
server_typed(struct server *s, const struct input_done *done)
{
	struct later *l;

	if (!must_be_logged(s, done)) {
		answer(s, done);
		return;
	}
	l = xmalloc(sizeof(*l));
	l->done = *done;
	list_append(&s->later, &l->link);
	event_log_after(s->session->event_log, done->seq, on_logged, s);
}

void
server_begin_typing(struct server *s)
{
	uint64_t who = atomic_load(&s->session->terminal.ring.shared->leased);

	list_init(&s->later);
	if (who != 0)
		lease_keep(&s->lease, who, s->session->turn.now_ms);
}

void
server_end_typing(struct server *s)
{
	event_log_forget(s->session->event_log, s);
	list_for_each_safe(it, &s->later)
		free(container_of(it, struct later, link));
}
