#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "host/core/session.h"
#include "host/input/encode.h"
#include "host/input/input.h"
#include "host/serve/connection.h"
#include "host/serve/requests.h"
#include "host/serve/server.h"
#include "host/serve/server_state.h"
#include "host/serve/viewer.h"
#include "vt/vt.h"
#include "wire/frame.h"

/* The server: handling the frames of a client. */

#define PING_MAX 64

typedef void frame_fn(struct connection *c, const struct frame *f);

static void
tell_taken(struct connection *c, uint64_t id, int status, uint64_t seq)
{
	const struct input_done done = { .client = c->number,
		.id = id,
		.status = status,
		.seq = seq };

	if (id != 0)
		server_typed(c->server, &done);
}

static void
type(struct connection *c, struct input_piece *piece)
{
	uint64_t seq = 0;
	int status = server_type(c->server, c, piece, &seq);

	if (status != INPUT_WAITS)
		tell_taken(c, piece->id, status, seq);
}

/* Type raw bytes, without the answers of the client's terminal. */
static void
type_raw(struct connection *c, const struct frame_input *in, bool whole)
{
	struct input_piece piece = { .id = in->id,
		.kind = INPUT_BYTES,
		.secret = in->flags & INPUT_SECRET };
	struct buf b;

	buf_init(&b, in->len + REPLY_FILTER_MAX);
	c->filter.cpr = input_cpr_answered(c->server->input);
	reply_filter(&c->filter, in->p, in->len, &b);
	if (whole)
		reply_filter_flush(&c->filter, &b);
	piece.p = b.data;
	piece.len = b.len;
	type(c, &piece);
	buf_finish(&b);
}

void
server_let_go(struct connection *c)
{
	const struct frame_input nothing = { .kind = INPUT_BYTES };

	type_raw(c, &nothing, true);
}

static void
on_data(struct connection *c, const struct frame *f)
{
	const struct frame_input in = { .kind = INPUT_BYTES,
		.p = f->payload,
		.len = f->len };

	type_raw(c, &in, false);
	c->deadline_ms = INT64_MAX;
	if (reply_filter_holds(&c->filter)) {
		c->deadline_ms = c->session->turn.now_ms + REPLY_FILTER_WAIT_MS;
		turn_wake_at(&c->session->turn, c->deadline_ms);
	}
}

static void
on_input(struct connection *c, const struct frame *f)
{
	struct input_modes modes = { 0 };
	struct input_piece piece = { 0 };
	struct frame_input in;
	struct buf b;
	int status;

	if (!frame_input(f, &in)) {
		connection_fail(c, FAIL_PROTOCOL,
		    "an INPUT frame is too short");
		return;
	}
	if (in.kind == INPUT_BYTES) {
		type_raw(c, &in, true);
		return;
	}
	if (c->session->display.vt != NULL)
		vt_input_modes(c->session->display.vt, &modes);
	buf_init(&b, INPUT_BYTES_MAX);
	status = encode_input(&in, &modes, &b);
	piece = (struct input_piece){ .id = in.id,
		.kind = in.kind,
		.secret = in.flags & INPUT_SECRET,
		.p = b.data,
		.len = b.len };
	if (status == TAKEN_WRITTEN)
		type(c, &piece);
	else
		tell_taken(c, in.id, status, 0);
	buf_finish(&b);
}

static void
on_resize(struct connection *c, const struct frame *f)
{
	unsigned cols, rows;

	if (!frame_resize(f, &cols, &rows) || cols == 0 || rows == 0)
		return;
	c->viewer->vote.cols = cols;
	c->viewer->vote.rows = rows;
	server_vote(c->server, c);
}

static void
on_view(struct connection *c, const struct frame *f)
{
	if (!frame_view(f, &c->viewer->visible))
		connection_fail(c, FAIL_PROTOCOL,
		    "a VIEW frame must have one byte");
	else
		server_vote(c->server, c);
}

static void
on_seen(struct connection *c, const struct frame *f)
{
	if (!frame_u64(f, &c->viewer->seen))
		connection_fail(c, FAIL_PROTOCOL,
		    "a SEEN frame must have eight bytes");
}

static void
on_request(struct connection *c, const struct frame *f)
{
	requests_take(c, f->payload, f->len);
}

static void
on_detach(struct connection *c, const struct frame *f)
{
	(void)f;
	server_release_lease(c->server, c);
	connection_close(c);
}

static void
on_ping(struct connection *c, const struct frame *f)
{
	if (f->len > PING_MAX)
		connection_fail(c, FAIL_PROTOCOL, "a PING is at most 64 bytes");
	else
		requests_pong(c, f->payload, f->len);
}

static void
on_pong(struct connection *c, const struct frame *f)
{
	(void)c;
	(void)f;
}

static void
on_bye(struct connection *c, const struct frame *f)
{
	(void)f;
	if (c->bye == CONNECTION_STAYS)
		connection_fail(c, FAIL_PROTOCOL,
		    "unexpected BYE: the host has not sent one");
	else
		connection_heard_bye(c);
}

static const struct {
	frame_fn *fn;
	bool control; /* allowed on a connection that is not attached */
} handlers[] = {
	[FRAME_DATA] = { on_data, false },
	[FRAME_RESIZE] = { on_resize, false },
	[FRAME_REQUEST] = { on_request, true },
	[FRAME_INPUT] = { on_input, false },
	[FRAME_DETACH] = { on_detach, true },
	[FRAME_SEEN] = { on_seen, false },
	[FRAME_PING] = { on_ping, true },
	[FRAME_PONG] = { on_pong, true },
	[FRAME_VIEW] = { on_view, false },
	[FRAME_BYE] = { on_bye, true },
};

void
server_handle_frame(struct connection *c, const struct frame *f)
{
	char message[80];

	if (f->type < sizeof(handlers) / sizeof(handlers[0]) &&
	    handlers[f->type].fn != NULL &&
	    (handlers[f->type].control || c->viewer != NULL)) {
		handlers[f->type].fn(c, f);
		return;
	}
	snprintf(message, sizeof(message), "unexpected frame of type 0x%02x",
	    f->type);
	connection_fail(c, FAIL_PROTOCOL, message);
}
