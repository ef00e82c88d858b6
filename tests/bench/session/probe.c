/*
 * The outside of a measured session: clients that read everything.
 *
 *	probe N COMMAND ARGUMENT...	each client has a terminal of its own
 *	probe N --socket PATH		each is a viewer on a session's socket
 *
 * It prints what it sees; times are nanoseconds of CLOCK_MONOTONIC:
 *
 *	spawn I TIME		client I was started
 *	mark I N TIME BYTES	client I got the marker @@N@@, and so many bytes
 *	echo NS NS ...		the round trips that were asked for
 *	end I			client I has ended
 *
 * and reads commands from standard input:
 *
 *	echo COUNT	type a byte at client 0 and wait for it, COUNT times
 *	plain		do not answer questions any more (see `answering`)
 *	stall I		read nothing more from client I
 *	quit
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "vt/vt.h"

#include "common.h"

#define CLIENTS_MAX 256
#define READ_SIZE (256u << 10)
#define CARRY 32

struct client {
	int fd; /* -1: ended */
	bool stalled;
	struct vt *vt; /* answers for a terminal, while answering */
	unsigned long long bytes;
	char carry[CARRY]; /* the end of earlier output */
	size_t carried;
	/* For a socket: the frame being read. */
	bool is_socket, welcomed;
	uint8_t header[5];
	size_t header_len;
	uint32_t left, prefix;
};

struct probe {
	struct client clients[CLIENTS_MAX];
	unsigned n;
	bool answering; /* as a terminal does, so that clients begin */
	char *buffer;
};

/* ------------------------------------------------------------- terminals */

static void
on_reply(void *arg, const char *p, size_t len)
{
	struct client *c = arg;

	write_all(c->fd, p, len);
}

static const struct vt_ops ops = { .reply = on_reply };

static void
spawn_on_terminal(struct client *c, char **argv)
{
	struct winsize size = { .ws_col = 80, .ws_row = 24 };
	struct vt_config config = { .cols = 80, .rows = 24, .ops = &ops };
	pid_t pid = forkpty(&c->fd, NULL, NULL, &size);

	if (pid < 0)
		die("forkpty");
	if (pid == 0) {
		execvp(argv[0], argv);
		_exit(127);
	}
	config.arg = c;
	c->vt = vt_create(&config, NULL);
}

/* --------------------------------------------------------------- sockets */

static void
connect_viewer(struct client *c, const char *path)
{
	static const char hello
	    [] = "{\"tend\":1,\"client\":\"bench\",\"features\":[\"offset\"],"
		 "\"mode\":\"attach\",\"replay\":\"none\","
		 "\"behind\":\"lossless\"}\n";
	struct sockaddr_un un = { .sun_family = AF_UNIX };

	snprintf(un.sun_path, sizeof(un.sun_path), "%s", path);
	c->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (c->fd < 0 || connect(c->fd, (struct sockaddr *)&un, sizeof(un)) < 0)
		die(path);
	c->is_socket = true;
	write_all(c->fd, hello, sizeof(hello) - 1);
}

/* INPUT: id 0, kind text, no flags, one byte. */
static void
type_byte(struct client *c, char byte)
{
	uint8_t frame[16] = { 0x15, 0, 0, 0, 11 };

	if (!c->is_socket) {
		write_all(c->fd, &byte, 1);
		return;
	}
	frame[13] = 1;
	frame[15] = (uint8_t)byte;
	write_all(c->fd, frame, sizeof(frame));
}

/* --------------------------------------------------------------- looking */

/* Report the markers in p that end behind its first `old` bytes. */
static void
look_for_markers(struct client *c, unsigned i, const char *p, size_t len,
    size_t old)
{
	const char *end = p + len, *at = p;

	while ((at = memmem(at, (size_t)(end - at), "@@", 2)) != NULL) {
		char *stop;
		long number = strtol(at + 2, &stop, 10);

		at++;
		if (stop == at + 1 || end - stop < 2 || stop[0] != '@' ||
		    stop[1] != '@')
			continue;
		at = stop + 2;
		if ((size_t)(at - p) <= old)
			continue;
		printf("mark %u %ld %lld %llu\n", i, number, now_ns(),
		    c->bytes);
		fflush(stdout);
	}
}

/* Output of the session; a marker may lie across the border of two reads. */
static void
take(struct client *c, unsigned i, const char *p, size_t len)
{
	char joint[2 * CARRY + 1];
	size_t head = len < CARRY ? len : CARRY;

	c->bytes += len;
	memcpy(joint, c->carry, c->carried);
	memcpy(joint + c->carried, p, head);
	joint[c->carried + head] = '\0';
	look_for_markers(c, i, joint, c->carried + head, c->carried);
	if (len > head)
		look_for_markers(c, i, p, len, head);
	c->carried = len < CARRY ? len : CARRY;
	memcpy(c->carry, p + len - c->carried, c->carried);
}

/* Bytes of a socket: the welcome line, then frames. */
static void
take_frames(struct client *c, unsigned i, const char *p, size_t len)
{
	const char *end = p + len;

	if (!c->welcomed) {
		const char *nl = memchr(p, '\n', len);

		if (nl == NULL)
			return;
		c->welcomed = true;
		p = nl + 1;
	}
	while (p < end) {
		size_t n;

		if (c->left == 0) {
			c->header[c->header_len++] = (uint8_t)*p++;
			if (c->header_len < sizeof(c->header))
				continue;
			c->header_len = 0;
			c->left = (uint32_t)c->header[1] << 24 |
			    (uint32_t)c->header[2] << 16 |
			    (uint32_t)c->header[3] << 8 | c->header[4];
			c->prefix = c->header[0] == 0x12 ? 8 : c->left;
			continue;
		}
		n = (size_t)(end - p) < c->left ? (size_t)(end - p) : c->left;
		if (c->prefix > 0 && n > c->prefix)
			n = c->prefix;
		if (c->prefix > 0)
			c->prefix -= (uint32_t)n;
		else
			take(c, i, p, n);
		c->left -= (uint32_t)n;
		p += n;
	}
}

static void
on_readable(struct probe *pr, unsigned i)
{
	struct client *c = &pr->clients[i];
	ssize_t n = read(c->fd, pr->buffer, READ_SIZE);

	if (n <= 0) {
		printf("end %u\n", i);
		fflush(stdout);
		close(c->fd);
		c->fd = -1;
		return;
	}
	if (c->is_socket) {
		take_frames(c, i, pr->buffer, (size_t)n);
		return;
	}
	if (pr->answering)
		vt_feed(c->vt, pr->buffer, (size_t)n);
	take(c, i, pr->buffer, (size_t)n);
}

/* ------------------------------------------------------------------ echo */

static long long
round_trip(struct probe *pr, char byte)
{
	struct client *c = &pr->clients[0];
	long long start = now_ns();

	type_byte(c, byte);
	for (;;) {
		ssize_t n = read(c->fd, pr->buffer, READ_SIZE);

		if (n <= 0) {
			fputs("probe: the client ended\n", stderr);
			exit(1);
		}
		if (memchr(pr->buffer, byte, (size_t)n) != NULL)
			return now_ns() - start;
	}
}

static void
echo(struct probe *pr, unsigned count)
{
	printf("echo");
	for (unsigned i = 0; i < count; i++)
		printf(" %lld", round_trip(pr, i % 2 == 0 ? '~' : '`'));
	printf("\n");
	fflush(stdout);
}

/* ------------------------------------------------------------------ main */

static void
obey(struct probe *pr, const char *line)
{
	unsigned n;

	if (sscanf(line, "echo %u", &n) == 1)
		echo(pr, n);
	else if (sscanf(line, "stall %u", &n) == 1 && n < pr->n)
		pr->clients[n].stalled = true;
	else if (strncmp(line, "plain", 5) == 0)
		pr->answering = false;
	else
		exit(0);
}

static void
turn(struct probe *pr)
{
	struct pollfd fds[CLIENTS_MAX + 1];
	char line[128];

	for (unsigned i = 0; i < pr->n; i++) {
		fds[i].fd = pr->clients[i].stalled ? -1 : pr->clients[i].fd;
		fds[i].events = POLLIN;
		fds[i].revents = 0;
	}
	fds[pr->n] = (struct pollfd){ .fd = STDIN_FILENO, .events = POLLIN };
	if (poll(fds, pr->n + 1, -1) < 0)
		die("poll");
	for (unsigned i = 0; i < pr->n; i++)
		if (fds[i].revents != 0)
			on_readable(pr, i);
	if (fds[pr->n].revents == 0)
		return;
	if (fgets(line, sizeof(line), stdin) == NULL)
		exit(0);
	obey(pr, line);
}

int
main(int argc, char **argv)
{
	static struct probe pr = { .answering = true };

	/* Buffering would hide a second line from poll. */
	setvbuf(stdin, NULL, _IONBF, 0);
	if (argc < 3 || atoi(argv[1]) < 1 || atoi(argv[1]) > CLIENTS_MAX) {
		fputs("usage: probe N COMMAND... | probe N --socket PATH\n",
		    stderr);
		return 2;
	}
	pr.n = (unsigned)atoi(argv[1]);
	pr.buffer = calloc(1, READ_SIZE + 1); /* strtol stops at the NUL */
	for (unsigned i = 0; i < pr.n; i++) {
		printf("spawn %u %lld\n", i, now_ns());
		fflush(stdout);
		if (strcmp(argv[2], "--socket") == 0)
			connect_viewer(&pr.clients[i], argv[3]);
		else
			spawn_on_terminal(&pr.clients[i], argv + 2);
	}
	for (;;)
		turn(&pr);
}
