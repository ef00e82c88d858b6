#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/json_field.h"
#include "base/json_tree.h"
#include "base/version.h"
#include "client/attach_state.h"
#include "client/scrollback.h"
#include "log/by.h"
#include "vt/vt.h"
#include "wire/event.h"
#include "wire/frame.h"

#define OPEN_MS 5000   /* for the first answer of a host */
#define REOPEN_MS 250  /* for a host that is being restarted */
#define FOLLOW_MS 2000 /* for a host that follows another */
#define RETRY_MS 200   /* between two tries */
#define LOST_MS 1000   /* before the notice */

static void
make_hello(const struct attach *a, struct hello *h)
{
	const struct attach_options *o = a->options;

	hello_init(h);
	h->mode = HELLO_ATTACH;
	snprintf(h->client, sizeof(h->client), "tend %s", TEND_VERSION);
	h->features = HELLO_OFFSET | HELLO_KEYFRAME | HELLO_EVENTS |
	    HELLO_HANDOVER;
	h->engine = VT_ENGINE_VERSION;
	h->readonly = o->readonly;
	h->replay = o->replay;
	h->behind = HELLO_BEHIND_LOSSLESS; /* see attach.c */
	h->steal = o->steal;
	h->who = a->who;
	if (a->probe.has_fg && a->probe.has_bg) {
		h->has_colours = true;
		h->fg = a->probe.fg;
		h->bg = a->probe.bg;
	}
}

/*
 * Reconnecting: the host keeps our size, and the lease is ours again if we
 * held it.
 */
static void
make_hello_again(const struct attach *a, struct hello *h, bool picture)
{
	make_hello(a, h);
	h->steal = false;
	h->replay = picture ? HELLO_SCREEN : HELLO_NONE;
	if (!picture) {
		h->has_from = true;
		h->from = a->mirror.offset;
	}
	if (a->sized) {
		h->cols = a->view.cols;
		h->rows = a->view.rows;
	}
}

/* Process frames that came with the first line. */
static int
reopen(struct attach *a, bool picture)
{
	struct hello hello;
	struct conn conn;
	int rc;

	make_hello_again(a, &hello, picture);
	rc = conn_open(&conn, a->dirfd, &hello,
	    a->parting ? FOLLOW_MS : REOPEN_MS, NULL);
	if (rc < 0)
		return rc;
	if (a->connected)
		conn_close(&a->conn);
	a->conn = conn;
	a->conn.timeout_ms = OPEN_MS;
	a->connected = true;
	a->parting = false;
	return 0;
}

int
attach_connect_again(struct attach *a, bool picture)
{
	int rc = reopen(a, picture);

	if (rc == 0)
		attach_on_host(a);
	return rc;
}

void
attach_lose(struct attach *a)
{
	if (!a->connected)
		return;
	conn_close(&a->conn);
	a->connected = false;
	a->lost_ms = a->retry_ms = clock_ms(CLOCK_MONOTONIC);
}

void
attach_retry(struct attach *a, int64_t now)
{
	bool passing = a->view.passing && a->view.notice[0] == '\0';

	if (now < a->retry_ms)
		return;
	if (reopen(a, a->mirror.stale && !passing) == 0) {
		/*
		 * In line mode, output that came meanwhile must pass through.
		 */
		attach_notice(a, NULL);
		(void)view_update(&a->view, &a->mirror, now);
		attach_on_host(a);
		return;
	}
	if (attach_is_over(a))
		return;
	a->retry_ms = clock_ms(CLOCK_MONOTONIC) + RETRY_MS;
	if (now - a->lost_ms >= LOST_MS && a->view.notice[0] == '\0')
		view_notice(&a->view,
		    "tend: lost the session's host, reconnecting \u2026");
}

/*
 * In line mode the scrollback is the first picture, and output continues from
 * there, so that every line enters the scrollback exactly once.
 */
static void
begin_with_history(struct attach *a, struct hello *h)
{
	uint64_t offset;
	struct vt *scrollback = scrollback_fetch(a->dirfd, OPEN_MS, &offset,
	    NULL);

	if (scrollback == NULL)
		return;
	mirror_adopt(&a->mirror, scrollback, offset);
	h->replay = HELLO_NONE;
	h->has_from = true;
	h->from = offset;
}

int
attach_connect(struct attach *a, struct error *err)
{
	struct hello hello;
	int rc;

	make_hello(a, &hello);
	if (a->options->in_line && a->options->replay == HELLO_SCREEN)
		begin_with_history(a, &hello);
	rc = conn_open(&a->conn, a->dirfd, &hello, OPEN_MS, err);
	if (rc < 0)
		return attach_is_over(a) ? 0 : rc;
	a->connected = true;
	a->keys.muted = a->options->readonly || a->conn.welcome.readonly;
	if (a->options->alone)
		attach_detach_others(a);
	return 0;
}

/* After a partial send, never resend. */
void
attach_send(struct attach *a)
{
	int rc;

	if (a->parting || !a->connected || a->send.len == 0)
		return;
	rc = conn_send(&a->conn, a->send.data, a->send.len, NULL);
	if (rc != -EPIPE)
		buf_clear(&a->send);
	if (rc < 0)
		attach_lose(a);
}

/* Frames. */

/* Send BYE after all pending input; then the host closes. */
static void
on_bye(struct attach *a)
{
	(void)frame_put(&a->send, FRAME_BYE, NULL, 0);
	attach_send(a);
	a->parting = true;
}

/*
 * Another terminal has renamed the session.  The detach line names it, so it
 * needs the new name.
 */
static void
take_name(struct attach *a, const char *name)
{
	char text[ENTRY_MAX + 16];

	if (name[0] == '\0' || strcmp(name, a->name) == 0)
		return;
	snprintf(a->name, sizeof(a->name), "%s", name);
	snprintf(text, sizeof(text), " now called %s", a->name);
	if (!a->options->in_line && !a->view.as_is)
		attach_notice(a, text);
}

struct size {
	unsigned cols, rows;
};

struct metadata {
	struct size size;
	char name[ENTRY_MAX];
};

static void
on_metadata(struct attach *a, const struct frame *f)
{
	static const struct json_field fields[] = {
		JSON_FIELD(struct metadata, size.cols, "cols", UINT,
		    UINT16_MAX),
		JSON_FIELD(struct metadata, size.rows, "rows", UINT,
		    UINT16_MAX),
		JSON_FIELD(struct metadata, name, "name", CUT, 0),
		{ 0 },
	};
	auto_json json_t *tree = json_tree_object((const char *)f->payload,
	    f->len, NULL);
	struct metadata m = { 0 };

	if (tree == NULL || json_fields_read(fields, tree, &m, NULL) < 0)
		return;
	take_name(a, m.name); /* it was renamed while we were disconnected */
	/*
	 * Reconnected, and resized meanwhile: the resize's place in the output
	 * is unknown.
	 */
	if (a->mirror.cols != 0 &&
	    (m.size.cols != a->mirror.cols || m.size.rows != a->mirror.rows))
		a->mirror.stale = true;
	a->mirror.cols = m.size.cols;
	a->mirror.rows = m.size.rows;
}

static void
on_screen(struct attach *a, const struct frame *f)
{
	struct frame_screen s;
	const uint8_t *p;
	size_t len;

	if (!frame_screen(f, &s, &p, &len))
		return;
	if (mirror_picture(&a->mirror, &s, p, len, &a->error) < 0)
		attach_fail(a);
	view_replaced(&a->view);
}

static void
on_output(struct attach *a, const struct frame *f)
{
	const uint8_t *p;
	uint64_t offset;
	size_t len, known;

	if (!frame_output(f, &offset, &p, &len))
		return;
	known = mirror_output(&a->mirror, offset, p, len);
	view_output(&a->view, p + known, len - known);
	if (!a->view.passing)
		(void)mirror_look(&a->mirror);
}

/* A picture follows, unless all output was requested and some is lost. */
static void
on_gap(struct attach *a, const struct frame *f)
{
	struct frame_gap g;

	if (!frame_gap(f, &g))
		return;
	a->mirror.stale = true;
	if (g.to > a->mirror.offset)
		a->mirror.offset = g.to;
}

struct event {
	char event[32], by[BY_SIZE], name[ENTRY_MAX];
	struct size size;
};

static void
on_resized(struct attach *a, const struct event *ev)
{
	mirror_resize(&a->mirror, ev->size.cols, ev->size.rows);
	a->view.waiting = true;
}

static void
on_unlogged(struct attach *a, const struct event *ev)
{
	(void)ev;
	attach_notice(a,
	    "tend: the log cannot be written; the program keeps "
	    "running unlogged");
}

static void
on_detached(struct attach *a, const struct event *ev)
{
	attach_finish_detached(a, ev->by);
}

static void
on_lease(struct attach *a, const struct event *ev)
{
	(void)ev;
	a->keys.ask = true;
}

static void
on_replaced(struct attach *a, const struct event *ev)
{
	attach_notice(a, "tend: another client took the right to type");
	on_lease(a, ev);
}

static void
on_renamed(struct attach *a, const struct event *ev)
{
	take_name(a, ev->name);
}

static void (*const events[WIRE_EVENTS])(struct attach *a,
    const struct event *ev) = {
	[WIRE_EVENT_RESIZED] = on_resized,
	[WIRE_EVENT_UNLOGGED] = on_unlogged,
	[WIRE_EVENT_DETACHED] = on_detached,
	[WIRE_EVENT_LEASE] = on_lease,
	[WIRE_EVENT_REPLACED] = on_replaced,
	[WIRE_EVENT_RENAMED] = on_renamed,
};

static void
on_event(struct attach *a, const struct frame *f)
{
	static const struct json_field fields[] = {
		JSON_FIELD(struct event, event, "event", CUT, 0),
		JSON_FIELD(struct event, by, "by", CUT, 0),
		JSON_FIELD(struct event, name, "name", CUT, 0),
		JSON_FIELD(struct event, size.cols, "cols", UINT, UINT16_MAX),
		JSON_FIELD(struct event, size.rows, "rows", UINT, UINT16_MAX),
		{ 0 },
	};
	auto_json json_t *tree = json_tree_object((const char *)f->payload,
	    f->len, NULL);
	struct event ev = { 0 };
	int id;

	if (tree == NULL || json_fields_read(fields, tree, &ev, NULL) < 0)
		return;
	id = wire_event_find(ev.event);
	if (id >= 0 && events[id] != NULL)
		events[id](a, &ev);
}

static void
on_taken(struct attach *a, const struct frame *f)
{
	static const char *const refusals[] = {
		[TAKEN_READ_ONLY] = "tend: this session is read-only for you",
		[TAKEN_LEASED] = "tend: another client has the right to type",
		[TAKEN_FULL] =
		    "tend: the program does not read its input; not typed",
		[TAKEN_ENDED] = "tend: the program has ended",
	};
	char prefix[ATTACH_PREFIX_MAX], text[192] = "";
	struct frame_taken t;

	if (!frame_taken(f, &t) || t.status > TAKEN_ENDED ||
	    refusals[t.status] == NULL)
		return;
	a->keys.ask = true;
	if (t.status == TAKEN_LEASED) {
		attach_prefix(a, prefix);
		snprintf(text, sizeof(text), "%s; %s %s takes it",
		    refusals[t.status], prefix,
		    keys_of(&a->keys.bound, KEYS_TAKE));
	}
	attach_notice(a, text[0] != '\0' ? text : refusals[t.status]);
}

struct end {
	int exit_code, exit_signal;
	char outcome[32], status[32];
};

static void
on_ended(struct attach *a, const struct frame *f)
{
	static const struct json_field fields[] = {
		JSON_FIELD(struct end, exit_code, "exit_code", INT, 0),
		JSON_FIELD(struct end, exit_signal, "exit_signal", INT, 0),
		JSON_FIELD(struct end, outcome, "outcome", CUT, 0),
		JSON_FIELD(struct end, status, "status", CUT, 0),
		{ 0 },
	};
	auto_json json_t *tree = json_tree_object((const char *)f->payload,
	    f->len, NULL);
	struct end end = { .exit_code = -1 };
	struct farewell how = { .outcome = end.outcome, .code = -1 };

	if (tree != NULL && json_fields_read(fields, tree, &end, NULL) == 0) {
		how.code = end.exit_code;
		how.signo = end.exit_signal;
		how.destroyed = strcmp(end.status, "destroyed") == 0;
	}
	attach_finish_ended(a, &how);
}

static void
on_frame(struct attach *a, const struct frame *f)
{
	switch (f->type) {
	case FRAME_METADATA:
		on_metadata(a, f);
		break;
	case FRAME_SCREEN:
		on_screen(a, f);
		break;
	case FRAME_OUTPUT:
		on_output(a, f);
		break;
	case FRAME_GAP:
		on_gap(a, f);
		break;
	case FRAME_EVENT:
		on_event(a, f);
		break;
	case FRAME_TAKEN:
		on_taken(a, f);
		break;
	case FRAME_RESPONSE:
		attach_on_response(a, f);
		break;
	case FRAME_PING:
		(void)frame_put(&a->send, FRAME_PONG, f->payload, f->len);
		break;
	case FRAME_BYE:
		on_bye(a);
		break;
	case FRAME_ENDED:
		on_ended(a, f);
		break;
	}
}

void
attach_on_host(struct attach *a)
{
	struct frame f;
	int rc = conn_fill(&a->conn, false, NULL);

	while (conn_next(&a->conn, &f, NULL) > 0)
		on_frame(a, &f);
	a->output_ms = clock_ms(CLOCK_MONOTONIC);
	if (rc < 0 && rc != -EAGAIN && a->ending == GOING_ON)
		attach_lose(a);
}
