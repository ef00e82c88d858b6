#include "keeper/keeper.h"

#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"

/*
 * After the exit, output is read until it was quiet for QUIET_MS, but for at
 * most DRAIN_MS.
 */
#define QUIET_MS 200
#define DRAIN_MS 2000

/*
 * A removed socket is restored within 2 s.  The kernel reports when a file of
 * the directory is removed.  If it does not, and after a failure, we check at
 * intervals of at most the sum of the next two.  Even with reports we check
 * now and then.
 */
#define CHECK_MS 1700
#define CHECK_SLACK_MS 250
#define CHECK_SOON_MS 100
#define CHECK_SELDOM_MS 60000

/*
 * A host that is killed while a disk hangs is dead but does not exit: one of
 * its threads waits for the disk.  The kernel reports nothing, so we check
 * when there is work for the host: output, or a new client.  If it is dead in
 * two checks, it counts as ended.
 */
#define LOOK_MS 250
#define LOOK_SELDOM_MS 1000 /* while there is output */

/* The timeout for a host to end after DONE. */
#define LEAVE_MS 5000

static void
plan_check(struct keeper *k)
{
	bool rest = k->told && k->listener.bound && !k->terminal.over;

	k->check_ms = k->now_ms + (rest ? CHECK_SELDOM_MS : CHECK_MS);
}

/* The host serves clients; this only reports that one has connected. */
static void
hang_doorbell(struct keeper *k)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET };

	if (k->doorbell < 0)
		k->doorbell = epoll_create1(EPOLL_CLOEXEC);
	epoll_ctl(k->doorbell, EPOLL_CTL_ADD, k->listener.fd, &ev);
}

void
keeper_begin(struct keeper *k)
{
	k->start = process_start_time(getpid());
	k->stage = KEEPER_RUNNING;
	k->now_ms = clock_ms(CLOCK_MONOTONIC);
	k->told = listener_watch(&k->listener);
	k->leave_ms = k->look_ms = CLOCK_NEVER;
	k->doorbell = -1;
	hang_doorbell(k);
	trial_init(&k->trial);
	plan_check(k);
}

/* ------------------------------------------------------------- telling hosts */

static void
make_hello(const struct keeper *k, struct control *c)
{
	*c = (struct control){ .type = CONTROL_HELLO };
	c->u.hello.version = CONTROL_VERSION;
	c->u.hello.keeper_pid = getpid();
	c->u.hello.keeper_start = k->start;
	c->u.hello.child_pid = k->child.pid;
	c->u.hello.child_start = k->child.start;
	c->u.hello.began_ns = k->child.began_ns;
}

static void
pay_hello(struct keeper *k)
{
	struct control c;

	make_hello(k, &c);
	hosts_pay(&k->hosts, &c, -1);
}

static void
pay_exit(struct keeper *k)
{
	struct control c = { .type = CONTROL_EXIT };

	c.u.exit.status = k->child.status;
	c.u.exit.offset = k->exit_offset;
	c.u.exit.time_ns = k->child.ended_ns;
	hosts_pay(&k->hosts, &c, -1);
}

static void
pay_closed(struct keeper *k)
{
	struct control c = { .type = CONTROL_CLOSED };

	c.u.closed.offset = terminal_offset(&k->terminal);
	hosts_pay(&k->hosts, &c, -1);
}

static void
pay_listening(struct keeper *k)
{
	struct control c = { .type = CONTROL_LISTENING };

	hosts_pay(&k->hosts, &c, k->listener.fd);
}

static void
pay_leave(struct keeper *k)
{
	struct control c = { .type = CONTROL_LEAVE };

	c.u.leave.pid = k->trial.pid;
	hosts_pay(&k->hosts, &c, -1);
}

static void
pay_failed(struct keeper *k)
{
	struct control c = k->trial.said;

	c.type = CONTROL_FAILED;
	hosts_pay(&k->hosts, &c, -1);
}

static void
pay_started(struct keeper *k)
{
	struct control c = { .type = CONTROL_STARTED };

	c.u.started.child_pid = k->child.pid;
	c.u.started.child_start = k->child.start;
	c.u.started.error = k->start_error;
	hosts_pay(&k->hosts, &c, -1);
}

static void
pay(struct keeper *k)
{
	if (!k->hosts.owed)
		return;
	pay_hello(k);
	pay_listening(k);
	pay_started(k);
	pay_exit(k);
	pay_closed(k);
	pay_leave(k);
	pay_failed(k);
}

/* The messages that a new host must get besides HELLO. */
static unsigned
owed_to_a_new_host(const struct keeper *k)
{
	unsigned owed = 0;

	if (k->stage >= KEEPER_LINGERING && !k->hosts.acked)
		owed |= 1u << CONTROL_EXIT;
	if (k->stage >= KEEPER_CLOSED)
		owed |= 1u << CONTROL_CLOSED;
	return owed;
}

#define HOST_FDS (CONTROL_FDS_END - CONTROL_FD - 1)

/* In the order of enum control_fd; /dev/null replaces a closed terminal. */
static void
collect_fds(const struct keeper *k, int fds[HOST_FDS])
{
	const struct terminal *t = &k->terminal;

	fds[0] = k->listener.fd;
	fds[1] = t->master >= 0 ? t->master : STDIN_FILENO;
	fds[2] = t->ring_fd;
	fds[3] = t->output;
	fds[4] = t->room;
	fds[5] = k->listener.dir;
	_Static_assert(HOST_FDS == 6, "one for each");
}

static void
start_host(struct keeper *k)
{
	int fds[HOST_FDS];

	collect_fds(k, fds);
	hosts_start(&k->hosts, fds, owed_to_a_new_host(k), k->now_ms);
}

/* --------------------------------------------------------- another program */

static void
start_trial(struct keeper *k)
{
	struct hosts *h = &k->hosts;
	int fds[HOST_FDS];
	struct control hello;

	trial_end(&k->trial);
	collect_fds(k, fds);
	make_hello(k, &hello);
	h->asked = h->stays = false;
	trial_start(&k->trial, fd_take(&h->offered), h->program, h->oom_score,
	    fds, &hello, k->now_ms);
	if (k->trial.stage == TRIAL_NONE)
		hosts_owe(h, CONTROL_FAILED);
}

static void
fail_trial(struct keeper *k, enum control_failure how)
{
	trial_fail(&k->trial, how, 0);
	hosts_owe(&k->hosts, CONTROL_FAILED);
}

static void
hear_trial(struct keeper *k)
{
	if (!trial_receive(&k->trial, k->now_ms))
		return;
	k->hosts.leaving = true;
	hosts_owe(&k->hosts, CONTROL_LEAVE);
}

/* The socket may have been bound again since the candidate was started. */
static void
let_follow(struct keeper *k)
{
	hosts_follow(&k->hosts, &k->trial,
	    owed_to_a_new_host(k) | 1u << CONTROL_LISTENING);
	k->trial.pid = 0;
	trial_end(&k->trial);
}

/*
 * If the host ended by itself, start the same program again: the candidate may
 * have been the cause.
 */
static void
settle_trial(struct keeper *k)
{
	struct trial *t = &k->trial;

	if (k->hosts.asked && k->hosts.pid)
		start_trial(k);
	if (t->stage == TRIAL_NONE)
		return;
	if (k->stage == KEEPER_LEAVING || k->hosts.stays)
		trial_end(t);
	else if (!k->hosts.pid && t->stage == TRIAL_READY)
		let_follow(k);
	else if (!k->hosts.pid)
		trial_end(t);
	else if (k->child.ended && t->stage == TRIAL_STARTED)
		fail_trial(k, CONTROL_FAILED_EXIT);
	else if (k->now_ms >= t->until_ms)
		fail_trial(k, CONTROL_FAILED_LATE);
}

/* ------------------------------------------------------------------- the end */

static int64_t
earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t
later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/*
 * True if the program may be restarted: the host decides.  Before the first
 * host has served, this is unknown.
 */
static bool
is_held(const struct keeper *k)
{
	return (k->hosts.holds || !k->hosts.served) && !k->hosts.acked;
}

/* The deadline of the present stage. */
static int64_t
stage_ends_ms(const struct keeper *k)
{
	int64_t ended = k->child.ended_ms;

	switch (k->stage) {
	case KEEPER_DRAINING:
		return earlier(ended + DRAIN_MS,
		    later(ended, k->terminal.read_ms) + QUIET_MS);
	case KEEPER_LINGERING:
		return is_held(k) ? CLOCK_NEVER : ended + k->hosts.linger_ms;
	case KEEPER_LEAVING:
		return k->leave_ms;
	case KEEPER_RUNNING:
	case KEEPER_CLOSED:
		break;
	}
	return CLOCK_NEVER;
}

/*
 * True if no more output will come, or if its time is over and all available
 * output was read.
 */
static bool
output_ends(struct keeper *k)
{
	return k->terminal.over ||
	    (k->now_ms >= stage_ends_ms(k) &&
		terminal_settle(&k->terminal, k->now_ms));
}

static void
enter(struct keeper *k, enum keeper_stage stage)
{
	k->stage = stage;
	switch (stage) {
	case KEEPER_DRAINING:
		terminal_let_go(&k->terminal);
		break;
	case KEEPER_LINGERING:
		k->exit_offset = terminal_offset(&k->terminal);
		hosts_owe(&k->hosts, CONTROL_EXIT);
		break;
	case KEEPER_CLOSED:
		terminal_close(&k->terminal);
		hosts_owe(&k->hosts, CONTROL_CLOSED);
		break;
	case KEEPER_LEAVING:
		terminal_close(&k->terminal);
		listener_close(&k->listener);
		k->leave_ms = k->now_ms + LEAVE_MS;
		break;
	case KEEPER_RUNNING:
		break;
	}
}

/* Ignore DONE from a host that did not get EXIT. */
static void
advance(struct keeper *k)
{
	if (k->stage == KEEPER_RUNNING && k->child.ended)
		enter(k, KEEPER_DRAINING);
	if (k->stage == KEEPER_DRAINING && output_ends(k))
		enter(k, KEEPER_LINGERING);
	if (k->stage == KEEPER_LINGERING && !is_held(k) && output_ends(k))
		enter(k, KEEPER_CLOSED);
	if ((k->stage == KEEPER_LINGERING || k->stage == KEEPER_CLOSED) &&
	    k->hosts.done)
		enter(k, KEEPER_LEAVING);
}

/* --------------------------------------------------------------- once more */

/* Times in the log continue to count from the first start. */
static int
start_again(struct keeper *k, int cwd)
{
	uint64_t began_ns = k->child.began_ns;
	enum launch_stage stage;
	int rc = terminal_renew(&k->terminal);

	if (rc < 0)
		return rc;
	k->plan.again = true;
	rc = child_start(&k->child, &k->plan, k->terminal.slave, cwd, &stage);
	if (rc < 0)
		terminal_let_go(&k->terminal);
	k->child.began_ns = began_ns;
	return rc;
}

static void
restart(struct keeper *k)
{
	auto_close int cwd = fd_take(&k->hosts.cwd);

	if (k->stage != KEEPER_LINGERING || !is_held(k))
		return;
	k->start_error = -start_again(k, cwd);
	if (k->start_error == 0)
		enter(k, KEEPER_RUNNING);
	hosts_owe(&k->hosts, CONTROL_STARTED);
}

/* ------------------------------------------------------------------ the loop */

static void
lose_candidate(struct keeper *k, int status)
{
	trial_ended(&k->trial, status);
	hosts_owe(&k->hosts, CONTROL_FAILED);
}

static void
reap(struct keeper *k)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == k->child.pid && !k->child.ended)
			child_ended(&k->child, status, k->now_ms);
		else if (pid == k->hosts.pid)
			hosts_ended(&k->hosts, status, &k->terminal.ring,
			    k->now_ms);
		else if (pid == k->trial.pid)
			lose_candidate(k, status);
	}
}

static void
hear_signals(struct keeper *k)
{
	struct signalfd_siginfo info;

	while (read(k->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			reap(k);
		else
			k->check_ms = earlier(k->check_ms,
			    k->now_ms + CHECK_SOON_MS);
	}
}

static void
look_now(struct keeper *k)
{
	if (k->hosts.pid)
		k->look_ms = earlier(k->look_ms, k->now_ms);
}

/* The host was woken before this and does not wait for it. */
static void
look_seldom(struct keeper *k)
{
	if (k->now_ms - k->looked_ms >= LOOK_SELDOM_MS)
		look_now(k);
	else if (k->terminal.full && k->look_ms == CLOCK_NEVER)
		k->look_ms = k->now_ms + LOOK_MS;
}

static void
answer_door(struct keeper *k)
{
	struct epoll_event ev;

	(void)epoll_wait(k->doorbell, &ev, 1, 0);
	look_now(k);
}

/*
 * Check the host.  If it is dead without having exited twice in a row, treat it
 * as ended; its later SIGCHLD is ignored.
 */
static void
look_at_host(struct keeper *k)
{
	enum process_end end = k->hosts.pid ? process_end(k->hosts.pid) :
					      PROCESS_LIVES;
	bool again = end == PROCESS_GHOST && k->haunted;

	k->looked_ms = k->now_ms;
	k->look_ms = CLOCK_NEVER;
	k->haunted = end == PROCESS_GHOST && !again;
	if (again)
		hosts_ended(&k->hosts, SIGKILL, &k->terminal.ring, k->now_ms);
	else if (end != PROCESS_LIVES)
		k->look_ms = k->now_ms + LOOK_MS;
}

static void
check(struct keeper *k)
{
	if (k->stage != KEEPER_LEAVING) {
		if (listener_check(&k->listener)) {
			hosts_owe(&k->hosts, CONTROL_LISTENING);
			hang_doorbell(k);
		}
		terminal_take_back(&k->terminal);
	}
	look_seldom(k);
	plan_check(k);
}

/* While the ring is full no deadline applies: the host makes room first. */
static int64_t
deadline_ms(const struct keeper *k)
{
	int64_t at = k->check_ms;

	if (!k->terminal.full)
		at = earlier(at, stage_ends_ms(k));
	if (k->stage != KEEPER_LEAVING)
		at = earlier(at, hosts_due_ms(&k->hosts));
	at = earlier(at, terminal_due_ms(&k->terminal));
	at = earlier(at, k->look_ms);
	return earlier(at, k->trial.until_ms);
}

/*
 * The check of the socket may wait until the machine is awake anyway; all
 * other deadlines are exact to the millisecond.
 */
static int
timeout_ms(struct keeper *k)
{
	int64_t at = deadline_ms(k);
	bool lazy = at == k->check_ms;

	if (lazy != k->lazy)
		prctl(PR_SET_TIMERSLACK,
		    lazy ? CHECK_SLACK_MS * 1000000ul : 1ul, 0, 0, 0);
	k->lazy = lazy;
	return (int)later(0, at - k->now_ms);
}

/* Handlers have changed the state; this acts on it. */
static void
settle(struct keeper *k)
{
	if (k->terminal.over)
		k->check_ms = earlier(k->check_ms, k->now_ms + CHECK_MS);
	if (k->now_ms >= k->check_ms)
		check(k);
	if (k->now_ms >= k->look_ms)
		look_at_host(k);
	if (k->now_ms >= terminal_due_ms(&k->terminal))
		terminal_give_back(&k->terminal);
	if (k->hosts.cwd >= 0)
		restart(k);
	advance(k);
	settle_trial(k);
	if (k->stage != KEEPER_LEAVING && k->now_ms >= hosts_due_ms(&k->hosts))
		start_host(k);
	pay(k);
}

bool
keeper_turn(struct keeper *k)
{
	struct pollfd master = { terminal_wants(&k->terminal), POLLIN, 0 };
	struct pollfd fds[] = {
		master,
		{ k->terminal.room, POLLIN, 0 },
		{ k->signals, POLLIN, 0 },
		{ k->hosts.control, hosts_wants(&k->hosts), 0 },
		{ k->trial.control, POLLIN, 0 },
		{ k->doorbell, POLLIN, 0 },
	};

	if (poll(fds, 6, timeout_ms(k)) < 0)
		return true;
	k->now_ms = clock_ms(CLOCK_MONOTONIC);
	if (fds[0].revents)
		terminal_read(&k->terminal, k->now_ms);
	if (fds[0].revents)
		look_seldom(k);
	if (fds[5].revents)
		answer_door(k);
	if (fds[1].revents)
		terminal_has_room(&k->terminal);
	if (fds[2].revents)
		hear_signals(k);
	if (fds[3].revents)
		hosts_receive(&k->hosts, k->now_ms);
	if (fds[4].revents && k->trial.control >= 0)
		hear_trial(k);
	settle(k);
	return k->stage != KEEPER_LEAVING ||
	    (k->hosts.pid && k->now_ms < k->leave_ms);
}
