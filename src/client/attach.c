/*
 * The attach client: the user's terminal on one side, the session's host on
 * the other.
 *
 *	host  ── frames ──►  mirror, view  ── bytes ──►  terminal
 *	host  ◄── INPUT ───  keys          ◄── bytes ──  terminal
 *
 * A turn reads what there is, brings the view up to date, and writes.  While
 * the terminal does not read, nothing more is taken from the host, which then
 * moves us on to a newer screen.
 *
 * A host that is gone is waited for: its keeper starts another, and we go on
 * at the offset where we were.  The user is told only when that takes long.
 */
#include "client/attach.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/json_field.h"
#include "base/json_tree.h"
#include "base/version.h"
#include "client/book.h"
#include "client/conn.h"
#include "client/keys.h"
#include "client/mirror.h"
#include "client/probe.h"
#include "client/term.h"
#include "client/view.h"
#include "session/manifest.h"
#include "vt/vt.h"
#include "wire/frame.h"

#define OPEN_MS 5000          /* for the first answer of a host */
#define REOPEN_MS 250         /* for that of one that is being started again */
#define RETRY_MS 200          /* between two tries */
#define LOST_MS 300           /* before the user is told */
#define NOTICE_MS 3000        /* how long a line of ours stays */
#define QUIET_MS 100          /* before the mirror is brought up to date */
#define OUT_HIGH (256u << 10) /* not written: nothing more is read */
#define SEND_MAX (8u << 20)
#define LAST_WORDS_MS 2000

enum ending { GOING_ON, DETACHED, HUNG_UP, ENDED, FAILED };

struct attach {
	const struct attach_options *options;
	int dirfd;
	struct term term;
	struct probe probe;
	struct keys keys;
	struct mirror mirror;
	struct view view;
	struct vt *book; /* the history, while it is leafed through */
	struct conn conn;
	bool connected;
	struct buf send;
	bool sized; /* the host was told our size: we have drawn */
	int signals;

	enum ending ending;
	int status;          /* the program's, for ENDED */
	char last_words[64]; /* printed when the terminal is the user's again */
	struct error error;  /* for FAILED */

	int64_t asked_ms;  /* when the terminal was asked what it can */
	int64_t key_ms;    /* when the last bytes came from it */
	int64_t output_ms; /* when output came last */
	int64_t notice_ms; /* until when a notice is shown; 0: none or on */
	int64_t lost_ms;   /* since when there is no host */
	int64_t retry_ms;
};

static int64_t
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* How it ended. */

static void
finish(struct attach *a, enum ending ending, int status)
{
	if (a->ending != GOING_ON)
		return;
	a->ending = ending;
	a->status = status;
}

static void
fail(struct attach *a)
{
	finish(a, FAILED, -a->error.code);
}

static void
finish_exited(struct attach *a, int code, int signo)
{
	const char *name = signo > 0 ? sigabbrev_np(signo) : NULL;

	if (name != NULL)
		snprintf(a->last_words, sizeof(a->last_words),
		    "[killed by SIG%s]", name);
	else if (signo > 0)
		snprintf(a->last_words, sizeof(a->last_words),
		    "[killed by signal %d]", signo);
	else
		snprintf(a->last_words, sizeof(a->last_words), "[exited %d]",
		    code);
	finish(a, ENDED, signo > 0 ? 128 + signo : code);
}

static void
finish_lost(struct attach *a)
{
	snprintf(a->last_words, sizeof(a->last_words), "[lost]");
	finish(a, ENDED, 125);
}

/* Whether the session is over, by its own papers. */
static bool
is_over(struct attach *a)
{
	struct manifest m;
	bool over = false;

	manifest_init(&m);
	if (manifest_read(a->dirfd, &m, NULL) == 0) {
		(void)manifest_reconcile(&m);
		over = !status_is_active(m.status);
		if (over && m.has_exit)
			finish_exited(a, m.exit_code, m.exit_signal);
		else if (over)
			finish_lost(a);
	}
	manifest_finish(&m);
	return over;
}

static void
notice(struct attach *a, const char *text)
{
	view_notice(&a->view, text);
	a->notice_ms = text == NULL ? 0 : now_ms() + NOTICE_MS;
}

/* The host. */

static void
make_hello(const struct attach *a, struct hello *h)
{
	const struct attach_options *o = a->options;
	bool all = o->in_line || o->replay == HELLO_RAW;

	hello_init(h);
	h->mode = HELLO_ATTACH;
	snprintf(h->client, sizeof(h->client), "tend %s", TEND_VERSION);
	h->features = HELLO_OFFSET | HELLO_KEYFRAME | HELLO_EVENTS;
	h->engine = VT_ENGINE_VERSION;
	h->readonly = o->readonly;
	h->replay = o->replay;
	h->behind = all ? HELLO_BEHIND_LOSSLESS : HELLO_BEHIND_SCREEN;
	h->steal = o->steal;
	if (a->probe.has_fg && a->probe.has_bg) {
		h->has_colours = true;
		h->fg = a->probe.fg;
		h->bg = a->probe.bg;
	}
}

/* Again: our size is known to the host, so it may keep it. */
static void
make_hello_again(const struct attach *a, struct hello *h, bool picture)
{
	make_hello(a, h);
	h->steal = false;
	h->replay = picture ? HELLO_SCREEN : HELLO_NONE;
	if (!picture) {
		h->has_from = true;
		h->from = a->mirror.offset;
	}
	if (a->sized) {
		h->cols = a->view.cols;
		h->rows = a->view.rows;
	}
}

/* Connect anew, to go on where we are or with a fresh picture. */
static int
connect_again(struct attach *a, bool picture)
{
	struct hello hello;
	struct conn conn;
	int rc;

	make_hello_again(a, &hello, picture);
	rc = conn_open(&conn, a->dirfd, &hello, REOPEN_MS, NULL);
	if (rc < 0)
		return rc;
	if (a->connected)
		conn_close(&a->conn);
	a->conn = conn;
	a->connected = true;
	return 0;
}

static void
lose(struct attach *a)
{
	if (!a->connected)
		return;
	conn_close(&a->conn);
	a->connected = false;
	buf_clear(&a->send); /* may have been typed: never typed twice */
	a->lost_ms = a->retry_ms = now_ms();
}

static void
retry(struct attach *a, int64_t now)
{
	bool passing = a->view.passing && a->view.notice[0] == '\0';

	if (now < a->retry_ms)
		return;
	if (connect_again(a, a->mirror.stale && !passing) == 0) {
		notice(a, NULL);
		return;
	}
	if (is_over(a))
		return;
	a->retry_ms = now_ms() + RETRY_MS;
	if (now - a->lost_ms >= LOST_MS && a->view.notice[0] == '\0')
		view_notice(&a->view,
		    "tend: lost the session's host, reconnecting \u2026");
}

/* Frames. */

struct size {
	unsigned cols, rows;
};

static void
on_metadata(struct attach *a, const struct frame *f)
{
	static const struct json_field fields[] = {
		JSON_FIELD(struct size, cols, "cols", UINT, UINT16_MAX),
		JSON_FIELD(struct size, rows, "rows", UINT, UINT16_MAX),
		{ 0 },
	};
	auto_json json_t *tree = json_tree_object((const char *)f->payload,
	    f->len, NULL);
	struct size size = { 0 };

	if (tree == NULL || json_fields_read(fields, tree, &size, NULL) < 0)
		return;
	/* Resumed, and resized meanwhile: where, nobody can say. */
	if (a->mirror.cols != 0 &&
	    (size.cols != a->mirror.cols || size.rows != a->mirror.rows))
		a->mirror.stale = true;
	a->mirror.cols = size.cols;
	a->mirror.rows = size.rows;
}

static void
on_screen(struct attach *a, const struct frame *f)
{
	struct frame_screen s;
	const uint8_t *p;
	size_t len;

	if (!frame_screen(f, &s, &p, &len))
		return;
	if (mirror_picture(&a->mirror, &s, p, len, &a->error) < 0)
		fail(a);
	view_replaced(&a->view);
}

static void
on_output(struct attach *a, const struct frame *f)
{
	const uint8_t *p;
	uint64_t offset;
	size_t len, known;

	if (!frame_output(f, &offset, &p, &len))
		return;
	known = mirror_output(&a->mirror, offset, p, len);
	view_output(&a->view, p + known, len - known);
	if (!a->view.passing)
		(void)mirror_look(&a->mirror);
}

/* A picture follows, unless all was wanted and some is nowhere. */
static void
on_gap(struct attach *a, const struct frame *f)
{
	struct frame_gap g;

	if (!frame_gap(f, &g))
		return;
	a->mirror.stale = true;
	if (g.to > a->mirror.offset)
		a->mirror.offset = g.to;
}

struct event {
	char event[32];
	struct size size;
};

static void
on_event(struct attach *a, const struct frame *f)
{
	static const struct json_field fields[] = {
		JSON_FIELD(struct event, event, "event", CUT, 0),
		JSON_FIELD(struct event, size.cols, "cols", UINT, UINT16_MAX),
		JSON_FIELD(struct event, size.rows, "rows", UINT, UINT16_MAX),
		{ 0 },
	};
	auto_json json_t *tree = json_tree_object((const char *)f->payload,
	    f->len, NULL);
	struct event ev = { 0 };

	if (tree == NULL || json_fields_read(fields, tree, &ev, NULL) < 0)
		return;
	if (strcmp(ev.event, "resized") == 0) {
		mirror_resize(&a->mirror, ev.size.cols, ev.size.rows);
		a->view.waiting = true;
	} else if (strcmp(ev.event, "unlogged") == 0) {
		notice(a,
		    "tend: the log cannot be written; "
		    "the program goes on unlogged");
	} else if (strcmp(ev.event, "replaced") == 0) {
		notice(a, "tend: somebody else took the right to type");
	}
	a->keys.ask |= strcmp(ev.event, "lease") == 0 ||
	    strcmp(ev.event, "replaced") == 0;
}

static void
on_taken(struct attach *a, const struct frame *f)
{
	static const char *const refusals[] = {
		[TAKEN_READ_ONLY] = "tend: this session is read-only for you",
		[TAKEN_LEASED] = "tend: somebody else has the right to type; "
				 "attach with --steal to take it",
		[TAKEN_FULL] = "tend: the program does not read; "
			       "not typed",
		[TAKEN_ENDED] = "tend: the program has ended",
	};
	struct frame_taken t;

	if (!frame_taken(f, &t) || t.status > TAKEN_ENDED ||
	    refusals[t.status] == NULL)
		return;
	a->keys.ask = true;
	notice(a, refusals[t.status]);
}

struct end {
	int exit_code, exit_signal;
};

static void
on_ended(struct attach *a, const struct frame *f)
{
	static const struct json_field fields[] = {
		JSON_FIELD(struct end, exit_code, "exit_code", INT, 0),
		JSON_FIELD(struct end, exit_signal, "exit_signal", INT, 0),
		{ 0 },
	};
	auto_json json_t *tree = json_tree_object((const char *)f->payload,
	    f->len, NULL);
	struct end end = { .exit_code = -1 };

	if (tree == NULL || json_fields_read(fields, tree, &end, NULL) < 0 ||
	    (end.exit_code < 0 && end.exit_signal <= 0))
		finish_lost(a);
	else
		finish_exited(a, end.exit_code, end.exit_signal);
}

static void
on_frame(struct attach *a, const struct frame *f)
{
	switch (f->type) {
	case FRAME_METADATA:
		on_metadata(a, f);
		break;
	case FRAME_SCREEN:
		on_screen(a, f);
		break;
	case FRAME_OUTPUT:
		on_output(a, f);
		break;
	case FRAME_GAP:
		on_gap(a, f);
		break;
	case FRAME_EVENT:
		on_event(a, f);
		break;
	case FRAME_TAKEN:
		on_taken(a, f);
		break;
	case FRAME_PING:
		(void)frame_put(&a->send, FRAME_PONG, f->payload, f->len);
		break;
	case FRAME_ENDED:
		on_ended(a, f);
		break;
	}
}

static void
on_host(struct attach *a)
{
	struct frame f;
	int rc = conn_fill(&a->conn, false, NULL);

	while (conn_next(&a->conn, &f, NULL) > 0)
		on_frame(a, &f);
	a->output_ms = now_ms();
	if (rc < 0 && rc != -EAGAIN && a->ending == GOING_ON)
		lose(a);
}

/* The user. */

static void
leaf(struct attach *a, int64_t rows)
{
	unsigned most = history_rows(a->book);
	int64_t back = (int64_t)a->view.back + rows;
	char text[128];

	back = back < 0 ? 0 : back > most ? most : back;
	a->view.back = (unsigned)back;
	snprintf(text, sizeof(text),
	    " history: %u of %u rows back \u00b7 arrows PgUp PgDn Home End "
	    "\u00b7 q leaves",
	    a->view.back, most);
	view_notice(&a->view, text);
	a->notice_ms = 0;
}

static void
close_book(struct attach *a)
{
	vt_destroy(a->book);
	a->view.book = a->book = NULL;
	a->keys.grabbed = false;
	a->view.redraw = true;
	notice(a, NULL);
}

static void
open_book(struct attach *a)
{
	uint64_t offset;

	if (a->book != NULL)
		return;
	a->book = book_fetch(a->dirfd, REOPEN_MS, &offset, NULL);
	if (a->book == NULL) {
		notice(a, " the session's host does not answer");
		return;
	}
	a->view.book = a->book;
	a->view.back = 0;
	a->view.redraw = true;
	a->keys.grabbed = true;
	leaf(a, 1);
}

static void
on_book_key(void *arg, const struct key *k)
{
	struct attach *a = arg;
	int64_t page = a->view.rows > 1 ? a->view.rows - 1 : 1;

	switch (k->code) {
	case KEY_UP:
	case 'k':
		leaf(a, 1);
		break;
	case KEY_DOWN:
	case 'j':
		leaf(a, -1);
		break;
	case KEY_PAGE_UP:
	case 'b':
		leaf(a, page);
		break;
	case KEY_PAGE_DOWN:
	case ' ':
		leaf(a, -page);
		break;
	case KEY_HOME:
		leaf(a, INT32_MAX);
		break;
	case KEY_END:
		leaf(a, -(int64_t)INT32_MAX);
		break;
	case 'q':
	case KEY_ESCAPE:
	case KEY_ENTER:
		close_book(a);
		break;
	}
}

static void
detach(struct attach *a)
{
	snprintf(a->last_words, sizeof(a->last_words), "[detached from %.40s]",
	    a->options->name);
	finish(a, DETACHED, 0);
}

static void
tell_size(struct attach *a)
{
	if (a->options->readonly || !a->connected)
		return;
	(void)frame_put_resize(&a->send, a->view.cols, a->view.rows);
	a->sized = true;
}

static void
look_at_terminal(struct attach *a)
{
	unsigned cols, rows;

	term_size(&a->term, &cols, &rows);
	view_resize(&a->view, cols, rows);
}

/* Stop as a shell expects it; whoever continues us finds all drawn anew. */
static void
suspend(struct attach *a)
{
	(void)term_write_all(&a->term, a->view.out.data, a->view.out.len, 0);
	buf_clear(&a->view.out);
	term_give_back(&a->term);
	(void)kill(getpid(), SIGSTOP);
	if (term_take(&a->term, &a->error) < 0)
		fail(a);
	look_at_terminal(a);
	tell_size(a);
}

static void
on_command(void *arg, enum keys_command command)
{
	struct attach *a = arg;
	char name[KEY_NAME_MAX] = "", text[160];

	(void)key_name(&a->keys.prefix, name, sizeof(name));
	switch (command) {
	case KEYS_DETACH:
		detach(a);
		break;
	case KEYS_SUSPEND:
		suspend(a);
		break;
	case KEYS_HISTORY:
		open_book(a);
		break;
	case KEYS_HELP:
		snprintf(text, sizeof(text),
		    " %s then: d detach \u00b7 [ history \u00b7 C-z suspend "
		    "\u00b7 %s itself",
		    name, name);
		notice(a, text);
		break;
	case KEYS_UNKNOWN:
		snprintf(text, sizeof(text),
		    " no such command; %s ? shows what there is", name);
		notice(a, text);
		break;
	}
}

static void
on_reply(void *arg, const struct key_reply *r)
{
	struct attach *a = arg;

	probe_answer(&a->probe, r);
	a->view.painter.sync = a->probe.sync;
	a->view.painter.widths_differ = a->probe.widths;
	a->view.follow.kitty = a->probe.kitty;
	a->view.measured |= a->probe.done;
	a->keys.decoder.cpr_expected = a->probe.done ?
	    0 :
	    PROBE_REPORTS - a->probe.measured;
}

static const struct keys_ops keys_ops = {
	.command = on_command,
	.key = on_book_key,
	.reply = on_reply,
};

static void
on_terminal(struct attach *a)
{
	uint8_t bytes[16 << 10];
	ssize_t n = read(a->term.fd, bytes, sizeof(bytes));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		finish(a, HUNG_UP, 0);
		return;
	}
	a->key_ms = now_ms();
	a->keys.left = a->view.passing ? 0 : a->view.painter.left;
	a->keys.top = a->view.passing ? 0 : a->view.painter.top;
	a->keys.cols = a->mirror.cols;
	a->keys.rows = a->mirror.rows;
	a->keys.decoder.mouse_format = MOUSE_SGR;
	if (a->view.passing ?
		a->view.filter.pixels :
		a->view.follow.now.mouse_format == MOUSE_SGR_PIXELS)
		a->keys.decoder.mouse_format = MOUSE_SGR_PIXELS;
	keys_feed(&a->keys, bytes, (size_t)n);
}

static void
on_signal(struct attach *a)
{
	struct signalfd_siginfo info;

	while (read(a->signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
		switch (info.ssi_signo) {
		case SIGWINCH:
			look_at_terminal(a);
			if (a->sized)
				tell_size(a);
			break;
		case SIGCONT:
			look_at_terminal(a);
			break;
		case SIGTSTP:
			suspend(a);
			break;
		case SIGHUP:
			finish(a, HUNG_UP, 0);
			break;
		default:
			detach(a);
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
		notice(a, NULL);
	if (a->mirror.pending.len > 0 && now - a->output_ms >= QUIET_MS)
		(void)mirror_look(&a->mirror);
	if (!a->connected && a->ending == GOING_ON)
		retry(a, now);
}

/* The earlier of two waits, of which -1 is never. */
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

static void
update(struct attach *a)
{
	if (view_update(&a->view, &a->mirror, now_ms()) == -ESTALE) {
		if (!a->connected)
			view_notice_only(&a->view);
		else if (a->mirror.cols != 0 && connect_again(a, true) < 0)
			lose(a);
		return;
	}
	if (!a->sized && (a->view.passing || a->mirror.vt != NULL))
		tell_size(a); /* O-19: it is drawn */
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
			finish(a, HUNG_UP, 0);
	}
	if (a->send.len > 0 && a->connected &&
	    conn_send(&a->conn, a->send.data, a->send.len, NULL) < 0)
		lose(a);
	buf_clear(&a->send);
}

static void
turn(struct attach *a)
{
	bool full = a->view.out.len > OUT_HIGH;
	bool writing = a->view.out.len > 0;
	struct pollfd fds[3] = {
		{ .fd = a->signals, .events = POLLIN },
		{ .fd = a->term.fd,
		    .events = (short)(POLLIN | (writing ? POLLOUT : 0)) },
		{ .fd = a->connected && !full ? a->conn.fd : -1,
		    .events = POLLIN },
	};

	(void)poll(fds, 3, wait_ms(a, now_ms()));
	if (fds[0].revents != 0)
		on_signal(a);
	if (fds[1].revents & (POLLIN | POLLHUP | POLLERR))
		on_terminal(a);
	if (fds[2].revents != 0 && a->connected)
		on_host(a);
	on_time(a, now_ms());
	if (a->ending == GOING_ON)
		update(a);
	flush(a);
}

/* From the beginning to the end. */

static bool
is_inside(const struct attach_options *o)
{
	const char *own = getenv("TEND_SESSION");

	return own != NULL && o->id != NULL && strcmp(own, o->id) == 0;
}

static const char *
prefix_of(const struct attach_options *o)
{
	const char *env = getenv("TEND_PREFIX");

	if (o->prefix != NULL)
		return o->prefix;
	return env != NULL && *env != '\0' ? env : KEYS_DEFAULT_PREFIX;
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
		return error_set(err, errno, "no signalfd: %s",
		    strerror(errno));
	return 0;
}

/* Answers still on their way would be typed at the user's shell. */
static void
await_answers(struct attach *a)
{
	int64_t until = a->asked_ms + PROBE_MS;

	while (!a->probe.done && now_ms() < until) {
		struct pollfd pfd = { .fd = a->term.fd, .events = POLLIN };

		if (poll(&pfd, 1, (int)(until - now_ms())) <= 0)
			break;
		a->keys.muted = true;
		on_terminal(a);
		if (pfd.revents & (POLLHUP | POLLERR))
			break;
	}
}

static void
say_goodbye(struct attach *a)
{
	if (a->ending == HUNG_UP)
		return;
	(void)term_write_all(&a->term, a->view.out.data, a->view.out.len,
	    LAST_WORDS_MS);
	await_answers(a);
	if (a->connected && a->ending == DETACHED) {
		uint8_t header[FRAME_HEADER];

		frame_header(header, FRAME_DETACH, 0);
		(void)conn_send(&a->conn, header, sizeof(header), NULL);
	}
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
	look_at_terminal(a);
	a->view.redraw = !a->view.as_is;
	if (a->options->in_line && a->mirror.vt != NULL)
		view_introduce(&a->view, a->mirror.vt);
	probe_ask(&a->view.out);
	a->keys.decoder.cpr_expected = PROBE_REPORTS;
	a->asked_ms = now_ms();
	flush(a);
	while (a->ending == GOING_ON)
		turn(a);
	say_goodbye(a);
	return 0;
}

/*
 * In line, the history is the first picture, and output goes on from there: so
 * every line comes into the scrollback exactly once.
 */
static void
begin_with_history(struct attach *a, struct hello *h)
{
	uint64_t offset;
	struct vt *book = book_fetch(a->dirfd, OPEN_MS, &offset, NULL);

	if (book == NULL)
		return;
	mirror_adopt(&a->mirror, book, offset);
	h->replay = HELLO_NONE;
	h->has_from = true;
	h->from = offset;
}

/* Connected, or over already. */
static int
first_contact(struct attach *a, struct error *err)
{
	struct hello hello;
	int rc;

	make_hello(a, &hello);
	if (a->options->in_line && a->options->replay == HELLO_SCREEN)
		begin_with_history(a, &hello);
	rc = conn_open(&a->conn, a->dirfd, &hello, OPEN_MS, err);
	if (rc < 0)
		return is_over(a) ? 0 : rc;
	a->connected = true;
	a->keys.muted = a->options->readonly || a->conn.welcome.readonly;
	return 0;
}

static int
run(struct attach *a, struct error *err)
{
	sigset_t before;
	int rc = term_open(&a->term, a->options->in_line, err);

	if (rc == 0)
		rc = first_contact(a, err);
	if (rc == 0 && a->ending == GOING_ON) {
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
	if (a->last_words[0] != '\0') {
		printf("%s\n", a->last_words);
		fflush(stdout);
	}
	return a->status;
}

int
attach_run(const struct attach_options *o, int dirfd, struct error *err)
{
	struct attach a = { .options = o, .dirfd = dirfd, .signals = -1 };
	int rc;

	if (is_inside(o))
		return error_set(err, EDEADLK,
		    "this terminal is session %s itself; detach first, or "
		    "attach from another one",
		    o->name);
	buf_init(&a.send, SEND_MAX);
	rc = keys_init(&a.keys, prefix_of(o), &keys_ops, &a, &a.send, err);
	if (rc < 0)
		return rc;
	mirror_init(&a.mirror);
	view_init(&a.view, o->in_line);
	rc = run(&a, err);
	if (rc == 0)
		rc = verdict(&a, err);
	view_finish(&a.view);
	mirror_finish(&a.mirror);
	keys_finish(&a.keys);
	buf_finish(&a.send);
	return rc;
}
