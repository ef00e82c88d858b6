#ifndef TEND_WEB_WS_H
#define TEND_WEB_WS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct http_request;
struct ws;

/*
 * The server's side of a WebSocket (RFC 6455), without extensions.  wslay reads
 * frames; frames to the client go straight into the buffer that the connection
 * sends.
 *
 * A client that breaks the protocol gets a close frame: 1002, 1007 for text
 * that is no UTF-8, 1009 for a message beyond the maximum, which is checked
 * before any memory is taken, and 1008 for more than WS_CONTROLS_MAX frames
 * between two messages that are control frames, empty, or fragments of less
 * than WS_FRAGMENT_MIN bytes.
 */
#define WS_CONTROLS_MAX 1000
#define WS_FRAGMENT_MIN 64

struct ws_handlers {
	void (
	    *on_message)(void *arg, bool binary, const uint8_t *p, size_t len);
	/* The client closes; 1005: without a code. */
	void (*on_close)(void *arg, unsigned code);
};

/*
 * Check an upgrade and append the response to it.  0, or the status and the
 * reason to refuse it.  `protocol` is chosen if the client offers it, and
 * refused if the client offers only others.
 */
int ws_upgrade(const struct http_request *r, const char *protocol,
    struct buf *out, const char **why);

struct ws *ws_create(size_t max_message, const struct ws_handlers *on,
    void *arg, struct buf *out);
void ws_destroy(struct ws *w); /* NULL is fine; also in a handler */

/*
 * Take bytes from the client: 0; 1 if the client has closed; -EPROTO if it
 * broke the protocol.  Unless 0, the connection ends after `out` was sent.
 */
int ws_feed(struct ws *w, const void *p, size_t len);

/* Append a message: head, then p. */
void ws_send(struct ws *w, bool binary, const void *head, size_t head_len,
    const void *p, size_t len);

void ws_close(struct ws *w, unsigned code, const char *reason);
void ws_set_max(struct ws *w, size_t max);

#endif
