/*
 * A server with wslay and nothing else, to compare the hub with:
 *
 *	bare
 *
 * It prints its port.  A message "push SIZE COUNT" gets COUNT messages of SIZE
 * bytes as fast as the client takes them; any other message comes back.  It
 * ends with its standard input.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <wslay/wslay.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/mem.h"
#include "../session/common.h"

#define SIZE_MAX_PUSH (256u << 10)
#define GUID "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

struct client {
	int fd;
	wslay_event_context_ptr ctx;
	size_t size, count; /* messages to push */
	bool writes;        /* epoll waits until it can write */
	bool dead;
};

static uint8_t content[SIZE_MAX_PUSH];

static ssize_t
on_recv(wslay_event_context_ptr ctx, uint8_t *p, size_t len, int flags,
    void *arg)
{
	struct client *c = arg;
	ssize_t n = recv(c->fd, p, len, 0);

	(void)flags;
	if (n < 0 && errno == EAGAIN)
		wslay_event_set_error(ctx, WSLAY_ERR_WOULDBLOCK);
	else if (n <= 0)
		wslay_event_set_error(ctx, WSLAY_ERR_CALLBACK_FAILURE);
	return n > 0 ? n : -1;
}

static ssize_t
on_send(wslay_event_context_ptr ctx, const uint8_t *p, size_t len, int flags,
    void *arg)
{
	struct client *c = arg;
	ssize_t n = send(c->fd, p, len,
	    MSG_NOSIGNAL | (flags & WSLAY_MSG_MORE ? MSG_MORE : 0));

	if (n < 0 && errno == EAGAIN)
		wslay_event_set_error(ctx, WSLAY_ERR_WOULDBLOCK);
	else if (n < 0)
		wslay_event_set_error(ctx, WSLAY_ERR_CALLBACK_FAILURE);
	return n;
}

static void
on_message(wslay_event_context_ptr ctx,
    const struct wslay_event_on_msg_recv_arg *m, void *arg)
{
	struct wslay_event_msg back = { m->opcode, m->msg, m->msg_length };
	struct client *c = arg;
	char text[64];

	snprintf(text, sizeof(text), "%.*s", (int)m->msg_length,
	    (const char *)m->msg);
	if (sscanf(text, "push %zu %zu", &c->size, &c->count) == 2 &&
	    c->size <= SIZE_MAX_PUSH)
		return;
	if (!wslay_is_ctrl_frame(m->opcode))
		wslay_event_queue_msg(ctx, &back);
}

/* Send what is queued, and more while the client takes it. */
static void
push(struct client *c)
{
	struct wslay_event_msg m = { WSLAY_BINARY_FRAME, content, c->size };

	while (!c->dead) {
		if (wslay_event_send(c->ctx) != 0)
			c->dead = true;
		if (c->count == 0 || wslay_event_want_write(c->ctx))
			return;
		m.msg_length = c->size;
		wslay_event_queue_msg(c->ctx, &m);
		c->count--;
	}
}

static void
serve(int ep, struct client *c, uint32_t events)
{
	bool writes;
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = c };

	if ((events & ~(unsigned)EPOLLOUT) != 0 &&
	    (wslay_event_recv(c->ctx) != 0 || !wslay_event_want_read(c->ctx)))
		c->dead = true;
	push(c);
	if (c->dead) {
		close(c->fd);
		wslay_event_context_free(c->ctx);
		free(c);
		return;
	}
	writes = wslay_event_want_write(c->ctx);
	if (writes == c->writes)
		return;
	c->writes = writes;
	e.events |= writes ? (uint32_t)EPOLLOUT : 0;
	epoll_ctl(ep, EPOLL_CTL_MOD, c->fd, &e);
}

/* The head of the request has one key and is short: it comes in one piece. */
static void
greet(int fd)
{
	char text[4096], key[128];
	uint8_t digest[EVP_MAX_MD_SIZE];
	ssize_t n = recv(fd, text, sizeof(text) - 1, 0);
	struct buf out;
	unsigned len;
	char *at;

	text[n > 0 ? n : 0] = '\0';
	at = strcasestr(text, "Sec-WebSocket-Key: ");
	if (at == NULL)
		die("no key");
	snprintf(key, sizeof(key), "%.24s" GUID, at + 19);
	if (EVP_Digest(key, strlen(key), digest, &len, EVP_sha1(), NULL) != 1)
		die("SHA-1");
	buf_init(&out, sizeof(text));
	(void)buf_puts(&out,
	    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
	    "Connection: Upgrade\r\nSec-WebSocket-Accept: ");
	base64_encode(&out, digest, len);
	(void)buf_puts(&out, "\r\n\r\n");
	write_all(fd, out.data, out.len);
	buf_finish(&out);
}

static void
welcome(int ep, int listener)
{
	static const struct wslay_event_callbacks callbacks = {
		.recv_callback = on_recv,
		.send_callback = on_send,
		.on_msg_recv_callback = on_message,
	};
	struct client *c = xcalloc(1, sizeof(*c));
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = c };
	int on = 1;

	c->fd = accept(listener, NULL, NULL);
	if (c->fd < 0)
		die("accept");
	setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	greet(c->fd);
	fcntl(c->fd, F_SETFL, O_NONBLOCK);
	if (wslay_event_context_server_init(&c->ctx, &callbacks, c) != 0)
		die("wslay");
	epoll_ctl(ep, EPOLL_CTL_ADD, c->fd, &e);
}

int
main(void)
{
	struct sockaddr_in sa = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(sa);
	int listener = socket(AF_INET, SOCK_STREAM, 0), ep = epoll_create1(0);
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = NULL };

	if (bind(listener, (struct sockaddr *)&sa, len) < 0 ||
	    listen(listener, 256) < 0 ||
	    getsockname(listener, (struct sockaddr *)&sa, &len) < 0)
		die("listen");
	epoll_ctl(ep, EPOLL_CTL_ADD, listener, &e);
	e = (struct epoll_event){ .events = EPOLLIN, .data.ptr = content };
	epoll_ctl(ep, EPOLL_CTL_ADD, STDIN_FILENO, &e);
	printf("%u\n", ntohs(sa.sin_port));
	fflush(stdout);
	for (;;) {
		if (epoll_wait(ep, &e, 1, -1) < 1)
			continue;
		if (e.data.ptr == content)
			return 0;
		if (e.data.ptr == NULL)
			welcome(ep, listener);
		else
			serve(ep, e.data.ptr, e.events);
	}
}
