#include "hub/stream_events.h"

#include <stdlib.h>
#include <string.h>

#include "base/loop.h"
#include "base/mem.h"
#include "hub/hub.h"
#include "hub/log_watch.h"
#include "hub/stream_message.h"
#include "hub/stream_state.h"
#include "hub/subscription.h"
#include "wire/frame.h"

#define READ_BYTES (128 << 10) /* of events, at once */
#define LAST_LOOKS 50          /* for the event of the session's end */

struct events {
	struct subscription base;
	bool has_cursor; /* the seq of the last event that was sent */
	uint64_t cursor;
	bool grown;  /* the log may have more */
	bool waits;  /* for the pause between two readings */
	bool blind;  /* the kernel does not watch the log */
	bool exited; /* the event of that was sent */
	bool whole;  /* the log cannot grow any more */
	unsigned looks;
	struct watch *pause, *rest;
	struct log_watcher watcher;
};

static struct events *
events_of(struct subscription *s)
{
	return container_of(s, struct events, base);
}

/* ----------------------------------------------------------------- the log */

static void look(struct events *e);

static void
send_entry(struct events *e, json_t *entry)
{
	json_t *seq = json_object_get(entry, "seq");
	const char *type = json_string_value(json_object_get(entry, "type"));
	json_t *o = json_object();

	if (type != NULL && strcmp(type, "exit") == 0)
		e->exited = true;
	/* The text of input is not for everybody who may watch. */
	json_object_del(entry, "data");
	json_object_del(entry, "data_base64");
	/* It is known only if the log's time of day was read before. */
	json_object_del(entry, "at");
	if (seq != NULL)
		json_object_set(o, "seq", seq);
	json_object_set(o, "entry", entry);
	subscription_send(&e->base, "logged", o);
}

static void
pause_for(struct events *e, int64_t ms)
{
	e->waits = true;
	watch_rearm(e->pause, ms);
}

static void
on_events(struct subscription *s, json_t *result)
{
	struct events *e = events_of(s);
	json_t *next = json_object_get(result, "next_seq");
	json_t *entry;
	size_t i;

	json_array_foreach(json_object_get(result, "events"), i, entry)
	    send_entry(e, entry);
	if (json_integer_value(next) > (json_int_t)e->cursor)
		e->cursor = (uint64_t)json_integer_value(next);
	if (json_is_true(json_object_get(result, "truncated"))) {
		e->grown = true;
		look(e);
		return;
	}
	if (s->ending != NULL &&
	    (e->whole || e->exited || ++e->looks > LAST_LOOKS)) {
		subscription_finish(s);
		return;
	}
	pause_for(e, e->blind ? STREAM_EVENTS_LOOK_MS : STREAM_EVENTS_MS);
}

/* Read what is new, unless that is under way or must wait. */
static void
look(struct events *e)
{
	struct subscription *s = &e->base;

	if (!e->has_cursor || !e->grown || e->waits || s->call != NULL ||
	    !subscription_may_send(s))
		return;
	e->grown = false;
	/* First, so that no change is missed. */
	e->blind = !log_watch_ask(s->stream->hub->log_watches, &e->watcher,
	    s->dirfd);
	subscription_ask(s, "session.events",
	    json_pack("{s:I,s:b,s:i}", "since", (json_int_t)e->cursor,
		"no_output", 1, "max_bytes", READ_BYTES),
	    on_events);
}

static void
on_grown(void *arg)
{
	struct events *e = arg;

	e->grown = true;
	look(e);
}

static void
on_pause(void *arg)
{
	struct events *e = arg;

	e->waits = false;
	e->grown = e->grown || e->blind || e->base.ending != NULL;
	look(e);
}

/* ------------------------------------------------------------------- a host */

static void
begin_at(struct subscription *s, const json_t *fields)
{
	struct events *e = events_of(s);

	if (!e->has_cursor)
		e->cursor = (uint64_t)json_integer_value(
		    json_object_get(fields, "seq"));
	e->has_cursor = true;
	e->grown = true;
	look(e);
}

static void
on_frame(struct subscription *s, const struct frame *f)
{
	struct events *e = events_of(s);

	if (f->type == FRAME_EVENT) {
		subscription_notice(s, f);
	} else {
		/* Output: take the notices behind it later. */
		s->resting = true;
		watch_rearm(e->rest, STREAM_EVENTS_MS);
		subscription_update(s);
	}
}

static void
on_rest(void *arg)
{
	struct events *e = arg;

	e->base.resting = false;
	subscription_update(&e->base);
}

static void
on_ended(struct subscription *s, const json_t *session)
{
	struct events *e = events_of(s);

	if (session != NULL) {
		e->whole = true;
		begin_at(s, session);
	} else {
		on_grown(e);
	}
}

/* --------------------------------------------------------------- interface */

static void
on_room(struct subscription *s)
{
	subscription_update(s);
	look(events_of(s));
}

static void
destroy(struct subscription *s)
{
	struct events *e = events_of(s);

	watch_remove(e->pause);
	watch_remove(e->rest);
	log_watch_forget(&e->watcher);
}

struct subscription *
stream_events_create(struct stream *stream, const struct stream_message *m)
{
	static const struct subscription_kind kind = {
		.begin = subscription_connect,
		.on_opened = begin_at,
		.on_frame = on_frame,
		.on_ended = on_ended,
		.on_room = on_room,
		.destroy = destroy,
	};
	struct events *e = xcalloc(1, sizeof(*e));

	subscription_init(&e->base, stream, &kind, m);
	e->base.hello.replay = HELLO_NONE;
	e->base.hello.cols = e->base.hello.rows = 0;
	e->has_cursor = m->has_from;
	e->cursor = m->from;
	e->pause = loop_timer(stream->hub->loop, -1, on_pause, e);
	e->rest = loop_timer(stream->hub->loop, -1, on_rest, e);
	log_watcher_init(&e->watcher, on_grown, e);
	return &e->base;
}
