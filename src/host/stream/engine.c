#include "host/stream/engine.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "host/host.h"
#include "host/store/event_log.h"
#include "host/serve/server.h"
#include "host/serve/status_watch.h"
#include "host/stream/notices.h"
#include "host/ask/waits.h"
#include "vt/vt.h"

static void
on_reply(void *arg, const char *p, size_t len)
{
	struct host *h = arg;

	server_reply(h->server, p, len);
}

static void
on_event(void *arg, const struct vt_event *ev)
{
	struct host *h = arg;

	if (ev->type == VT_EVENT_PROGRAM)
		status_watch_changed(h->status_watch);
	if (notices_event(&h->manifest, ev))
		host_save_later(h);
	server_vt_event(h->server, ev);
	waits_event(h->waits, ev);
}

static const struct vt_ops answering = { .reply = on_reply, .event = on_event };
static const struct vt_ops silent = { .event = on_event };

static struct vt *
fresh(struct host *h)
{
	struct vt_config config = {
		.cols = h->manifest.cols,
		.rows = h->manifest.rows,
		.history_lines = h->manifest.scrollback,
		.history_bytes = vt_history_bytes(h->manifest.scrollback),
	};

	return vt_create(&config, NULL);
}

/* For tests of terminals, in the environment of whoever began the session. */
static bool
answers_all(void)
{
	const char *text = getenv("TEND_CHECKSUMS");

	return text != NULL && strcmp(text, "1") == 0;
}

void
engine_adopt(struct host *h, struct vt *vt)
{
	h->vt = vt == NULL ? fresh(h) : vt;
	if (h->vt == NULL)
		return;
	vt_set_ops(h->vt, &answering, h);
	vt_answer_all(h->vt, answers_all());
}

void
engine_reset(struct host *h)
{
	vt_destroy(h->vt);
	engine_adopt(h, NULL);
	changes_all(&h->changes, h->vt, event_log_seq(h->event_log));
	status_watch_changed(h->status_watch);
	server_engine_changed(h->server);
	waits_engine_changed(h->waits);
}

void
engine_answers(struct host *h, bool answer)
{
	vt_set_ops(h->vt, answer ? &answering : &silent, h);
}
