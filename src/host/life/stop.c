#include "host/life/stop.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/error.h"
#include "base/loop.h"
#include "base/mem.h"
#include "host/core/events.h"
#include "host/core/session.h"
#include "host/life/spared.h"
#include "host/serve/server.h"
#include "host/store/event_log.h"
#include "host/system/proc.h"
#include "keep/control.h"
#include "session/scope.h"

#define INTERRUPT_MS 300 /* time for a program to react to Ctrl-C */
#define AGAIN_MS 100     /* next round, for processes that were being created */
#define GROUPS_MAX 256

enum stage { STOP_NONE, STOP_INTERRUPTED, STOP_ASKED, STOP_KILLING };

struct stop {
	struct session *session;
	struct server *server;
	struct watch *timer;
	enum stage stage;
	uint32_t grace_ms;
	char by[256]; /* the last client that asked for it */
};

/* Process groups to signal, each once. */
struct groups {
	pid_t session;
	pid_t ids[GROUPS_MAX];
	size_t n;
};

static void
add_group(struct groups *g, pid_t id)
{
	/* 0 would be our own group; 1 and -1 would be all processes. */
	if (id <= 1 || id == getpgrp())
		return;
	for (size_t i = 0; i < g->n; i++)
		if (g->ids[i] == id)
			return;
	if (g->n < GROUPS_MAX)
		g->ids[g->n++] = id;
}

/*
 * True if the session id still belongs to the program.  The kernel does not
 * reuse the number while a process is in the session.  After that it may, and
 * then a process of that number started later.
 */
static bool
session_is_ours(const struct session *session)
{
	const struct process *child = &session->manifest.child;
	uint64_t start;

	if (child->pid <= 1)
		return false; /* kernel threads have session 0 */
	start = process_start_time(child->pid);
	return start == 0 || start == child->start;
}

/* Processes of the session, without those that outlive it. */
struct members {
	const struct session *session;
	struct groups *groups;
	size_t killed;
};

static bool
is_spared(void *arg, const struct proc *p)
{
	const struct members *m = arg;

	return spared_is(m->session, p);
}

/* -ENOENT without a keeper, or if the kernel does not list children. */
static int
each_below_keeper(struct members *m, proc_fn *fn)
{
	const struct session *session = m->session;

	if (session->control < 0 || session->manifest.keeper.pid <= 1)
		return -ENOENT;
	return proc_each_below(session->manifest.keeper.pid, is_spared, fn, m);
}

static void
collect_group(void *arg, const struct proc *p)
{
	const struct members *m = arg;

	if (p->session == m->groups->session)
		add_group(m->groups, p->pgrp);
}

static bool
leader_lives(const struct session *session)
{
	const struct process *child = &session->manifest.child;

	return child->pid > 1 && child->start != 0 &&
	    process_start_time(child->pid) == child->start;
}

static void
signal_groups(struct session *session, const int *signals, size_t n)
{
	struct groups g = { .session = session->manifest.child.pid };
	struct members m = { .session = session, .groups = &g };

	if (!session_is_ours(session))
		return;
	if (leader_lives(session))
		add_group(&g, session->manifest.child.pid);
	if (each_below_keeper(&m, collect_group) < 0)
		proc_each(collect_group, &m);
	add_group(&g, tcgetpgrp(session->terminal.master));
	for (size_t i = 0; i < g.n; i++)
		for (size_t s = 0; s < n; s++)
			kill(-g.ids[i], signals[s]);
}

static void
kill_one(void *arg, const struct proc *p)
{
	struct members *m = arg;

	if (p->state != 'Z' && kill(p->pid, SIGKILL) == 0)
		m->killed++;
}

static void
kill_member(void *arg, const struct proc *p)
{
	const struct members *m = arg;

	if (p->session == m->session->manifest.child.pid &&
	    !spared_is(m->session, p))
		kill_one(arg, p);
}

static void
ask(struct stop *s)
{
	static const int polite[] = { SIGHUP, SIGCONT, SIGTERM };

	s->stage = STOP_ASKED;
	signal_groups(s->session, polite, sizeof(polite) / sizeof(polite[0]));
	watch_rearm(s->timer, s->grace_ms);
}

/* Returns how many there were. */
static size_t
kill_members(struct stop *s)
{
	struct members m = { .session = s->session };

	if (s->session->manifest.cgroup != NULL)
		scope_kill(s->session->manifest.cgroup);
	if (each_below_keeper(&m, kill_one) < 0 && session_is_ours(s->session))
		proc_each(kill_member, &m);
	return m.killed;
}

void
stop_leftovers(struct stop *s)
{
	(void)kill_members(s);
}

/*
 * Repeat until the exit is seen: a fork may be faster than we are.  In a
 * confined session repeat until no process is left.
 */
static void
kill_all(struct stop *s)
{
	size_t killed = kill_members(s);
	bool again = !s->session->ended ||
	    (s->session->manifest.confined && killed > 0);

	s->stage = STOP_KILLING;
	watch_rearm(s->timer, again ? AGAIN_MS : -1);
}

static void
on_timer(void *arg)
{
	struct stop *s = arg;

	if (s->stage == STOP_INTERRUPTED) {
		ask(s);
		return;
	}
	if (s->stage == STOP_ASKED)
		event_signal(s->session, SIGKILL, s->by, "stop");
	kill_all(s);
}

struct stop *
stop_create(struct session *session, struct server *server)
{
	struct stop *s = xcalloc(1, sizeof(*s));

	s->session = session;
	s->server = server;
	s->timer = loop_timer(session->loop, -1, on_timer, s);
	return s;
}

void
stop_destroy(struct stop *s)
{
	if (s == NULL)
		return;
	watch_remove(s->timer);
	free(s);
}

static void
ask_politely(struct stop *s, uint32_t grace_ms, bool interrupt, const char *by)
{
	bool first = s->stage == STOP_NONE;

	if (s->stage == STOP_KILLING)
		return;
	snprintf(s->by, sizeof(s->by), "%s", by);
	if (first || grace_ms < s->grace_ms)
		s->grace_ms = grace_ms;
	if (first && interrupt &&
	    write(s->session->terminal.master, "\003", 1) == 1) {
		s->stage = STOP_INTERRUPTED;
		watch_rearm(s->timer, INTERRUPT_MS);
	} else {
		ask(s);
	}
}

void
stop_now(struct stop *s)
{
	kill_all(s);
}

static int
signal_group(const struct stop *s, int signo)
{
	pid_t pid = s->session->manifest.child.pid;

	if (s->session->ended || !leader_lives(s->session))
		return -ESRCH;
	return kill(-pid, signo) < 0 ? -errno : 0;
}

int
stop_signal(struct stop *s, int signo, const char *by, struct error *err)
{
	int rc = signal_group(s, signo);

	if (rc < 0)
		return error_set(err, -rc, "cannot signal the program: %s",
		    strerror(-rc));
	event_signal(s->session, signo, by, "signal");
	return 0;
}

/*
 * From now on the manifest names who ended the session, also for the next
 * host.
 */
static int
begin_end(struct stop *s, enum outcome outcome, const char *by,
    struct error *err)
{
	struct session *session = s->session;
	bool stop = outcome == OUTCOME_STOPPED;

	if (session->ended)
		return error_set(err, ESRCH, "the program has ended");
	event_signal(session, stop ? SIGTERM : SIGKILL, by,
	    stop ? "stop" : "kill");
	session->manifest.outcome = outcome;
	if (session->manifest.status != STATUS_DESTROYING)
		session->manifest.status = STATUS_EXITING;
	session_save(session);
	server_text_event(s->server, WIRE_EVENT_STATUS,
	    status_name(session->manifest.status));
	return 0;
}

int
stop_politely(struct stop *s, uint32_t grace_ms, bool interrupt, const char *by,
    struct error *err)
{
	int rc = begin_end(s, OUTCOME_STOPPED, by, err);

	if (rc == 0)
		ask_politely(s, grace_ms, interrupt, by);
	return rc;
}

int
stop_kill(struct stop *s, const char *by, struct error *err)
{
	int rc = begin_end(s, OUTCOME_KILLED, by, err);

	if (rc == 0)
		kill_all(s);
	return rc;
}

int
stop_and_destroy(struct stop *s, uint32_t grace_ms, const char *by,
    struct error *err)
{
	if (!s->session->ended)
		s->session->manifest.status = STATUS_DESTROYING;
	return stop_politely(s, grace_ms, false, by, err);
}

void
stop_ended(struct stop *s)
{
	if (s->stage != STOP_NONE || s->session->manifest.confined)
		kill_all(s);
}
