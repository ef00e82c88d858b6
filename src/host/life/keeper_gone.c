#include "host/life/keeper_gone.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/loop.h"
#include "base/mem.h"
#include "host/core/events.h"
#include "host/core/session.h"
#include "host/life/ending.h"
#include "keep/control.h"

#define QUIET_MS 200 /* silence after the end that means: no more output */

struct keeper_gone {
	struct session *session;
	struct ending *ending;
	int master; /* a duplicate; the server watches the other */
	int pidfd;
	struct watch *output, *room, *child, *quiet;
	bool gone;   /* the program has ended */
	bool closed; /* the terminal is closed */
};

static uint64_t
head(const struct keeper_gone *u)
{
	return atomic_load(&u->session->terminal.ring.shared->head);
}

static void
end_output(struct keeper_gone *u)
{
	if (u->closed)
		return;
	u->closed = true;
	watch_remove(u->output);
	u->output = NULL;
	if (u->gone) {
		ending_exit(u->ending, 0, head(u), true);
		ending_closed(u->ending, head(u));
	}
}

/* The ring is full: wait for the event log to make room. */
static void
wait_for_room(struct keeper_gone *u)
{
	if (ring_keeper_sleeps(&u->session->terminal.ring))
		watch_want(u->output, 0);
}

static void
on_output(void *arg, enum loop_events ready)
{
	struct keeper_gone *u = arg;
	struct ring *r = &u->session->terminal.ring;
	size_t room = ring_room(r);
	ssize_t n;

	(void)ready;
	if (room == 0) {
		wait_for_room(u);
		return;
	}
	n = read(u->master, ring_at(r, head(u)), room);
	if (n > 0) {
		/* No wakeup is needed: the end of the turn takes the bytes. */
		(void)ring_produced(r, (size_t)n);
		if (u->gone)
			watch_rearm(u->quiet, QUIET_MS);
	} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
		end_output(u);
	}
}

static void
on_room(void *arg, enum loop_events ready)
{
	struct keeper_gone *u = arg;
	uint64_t count;
	ssize_t n = read(u->session->terminal.room_fd, &count, sizeof(count));

	(void)ready;
	(void)n;
	ring_keeper_wakes(&u->session->terminal.ring);
	if (u->output != NULL)
		watch_want(u->output, LOOP_READ);
}

static void
on_quiet(void *arg)
{
	end_output(arg);
}

static void
on_gone(void *arg, enum loop_events ready)
{
	struct keeper_gone *u = arg;

	(void)ready;
	u->gone = true;
	watch_remove(u->child);
	u->child = NULL;
	if (u->closed) {
		ending_exit(u->ending, 0, head(u), true);
		ending_closed(u->ending, head(u));
	} else {
		watch_rearm(u->quiet, QUIET_MS);
	}
}

/* A pidfd of the program; -1 if it has ended or its pid was reused. */
static int
open_child(const struct process *child)
{
	int fd = (int)syscall(SYS_pidfd_open, child->pid, 0);

	if (fd >= 0 && process_start_time(child->pid) != child->start)
		fd_close(&fd);
	return fd;
}

static void
watch_child(struct keeper_gone *u)
{
	u->pidfd = open_child(&u->session->manifest.child);
	if (u->pidfd >= 0)
		u->child = loop_fd(u->session->loop, u->pidfd, LOOP_READ,
		    on_gone, u);
	if (u->child == NULL)
		on_gone(u, LOOP_READ);
}

struct keeper_gone *
keeper_gone_create(struct session *session, struct ending *ending)
{
	struct keeper_gone *u = xcalloc(1, sizeof(*u));

	u->session = session;
	u->ending = ending;
	u->pidfd = -1;
	u->quiet = loop_timer(session->loop, -1, on_quiet, u);
	u->room = loop_fd(session->loop, session->terminal.room_fd, LOOP_READ,
	    on_room, u);
	u->master = fcntl(session->terminal.master, F_DUPFD_CLOEXEC, 0);
	if (u->master >= 0)
		u->output = loop_fd(session->loop, u->master, LOOP_READ,
		    on_output, u);
	event_trouble(session, "unkept", "the keeper has died");
	session->manifest.unkept = true;
	session->manifest.keeper = (struct process){ 0 };
	session_save(session);
	watch_child(u);
	return u;
}

void
keeper_gone_destroy(struct keeper_gone *u)
{
	if (u == NULL)
		return;
	watch_remove(u->output);
	watch_remove(u->room);
	watch_remove(u->child);
	watch_remove(u->quiet);
	fd_close(&u->master);
	fd_close(&u->pidfd);
	free(u);
}
