#include "base/buf.h"
#include "host/core/session.h"
#include "host/serve/connection.h"
#include "host/serve/requests.h"
#include "host/serve/server.h"
#include "host/serve/server_state.h"
#include "host/serve/viewer_event.h"
#include "vt/vt.h"
#include "wire/event.h"

/* The server: events for viewers, besides the output. */

#define NOTICES_PER_S 10

void
server_event(struct server *s, const struct buf *json)
{
	list_for_each(it, &s->clients)
		connection_put_event(connection_of(it),
		    (const char *)json->data, json->len);
}

void
server_text_event(struct server *s, enum wire_event_id id, const char *value)
{
	struct buf b;

	buf_init(&b, VIEWER_EVENT_MAX);
	wire_event_put_text(&b, id, value);
	if (!b.full)
		server_event(s, &b);
	buf_finish(&b);
}

void
server_unlogged(struct server *s, int64_t since_ms)
{
	struct buf b;

	if (since_ms != 0) {
		server_answer_now(s);
		list_for_each(it, &s->clients)
			requests_send_held(connection_of(it));
	}
	buf_init(&b, VIEWER_EVENT_MAX);
	viewer_event_unlogged(&b, since_ms);
	server_event(s, &b);
	buf_finish(&b);
}

/* Limit notices, so that a program cannot fill its viewers' screens (S7). */
static bool
may_notify(struct server *s)
{
	turn_look(&s->session->turn);
	if (s->session->turn.now_ms - s->notices_ms >= 1000) {
		s->notices_ms = s->session->turn.now_ms;
		s->notices_left = NOTICES_PER_S;
	}
	if (s->notices_left == 0)
		return false;
	s->notices_left--;
	return true;
}

void
server_vt_event(struct server *s, const struct vt_event *ev)
{
	struct buf b;

	s->title_changed |= ev->type == VT_EVENT_TITLE;
	s->bell |= ev->type == VT_EVENT_BELL;
	if (ev->type != VT_EVENT_NOTIFY || !may_notify(s))
		return;
	buf_init(&b, VIEWER_EVENT_MAX);
	viewer_event_notify(&b, ev);
	server_event(s, &b);
	buf_finish(&b);
}

void
server_engine_changed(struct server *s)
{
	s->title_changed = true;
	s->colours_of = 0;
	server_resized(s);
}

/* The modes that clients want to know (O-08, O-09). */
static bool
modes_changed(struct server *s)
{
	struct input_modes now = { 0 };
	bool changed;

	if (s->session->display.vt != NULL)
		vt_input_modes(s->session->display.vt, &now);
	changed = now.app_cursor != s->told.app_cursor ||
	    now.bracketed_paste != s->told.bracketed_paste;
	s->told = now;
	return changed;
}

/* Send each change of this turn once. */
void
server_send_changes(struct server *s)
{
	struct buf b;

	buf_init(&b, VIEWER_EVENT_MAX);
	if (modes_changed(s)) {
		viewer_event_modes(&b, &s->told);
		server_event(s, &b);
	}
	if (s->title_changed) {
		buf_clear(&b);
		viewer_event_title(&b, s->session);
		server_event(s, &b);
	}
	if (s->bell) {
		buf_clear(&b);
		wire_event_put_plain(&b, WIRE_EVENT_BELL);
		server_event(s, &b);
	}
	s->title_changed = s->bell = false;
	buf_finish(&b);
}

void
server_send_state(struct server *s, struct connection *c)
{
	char holder[SERVER_HOLDER_SIZE];
	struct buf b;

	buf_init(&b, VIEWER_EVENT_MAX);
	viewer_event_resized(&b, s->session);
	connection_put_event(c, (const char *)b.data, b.len);
	buf_clear(&b);
	viewer_event_title(&b, s->session);
	connection_put_event(c, (const char *)b.data, b.len);
	buf_clear(&b);
	viewer_event_modes(&b, &s->told);
	connection_put_event(c, (const char *)b.data, b.len);
	buf_clear(&b);
	viewer_event_program_status(&b, s->session);
	connection_put_event(c, (const char *)b.data, b.len);
	buf_clear(&b);
	viewer_event_activity(&b, s->session);
	connection_put_event(c, (const char *)b.data, b.len);
	buf_clear(&b);
	wire_event_put_text(&b, WIRE_EVENT_LEASE,
	    server_lease_holder(s, holder, sizeof(holder)));
	connection_put_event(c, (const char *)b.data, b.len);
	buf_finish(&b);
}
