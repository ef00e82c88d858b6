#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "keep/control.h"
#include "keep/ring.h"

/*
 * A host for the keeper's tests that does only what they need.  In the
 * session's directory it appends to two files:
 *
 *	bytes	the output; each byte is released only when it is here
 *	events	what happened, one JSON object a line
 *
 * The file `orders` there, read at the start, has one order a line.  So has
 * each connection, which is answered by a line with our pid:
 *
 *	crash, exit N, hang	at once, before READY
 *	poison N		crash when the engine would read byte N
 *	stall, go		stop and start taking bytes out of the ring
 *	linger MS		tell the keeper
 *	type TEXT		write to the terminal
 *	mute			send neither ACK nor DONE
 *	done			send DONE, whatever the state
 */
struct host {
	struct ring ring;
	int bytes, events;
	uint64_t at;     /* the next byte to take */
	uint64_t poison; /* UINT64_MAX: none */
	bool stalled, mute;
	int control; /* -1 once the keeper has ended */
	int listener;
	uint64_t ended; /* the end of the output; UINT64_MAX: unknown */
};

static void
die(const char *what)
{
	perror(what);
	_exit(70);
}

static void
open_files(struct host *h)
{
	const int how = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC;
	struct stat st;

	h->bytes = openat(CONTROL_DIR, "bytes", how, 0600);
	h->events = openat(CONTROL_DIR, "events", how, 0600);
	if (h->bytes < 0 || h->events < 0 || fstat(h->bytes, &st) < 0)
		die("files");
	if (ring_map(&h->ring, CONTROL_RING) < 0)
		die("ring");
	h->at = h->ring.shared->tail;
	if (h->at < (uint64_t)st.st_size)
		h->at = (uint64_t)st.st_size;
}

static void
say(struct host *h, enum control_type type, uint32_t ms)
{
	struct control c = { .type = type };

	c.u.linger.ms = ms;
	control_send(h->control, &c, -1);
}

/* Die as a crash would, but leave no core file. */
static _Noreturn void
crash(void)
{
	struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	signal(SIGSEGV, SIG_DFL);
	raise(SIGSEGV);
	_exit(70);
}

static const char *
argument(const char *order, const char *name)
{
	size_t len = strlen(name);

	if (strncmp(order, name, len) != 0 ||
	    (order[len] != ' ' && order[len] != '\0'))
		return NULL;
	return order[len] ? order + len + 1 : order + len;
}

static void
obey(struct host *h, const char *order)
{
	const char *arg;

	if (argument(order, "crash"))
		crash();
	else if ((arg = argument(order, "exit")))
		_exit(atoi(arg));
	else if (argument(order, "hang"))
		for (;;)
			pause();
	else if ((arg = argument(order, "poison")))
		h->poison = strtoull(arg, NULL, 10);
	else if (argument(order, "stall"))
		h->stalled = true;
	else if (argument(order, "go"))
		h->stalled = false;
	else if ((arg = argument(order, "linger")))
		say(h, CONTROL_LINGER, (uint32_t)strtoul(arg, NULL, 10));
	else if ((arg = argument(order, "type")))
		fd_write_all(CONTROL_MASTER, arg, strlen(arg));
	else if (argument(order, "mute"))
		h->mute = true;
	else if (argument(order, "done"))
		say(h, CONTROL_DONE, 0);
}

static void
obey_all(struct host *h, int fd)
{
	char text[4096];
	ssize_t n = read(fd, text, sizeof(text) - 1);

	if (n <= 0)
		return;
	text[n] = '\0';
	for (char *rest = text, *order; (order = strsep(&rest, "\n"));)
		obey(h, order);
}

static void
read_orders(struct host *h)
{
	auto_close int fd = openat(CONTROL_DIR, "orders", O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		obey_all(h, fd);
}

static void
on_client(struct host *h)
{
	auto_close int fd = accept4(h->listener, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return;
	obey_all(h, fd);
	dprintf(fd, "%d\n", (int)getpid());
}

static void
note_hello(struct host *h, const struct control *c)
{
	char text[2048];
	struct timespec now;
	int len;

	clock_gettime(CLOCK_MONOTONIC, &now);
	len = snprintf(text, sizeof(text),
	    "{\"event\": \"hello\", \"pid\": %d, \"time\": %lld.%09ld, \"version\": %u, "
	    "\"keeper\": %d, \"child\": %d, \"hosts\": %u, \"crashes\": %u, "
	    "\"keeper_start\": %llu, \"child_start\": %llu, \"began\": %llu, "
	    "\"at\": %llu, \"deaths\": [",
	    (int)getpid(), (long long)now.tv_sec, now.tv_nsec,
	    c->u.hello.version, c->u.hello.keeper_pid, c->u.hello.child_pid,
	    c->u.hello.hosts, c->u.hello.crashes,
	    (unsigned long long)c->u.hello.keeper_start,
	    (unsigned long long)c->u.hello.child_start,
	    (unsigned long long)c->u.hello.began_ns, (unsigned long long)h->at);

	for (uint32_t i = 0; i < c->u.hello.deaths; i++) {
		const struct control_death *d = &c->u.hello.death[i];

		len += snprintf(text + len, sizeof(text) - (size_t)len,
		    "%s[%lld, %llu, %u, %u]", i ? ", " : "",
		    (long long)d->engine_at, (unsigned long long)d->head,
		    d->signal, d->count);
	}
	dprintf(h->events, "%s]}\n", text);
}

static void
on_exit_told(struct host *h, const struct control *c)
{
	dprintf(h->events,
	    "{\"event\": \"exit\", \"status\": %d, \"offset\": %llu}\n",
	    c->u.exit.status, (unsigned long long)c->u.exit.offset);
	if (!h->mute)
		say(h, CONTROL_ACK, 0);
}

static void
on_closed(struct host *h, const struct control *c)
{
	dprintf(h->events, "{\"event\": \"closed\", \"offset\": %llu}\n",
	    (unsigned long long)c->u.closed.offset);
	h->ended = c->u.closed.offset;
}

static void
on_message(struct host *h)
{
	struct control c;
	auto_close int fd = -1;
	int rc = control_receive(h->control, &c, &fd);

	if (rc == 0) {
		dprintf(h->events, "{\"event\": \"unkept\"}\n");
		h->control = -1;
	}
	if (rc <= 0)
		return;
	if (c.type == CONTROL_HELLO)
		note_hello(h, &c);
	else if (c.type == CONTROL_EXIT)
		on_exit_told(h, &c);
	else if (c.type == CONTROL_CLOSED)
		on_closed(h, &c);
	else if (c.type == CONTROL_LISTENING && fd >= 0) {
		dprintf(h->events, "{\"event\": \"listening\"}\n");
		h->listener = fd_take(&fd);
	}
}

static void
meet_poison(struct host *h, uint64_t end)
{
	if (h->poison < h->at || h->poison >= end)
		return;
	h->ring.shared->engine_at = h->poison;
	crash();
}

static void
take_bytes(struct host *h)
{
	uint64_t head = h->ring.shared->head;

	while (h->at < head && !h->stalled) {
		meet_poison(h, head);
		if (fd_write_all(h->bytes, ring_at(&h->ring, h->at),
			(size_t)(head - h->at)) < 0)
			die("write");
		h->at = head;
		head = h->ring.shared->head;
	}
	if (ring_release(&h->ring, h->at))
		eventfd_write(CONTROL_ROOM, 1);
}

/* The keeper is dead but the terminal is not: read it to the end. */
static void
read_terminal(struct host *h)
{
	char text[4096];
	ssize_t n = read(CONTROL_MASTER, text, sizeof(text));

	if (n > 0 && fd_write_all(h->bytes, text, (size_t)n) < 0)
		die("write");
	if (n > 0 || (n < 0 && errno == EAGAIN))
		return;
	dprintf(h->events, "{\"event\": \"end\"}\n");
	_exit(0);
}

static void
turn(struct host *h)
{
	struct pollfd fds[] = {
		{ CONTROL_OUTPUT, POLLIN, 0 },
		{ h->control, POLLIN, 0 },
		{ h->listener, POLLIN, 0 },
		{ h->control < 0 ? CONTROL_MASTER : -1, POLLIN, 0 },
	};
	bool idle = h->stalled || ring_host_sleeps(&h->ring, h->at + 1);
	eventfd_t count;

	if (poll(fds, 4, idle ? -1 : 0) < 0)
		die("poll");
	ring_host_wakes(&h->ring);
	if (fds[0].revents)
		eventfd_read(CONTROL_OUTPUT, &count);
	if (fds[1].revents)
		on_message(h);
	if (fds[2].revents)
		on_client(h);
	take_bytes(h);
	if (fds[3].revents)
		read_terminal(h);
}

int
main(void)
{
	struct host h = {
		.poison = UINT64_MAX,
		.ended = UINT64_MAX,
		.control = CONTROL_FD,
		.listener = CONTROL_LISTEN,
	};

	signal(SIGPIPE, SIG_IGN);
	open_files(&h);
	while (poll(&(struct pollfd){ CONTROL_FD, POLLIN, 0 }, 1, -1) < 0)
		;
	on_message(&h);
	read_orders(&h);
	say(&h, CONTROL_READY, 0);
	/*
	 * The previous host may have died between writing and releasing.
	 * Without this both sides could wait for ever, one for room, one for
	 * output.
	 */
	take_bytes(&h);
	while (h.at < h.ended || h.mute)
		turn(&h);
	say(&h, CONTROL_DONE, 0);
	return 0;
}
