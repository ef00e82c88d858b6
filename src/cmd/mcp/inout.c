#include "cmd/mcp/inout.h"

#include <errno.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/loop.h"

#define PIPE_ROOM 4096 /* a pipe that polls as writable has this much */

static unsigned
ready_of(const struct epoll_event *e)
{
	if (e->data.fd == STDIN_FILENO)
		return INOUT_IN;
	return e->events & EPOLLOUT ? INOUT_OUT : INOUT_GONE;
}

static void
on_ready(void *arg, enum loop_events events)
{
	struct inout *s = arg;
	struct epoll_event e[2];
	int n = epoll_wait(s->epoll, e, 2, 0);
	unsigned ready = 0;

	(void)events;
	for (int i = 0; i < n; i++)
		ready |= ready_of(&e[i]);
	if (ready != 0)
		s->fn(s->arg, ready);
}

static void
on_timer(void *arg)
{
	struct inout *s = arg;

	s->armed = false;
	s->fn(s->arg, s->want & s->always);
	inout_want(s, s->want);
}

/* If it cannot be watched, reading or writing tells why. */
static bool
change(struct inout *s, int fd, unsigned events, int how)
{
	struct epoll_event e = { .events = events, .data.fd = fd };

	if (epoll_ctl(s->epoll, how, fd, &e) == 0)
		return true;
	s->always |= fd == STDIN_FILENO ? INOUT_IN : INOUT_OUT;
	return false;
}

/* The epoll has the input only while it is wanted: its end stays ready. */
static void
watch_input(struct inout *s, bool wanted)
{
	if (wanted == s->reads || (s->always & INOUT_IN))
		return;
	s->reads = change(s, STDIN_FILENO, EPOLLIN,
		       wanted ? EPOLL_CTL_ADD : EPOLL_CTL_DEL) &&
	    wanted;
}

/* The timer lets everything else that is ready go first. */
void
inout_want(struct inout *s, unsigned want)
{
	watch_input(s, want & INOUT_IN);
	if (!(s->always & INOUT_OUT) && ((want ^ s->want) & INOUT_OUT))
		change(s, STDOUT_FILENO, want & INOUT_OUT ? EPOLLOUT : 0,
		    EPOLL_CTL_MOD);
	s->want = want;
	if (s->armed || (want & s->always) == 0)
		return;
	s->armed = true;
	watch_yield(s->timer);
}

size_t
inout_room(const struct inout *s)
{
	return s->always & INOUT_OUT ? SIZE_MAX : PIPE_ROOM;
}

int
inout_init(struct inout *s, struct loop *loop, inout_fn *fn, void *arg)
{
	*s = (struct inout){ .fn = fn, .arg = arg };
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (s->epoll < 0)
		return -errno;
	change(s, STDOUT_FILENO, 0, EPOLL_CTL_ADD);
	s->timer = loop_timer(loop, -1, on_timer, s);
	s->watch = loop_fd(loop, s->epoll, LOOP_READ, on_ready, s);
	return s->watch != NULL ? 0 : -errno;
}

void
inout_finish(struct inout *s)
{
	watch_remove(s->watch);
	watch_remove(s->timer);
	fd_close(&s->epoll);
}
