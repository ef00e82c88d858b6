/*
 * Ask the same question again and again, and measure the answers:
 *
 *	requests http TARGET CONNECTIONS COUNT	the request is standard input
 *	requests frames PATH COUNT OP ARGS	over a session's socket
 *
 * It prints one line: nanoseconds for all, of the median answer and of the 99th
 * in a hundred, and the bytes of one answer.  An answer that is no success ends
 * it with status 1.
 */
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "web.h"
#include "../session/common.h"

#define CONNECTIONS_MAX 256
#define REQUEST_MAX 8192

struct run {
	long long *ns; /* of each answer */
	size_t n, count;
	long long began;
	size_t bytes;
	char *answer;
};

static int
compare(const void *a, const void *b)
{
	long long x = *(const long long *)a, y = *(const long long *)b;

	return (x > y) - (x < y);
}

static void
report(struct run *r)
{
	long long all = now_ns() - r->began;

	qsort(r->ns, r->n, sizeof(*r->ns), compare);
	printf("%lld %lld %lld %zu\n", all, r->ns[r->n / 2],
	    r->ns[r->n * 99 / 100], r->bytes);
}

static void
begin(struct run *r, size_t count)
{
	r->count = count;
	r->ns = calloc(count, sizeof(*r->ns));
	r->answer = malloc(WEB_ANSWER_MAX);
	r->began = now_ns();
}

/* --------------------------------------------------------------------- HTTP */

static void
take_answer(struct run *r, int fd, long long since)
{
	int status = web_answer(fd, r->answer, &r->bytes);

	if (status != 200) {
		fprintf(stderr, "status %d: %.600s\n", status, r->answer);
		exit(1);
	}
	r->ns[r->n++] = now_ns() - since;
}

/* Every connection has one request under way, until enough were sent. */
static void
ask_all(struct run *r, const int *fds, unsigned n, const char *request,
    size_t len)
{
	struct pollfd p[CONNECTIONS_MAX];
	long long since[CONNECTIONS_MAX];
	size_t sent = 0;

	for (unsigned i = 0; i < n; i++) {
		p[i] = (struct pollfd){ .fd = fds[i], .events = POLLIN };
		since[i] = now_ns();
		write_all(fds[i], request, len);
		sent++;
	}
	while (r->n < r->count) {
		if (poll(p, n, -1) < 0)
			die("poll");
		for (unsigned i = 0; i < n; i++) {
			if (p[i].revents == 0)
				continue;
			take_answer(r, p[i].fd, since[i]);
			if (sent == r->count) {
				p[i].fd = -1;
				continue;
			}
			since[i] = now_ns();
			write_all(p[i].fd, request, len);
			sent++;
		}
	}
}

static void
http(const char *target, unsigned n, size_t count)
{
	char request[REQUEST_MAX];
	size_t len = fread(request, 1, sizeof(request), stdin);
	int fds[CONNECTIONS_MAX];
	struct run r = { 0 };

	if (n < 1 || n > CONNECTIONS_MAX || count < n)
		die("a wrong number");
	for (unsigned i = 0; i < n; i++)
		fds[i] = web_connect(target, 0);
	begin(&r, count);
	ask_all(&r, fds, n, request, len);
	report(&r);
}

/* ------------------------------------------------------------------- frames */

static void
read_exactly(int fd, char *p, size_t len)
{
	while (len > 0) {
		ssize_t n = read(fd, p, len);

		if (n <= 0)
			die("the host has closed");
		p += n;
		len -= (size_t)n;
	}
}

/* One frame from the host; its payload is in the answer, with a NUL. */
static int
read_frame(struct run *r, int fd)
{
	uint8_t head[5];
	size_t len;

	read_exactly(fd, (char *)head, sizeof(head));
	len = get_u32be(head + 1);
	if (len >= WEB_ANSWER_MAX)
		die("a frame that is too long");
	read_exactly(fd, r->answer, len);
	r->answer[len] = '\0';
	r->bytes = len + sizeof(head);
	return head[0];
}

static void
frames(const char *path, size_t count, const char *op, const char *args)
{
	static const char hello[] = "{\"tend\":1,\"client\":\"bench\","
				    "\"features\":[],\"mode\":\"control\"}\n";
	char target[512], request[REQUEST_MAX], c = 0;
	struct run r = { 0 };
	int fd, n;

	snprintf(target, sizeof(target), "unix:%s", path);
	fd = web_connect(target, 0);
	write_all(fd, hello, sizeof(hello) - 1);
	while (c != '\n')
		read_exactly(fd, &c, 1);
	n = snprintf(request + 5, sizeof(request) - 5,
	    "{\"id\":1,\"op\":\"%s\",\"args\":%s}", op, args);
	request[0] = 0x10;
	put_u32be((uint8_t *)request + 1, (uint32_t)n);
	begin(&r, count);
	while (r.n < count) {
		long long since = now_ns();

		write_all(fd, request, (size_t)n + 5);
		while (read_frame(&r, fd) != 0x11)
			continue;
		if (strstr(r.answer, "\"ok\":true") == NULL) {
			fprintf(stderr, "refused: %.600s\n", r.answer);
			exit(1);
		}
		r.ns[r.n++] = now_ns() - since;
	}
	report(&r);
}

int
main(int argc, char **argv)
{
	if (argc == 5 && strcmp(argv[1], "http") == 0)
		http(argv[2], (unsigned)atoi(argv[3]), (size_t)atol(argv[4]));
	else if (argc == 6 && strcmp(argv[1], "frames") == 0)
		frames(argv[2], (size_t)atol(argv[3]), argv[4], argv[5]);
	else
		return 2;
	return 0;
}
