#include "hub/stream_home.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_tree.h"
#include "base/mem.h"
#include "hub/home_events.h"
#include "hub/stream_message.h"
#include "hub/stream_state.h"
#include "hub/subscription.h"

struct home_sub {
	struct subscription base;
	struct home_events *events;
	char cursor[64]; /* where the client stopped; "": nowhere */
};

static struct home_sub *
home_of(struct subscription *s)
{
	return container_of(s, struct home_sub, base);
}

static bool
has_room(void *arg)
{
	struct home_sub *h = arg;

	return subscription_may_send(&h->base);
}

static void
send_event(void *arg, const char *event, const char *id, const char *data)
{
	struct home_sub *h = arg;
	json_t *o = json_tree_object(data, strlen(data), NULL);

	if (o == NULL)
		return;
	if (id != NULL)
		json_object_set_new(o, "cursor", json_string(id));
	subscription_send(&h->base, event, o);
}

static void
begin(struct subscription *s)
{
	static const struct home_events_to to = { has_room, send_event };
	struct home_sub *h = home_of(s);

	h->events = home_events_create(s->stream->hub, &s->stream->who,
	    s->stream->from, h->cursor, &to, h);
	home_events_go_on(h->events);
}

static void
on_room(struct subscription *s)
{
	home_events_go_on(home_of(s)->events);
}

static void
destroy(struct subscription *s)
{
	home_events_destroy(home_of(s)->events);
}

struct subscription *
stream_home_create(struct stream *stream, const struct stream_message *m)
{
	static const struct subscription_kind kind = {
		.begin = begin,
		.on_room = on_room,
		.destroy = destroy,
	};
	struct home_sub *h = xcalloc(1, sizeof(*h));

	subscription_init(&h->base, stream, &kind, m);
	snprintf(h->cursor, sizeof(h->cursor), "%s", m->cursor);
	return &h->base;
}
