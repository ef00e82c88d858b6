#include "hub/sse.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/loop.h"
#include "base/mem.h"
#include "hub/access.h"
#include "hub/exchange.h"
#include "hub/hub.h"
#include "web/http.h"

#define TYPE "text/event-stream"

struct sse {
	struct hub *hub;
	struct outflow *outflow;
	struct sse_handlers on;
	void *arg;
	struct watch *comment;
};

void
sse_put(struct buf *out, const char *event, const char *id, const char *data)
{
	if (id != NULL)
		(void)buf_printf(out, "id: %s\n", id);
	(void)buf_printf(out, "event: %s\ndata: ", event);
	(void)buf_puts(out, data);
	(void)buf_puts(out, "\n\n");
}

void
sse_send(struct sse *s, const char *event, const char *id, const char *data)
{
	struct buf b;

	buf_init(&b, SIZE_MAX);
	sse_put(&b, event, id, data);
	outflow_write(s->outflow, b.data, b.len);
	buf_finish(&b);
}

bool
sse_has_room(const struct sse *s)
{
	return outflow_queued(s->outflow) < OUTFLOW_HIGH;
}

const char *
sse_last_id(const struct exchange *x)
{
	const char *id = http_field(exchange_request(x), "last-event-id");

	return id != NULL ? id : "";
}

static void
finish(struct sse *s)
{
	s->hub->n_event_streams--;
	watch_remove(s->comment);
	free(s);
}

static void
on_room(void *arg)
{
	struct sse *s = arg;

	s->on.on_room(s->arg);
}

static void
on_gone(void *arg)
{
	struct sse *s = arg;

	s->on.on_gone(s->arg);
	finish(s);
}

/* Not to a client that is slow: it has bytes enough. */
static void
on_comment(void *arg)
{
	struct sse *s = arg;

	if (outflow_queued(s->outflow) == 0)
		outflow_write(s->outflow, ":\n\n", 3);
	watch_rearm(s->comment, SSE_COMMENT_MS);
}

struct sse *
sse_create(struct exchange *x, const struct sse_handlers *on, void *arg)
{
	static const struct outflow_handlers handlers = { on_room, on_gone };
	struct hub *hub = exchange_hub(x);
	struct sse *s;
	char text[64];

	if (strcmp(exchange_request(x)->method, "HEAD") == 0) {
		exchange_text(x, 200, TYPE, "", 0);
		return NULL;
	}
	if (hub->n_event_streams >=
	    access_share(exchange_identity(x), SSE_MAX)) {
		exchange_problem(x, 503, "busy",
		    "the hub has too many streams of events");
		return NULL;
	}
	hub->n_event_streams++;
	s = xcalloc(1, sizeof(*s));
	*s = (struct sse){ .hub = hub, .on = *on, .arg = arg };
	s->comment = loop_timer(hub->loop, SSE_COMMENT_MS, on_comment, s);
	s->outflow = exchange_stream(x, TYPE, &handlers, s);
	snprintf(text, sizeof(text), "retry: %d\n\n", SSE_RETRY_MS);
	outflow_write(s->outflow, text, strlen(text));
	return s;
}

void
sse_end(struct sse *s)
{
	outflow_end(s->outflow);
	finish(s);
}
