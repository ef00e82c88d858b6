#include "keeper/hosts.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "keep/ring.h"
#include "keeper/spawn.h"
#include "keeper/trial.h"

#define LINGER_MS 10000

/* After serving for so long, a host's failure is counted as the first. */
#define SOUND_MS 1000

void
hosts_init(struct hosts *h, int program, int oom_score)
{
	*h = (struct hosts){
		.program = program,
		.next = -1,
		.offered = -1,
		.oom_score = oom_score,
		.control = -1,
		.cwd = -1,
		.ready_ms = CLOCK_NEVER,
		.linger_ms = LINGER_MS,
	};
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

static void
begin(struct hosts *h, unsigned owed)
{
	h->ready_ms = CLOCK_NEVER;
	h->done = h->anew = false;
	h->owed = owed | 1u << CONTROL_HELLO;
	h->started++;
}

void
hosts_start(struct hosts *h, const int *fds, unsigned owed, int64_t now_ms)
{
	if (spawn_host(h->program, h->oom_score, fds, &h->pid, &h->control) <
	    0) {
		put_off(h, now_ms);
		return;
	}
	begin(h, owed);
}

void
hosts_follow(struct hosts *h, struct trial *t, unsigned owed)
{
	h->pid = t->pid;
	h->control = fd_take(&t->control);
	h->next = fd_take(&t->program);
	h->crashes = h->failures = 0;
	begin(h, owed);
	h->anew = true;
}

/* The host serves: if it has another program, use that one from now on. */
static void
prove(struct hosts *h, int64_t now_ms)
{
	h->ready_ms = now_ms;
	if (h->next < 0)
		return;
	fd_close(&h->program);
	h->program = fd_take(&h->next);
}

static void
offer(struct hosts *h, int *fd)
{
	fd_close(&h->offered);
	h->offered = fd_take(fd);
	h->asked = true;
}

/* True if there may be more to receive. */
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
		prove(h, now_ms);
		h->served = true;
		break;
	case CONTROL_ACK:
		h->acked = true;
		break;
	case CONTROL_DONE:
		h->done = true;
		break;
	case CONTROL_LINGER:
		h->linger_ms = c.u.linger.ms;
		h->holds = c.u.linger.hold != 0;
		break;
	case CONTROL_RESTART:
		fd_close(&h->cwd);
		h->cwd = fd_take(&fd);
		break;
	case CONTROL_UPGRADE:
		offer(h, &fd);
		break;
	case CONTROL_STAY:
		h->stays = true;
		h->leaving = false;
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

/* Signals that people send; a failing host gets others. */
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

/* Close and reset everything of the ended host. */
static void
forget(struct hosts *h)
{
	fd_close(&h->control);
	fd_close(&h->next);
	fd_close(&h->offered);
	h->asked = h->leaving = h->stays = false;
	h->pid = 0;
	h->owed = 0;
}

void
hosts_ended(struct hosts *h, int status, struct ring *ring, int64_t now_ms)
{
	bool left = h->leaving && WIFEXITED(status) && WEXITSTATUS(status) == 0;

	/* Read its last messages: it sends DONE just before it ends. */
	if (h->control >= 0)
		hosts_receive(h, now_ms);
	forget(h);
	if (was_killed(status) || left ||
	    (h->ready_ms != CLOCK_NEVER && now_ms - h->ready_ms >= SOUND_MS))
		h->failures = 0;
	if (!was_killed(status) && !left && !h->done)
		record_crash(h, status, ring->shared);
	ring->shared->engine_at = RING_IDLE;
	put_off(h, now_ms);
}

int64_t
hosts_due_ms(const struct hosts *h)
{
	return h->pid ? CLOCK_NEVER : h->due_ms;
}

short
hosts_wants(const struct hosts *h)
{
	return h->owed != 0 ? POLLIN | POLLOUT : POLLIN;
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
	c->u.hello.anew = h->anew;
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
