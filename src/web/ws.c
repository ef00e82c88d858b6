#include "web/ws.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wslay/wslay.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "web/http.h"
#include "web/response.h"

#define PIECE 4096
#define GUID "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

struct ws {
	wslay_event_context_ptr ctx;
	struct ws_handlers on;
	void *arg;
	struct buf *out;
	const uint8_t *in; /* bytes of ws_feed */
	size_t in_len;
	unsigned controls; /* since the last message */
	bool closed;       /* nothing is sent or reported any more */
	bool broken;       /* by a frame that wslay accepts */
	bool feeding;      /* wslay is at work and must not be freed */
	bool doomed;       /* to be freed after that */
};

/* ------------------------------------------------------------------ upgrade */

/* True if a list of words, as in "a, b", has one that equals the word. */
static bool
has_word(const char *list, const char *word,
    int compare(const char *, const char *, size_t))
{
	size_t len = strlen(word);

	while (list != NULL && *list != '\0') {
		size_t n;

		list += strspn(list, ", \t");
		n = strcspn(list, ", \t");
		if (n == len && compare(list, word, len) == 0)
			return true;
		list += n;
	}
	return false;
}

static void
put_accept(struct buf *out, const char *key)
{
	char text[128];
	uint8_t digest[EVP_MAX_MD_SIZE];
	unsigned len = 0;

	snprintf(text, sizeof(text), "%s" GUID, key);
	if (EVP_Digest(text, strlen(text), digest, &len, EVP_sha1(), NULL) != 1)
		abort();
	(void)buf_puts(out, "Sec-WebSocket-Accept: ");
	base64_encode(out, digest, len);
	(void)buf_puts(out, "\r\n");
}

static int
refuse(const char *reason, int status, const char **why)
{
	*why = reason;
	return status;
}

/* A key is 16 bytes in base 64. */
static bool
is_key(const char *key)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";

	return key != NULL && strlen(key) == 24 && strspn(key, digits) == 22 &&
	    key[22] == '=' && key[23] == '=';
}

int
ws_upgrade(const struct http_request *r, const char *protocol, struct buf *out,
    const char **why)
{
	const char *version = http_field(r, "sec-websocket-version");
	const char *key = http_field(r, "sec-websocket-key");
	const char *offered = http_field(r, "sec-websocket-protocol");

	if (strcmp(r->method, "GET") != 0 || !r->upgrade ||
	    !has_word(http_field(r, "connection"), "upgrade", strncasecmp))
		return refuse("this route is a WebSocket", 426, why);
	if (version == NULL || strcmp(version, "13") != 0)
		return refuse("the version of WebSockets is 13", 426, why);
	if (!is_key(key))
		return refuse("Sec-WebSocket-Key is invalid", 400, why);
	if (offered != NULL && !has_word(offered, protocol, strncmp))
		return refuse("the hub has another subprotocol", 400, why);
	(void)buf_puts(out,
	    "HTTP/1.1 101 Switching Protocols\r\n"
	    "Upgrade: websocket\r\n"
	    "Connection: Upgrade\r\n");
	response_put_strict(out);
	put_accept(out, key);
	if (offered != NULL)
		(void)buf_printf(out, "Sec-WebSocket-Protocol: %s\r\n",
		    protocol);
	(void)buf_puts(out, "\r\n");
	return 0;
}

/* ------------------------------------------------------------------- frames */

static ssize_t
on_recv(wslay_event_context_ptr ctx, uint8_t *p, size_t len, int flags,
    void *arg)
{
	struct ws *w = arg;
	size_t n = len < w->in_len ? len : w->in_len;

	(void)flags;
	if (n == 0) {
		wslay_event_set_error(ctx, WSLAY_ERR_WOULDBLOCK);
		return -1;
	}
	memcpy(p, w->in, n);
	w->in += n;
	w->in_len -= n;
	return (ssize_t)n;
}

static ssize_t
on_send(wslay_event_context_ptr ctx, const uint8_t *p, size_t len, int flags,
    void *arg)
{
	struct ws *w = arg;

	(void)flags;
	if (buf_append(w->out, p, len) < 0) {
		wslay_event_set_error(ctx, WSLAY_ERR_CALLBACK_FAILURE);
		return -1;
	}
	return (ssize_t)len;
}

static void
put_frame(struct ws *w, uint8_t opcode, const void *head, size_t head_len,
    const void *p, size_t len)
{
	uint64_t total = (uint64_t)head_len + len;
	uint8_t h[10] = { (uint8_t)(0x80 | opcode) };
	size_t n = 2;
	uint8_t *room;

	if (total < 126) {
		h[1] = (uint8_t)total;
	} else if (total <= UINT16_MAX) {
		h[1] = 126;
		put_u16be(h + 2, (uint16_t)total);
		n = 4;
	} else {
		h[1] = 127;
		put_u64be(h + 2, total);
		n = 10;
	}
	/* All or nothing, so that the buffer always has whole frames. */
	room = buf_reserve(w->out, n + head_len + len);
	if (room == NULL)
		return;
	memcpy(room, h, n);
	if (head_len > 0)
		memcpy(room + n, head, head_len);
	if (len > 0)
		memcpy(room + n + head_len, p, len);
	buf_commit(w->out, n + head_len + len);
}

void
ws_send(struct ws *w, bool binary, const void *head, size_t head_len,
    const void *p, size_t len)
{
	if (!w->closed)
		put_frame(w, binary ? WSLAY_BINARY_FRAME : WSLAY_TEXT_FRAME,
		    head, head_len, p, len);
}

void
ws_close(struct ws *w, unsigned code, const char *reason)
{
	uint8_t status[2];
	size_t len = strlen(reason);

	if (w->closed)
		return;
	put_u16be(status, (uint16_t)code);
	put_frame(w, WSLAY_CONNECTION_CLOSE, status, sizeof(status), reason,
	    len < 123 ? len : 123);
	w->closed = true;
}

/*
 * Frames that carry nothing must not keep us busy for ever, and fragments of a
 * few bytes take much more memory than they have.
 */
static void
on_frame(wslay_event_context_ptr ctx,
    const struct wslay_event_on_frame_recv_start_arg *f, void *arg)
{
	struct ws *w = arg;
	bool fragment = !f->fin || f->opcode == WSLAY_CONTINUATION_FRAME;

	(void)ctx;
	if ((f->opcode & 8) != 0 || f->payload_length == 0 ||
	    (fragment && f->payload_length < WS_FRAGMENT_MIN))
		w->controls++;
	/* A close has no status, or two bytes of it. */
	w->broken |= f->opcode == WSLAY_CONNECTION_CLOSE &&
	    f->payload_length == 1;
}

/* wslay checks the reason only if it comes at once. */
static void
take_close(struct ws *w, const struct wslay_event_on_msg_recv_arg *m)
{
	if (w->doomed || w->broken)
		return;
	if (m->msg_length > 2 && !utf8_valid(m->msg + 2, m->msg_length - 2)) {
		w->broken = true;
		ws_close(w, 1007, "the reason is not UTF-8");
		return;
	}
	w->on.on_close(w->arg, m->status_code != 0 ? m->status_code : 1005);
}

static void
on_message(wslay_event_context_ptr ctx,
    const struct wslay_event_on_msg_recv_arg *m, void *arg)
{
	struct ws *w = arg;

	(void)ctx;
	if (m->opcode == WSLAY_CONNECTION_CLOSE) {
		take_close(w, m);
		return;
	}
	if ((m->opcode & 8) != 0)
		return; /* wslay answers pings */
	if (m->msg_length > 0)
		w->controls = 0;
	if (!w->closed)
		w->on.on_message(w->arg, m->opcode == WSLAY_BINARY_FRAME,
		    m->msg, m->msg_length);
}

struct ws *
ws_create(size_t max_message, const struct ws_handlers *on, void *arg,
    struct buf *out)
{
	static const struct wslay_event_callbacks callbacks = {
		.recv_callback = on_recv,
		.send_callback = on_send,
		.on_frame_recv_start_callback = on_frame,
		.on_msg_recv_callback = on_message,
	};
	struct ws *w = xcalloc(1, sizeof(*w));

	w->on = *on;
	w->arg = arg;
	w->out = out;
	if (wslay_event_context_server_init(&w->ctx, &callbacks, w) != 0)
		abort(); /* there is no memory */
	wslay_event_config_set_max_recv_msg_length(w->ctx, max_message);
	return w;
}

static void
destroy(struct ws *w)
{
	wslay_event_context_free(w->ctx);
	free(w);
}

void
ws_destroy(struct ws *w)
{
	if (w == NULL)
		return;
	w->closed = true;
	w->doomed = true;
	if (!w->feeding)
		destroy(w);
}

void
ws_set_max(struct ws *w, size_t max)
{
	wslay_event_config_set_max_recv_msg_length(w->ctx, max);
}

/* Read some bytes, and answer pings and errors. */
static int
feed_part(struct ws *w, const uint8_t *p, size_t len)
{
	int rc;

	w->in = p;
	w->in_len = len;
	rc = wslay_event_recv(w->ctx);
	if (w->broken)
		rc = -EPROTO;
	if (rc != 0)
		ws_close(w, 1002, "the frame is invalid");
	else if (!w->closed)
		rc = wslay_event_send(w->ctx);
	if (wslay_event_get_close_sent(w->ctx))
		w->closed = true;
	if (w->controls > WS_CONTROLS_MAX) {
		ws_close(w, 1008, "too many frames without content");
		rc = -EPROTO;
	}
	return rc;
}

int
ws_feed(struct ws *w, const void *p, size_t len)
{
	const uint8_t *at = p;
	int rc = 0;

	w->feeding = true;
	/* In pieces, so that a flood of pings is noticed and answered. */
	while (len > 0 && rc == 0 && wslay_event_want_read(w->ctx)) {
		size_t n = len < PIECE ? len : PIECE;

		rc = feed_part(w, at, n);
		at += n;
		len -= n;
	}
	w->in_len = 0;
	w->feeding = false;
	if (w->doomed) {
		destroy(w);
		return -EPROTO;
	}
	if (rc != 0)
		return -EPROTO;
	if (wslay_event_get_close_received(w->ctx))
		return 1;
	return wslay_event_want_read(w->ctx) ? 0 : -EPROTO;
}
