#include "host/serve/viewer_event.h"

#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "host/core/session.h"
#include "host/store/event_log.h"
#include "vt/input_modes.h"
#include "vt/vt.h"
#include "wire/event.h"

#define STATUS_MAX (64u << 10) /* of a program's status as JSON */

static void
put_machine(struct json_out *j)
{
	char name[256] = "";

	if (gethostname(name, sizeof(name) - 1) < 0)
		name[0] = '\0';
	json_put_text(j, "machine", name);
}

/* Bureau's clients expect windows with panes; a session has one. */
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

static const char *
title(const struct session *session)
{
	return session->display.vt != NULL ? vt_title(session->display.vt) : "";
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
	json_put_text(&j, "title", title(session));
	json_out_key(&j, "program_status");
	manifest_said_json(m, &j);
	manifest_put_agent(m, &j);
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

void
viewer_event_resized(struct buf *out, const struct session *session)
{
	wire_event_put_resized(out,
	    &(struct wire_event_resized){
		.cols = session->manifest.cols,
		.rows = session->manifest.rows,
		.offset = session->display.shown,
	    });
}

void
viewer_event_title(struct buf *out, const struct session *session)
{
	wire_event_put_text(out, WIRE_EVENT_TITLE, title(session));
}

/* A part of the session as JSON, for an event; the caller frees it. */
static char *
json_of(const struct manifest *m,
    void (*put)(const struct manifest *m, struct json_out *j))
{
	struct json_out j;
	struct buf b;

	buf_init(&b, STATUS_MAX);
	json_out_init(&j, &b);
	put(m, &j);
	return buf_take(&b);
}

void
viewer_event_activity(struct buf *out, const struct session *session)
{
	const struct manifest *m = &session->manifest;
	auto_free char *agent = json_of(m, manifest_agent_json);
	auto_free char *evidence = json_of(m, manifest_evidence_json);

	wire_event_put_activity(out,
	    &(struct wire_event_activity){
		.agent = agent,
		.activity = activity_name(manifest_activity(m)),
		.evidence = evidence,
	    });
}

void
viewer_event_program_status(struct buf *out, const struct session *session)
{
	auto_free char *status = json_of(&session->manifest,
	    manifest_said_json);

	wire_event_put_program_status(out,
	    &(struct wire_event_program_status){ status });
}

void
viewer_event_modes(struct buf *out, const struct input_modes *m)
{
	wire_event_put_modes(out,
	    &(struct wire_event_modes){
		.app_cursor_keys = m->app_cursor,
		.bracketed_paste = m->bracketed_paste,
	    });
}

void
viewer_event_notify(struct buf *out, const struct vt_event *ev)
{
	wire_event_put_notify(out,
	    &(struct wire_event_notify){
		.title = ev->title != NULL ? ev->title : "",
		.text = ev->text != NULL ? ev->text : "",
	    });
}

void
viewer_event_unlogged(struct buf *out, int64_t since_ms)
{
	if (since_ms != 0)
		wire_event_put_unlogged(out,
		    &(struct wire_event_unlogged){ (uint64_t)since_ms });
	else
		wire_event_put_plain(out, WIRE_EVENT_LOGGED);
}
