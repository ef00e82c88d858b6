#include "host/tell.h"

#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json_out.h"
#include "host/host.h"
#include "host/scribe.h"
#include "vt/input_modes.h"
#include "vt/vt.h"

static void
put_text(struct json_out *j, const char *key, const char *value)
{
	json_out_key(j, key);
	if (value != NULL)
		json_out_text(j, value);
	else
		json_out_null(j);
}

static void
put_number(struct json_out *j, const char *key, uint64_t n)
{
	json_out_key(j, key);
	json_out_number(j, n);
}

static void
put_bool(struct json_out *j, const char *key, bool b)
{
	json_out_key(j, key);
	json_out_bool(j, b);
}

static void
put_machine(struct json_out *j)
{
	char name[256] = "";

	if (gethostname(name, sizeof(name) - 1) < 0)
		name[0] = '\0';
	put_text(j, "machine", name);
}

/* Bureau's clients know windows with panes; a session is one. */
static void
put_panes(struct json_out *j, const struct manifest *m)
{
	json_out_key(j, "panes");
	json_out_open(j, '[');
	json_out_open(j, '{');
	put_number(j, "index", 0);
	put_text(j, "command", m->command != NULL ? m->command[0] : "");
	put_number(j, "width", m->cols);
	put_number(j, "height", m->rows);
	put_bool(j, "active", true);
	json_out_close(j, '}');
	json_out_close(j, ']');
}

static void
put_modes(struct json_out *j, const struct input_modes *m)
{
	put_bool(j, "app_cursor_keys", m->app_cursor);
	put_bool(j, "bracketed_paste", m->bracketed_paste);
}

void
tell_metadata(struct buf *out, const struct host *h, uint64_t history,
    uint64_t gap, bool readonly)
{
	const struct manifest *m = &h->manifest;
	struct input_modes modes = { 0 };
	struct json_out j;

	if (h->vt != NULL)
		vt_input_modes(h->vt, &modes);
	json_out_init(&j, out);
	json_out_open(&j, '{');
	put_text(&j, "session", m->name);
	put_text(&j, "principal", m->name);
	put_machine(&j);
	put_panes(&j, m);
	put_text(&j, "id", m->id);
	put_text(&j, "name", m->name);
	put_text(&j, "status", status_name(m->status));
	put_number(&j, "cols", m->cols);
	put_number(&j, "rows", m->rows);
	put_number(&j, "offset", h->shown);
	put_number(&j, "seq", scribe_seq(h->scribe));
	put_number(&j, "history_offset", history);
	put_number(&j, "gap", gap);
	put_text(&j, "title", h->vt != NULL ? vt_title(h->vt) : "");
	put_text(&j, "granted", readonly ? "readonly" : "readwrite");
	json_out_key(&j, "modes");
	json_out_open(&j, '{');
	put_modes(&j, &modes);
	json_out_close(&j, '}');
	json_out_close(&j, '}');
}

void
tell_ended(struct buf *out, const struct host *h, uint64_t end)
{
	const struct manifest *m = &h->manifest;
	struct json_out j;

	json_out_init(&j, out);
	json_out_open(&j, '{');
	json_out_key(&j, "exit_code");
	if (m->has_exit && m->exit_code >= 0)
		json_out_number(&j, (uint64_t)m->exit_code);
	else
		json_out_null(&j);
	json_out_key(&j, "exit_signal");
	if (m->has_exit && m->exit_signal > 0)
		json_out_number(&j, (uint64_t)m->exit_signal);
	else
		json_out_null(&j);
	put_text(&j, "outcome", outcome_name(m->outcome));
	put_text(&j, "status", status_name(m->status));
	put_number(&j, "offset", end);
	json_out_close(&j, '}');
}

static void
begin(struct json_out *j, struct buf *out, const char *event)
{
	json_out_init(j, out);
	json_out_open(j, '{');
	put_text(j, "event", event);
}

void
tell_resized(struct buf *out, const struct host *h)
{
	struct json_out j;

	begin(&j, out, "resized");
	put_number(&j, "cols", h->manifest.cols);
	put_number(&j, "rows", h->manifest.rows);
	put_number(&j, "offset", h->shown);
	json_out_close(&j, '}');
}

void
tell_title(struct buf *out, const struct host *h)
{
	struct json_out j;

	begin(&j, out, "title");
	put_text(&j, "title", h->vt != NULL ? vt_title(h->vt) : "");
	json_out_close(&j, '}');
}

void
tell_modes(struct buf *out, const struct input_modes *m)
{
	struct json_out j;

	begin(&j, out, "modes");
	put_modes(&j, m);
	json_out_close(&j, '}');
}

void
tell_notify(struct buf *out, const struct vt_event *ev)
{
	struct json_out j;

	begin(&j, out, "notify");
	put_text(&j, "title", ev->title != NULL ? ev->title : "");
	put_text(&j, "text", ev->text != NULL ? ev->text : "");
	json_out_close(&j, '}');
}

void
tell_lease(struct buf *out, const char *holder)
{
	struct json_out j;

	begin(&j, out, "lease");
	put_text(&j, "holder", holder);
	json_out_close(&j, '}');
}

void
tell_unlogged(struct buf *out, int64_t since_ms)
{
	struct json_out j;

	begin(&j, out, since_ms != 0 ? "unlogged" : "logged");
	if (since_ms != 0)
		put_number(&j, "since", (uint64_t)since_ms);
	json_out_close(&j, '}');
}

void
tell_plain(struct buf *out, const char *event)
{
	struct json_out j;

	begin(&j, out, event);
	json_out_close(&j, '}');
}
