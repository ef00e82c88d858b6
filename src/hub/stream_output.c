#include "hub/stream_output.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/base64.h"
#include "base/clock.h"
#include "base/mem.h"
#include "client/channel.h"
#include "hub/stream_message.h"
#include "hub/subscription.h"
#include "wire/frame.h"

#define MESSAGE_BYTES (64u << 10) /* of output in one message */
#define PIECE (256u << 10)        /* of a log that is read at once */
#define STALE_BYTES (64u << 10)

struct output {
	struct subscription base;
	bool has_at;  /* something was sent, or the client has said where */
	uint64_t at;  /* the offset of the next byte to send */
	bool skipped; /* a gap before the next picture is due */
	uint64_t end; /* of an ended session's output */
};

static struct output *
output_of(struct subscription *s)
{
	return container_of(s, struct output, base);
}

/* ------------------------------------------------------------------ sending */

static void
send_output(struct output *o, uint64_t offset, const uint8_t *p, size_t len)
{
	uint8_t head[STREAM_HEAD];

	while (len > 0) {
		size_t n = len < MESSAGE_BYTES ? len : MESSAGE_BYTES;

		stream_head_output(head, o->base.number, offset);
		subscription_bytes(&o->base, head, sizeof(head), p, n);
		p += n;
		len -= n;
		offset += n;
	}
	o->at = offset;
	o->has_at = true;
}

static void
send_gap(struct output *o, uint64_t from, uint64_t to, const char *why)
{
	subscription_send(&o->base, "gap",
	    json_pack("{s:I,s:I,s:s}", "from", (json_int_t)from, "to",
		(json_int_t)to, "why", why));
	o->at = to;
	o->has_at = true;
}

static void
send_picture(struct output *o, const struct frame_screen *screen,
    const uint8_t *p, size_t len)
{
	uint8_t head[STREAM_PICTURE_HEAD];

	if (o->skipped && o->at < screen->offset)
		send_gap(o, o->at, screen->offset, "slow");
	o->skipped = false;
	stream_head_picture(head, o->base.number, screen);
	subscription_bytes(&o->base, head, sizeof(head), p, len);
	o->at = screen->offset;
	o->has_at = true;
}

/* ------------------------------------------------------------------- a host */

static const char *
gap_name(unsigned why)
{
	static const char *const names[] = {
		[FRAME_GAP_SLOW] = "slow",
		[FRAME_GAP_UNLOGGED] = "unlogged",
		[FRAME_GAP_TRIMMED] = "trimmed",
		[FRAME_GAP_DAMAGED] = "damaged",
	};

	return why > 0 && why < sizeof(names) / sizeof(*names) ? names[why] :
								 "damaged";
}

static void
on_frame(struct subscription *s, const struct frame *f)
{
	struct output *o = output_of(s);
	struct frame_screen screen;
	struct frame_gap gap;
	const uint8_t *p;
	uint64_t offset;
	size_t len;

	if (frame_output(f, &offset, &p, &len)) {
		send_output(o, offset, p, len);
	} else if (frame_screen(f, &screen, &p, &len)) {
		send_picture(o, &screen, p, len);
	} else if (frame_gap(f, &gap)) {
		send_gap(o, gap.from, gap.to, gap_name(gap.why));
	} else if (f->type == FRAME_EVENT) {
		subscription_notice(s, f);
	}
	subscription_update(s);
}

/* Continue at the last offset with another connection. */
static void
reconnect(struct output *o, enum hello_replay replay)
{
	struct hello *h = &o->base.hello;

	h->replay = replay;
	h->steal = false;
	h->has_from = o->has_at && replay == HELLO_NONE;
	h->from = o->at;
	subscription_connect(&o->base);
}

/*
 * The client was slow and wants no backlog.  With unanswered inputs, the answers
 * come first.
 */
static bool
is_stale(const struct output *o)
{
	const struct subscription *s = &o->base;
	int64_t stopped = s->stopped_ms == 0 ?
	    0 :
	    clock_ms(CLOCK_MONOTONIC) - s->stopped_ms;
	size_t most = STALE_BYTES;

	if (s->hello.behind == HELLO_BEHIND_LOSSLESS || s->channel == NULL ||
	    !o->has_at || s->n_requests > 0 || stopped == 0)
		return false;
	if (s->allowance.rate > 0 && s->allowance.rate < most)
		most = s->allowance.rate;
	else if (stopped < STREAM_OUTPUT_STALE_MS)
		return false;
	return channel_backlog(s->channel) > most;
}

/* ------------------------------------------------------------ an ended one */

static void read_on(struct output *o);

/* The bytes of a piece of the log, the caller's. */
static uint8_t *
piece_of(const json_t *result, size_t *len)
{
	const json_t *text = json_object_get(result, "data");
	const json_t *coded = json_object_get(result, "data_base64");
	const json_t *v = text != NULL ? text : coded;
	size_t n = json_string_length(v);
	uint8_t *out = xmalloc(n + 1);
	ssize_t got = (ssize_t)n;

	if (text != NULL)
		memcpy(out, json_string_value(text), n);
	else if (coded != NULL)
		got = base64_decode(json_string_value(coded), n, out, n + 1);
	*len = got > 0 ? (size_t)got : 0;
	return out;
}

static uint64_t
piece_end(const struct output *o)
{
	return o->end - o->at > PIECE ? o->at + PIECE : o->end;
}

static void
on_piece(struct subscription *s, json_t *result)
{
	struct output *o = output_of(s);
	uint64_t to = piece_end(o);
	size_t len;
	auto_free uint8_t *p = piece_of(result, &len);

	if (len == to - o->at)
		send_output(o, o->at, p, len);
	else
		send_gap(o, o->at, to, "damaged");
	read_on(o);
}

static void
read_on(struct output *o)
{
	struct subscription *s = &o->base;
	char to[32];

	if (s->call != NULL)
		return;
	if (o->at >= o->end) {
		subscription_finish(s);
		return;
	}
	if (!subscription_may_send(s))
		return;
	snprintf(to, sizeof(to), "@%" PRIu64, piece_end(o));
	subscription_ask(s, "session.output",
	    json_pack("{s:b,s:I,s:s,s:i}", "raw", 1, "offset",
		(json_int_t)o->at, "to", to, "max_bytes", (int)(4 * PIECE)),
	    on_piece);
}

static void
on_ended(struct subscription *s, const json_t *session)
{
	struct output *o = output_of(s);
	const struct hello *h = &s->hello;

	if (session == NULL) {
		subscription_finish(s);
		return;
	}
	o->end = (uint64_t)json_integer_value(
	    json_object_get(session, "offset"));
	if (!o->has_at) {
		o->at = h->has_from         ? h->from :
		    h->replay == HELLO_NONE ? o->end :
		    o->end > h->history     ? o->end - h->history :
					      0;
		o->has_at = true;
	}
	read_on(o);
}

/* --------------------------------------------------------------- interface */

static void
on_room(struct subscription *s)
{
	struct output *o = output_of(s);

	if (s->ending != NULL) {
		read_on(o);
	} else if (subscription_may_send(s) && is_stale(o)) {
		o->skipped = true;
		reconnect(o, HELLO_SCREEN);
	} else {
		subscription_update(s);
	}
}

static void
on_access(struct subscription *s)
{
	struct output *o = output_of(s);

	if (s->channel != NULL)
		reconnect(o, o->has_at ? HELLO_NONE : s->hello.replay);
}

struct subscription *
stream_output_create(struct stream *stream, const struct stream_message *m)
{
	static const struct subscription_kind kind = {
		.begin = subscription_connect,
		.on_frame = on_frame,
		.on_ended = on_ended,
		.on_room = on_room,
		.on_access = on_access,
	};
	struct output *o = xcalloc(1, sizeof(*o));
	struct hello *h = &o->base.hello;

	subscription_init(&o->base, stream, &kind, m);
	o->base.counts = true;
	h->replay = m->replay;
	h->has_from = m->has_from;
	h->from = m->from;
	o->has_at = m->has_from;
	o->at = m->from;
	h->history = m->history;
	h->behind = m->behind;
	if (h->who == 0 && getrandom(&h->who, sizeof(h->who), 0) > 0)
		h->who = h->who >> 1 | 1;
	return &o->base;
}
