/*
 * The attach client: the user's terminal on one side, the session's host on
 * the other.
 *
 *	host  ── frames ──►  mirror, view  ── bytes ──►  terminal
 *	host  ◄── INPUT ───  keys          ◄── bytes ──  terminal
 *
 * A turn reads available bytes, brings the view up to date, and writes.
 *
 * While output passes through, the user gets all of it, as at any terminal.
 * If the terminal does not read, we stop reading from the host, which later
 * continues from its log.  A user who types while the terminal is behind wants
 * to see the effect: then the rest is skipped and the newest screen shown.
 * While we paint, only the newest screen is shown.
 *
 * If the host ends, we wait: its keeper starts another, and we continue at our
 * offset.  A notice appears only if that takes long.  Input typed meanwhile is
 * kept for the next host; input that may have been typed before is never sent
 * twice.
 */
#include "client/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "client/attach_state.h"
#include "session/around.h"
#include "session/last.h"
#include "session/visit.h"
#include "vt/vt.h"
#include "wire/frame.h"

#define QUIET_MS 100 /* before the mirror is updated */
#define SEND_MAX (8u << 20)
#define LAST_WORDS_MS 2000
#define LAST_WORDS_MAX (1u << 20)

/* The descriptors of the child that writes a visit. */
enum { VISIT_FD_DIR, VISIT_FD_DONE, VISIT_FD_HOME };
#define VISIT_MS 100

static void
on_signal(struct attach *a)
{
	struct signalfd_siginfo info;

	while (read(a->signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
		switch (info.ssi_signo) {
		case SIGWINCH:
			attach_look_at_terminal(a);
			if (a->sized)
				attach_send_size(a);
			break;
		case SIGCONT:
			attach_look_at_terminal(a);
			break;
		case SIGTSTP:
			attach_suspend(a);
			break;
		case SIGHUP:
			attach_finish(a, HUNG_UP, 0);
			break;
		default:
			attach_detach(a);
			a->status = 128 + (int)info.ssi_signo;
			break;
		}
}

/* Turns. */

static void
on_time(struct attach *a, int64_t now)
{
	int wait = keys_wait_ms(&a->keys);

	if (wait >= 0 && now - a->key_ms >= wait)
		keys_flush(&a->keys);
	if (now - a->asked_ms >= PROBE_MS)
		a->view.measured = true;
	if (a->notice_ms != 0 && now >= a->notice_ms)
		attach_notice(a, NULL);
	if (a->mirror.pending.len > 0 && now - a->output_ms >= QUIET_MS)
		(void)mirror_look(&a->mirror);
	if (!a->connected && a->ending == GOING_ON)
		attach_retry(a, now);
}

/* The shorter of two timeouts; -1 means never. */
static int
sooner(int wait, int64_t at, int64_t now)
{
	int64_t left = at > now ? at - now : 0;

	return wait >= 0 && wait < left ? wait : (int)left;
}

static int
wait_ms(const struct attach *a, int64_t now)
{
	int wait = view_wait_ms(&a->view, now);

	if (attach_is_busy(a))
		return 0;
	if (keys_wait_ms(&a->keys) >= 0)
		wait = sooner(wait, a->key_ms + keys_wait_ms(&a->keys), now);
	if (!a->view.measured)
		wait = sooner(wait, a->asked_ms + PROBE_MS, now);
	if (a->notice_ms != 0)
		wait = sooner(wait, a->notice_ms, now);
	if (a->mirror.pending.len > 0)
		wait = sooner(wait, a->output_ms + QUIET_MS, now);
	if (!a->connected)
		wait = sooner(wait, a->retry_ms, now);
	return wait;
}

/* Request a missing picture, once a turn. */
static void
update(struct attach *a)
{
	int64_t now = clock_ms(CLOCK_MONOTONIC);
	int rc = view_update(&a->view, &a->mirror, now);

	if (rc == -ESTALE && a->connected && a->mirror.cols != 0) {
		if (attach_connect_again(a, true) < 0)
			attach_lose(a);
		rc = view_update(&a->view, &a->mirror, now);
	}
	if (rc == -ESTALE && !a->connected)
		view_notice_only(&a->view);
	else if (rc == 0 && !a->sized)
		attach_send_size(a); /* O-19: the session is drawn */
}

static void
flush(struct attach *a)
{
	struct buf *out = &a->view.out;

	if (out->len > 0) {
		ssize_t n = write(a->term.fd, out->data, out->len);

		if (n > 0)
			buf_consume(out, (size_t)n);
		else if (n < 0 && errno != EAGAIN && errno != EINTR)
			attach_finish(a, HUNG_UP, 0);
	}
	attach_send(a);
}

static void
turn(struct attach *a)
{
	bool full = a->view.passing && a->view.out.len > ATTACH_BEHIND;
	bool writing = a->view.out.len > 0;
	struct pollfd fds[3] = {
		{ .fd = a->signals, .events = POLLIN },
		{ .fd = a->term.fd,
		    .events = (short)(POLLIN | (writing ? POLLOUT : 0)) },
		{ .fd = a->connected && !full ? a->conn.fd : -1,
		    .events = POLLIN },
	};

	(void)poll(fds, 3, wait_ms(a, clock_ms(CLOCK_MONOTONIC)));
	if (fds[0].revents != 0)
		on_signal(a);
	if (fds[1].revents & (POLLIN | POLLHUP | POLLERR))
		attach_on_terminal(a);
	if (fds[2].revents != 0 && a->connected)
		attach_on_host(a);
	on_time(a, clock_ms(CLOCK_MONOTONIC));
	attach_work(a);
	if (a->ending == GOING_ON)
		update(a);
	flush(a);
}

/* From the beginning to the end. */

/* An outer session with the same prefix key takes it before we do. */
static bool
is_inner(const struct attach_options *o, const struct keys *k)
{
	char id[ID_SIZE];
	struct key outer;

	return around_session(id) &&
	    key_parse(keys_prefix(o->outer), &outer, NULL) == 0 &&
	    key_same(&outer, &k->prefix);
}

/* A number that no other client has. */
static uint64_t
make_who(void)
{
	uint64_t who;

	if (getrandom(&who, sizeof(who), 0) != sizeof(who))
		return 0; /* the host takes 0 as not given */
	return who >> 1 | 1;
}

static int
watch_signals(struct attach *a, sigset_t *before, struct error *err)
{
	static const int watched[] = { SIGWINCH, SIGCONT, SIGTSTP, SIGHUP,
		SIGINT, SIGQUIT, SIGTERM };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(watched) / sizeof(watched[0]); i++)
		sigaddset(&set, watched[i]);
	sigprocmask(SIG_BLOCK, &set, before);
	a->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (a->signals < 0)
		return error_set(err, errno, "cannot create a signalfd: %s",
		    strerror(errno));
	return 0;
}

/* Replies still on their way would be typed at the user's shell. */
static void
await_answers(struct attach *a)
{
	int64_t until = a->asked_ms + PROBE_MS;

	while (!a->probe.done && clock_ms(CLOCK_MONOTONIC) < until) {
		struct pollfd pfd = { .fd = a->term.fd, .events = POLLIN };

		if (poll(&pfd, 1, (int)(until - clock_ms(CLOCK_MONOTONIC))) <=
		    0)
			break;
		a->keys.muted = true;
		attach_on_terminal(a);
		if (pfd.revents & (POLLHUP | POLLERR))
			break;
	}
}

static void
say_goodbye(struct attach *a)
{
	if (a->ending != HUNG_UP) {
		(void)term_write_all(&a->term, a->view.out.data,
		    a->view.out.len, LAST_WORDS_MS);
		await_answers(a);
	}
	/* Input typed while the host left is for the next one. */
	if ((a->parting || !a->connected) && a->send.len > 0 &&
	    a->ending == DETACHED && attach_connect_again(a, false) == 0)
		attach_send(a);
	if (a->connected && a->ending != ENDED) {
		uint8_t header[FRAME_HEADER];

		frame_header(header, FRAME_DETACH, 0);
		(void)conn_send(&a->conn, header, sizeof(header), NULL);
	}
}

/*
 * Record the visit on the session's disk and as the last one of its home.  The
 * disks may hang and the user must not wait for them, so a child writes.  It
 * has no descriptor of the user's terminal, which can be closed before the
 * disk answers.
 */
static void
note_visit(const struct attach *a)
{
	int done[2];
	pid_t pid;

	if (pipe2(done, O_CLOEXEC) < 0)
		return;
	pid = fork();
	if (pid == 0) {
		setsid();
		dup2(a->dirfd, VISIT_FD_DIR);
		dup2(done[1], VISIT_FD_DONE);
		if (dup2(a->options->homefd, VISIT_FD_HOME) < 0)
			close(VISIT_FD_HOME);
		close_range(VISIT_FD_HOME + 1, ~0u, 0);
		if (!a->keys.muted)
			(void)visit_note(VISIT_FD_DIR, environ);
		(void)last_note(VISIT_FD_HOME, a->options->id);
		_exit(0);
	}
	fd_close(&done[1]);
	if (pid > 0) {
		struct pollfd ended = { .fd = done[0] };

		poll(&ended, 1, VISIT_MS);
		waitpid(pid, NULL, WNOHANG);
	}
	fd_close(&done[0]);
}

static int
show(struct attach *a, struct error *err)
{
	int rc = term_take(&a->term, err);

	if (rc < 0)
		return rc;
	a->view.as_is = a->view.passing = a->options->replay != HELLO_SCREEN;
	filter_init(&a->view.filter,
	    a->options->in_line ? 0 : FILTER_ONE_SCREEN);
	attach_look_at_terminal(a);
	a->view.redraw = !a->view.as_is;
	attach_greet(a);
	if (a->options->in_line && a->mirror.vt != NULL)
		view_introduce(&a->view, a->mirror.vt);
	probe_ask(&a->view.out);
	a->keys.decoder.cpr_expected = PROBE_REPORTS;
	a->asked_ms = clock_ms(CLOCK_MONOTONIC);
	flush(a);
	attach_on_host(a); /* some came with the first line */
	update(a);
	flush(a);
	while (a->ending == GOING_ON)
		turn(a);
	say_goodbye(a);
	return 0;
}

static int
run(struct attach *a, struct error *err)
{
	sigset_t before;
	int rc = term_open(&a->term, a->options->in_line, err);

	if (rc == 0)
		rc = attach_connect(a, err);
	if (rc == 0 && a->ending == GOING_ON) {
		note_visit(a);
		rc = watch_signals(a, &before, err);
		if (rc == 0)
			rc = show(a, err);
		term_give_back(&a->term);
		fd_close(&a->signals);
		sigprocmask(SIG_SETMASK, &before, NULL);
	}
	term_close(&a->term);
	if (a->connected)
		conn_close(&a->conn);
	return rc;
}

static int
verdict(const struct attach *a, struct error *err)
{
	if (a->ending == FAILED)
		return error_set(err, a->error.code, "%s", a->error.msg);
	if (a->last_words.len > 0) {
		fwrite(a->last_words.data, 1, a->last_words.len, stdout);
		fflush(stdout);
	}
	return a->status;
}

/*
 * A session inside itself would show itself for ever; inside another one, two
 * prefix keys collide.
 */
int
attach_check(const struct attach_options *o, struct error *err)
{
	char own[ID_SIZE];

	if (!around_session(own))
		return 0;
	if (o->id != NULL && strcmp(own, o->id) == 0)
		return error_set(err, EDEADLK,
		    "this terminal is in session %s itself; detach first, or "
		    "attach from another terminal",
		    o->name);
	if (o->nested)
		return 0;
	return error_set(err, EDEADLK,
	    "this terminal is already in a session: %s %s switches to "
	    "another, %s %s detaches; with --nested, press %s twice "
	    "for the inner one",
	    keys_prefix(o->prefix), keys_of(&o->bound, KEYS_SESSIONS),
	    keys_prefix(o->prefix), keys_of(&o->bound, KEYS_DETACH),
	    keys_prefix(o->prefix));
}

int
attach_run(const struct attach_options *o, int dirfd, struct error *err)
{
	struct attach a = { .options = o,
		.dirfd = dirfd,
		.who = make_who(),
		.signals = -1 };
	int rc;

	rc = attach_check(o, err);
	if (rc < 0)
		return rc;
	snprintf(a.name, sizeof(a.name), "%s", o->name);
	buf_init(&a.send, SEND_MAX);
	buf_init(&a.last_words, LAST_WORDS_MAX);
	rc = keys_init(&a.keys, keys_prefix(o->prefix), &o->bound,
	    &attach_keys_ops, &a, &a.send, err);
	if (rc < 0)
		return rc;
	a.inner = is_inner(o, &a.keys);
	mirror_init(&a.mirror);
	view_init(&a.view, o->in_line);
	rc = run(&a, err);
	if (rc == 0)
		rc = verdict(&a, err);
	attach_close_pages(&a);
	view_finish(&a.view);
	mirror_finish(&a.mirror);
	keys_finish(&a.keys);
	buf_finish(&a.send);
	buf_finish(&a.last_words);
	return rc;
}
