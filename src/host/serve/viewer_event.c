#include "host/serve/viewer_event.h"

#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json_out.h"
#include "host/core/session.h"
#include "host/store/event_log.h"
#include "vt/input_modes.h"
#include "vt/vt.h"

static void
put_machine(struct json_out *j)
{
	char name[256] = "";

	if (gethostname(name, sizeof(name) - 1) < 0)
		name[0] = '\0';
	json_put_text(j, "machine", name);
}

/* Bureau's clients know windows with panes; a session is one. */
static void
put_panes(struct json_out *j, const struct manifest *m)
{
	json_put_open(j, "panes", '[');
	json_out_open(j, '{');
	json_put_number(j, "index", 0);
	json_put_text(j, "command", m->command != NULL ? m->command[0] : "");
	json_put_number(j, "width", m->cols);
	json_put_number(j, "height", m->rows);
	json_put_bool(j, "active", true);
	json_out_close(j, '}');
	json_out_close(j, ']');
}

static void
put_modes(struct json_out *j, const struct input_modes *m)
{
	json_put_bool(j, "app_cursor_keys", m->app_cursor);
	json_put_bool(j, "bracketed_paste", m->bracketed_paste);
}

static void
put_program_status(struct json_out *j, const struct session *session)
{
	json_out_key(j, "program_status");
	manifest_said_json(&session->manifest, j);
}

void
viewer_event_metadata(struct buf *out, const struct session *session,
    uint64_t history, uint64_t gap, bool readonly)
{
	const struct manifest *m = &session->manifest;
	struct input_modes modes = { 0 };
	struct json_out j;

	if (session->display.vt != NULL)
		vt_input_modes(session->display.vt, &modes);
	json_out_init(&j, out);
	json_out_open(&j, '{');
	json_put_text(&j, "session", m->name);
	json_put_text(&j, "principal", m->name);
	put_machine(&j);
	put_panes(&j, m);
	json_put_text(&j, "id", m->id);
	json_put_text(&j, "name", m->name);
	json_put_text(&j, "status", status_name(m->status));
	json_put_number(&j, "cols", m->cols);
	json_put_number(&j, "rows", m->rows);
	json_put_number(&j, "offset", session->display.shown);
	json_put_number(&j, "seq", event_log_seq(session->event_log));
	json_put_number(&j, "history_offset", history);
	json_put_number(&j, "gap", gap);
	json_put_text(&j, "title",
	    session->display.vt != NULL ? vt_title(session->display.vt) : "");
	put_program_status(&j, session);
	json_put_text(&j, "granted", readonly ? "readonly" : "readwrite");
	json_put_open(&j, "modes", '{');
	put_modes(&j, &modes);
	json_out_close(&j, '}');
	json_out_close(&j, '}');
}

void
viewer_event_ended(struct buf *out, const struct session *session, uint64_t end)
{
	const struct manifest *m = &session->manifest;
	struct json_out j;

	json_out_init(&j, out);
	json_out_open(&j, '{');
	json_put_maybe(&j, "exit_code", m->has_exit && m->exit_code >= 0,
	    m->exit_code);
	json_put_maybe(&j, "exit_signal", m->has_exit && m->exit_signal > 0,
	    m->exit_signal);
	json_put_text(&j, "outcome", outcome_name(m->outcome));
	json_put_text(&j, "status", status_name(m->status));
	json_put_number(&j, "offset", end);
	json_out_close(&j, '}');
}

static void
begin(struct json_out *j, struct buf *out, const char *event)
{
	json_out_init(j, out);
	json_out_open(j, '{');
	json_put_text(j, "event", event);
}

void
viewer_event_resized(struct buf *out, const struct session *session)
{
	struct json_out j;

	begin(&j, out, "resized");
	json_put_number(&j, "cols", session->manifest.cols);
	json_put_number(&j, "rows", session->manifest.rows);
	json_put_number(&j, "offset", session->display.shown);
	json_out_close(&j, '}');
}

void
viewer_event_title(struct buf *out, const struct session *session)
{
	struct json_out j;

	begin(&j, out, "title");
	json_put_text(&j, "title",
	    session->display.vt != NULL ? vt_title(session->display.vt) : "");
	json_out_close(&j, '}');
}

void
viewer_event_program_status(struct buf *out, const struct session *session)
{
	struct json_out j;

	begin(&j, out, "program_status");
	put_program_status(&j, session);
	json_out_close(&j, '}');
}

void
viewer_event_modes(struct buf *out, const struct input_modes *m)
{
	struct json_out j;

	begin(&j, out, "modes");
	put_modes(&j, m);
	json_out_close(&j, '}');
}

void
viewer_event_notify(struct buf *out, const struct vt_event *ev)
{
	struct json_out j;

	begin(&j, out, "notify");
	json_put_text(&j, "title", ev->title != NULL ? ev->title : "");
	json_put_text(&j, "text", ev->text != NULL ? ev->text : "");
	json_out_close(&j, '}');
}

void
viewer_event_lease(struct buf *out, const char *holder)
{
	struct json_out j;

	begin(&j, out, "lease");
	json_put_text(&j, "holder", holder);
	json_out_close(&j, '}');
}

void
viewer_event_detached(struct buf *out, const char *by)
{
	struct json_out j;

	begin(&j, out, "detached");
	json_put_text(&j, "by", by);
	json_out_close(&j, '}');
}

void
viewer_event_unlogged(struct buf *out, int64_t since_ms)
{
	struct json_out j;

	begin(&j, out, since_ms != 0 ? "unlogged" : "logged");
	if (since_ms != 0)
		json_put_number(&j, "since", (uint64_t)since_ms);
	json_out_close(&j, '}');
}

void
viewer_event_plain(struct buf *out, const char *event)
{
	struct json_out j;

	begin(&j, out, event);
	json_out_close(&j, '}');
}

void
viewer_event_text(struct buf *out, const char *event, const char *key,
    const char *value)
{
	struct json_out j;

	begin(&j, out, event);
	json_put_text(&j, key, value);
	json_out_close(&j, '}');
}
