/*
 * WebSocket viewers of a session, or of a bare server:
 *
 *	viewers [-H LINE] [-r BYTES] [-s] N TARGET PATH [MESSAGE...]
 *	viewers sum		the bytes and the CRC-32C of standard input
 *
 * Each of the N viewers connects with the header lines, sends the messages, and
 * reads.  -r is the size of its receive buffer; -s keeps its screen.  MESSAGE is
 * text; binary messages from the server are those of docs/stream.md, with PATH
 * "/", plain bytes.  It prints what it sees; times are nanoseconds of
 * CLOCK_MONOTONIC:
 *
 *	opened I		viewer I is subscribed
 *	mark I N TIME BYTES	viewer I got the marker @@N@@, and so many bytes
 *	echo NS NS ...		the round trips that were asked for
 *	all I TIME		viewer I has the bytes that were expected
 *	viewer I OFFSET BYTES CRC MESSAGES GAPS PICTURES HASH
 *				a report: its output, and its screen
 *	end I CODE		it was closed; the code of its close frame, or 0
 *
 * and reads commands from standard input; I and J are the first viewer and the
 * one after the last:
 *
 *	send I J MESSAGE	send a text message
 *	expect I J BYTES	report when so many have come in all
 *	echo COUNT XY		type X or Y at viewer 0 and wait for it, in turn
 *	freeze I J		read nothing
 *	slow I J RATE		read so many bytes a second
 *	thaw I J		read everything again
 *	report I J
 *	quit
 */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/crc32c.h"
#include "vt/text.h"
#include "vt/vt.h"

#include "../session/common.h"
#include "web.h"

#define VIEWERS_MAX 2048
#define READ_SIZE (256u << 10)
#define HEAD 16      /* of a binary message */
#define PICTURE 12   /* more of a picture */
#define TEXT_MAX 400 /* bytes of a text message that are looked at */
#define TICK_MS 50   /* of slow viewers */
#define CARRY 32
#define NOWHERE UINT64_MAX

enum { OUTPUT = 1, PICTURE_KIND = 2, INPUT_KIND = 3 };

struct viewer {
	int fd;               /* -1: it was closed */
	size_t rate, allowed; /* of a slow one: bytes a second, and now */
	struct web_frames frames;
	uint8_t head[HEAD + PICTURE];
	char text[TEXT_MAX + 1]; /* the beginning of a text message */
	unsigned code;           /* of a close frame */
	uint64_t next;           /* the offset that must come; or NOWHERE */
	uint64_t bytes, messages, gaps, pictures;
	uint64_t expected; /* bytes; 0: nothing is reported */
	uint32_t crc;
	struct vt *vt; /* NULL: no screen is kept */
	char carry[CARRY];
	size_t carried;
	char wanted; /* by echo; 0: nothing */
};

struct viewers {
	struct viewer *all;
	unsigned n;
	int ep;
	bool bare;
	uint8_t *buffer;
	unsigned n_slow;
	long long tick;
};

static unsigned
number_of(const struct viewers *vs, const struct viewer *v)
{
	return (unsigned)(v - vs->all);
}

/* ------------------------------------------------------------------- output */

/* Report the markers in p that end behind its first `old` bytes. */
static void
look_for_markers(const struct viewers *vs, const struct viewer *v,
    const char *p, size_t len, size_t old)
{
	const char *end = p + len, *at = p;

	while ((at = memchr(at, '@', (size_t)(end - at))) != NULL) {
		const char *digit = at + 2;
		long n = 0;

		if (end - at < 2 || at[1] != '@') {
			at++;
			continue;
		}
		while (digit < end && isdigit((unsigned char)*digit))
			n = 10 * n + *digit++ - '0';
		at++;
		if (digit == at + 1 || end - digit < 2 || digit[0] != '@' ||
		    digit[1] != '@')
			continue;
		at = digit + 2;
		if ((size_t)(at - p) > old)
			printf("mark %u %ld %lld %llu\n", number_of(vs, v), n,
			    now_ns(), (unsigned long long)v->bytes);
	}
}

/* A marker may lie across the border of two parts. */
static void
take_output(const struct viewers *vs, struct viewer *v, const uint8_t *p,
    size_t len)
{
	const char *text = (const char *)p;
	char joint[2 * CARRY];
	size_t head = len < CARRY ? len : CARRY;

	if (v->wanted != 0 && memchr(p, v->wanted, len) != NULL)
		v->wanted = 0;
	v->bytes += len;
	v->next += len;
	v->crc = crc32c(v->crc, p, len);
	if (v->expected != 0 && v->bytes >= v->expected) {
		printf("all %u %lld\n", number_of(vs, v), now_ns());
		v->expected = 0;
	}
	if (v->vt != NULL)
		vt_feed(v->vt, text, len);
	memcpy(joint, v->carry, v->carried);
	memcpy(joint + v->carried, p, head);
	look_for_markers(vs, v, joint, v->carried + head, v->carried);
	if (len > head)
		look_for_markers(vs, v, text, len, head);
	v->carried = len < CARRY ? len : CARRY;
	memcpy(v->carry, p + len - v->carried, v->carried);
}

/* ----------------------------------------------------------------- messages */

/* The header of a binary message is complete. */
static void
begin_binary(const struct viewers *vs, struct viewer *v)
{
	uint64_t offset = get_u64be(v->head + 8);

	if (v->head[0] == OUTPUT && v->next != NOWHERE && offset != v->next) {
		fprintf(stderr, "viewer %u: output at %llu, not at %llu\n",
		    number_of(vs, v), (unsigned long long)offset,
		    (unsigned long long)v->next);
		exit(1);
	}
	v->next = offset;
	v->messages++;
}

static void
begin_picture(struct viewer *v)
{
	const uint8_t *p = v->head + HEAD;

	v->pictures++;
	if (v->vt == NULL)
		return;
	vt_feed(v->vt, "\033c", 2); /* it is for a fresh terminal */
	vt_resize(v->vt, get_u16be(p + 8), get_u16be(p + 10), NULL);
}

/* Part of a message: bytes of its header first, then its content. */
static void
take_binary(struct viewers *vs, struct viewer *v, uint64_t done,
    const uint8_t *p, size_t len)
{
	for (; len > 0; p++, len--, done++) {
		size_t size = done > 0 && v->head[0] == PICTURE_KIND ?
		    HEAD + PICTURE :
		    HEAD;

		if (done >= size)
			break;
		v->head[done] = *p;
		if (done == HEAD - 1)
			begin_binary(vs, v);
		if (done == HEAD + PICTURE - 1)
			begin_picture(v);
	}
	if (len == 0)
		return;
	if (v->head[0] == OUTPUT)
		take_output(vs, v, p, len);
	else if (v->vt != NULL)
		vt_feed(v->vt, (const char *)p, len);
}

/* The fields stand in any order, so the text is only searched. */
static void
take_text(const struct viewers *vs, struct viewer *v)
{
	unsigned i = number_of(vs, v);

	if (strstr(v->text, "\"ok\":false") != NULL)
		printf("error %u %s\n", i, v->text);
	else if (strstr(v->text, "\"event\":\"opened\"") != NULL)
		printf("opened %u\n", i);
	else if (strstr(v->text, "\"event\":\"gap\"") != NULL)
		v->gaps++;
	else if (strstr(v->text, "\"event\":\"closed\"") != NULL)
		printf("error %u %s\n", i, v->text);
}

/* After a gap or a picture the output continues elsewhere. */
static void
leave_gap(struct viewer *v)
{
	const char *to = strstr(v->text, "\"to\":");

	if (strstr(v->text, "\"event\":\"gap\"") != NULL && to != NULL)
		v->next = strtoull(to + 5, NULL, 10);
}

struct parting {
	struct viewers *vs;
	struct viewer *v;
};

static void
on_part(void *arg, const struct web_frames *f, const uint8_t *p, size_t len,
    bool last)
{
	const struct parting *t = arg;
	struct viewer *v = t->v;

	if (f->opcode == 8 && len >= 2 && v->code == 0)
		v->code = get_u16be(p);
	if (f->control)
		return;
	if (f->binary) {
		if (t->vs->bare)
			take_output(t->vs, v, p, len);
		else
			take_binary(t->vs, v, f->done, p, len);
		v->messages += t->vs->bare && last;
		return;
	}
	for (size_t i = 0; i < len && f->done + i < TEXT_MAX; i++)
		v->text[f->done + i] = (char)p[i];
	if (!last)
		return;
	len += f->done;
	v->text[len < TEXT_MAX ? len : TEXT_MAX] = '\0';
	if (t->vs->bare)
		v->wanted = 0;
	leave_gap(v);
	take_text(t->vs, v);
}

/* ------------------------------------------------------------------ reading */

static void
watch(const struct viewers *vs, struct viewer *v)
{
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = v };

	if (epoll_ctl(vs->ep, EPOLL_CTL_ADD, v->fd, &e) < 0)
		die("epoll_ctl");
}

/* Read so many bytes a second, but nothing as soon as they come. */
static void
slow_down(struct viewers *vs, struct viewer *v, size_t rate)
{
	(void)epoll_ctl(vs->ep, EPOLL_CTL_DEL, v->fd, NULL);
	vs->n_slow += (rate > 0) - (v->rate > 0);
	v->rate = rate;
	v->allowed = 0;
}

static size_t
read_some(struct viewers *vs, struct viewer *v, size_t most)
{
	struct parting t = { vs, v };
	ssize_t n = read(v->fd, vs->buffer, most);

	if (n < 0 && errno == EAGAIN)
		return 0;
	if (n <= 0) {
		printf("end %u %u\n", number_of(vs, v), v->code);
		close(v->fd);
		v->fd = -1;
		return 0;
	}
	web_take(&v->frames, vs->buffer, (size_t)n, on_part, &t);
	return (size_t)n;
}

/* The allowance of slow viewers adds up, to that of a second at most. */
static void
tick(struct viewers *vs)
{
	long long now = now_ns(), ms = (now - vs->tick) / 1000000;

	if (vs->n_slow == 0 || ms < TICK_MS)
		return;
	vs->tick = now;
	for (unsigned i = 0; i < vs->n; i++) {
		struct viewer *v = &vs->all[i];

		if (v->rate == 0 || v->fd < 0)
			continue;
		v->allowed += v->rate * (size_t)ms / 1000;
		if (v->allowed > v->rate)
			v->allowed = v->rate;
		if (v->allowed > 0)
			v->allowed -= read_some(vs, v,
			    v->allowed < READ_SIZE ? v->allowed : READ_SIZE);
	}
}

/* ----------------------------------------------------------------- commands */

static void
type_byte(const struct viewers *vs, const struct viewer *v, char byte)
{
	uint8_t m[HEAD + 1] = { INPUT_KIND, 1 };

	m[7] = 1; /* the subscription */
	m[HEAD] = (uint8_t)byte;
	if (vs->bare)
		web_send(v->fd, false, m, sizeof(m));
	else
		web_send(v->fd, true, m, sizeof(m));
}

static void
echo(struct viewers *vs, unsigned count, const char *bytes)
{
	struct viewer *v = &vs->all[0];

	printf("echo");
	for (unsigned i = 0; i < count; i++) {
		long long start = now_ns();

		v->wanted = bytes[i % 2];
		type_byte(vs, v, v->wanted);
		while (v->wanted != 0 && v->fd >= 0) {
			struct epoll_event e;

			/* Nothing else is read: the other viewers wait. */
			if (read_some(vs, v, READ_SIZE) == 0 &&
			    epoll_wait(vs->ep, &e, 1, 1000) < 0)
				die("epoll_wait");
		}
		printf(" %lld", now_ns() - start);
	}
	printf("\n");
}

static void
report(const struct viewers *vs, const struct viewer *v)
{
	char hash[65] = "-";

	if (v->vt != NULL)
		vt_hash(v->vt, hash);
	printf("viewer %u %llu %llu %08x %llu %llu %llu %s\n", number_of(vs, v),
	    (unsigned long long)v->next, (unsigned long long)v->bytes, v->crc,
	    (unsigned long long)v->messages, (unsigned long long)v->gaps,
	    (unsigned long long)v->pictures, hash);
}

static void
obey_one(struct viewers *vs, struct viewer *v, const char *line,
    const char *rest)
{
	size_t number = strtoull(rest, NULL, 10);

	if (v->fd >= 0 && strncmp(line, "send", 4) == 0) {
		web_send(v->fd, false, rest, strcspn(rest, "\n"));
	} else if (strncmp(line, "expect", 6) == 0) {
		v->expected = number;
	} else if (v->fd >= 0 && strncmp(line, "freeze", 6) == 0) {
		slow_down(vs, v, 0);
	} else if (v->fd >= 0 && strncmp(line, "thaw", 4) == 0) {
		slow_down(vs, v, 0);
		watch(vs, v);
	} else if (v->fd >= 0 && strncmp(line, "slow", 4) == 0) {
		slow_down(vs, v, number);
	} else if (strncmp(line, "report", 6) == 0) {
		report(vs, v);
	}
}

static void
obey(struct viewers *vs)
{
	char line[4096], bytes[3];
	unsigned i, j, count;
	int rest = 0;

	if (fgets(line, sizeof(line), stdin) == NULL ||
	    strncmp(line, "quit", 4) == 0)
		exit(0);
	if (sscanf(line, "echo %u %2s", &count, bytes) == 2)
		echo(vs, count, bytes);
	else if (sscanf(line, "%*s %u %u %n", &i, &j, &rest) >= 2)
		for (; i < j && i < vs->n; i++)
			obey_one(vs, &vs->all[i], line, line + rest);
}

/* --------------------------------------------------------------------- main */

static void
open_viewer(struct viewers *vs, unsigned i, char **argv, const char *headers,
    int receive, bool screen)
{
	static const struct vt_ops ops = { 0 };
	const struct vt_config config = { .cols = 80, .rows = 24, .ops = &ops };
	struct viewer *v = &vs->all[i];

	v->next = NOWHERE;
	v->fd = web_connect(argv[0], receive);
	web_upgrade(v->fd, argv[0], argv[1], headers);
	if (screen)
		v->vt = vt_create(&config, NULL);
	for (char **m = argv + 2; *m != NULL; m++)
		web_send(v->fd, false, *m, strlen(*m));
	web_unblock(v->fd);
	watch(vs, v);
}

static void
turn(struct viewers *vs)
{
	struct epoll_event e[64];
	int n = epoll_wait(vs->ep, e, 64, vs->n_slow > 0 ? TICK_MS : -1);

	for (int i = 0; i < n; i++) {
		struct viewer *v = e[i].data.ptr;

		if (v == NULL)
			obey(vs);
		else if (v->fd >= 0)
			read_some(vs, v, READ_SIZE);
	}
	tick(vs);
	fflush(stdout);
}

static int
sum(void)
{
	static char part[READ_SIZE];
	unsigned long long bytes = 0;
	uint32_t crc = 0;
	size_t n;

	while ((n = fread(part, 1, sizeof(part), stdin)) > 0) {
		crc = crc32c(crc, part, n);
		bytes += n;
	}
	printf("%llu %08x\n", bytes, crc);
	return 0;
}

int
main(int argc, char **argv)
{
	static struct viewers vs;
	struct epoll_event e = { .events = EPOLLIN };
	char headers[1024] = "";
	bool screen = false;
	int receive = 0, c;

	if (argc == 2 && strcmp(argv[1], "sum") == 0)
		return sum();
	while ((c = getopt(argc, argv, "+H:r:s")) != -1) {
		if (c == 'H')
			snprintf(headers, sizeof(headers), "%s\r\n", optarg);
		else if (c == 'r')
			receive = atoi(optarg);
		else if (c == 's')
			screen = true;
		else
			return 2;
	}
	argv += optind;
	if (argc - optind < 3 || atoi(argv[0]) < 1 ||
	    atoi(argv[0]) > VIEWERS_MAX)
		return 2;
	vs.n = (unsigned)atoi(argv[0]);
	vs.bare = strcmp(argv[2], "/") == 0;
	vs.all = calloc(vs.n, sizeof(*vs.all));
	vs.buffer = malloc(READ_SIZE);
	vs.ep = epoll_create1(EPOLL_CLOEXEC);
	/* Buffering would hide a second line from epoll. */
	setvbuf(stdin, NULL, _IONBF, 0);
	for (unsigned i = 0; i < vs.n; i++)
		open_viewer(&vs, i, argv + 1, headers, receive, screen);
	if (epoll_ctl(vs.ep, EPOLL_CTL_ADD, STDIN_FILENO, &e) < 0)
		die("epoll_ctl");
	printf("connected\n");
	fflush(stdout);
	for (;;)
		turn(&vs);
}
