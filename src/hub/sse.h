#ifndef TEND_HUB_SSE_H
#define TEND_HUB_SSE_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct exchange;
struct sse;

/*
 * Server-sent events as the answer to a request (docs/hub-http.md).  The client
 * learns how long to wait before it comes back, and gets a comment every
 * SSE_COMMENT_MS, so that both sides notice a dead connection.
 *
 * Policy for slow clients: the source sends only while sse_has_room, and keeps
 * the place of the client in what it has anyway (the events of the directory,
 * the log of a session).  So a client never has a queue of its own beyond
 * OUTFLOW_HIGH bytes and one event.  One that accepts nothing for
 * CONNECTION_STALL_MS is cut off, and may come back with its Last-Event-ID.
 *
 * At most SSE_MAX at a time; beyond that the answer is 503.
 */
#define SSE_RETRY_MS 1000
#define SSE_COMMENT_MS 15000
#define SSE_MAX 512

struct sse_handlers {
	void (*on_room)(void *arg);
	void (*on_gone)(void *arg); /* the client has left; the last call */
};

/*
 * Begin.  NULL: the exchange was answered in another way (there are too many,
 * or the request was a HEAD).
 */
struct sse *sse_create(struct exchange *x, const struct sse_handlers *on,
    void *arg);
void sse_end(struct sse *s); /* no handler is called any more */

bool sse_has_room(const struct sse *s);

/*
 * Send an event.  id: "" empties the client's Last-Event-ID, NULL leaves it as
 * it was.  data has no line break.
 */
void sse_send(struct sse *s, const char *event, const char *id,
    const char *data);

/* The encoder: an event, as sse_send sends it. */
void sse_put(struct buf *out, const char *event, const char *id,
    const char *data);

/* The Last-Event-ID of a request; "": none. */
const char *sse_last_id(const struct exchange *x);

#endif
