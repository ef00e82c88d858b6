#include "hub/stream_screen.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/json_tree.h"
#include "base/loop.h"
#include "base/mem.h"
#include "client/channel.h"
#include "hub/hub.h"
#include "hub/stream_message.h"
#include "hub/stream_state.h"
#include "hub/subscription.h"
#include "wire/frame.h"

struct screen {
	struct subscription base;
	bool cells;
	int64_t interval_ms;
	int64_t sent_ms;    /* CLOCK_MONOTONIC: the last update; 0: none */
	struct watch *rest; /* until the next update may follow */
	bool changed;       /* since the last update */
	bool asked;         /* an update is under way */
	bool has_seq;       /* the client has the screen of this event */
	uint64_t seq, offset;
};

static struct screen *
screen_of(struct subscription *s)
{
	return container_of(s, struct screen, base);
}

/* ----------------------------------------------------------------- updates */

/* With `cells`, the snapshot has those of all rows: pick a row's. */
static void
add_cells(json_t *row, size_t y, const json_t *snapshot)
{
	static const char *const names[] = { "cells", "wrapped" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		json_t *all = json_object_get(snapshot, names[i]);
		json_t *v = json_array_get(all, y);

		if (v != NULL)
			json_object_set(row, names[i], v);
	}
}

/* The rows of an update: those that changed, or all. */
static json_t *
rows_of(const json_t *snapshot)
{
	json_t *rows = json_incref(json_object_get(snapshot, "changed"));
	json_t *lines = json_object_get(snapshot, "lines");
	json_t *v;
	size_t i;

	if (rows == NULL) {
		rows = json_array();
		json_array_foreach(lines, i, v) json_array_append_new(rows,
		    json_pack("{s:I,s:O}", "row", (json_int_t)i, "text", v));
	}
	json_array_foreach(rows, i, v) add_cells(v,
	    (size_t)json_integer_value(json_object_get(v, "row")), snapshot);
	return rows;
}

static void
send_update(struct screen *c, json_t *snapshot)
{
	static const char *const names[] = { "cols", "rows", "cursor",
		"alt_screen", "title", "seq", "offset", "hash", "links",
		"modes" };
	json_t *o = json_object();

	json_object_set_new(o, "full",
	    json_boolean(json_object_get(snapshot, "changed") == NULL));
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		json_t *v = json_object_get(snapshot, names[i]);

		if (v != NULL)
			json_object_set(o, names[i], v);
	}
	json_object_set_new(o, "changed", rows_of(snapshot));
	c->seq = (uint64_t)json_integer_value(json_object_get(o, "seq"));
	c->offset = (uint64_t)json_integer_value(json_object_get(o, "offset"));
	c->has_seq = true;
	c->sent_ms = clock_ms(CLOCK_MONOTONIC);
	subscription_send(&c->base, "screen", o);
}

static json_t *
arguments(const struct screen *c)
{
	json_t *args = json_pack("{s:b}", "cells", c->cells);

	if (c->has_seq)
		json_object_set_new(args, "since",
		    json_integer((json_int_t)c->seq));
	return args;
}

/* ------------------------------------------------------------------- a host */

static void look(struct screen *c);

static void
on_snapshot(void *arg, const struct channel_answer *a)
{
	struct screen *c = arg;

	c->asked = false;
	if (a->outcome != CHANNEL_DONE) {
		/* The next host will be asked; so will a busy one. */
		c->changed = true;
		c->sent_ms = clock_ms(CLOCK_MONOTONIC);
	} else {
		send_update(c, a->result);
	}
	look(c);
}

static void
ask(struct screen *c)
{
	auto_json json_t *args = arguments(c);
	auto_free char *text = json_dumps(args, JSON_COMPACT);
	uint64_t id;

	c->changed = false;
	c->asked = channel_post(c->base.channel, "session.snapshot", text,
		       on_snapshot, c, &id, NULL) == 0;
}

/* Ask for an update if one is due, or decide when to look again. */
static void
look(struct screen *c)
{
	struct subscription *s = &c->base;
	int64_t left = c->sent_ms == 0 ?
	    0 :
	    c->sent_ms + c->interval_ms - clock_ms(CLOCK_MONOTONIC);

	if (c->asked) {
		s->resting = false;
	} else if (left > 0) {
		/* Inputs need their answers, which come behind the output. */
		s->resting = s->n_requests == 0;
		watch_rearm(c->rest, left);
	} else {
		s->resting = false;
		if (c->changed && subscription_may_send(s))
			ask(c);
	}
	subscription_update(s);
}

static void
on_rest(void *arg)
{
	struct screen *c = arg;

	if (c->base.channel != NULL)
		look(c);
}

static void
on_open(struct subscription *s)
{
	struct screen *c = screen_of(s);

	/* Events of this host may have other numbers than lost ones had. */
	c->has_seq = false;
	c->changed = true;
	c->asked = false;
}

static void
on_opened(struct subscription *s, const json_t *fields)
{
	(void)fields;
	look(screen_of(s));
}

/* ------------------------------------------------------------ an ended one */

static void
on_last(struct subscription *s, json_t *snapshot)
{
	send_update(screen_of(s), snapshot);
	subscription_finish(s);
}

/* The last screen comes from the log. */
static void
on_ended(struct subscription *s, const json_t *session)
{
	(void)session;
	subscription_ask(s, "session.snapshot",
	    json_pack("{s:b}", "cells", screen_of(s)->cells), on_last);
}

/* True if the frame shows something that the last update may not have. */
static bool
is_new(const struct screen *c, const struct frame *f)
{
	const uint8_t *p;
	uint64_t offset;
	size_t len;

	if (frame_output(f, &offset, &p, &len))
		return !c->has_seq || offset + len > c->offset;
	return f->type == FRAME_EVENT || f->type == FRAME_SCREEN;
}

static void
on_frame(struct subscription *s, const struct frame *f)
{
	struct screen *c = screen_of(s);

	c->changed = c->changed || is_new(c, f);
	look(c);
}

/* --------------------------------------------------------------- interface */

static void
on_room(struct subscription *s)
{
	if (s->channel != NULL)
		look(screen_of(s));
}

static void
on_access(struct subscription *s)
{
	if (s->channel != NULL)
		subscription_connect(s);
}

static void
destroy(struct subscription *s)
{
	watch_remove(screen_of(s)->rest);
}

struct subscription *
stream_screen_create(struct stream *stream, const struct stream_message *m)
{
	static const struct subscription_kind kind = {
		.begin = subscription_connect,
		.on_open = on_open,
		.on_opened = on_opened,
		.on_frame = on_frame,
		.on_ended = on_ended,
		.on_room = on_room,
		.on_access = on_access,
		.destroy = destroy,
	};
	struct screen *c = xcalloc(1, sizeof(*c));
	bool small = m->want == STREAM_THUMBNAIL;

	subscription_init(&c->base, stream, &kind, m);
	c->base.hello.replay = HELLO_NONE;
	c->cells = m->has_cells ? m->cells : !small;
	c->interval_ms = m->interval > 0 ? m->interval :
	    small                        ? STREAM_THUMBNAIL_MS :
					   STREAM_SCREEN_MS;
	c->rest = loop_timer(stream->hub->loop, -1, on_rest, c);
	return &c->base;
}
