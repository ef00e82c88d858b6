#include "keeper/hosts.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "keep/ring.h"
#include "keeper/child.h"
#include "keeper/clock.h"
#include "keeper/oom.h"

#define LINGER_MS 10000

/* A host that served so long has nothing to do with how earlier ones failed. */
#define SOUND_MS 1000

void
hosts_init(struct hosts *h, int program, int oom_score)
{
	*h = (struct hosts){
		.program = program,
		.oom_score = oom_score,
		.control = -1,
		.ready_ms = CLOCK_NEVER,
		.linger_ms = LINGER_MS,
	};
}

/* The descriptors that it gets are all above those that they become. */
static _Noreturn void
run(const struct hosts *h, const int *fds, int control)
{
	char *argv[] = { "tend-host", NULL };

	setsid();
	oom_set_score(h->oom_score);
	dup2(control, CONTROL_FD);
	for (int fd = CONTROL_FD + 1; fd < CONTROL_FDS_END; fd++)
		dup2(fds[fd - CONTROL_FD - 1], fd);
	child_reset_signals();
	fexecve(h->program, argv, environ);
	_exit(127);
}

static int64_t
delay_ms(unsigned failures)
{
	static const int64_t delays[] = { 0, 100, 1000, 5000 };

	return delays[failures < 3 ? failures : 3];
}

static void
put_off(struct hosts *h, int64_t now_ms)
{
	h->due_ms = now_ms + delay_ms(h->failures);
	h->failures++;
}

void
hosts_start(struct hosts *h, const int *fds, unsigned owed, int64_t now_ms)
{
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) {
		put_off(h, now_ms);
		return;
	}
	pid = fork();
	if (pid == 0)
		run(h, fds, ends[1]);
	fd_close(&ends[1]);
	if (pid < 0) {
		fd_close(&ends[0]);
		put_off(h, now_ms);
		return;
	}
	h->pid = pid;
	h->control = ends[0];
	h->ready_ms = CLOCK_NEVER;
	h->done = false;
	h->owed = owed | 1u << CONTROL_HELLO;
	h->started++;
}

/* True when there may be more to hear. */
static bool
receive_one(struct hosts *h, int64_t now_ms)
{
	struct control c;
	auto_close int fd = -1;
	int rc = control_receive(h->control, &c, &fd);

	if (rc == 0)
		fd_close(&h->control);
	if (rc <= 0)
		return rc == -EPROTO;
	switch (c.type) {
	case CONTROL_READY:
		h->ready_ms = now_ms;
		break;
	case CONTROL_ACK:
		h->acked = true;
		break;
	case CONTROL_DONE:
		h->done = true;
		break;
	case CONTROL_LINGER:
		h->linger_ms = c.u.linger.ms;
		break;
	}
	return true;
}

void
hosts_receive(struct hosts *h, int64_t now_ms)
{
	while (receive_one(h, now_ms))
		;
}

/* Signals that somebody sends; a host that fails gets others. */
static bool
was_killed(int status)
{
	if (!WIFSIGNALED(status))
		return false;
	switch (WTERMSIG(status)) {
	case SIGKILL:
	case SIGTERM:
	case SIGINT:
	case SIGHUP:
		return true;
	}
	return false;
}

static void
record_crash(struct hosts *h, int status, const struct ring_shared *s)
{
	struct control_death *last = &h->death[CONTROL_DEATHS - 1];

	if (h->crashes < CONTROL_DEATHS)
		last = &h->death[h->crashes];
	else
		memmove(h->death, h->death + 1,
		    sizeof(h->death) - sizeof(h->death[0]));
	h->crashes++;
	*last = (struct control_death){
		.engine_at = s->engine_at,
		.head = s->head,
		.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
		.count = h->crashes,
	};
}

void
hosts_ended(struct hosts *h, int status, struct ring *ring, int64_t now_ms)
{
	/* Its last words may be waiting: DONE comes just before the end. */
	if (h->control >= 0)
		hosts_receive(h, now_ms);
	fd_close(&h->control);
	h->pid = 0;
	h->owed = 0;
	if (was_killed(status) ||
	    (h->ready_ms != CLOCK_NEVER && now_ms - h->ready_ms >= SOUND_MS))
		h->failures = 0;
	if (!was_killed(status) && !h->done)
		record_crash(h, status, ring->shared);
	ring->shared->engine_at = RING_IDLE;
	put_off(h, now_ms);
}

int64_t
hosts_due_ms(const struct hosts *h)
{
	return h->pid ? CLOCK_NEVER : h->due_ms;
}

void
hosts_owe(struct hosts *h, enum control_type type)
{
	if (h->pid)
		h->owed |= 1u << type;
}

static void
fill_in_deaths(const struct hosts *h, struct control *c)
{
	c->u.hello.hosts = h->started - 1;
	c->u.hello.crashes = h->crashes;
	c->u.hello.deaths = h->crashes < CONTROL_DEATHS ? h->crashes :
							  CONTROL_DEATHS;
	memcpy(c->u.hello.death, h->death, sizeof(h->death));
}

void
hosts_pay(struct hosts *h, struct control *c, int fd)
{
	if (!(h->owed & 1u << c->type) || h->control < 0)
		return;
	if (c->type == CONTROL_HELLO)
		fill_in_deaths(h, c);
	if (control_send(h->control, c, fd) != -EAGAIN)
		h->owed &= ~(1u << c->type);
}
