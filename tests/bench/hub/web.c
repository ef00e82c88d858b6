#include "web.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/bytes.h"
#include "../session/common.h"

static int
connect_tcp(unsigned port, int receive)
{
	struct sockaddr_in sa = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && receive > 0)
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive,
		    sizeof(receive));
	if (fd < 0 || connect(fd, (struct sockaddr *)&sa, sizeof(sa)) < 0)
		die("connect");
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return fd;
}

static int
connect_unix(const char *path)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(sa.sun_path, sizeof(sa.sun_path), "%s", path);
	if (fd < 0 || connect(fd, (struct sockaddr *)&sa, sizeof(sa)) < 0)
		die(path);
	return fd;
}

int
web_connect(const char *target, int receive)
{
	if (strncmp(target, "tcp:", 4) == 0)
		return connect_tcp((unsigned)atoi(target + 4), receive);
	if (strncmp(target, "unix:", 5) == 0)
		return connect_unix(target + 5);
	fprintf(stderr, "a target is tcp:PORT or unix:PATH, not %s\n", target);
	exit(2);
}

void
web_unblock(int fd)
{
	if (fcntl(fd, F_SETFL, O_NONBLOCK) < 0)
		die("fcntl");
}

static void
read_more(int fd, char *buffer, size_t *len, size_t max)
{
	ssize_t n = read(fd, buffer + *len, max - *len);

	if (n <= 0) {
		fprintf(stderr, "the server has closed: %.*s\n", (int)*len,
		    buffer);
		exit(1);
	}
	*len += (size_t)n;
	buffer[*len] = '\0';
}

int
web_answer(int fd, char *buffer, size_t *len)
{
	static const char field[] = "\r\nContent-Length: ";
	const char *end = NULL, *length;
	size_t total;

	*len = 0;
	while (end == NULL) {
		read_more(fd, buffer, len, WEB_ANSWER_MAX - 1);
		end = strstr(buffer, "\r\n\r\n");
	}
	length = strcasestr(buffer, field);
	if (length == NULL || length > end) {
		fprintf(stderr, "no length: %.400s\n", buffer);
		exit(1);
	}
	total = (size_t)(end + 4 - buffer) +
	    strtoul(length + sizeof(field) - 1, NULL, 10);
	if (total >= WEB_ANSWER_MAX)
		die("an answer that is too long");
	while (*len < total)
		read_more(fd, buffer, len, WEB_ANSWER_MAX - 1);
	return atoi(buffer + sizeof("HTTP/1.1"));
}

/* The answer ends with its head; frames may follow, so it is read by bytes. */
void
web_upgrade(int fd, const char *target, const char *path, const char *headers)
{
	bool tcp = strncmp(target, "tcp:", 4) == 0;
	char text[4096];
	size_t len = 0;
	int n = snprintf(text, sizeof(text),
	    "GET %s HTTP/1.1\r\nHost: %s%s\r\n"
	    "Upgrade: websocket\r\nConnection: Upgrade\r\n"
	    "Sec-WebSocket-Version: 13\r\n"
	    "Sec-WebSocket-Key: dGVuZCBiZW5jaG1hcmshIQ==\r\n%s\r\n",
	    path, tcp ? "127.0.0.1:" : "localhost", tcp ? target + 4 : "",
	    headers);

	write_all(fd, text, (size_t)n);
	do
		if (read(fd, text + len, 1) != 1)
			die("upgrade");
	while (++len < sizeof(text) - 1 &&
	    (len < 4 || memcmp(text + len - 4, "\r\n\r\n", 4) != 0));
	text[len] = '\0';
	if (strncmp(text, "HTTP/1.1 101 ", 13) != 0) {
		fprintf(stderr, "no WebSocket: %s\n", text);
		exit(1);
	}
}

void
web_send(int fd, bool binary, const void *p, size_t len)
{
	static const uint8_t mask[4] = { 0x3a, 0xc5, 0x5c, 0xa3 };
	uint8_t frame[8 + 4096];
	const uint8_t *from = p;
	size_t n = 2;

	if (len > 4096)
		die("a message that is too long");
	frame[0] = binary ? 0x82 : 0x81;
	if (len < 126) {
		frame[1] = (uint8_t)(0x80 | len);
	} else {
		frame[1] = 0x80 | 126;
		put_u16be(frame + 2, (uint16_t)len);
		n = 4;
	}
	memcpy(frame + n, mask, 4);
	n += 4;
	for (size_t i = 0; i < len; i++)
		frame[n + i] = from[i] ^ mask[i % 4];
	write_all(fd, frame, n + len);
}

/* ------------------------------------------------------------------- frames */

static unsigned
head_size(const struct web_frames *f)
{
	if (f->have < 2)
		return 2;
	return f->head[1] == 126 ? 4 : f->head[1] == 127 ? 10 : 2;
}

static void
begin_frame(struct web_frames *f)
{
	if (f->head[1] & 0x80) {
		fputs("a masked frame from a server\n", stderr);
		exit(1);
	}
	f->opcode = f->head[0] & 15;
	f->control = f->opcode & 8;
	f->left = f->head[1] == 126 ? get_u16be(f->head + 2) :
	    f->head[1] == 127       ? get_u64be(f->head + 2) :
				      f->head[1];
	if (f->opcode != 0 && !f->control) {
		f->binary = f->opcode == 2;
		f->done = 0;
	}
	f->inside = true;
	f->have = 0;
}

void
web_take(struct web_frames *f, const uint8_t *p, size_t len,
    web_part_fn *on_part, void *arg)
{
	const uint8_t *end = p + len;
	size_t n;

	while (p < end || (f->inside && f->left == 0)) {
		if (!f->inside) {
			f->head[f->have++] = *p++;
			if (f->have >= 2 && f->have == head_size(f))
				begin_frame(f);
			continue;
		}
		n = (size_t)(end - p) < f->left ? (size_t)(end - p) : f->left;
		f->left -= n;
		f->inside = f->left > 0;
		on_part(arg, f, p, n, !f->inside && (f->head[0] & 0x80) != 0);
		f->done += f->control ? 0 : n;
		p += n;
	}
}
