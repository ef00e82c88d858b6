#include "hub/home_events.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "base/number.h"
#include "hub/access.h"
#include "hub/audit.h"
#include "hub/directory.h"
#include "hub/exchange.h"
#include "hub/hub.h"
#include "hub/identity.h"
#include "hub/sse.h"
#include "op/ops.h"

#define ID_TEXT 64

struct home_events {
	struct hub *hub;
	struct identity who;
	struct audit_entry *entry;
	const struct home_events_to *to;
	void *arg;
	struct directory_follower follower;
	struct hub_hook rights;
	uint64_t number;  /* of the last event that was sent or left out */
	const char *why;  /* the whole state is due, and why; NULL: it is not */
	bool state;       /* the state is being sent */
	char at[ID_SIZE]; /* the last session of it; "": none yet */
};

static unsigned
permissions(const struct home_events *h, const char *id, const char *name)
{
	return access_permissions(h->hub->access, &h->who, id, name);
}

static bool
sees(const struct home_events *h, const char *id, const char *name)
{
	return permissions(h, id, name) & (1u << OP_OBSERVE);
}

/* The text of a session that the client may see. */
static const char *
text_for(const struct home_events *h, const char *id, const char *name,
    const char *json, const char *shown)
{
	return shown == NULL || permissions(h, id, name) & (1u << OP_ADMIN) ?
	    json :
	    shown;
}

static void
put_id(const struct home_events *h, char out[ID_TEXT])
{
	snprintf(out, ID_TEXT, "%s-%" PRIu64, h->hub->start, h->number);
}

/* {"session":…} and perhaps the old name. */
static void
send_session(struct home_events *h, const char *event, const char *id,
    const char *json, const char *from)
{
	struct json_out j;
	struct buf b;

	buf_init(&b, SIZE_MAX);
	json_out_init(&j, &b);
	json_out_open(&j, '{');
	if (from != NULL)
		json_put_text(&j, "from", from);
	json_out_key(&j, "session");
	(void)buf_puts(&b, json);
	(void)buf_append(&b, "}", 2);
	h->to->send(h->arg, event, id, (const char *)b.data);
	buf_finish(&b);
}

static void
send_removed(struct home_events *h, const char *cursor, const char *id,
    const char *name)
{
	struct json_out j;
	struct buf b;

	buf_init(&b, SIZE_MAX);
	json_out_init(&j, &b);
	json_out_open(&j, '{');
	json_put_text(&j, "id", id);
	json_put_text(&j, "name", name);
	json_out_close(&j, '}');
	(void)buf_append(&b, "", 1);
	h->to->send(h->arg, directory_type_name(DIRECTORY_REMOVED), cursor,
	    (const char *)b.data);
	buf_finish(&b);
}

/*
 * A rename may take a session out of sight, or into it; then the client must
 * not learn the name that it may not see.
 */
static void
send_event(struct home_events *h, const struct directory_event *e)
{
	bool saw = sees(h, e->id, e->from), sees_now = sees(h, e->id, e->name);
	enum directory_type type = e->type;
	char cursor[ID_TEXT];

	if (!saw && !sees_now)
		return;
	put_id(h, cursor);
	if (!saw)
		type = DIRECTORY_CREATED;
	if (type == DIRECTORY_REMOVED || !sees_now)
		send_removed(h, cursor, e->id, e->from);
	else
		send_session(h, directory_type_name(type), cursor,
		    text_for(h, e->id, e->name, e->json, e->shown),
		    type == DIRECTORY_RENAMED ? e->from : NULL);
}

/* ------------------------------------------------------------------- state */

static void
begin_state(struct home_events *h)
{
	char text[64];

	snprintf(text, sizeof(text), "{\"why\":\"%s\"}", h->why);
	h->why = NULL;
	h->state = true;
	h->at[0] = '\0';
	/* Events from here on come after the state, and may repeat some of it. */
	h->number = directory_last(h->hub->directory);
	/* A client that leaves in the middle must get all of it again. */
	h->to->send(h->arg, "reset", "", text);
}

static void
send_next(struct home_events *h)
{
	const struct directory *d = h->hub->directory;
	size_t i = directory_index(d, h->at);
	const struct directory_session *s;
	char cursor[ID_TEXT];

	if (i < directory_count(d) &&
	    strcmp(directory_at(d, i)->id, h->at) == 0)
		i++;
	if (i == directory_count(d)) {
		h->state = false;
		put_id(h, cursor);
		h->to->send(h->arg, "current", cursor, "{}");
		return;
	}
	s = directory_at(d, i);
	memcpy(h->at, s->id, ID_SIZE);
	if (sees(h, s->id, s->name))
		send_session(h, "session", NULL,
		    text_for(h, s->id, s->name, s->json, s->shown), NULL);
}

/* Send something; false: there is nothing. */
static bool
send_some(struct home_events *h)
{
	const struct directory_event *e;
	bool gap;

	if (h->why != NULL) {
		begin_state(h);
		return true;
	}
	if (h->state) {
		send_next(h);
		return true;
	}
	e = directory_after(h->hub->directory, h->number, &gap);
	if (gap)
		h->why = "behind";
	if (e != NULL) {
		h->number = e->number;
		send_event(h, e);
	}
	return gap || e != NULL;
}

void
home_events_go_on(struct home_events *h)
{
	while (h->to->has_room(h->arg) && send_some(h))
		continue;
}

static void
on_event(void *arg, const struct directory_event *e)
{
	(void)e;
	home_events_go_on(arg);
}

static void
on_rights(void *arg)
{
	struct home_events *h = arg;

	h->why = "rights";
	home_events_go_on(h);
}

/* The place of a client that comes back; false: it needs the whole state. */
static bool
take_last_id(struct home_events *h, const char *id)
{
	size_t len = strlen(h->hub->start);
	const char *digits = id + len + 1;

	return strncmp(id, h->hub->start, len) == 0 && id[len] == '-' &&
	    number_take(&digits, UINT64_MAX, &h->number) && *digits == '\0';
}

static struct audit_entry *
begin_audit(struct home_events *h, const char *from)
{
	const struct audit_use use = { .who = &h->who,
		.from = from,
		.what = "home.events",
		.mode = "observe" };

	return audit_begin(h->hub->audit, &use, AUDIT_ALLOWED);
}

struct home_events *
home_events_create(struct hub *hub, const struct identity *who,
    const char *from, const char *last, const struct home_events_to *to,
    void *arg)
{
	struct home_events *h = xcalloc(1, sizeof(*h));

	h->hub = hub;
	h->who = *who;
	h->to = to;
	h->arg = arg;
	if (last[0] == '\0')
		h->why = "first";
	else if (!take_last_id(h, last))
		h->why = "restarted";
	h->follower.fn = on_event;
	h->rights.fn = on_rights;
	h->follower.arg = h->rights.arg = h;
	directory_follow(hub->directory, &h->follower);
	hub_on_reconsider(hub, &h->rights);
	h->entry = begin_audit(h, from);
	return h;
}

void
home_events_destroy(struct home_events *h)
{
	if (h == NULL)
		return;
	audit_end(h->entry, AUDIT_ALLOWED);
	list_remove(&h->follower.link);
	list_remove(&h->rights.link);
	free(h);
}

/* ------------------------------------------------------ server-sent events */

struct answer {
	struct home_events *events;
	struct sse *sse;
};

static bool
has_room(void *arg)
{
	const struct answer *a = arg;

	return sse_has_room(a->sse);
}

static void
send_sse(void *arg, const char *event, const char *id, const char *data)
{
	const struct answer *a = arg;

	sse_send(a->sse, event, id, data);
}

static void
on_room(void *arg)
{
	const struct answer *a = arg;

	home_events_go_on(a->events);
}

static void
on_gone(void *arg)
{
	struct answer *a = arg;

	home_events_destroy(a->events);
	free(a);
}

void
home_events_run(struct exchange *x)
{
	static const struct sse_handlers handlers = { on_room, on_gone };
	static const struct home_events_to to = { has_room, send_sse };
	struct hub *hub = exchange_hub(x);
	struct answer *a;

	if (!hub->ready) {
		exchange_problem(x, 503, "busy",
		    "the hub still reads the sessions of its home");
		return;
	}
	a = xcalloc(1, sizeof(*a));
	a->events = home_events_create(hub, exchange_identity(x),
	    exchange_from(x), sse_last_id(x), &to, a);
	a->sse = sse_create(x, &handlers, a);
	if (a->sse == NULL)
		on_gone(a);
	else
		home_events_go_on(a->events);
}
