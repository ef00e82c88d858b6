#include "host/run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json_out.h"
#include "base/loop.h"
#include "base/mem.h"
#include "host/client.h"
#include "host/events.h"
#include "host/host.h"
#include "host/input.h"
#include "host/proc.h"
#include "host/pump.h"
#include "host/requests.h"
#include "host/scribe.h"
#include "host/serve.h"
#include "shell/integration.h"
#include "shell/mark.h"
#include "shell/typing.h"
#include "vt/input_modes.h"
#include "vt/vt.h"
#include "wire/frame.h"

#define INTERRUPTS 10
#define INTERRUPT_MS 200

/* What the session's own shell does, by its marks; kept in the ring. */
enum shell_at {
	AT_UNKNOWN,
	AT_PROMPT,  /* it reads a command */
	AT_COMMAND, /* it carries one out */
	AT_BETWEEN, /* it will show its prompt */
};

enum run_stage {
	RUN_NONE,
	RUN_WAITS, /* for the prompt; nothing was typed */
	RUN_TYPED, /* the command's output has not begun */
	RUN_GOES,
};

/* How it is typed. */
enum run_way {
	WAY_LINE,  /* as it is */
	WAY_PASTE, /* as it is, in brackets */
	WAY_POSIX, /* in a wrapping */
	WAY_FISH,
	WAY_ANY, /* in one that any shell understands; best effort */
};

struct run {
	enum run_stage stage;
	enum run_way way;
	bool exact;              /* typed at a shell whose prompts are known */
	bool doubtful;           /* or else, somebody has typed Ctrl-C */
	char key[MARK_KEY_SIZE]; /* of its marks */
	uint64_t client, id;     /* who waits; client 0: nobody any more */
	char *command;
	uint64_t event; /* seq of its beginning in the log */
	struct buf output;
	uint64_t total;    /* bytes of it, kept or not */
	uint64_t from, to; /* where it is in the stream */
};

struct runs {
	struct host *h;
	struct mark_scan scan; /* of what was shown */
	enum shell_kind shell; /* the session's own */
	enum shell_at at;
	unsigned prompt_row, prompt_col; /* the cursor when it was shown */
	bool typed;                      /* something was, since then */

	struct run run;
	struct watch *limit; /* of who waits */

	bool holds;             /* what is echoed is held back */
	uint64_t hold_from;     /* from here on */
	bool echoes;            /* and it is the echo that was expected */
	struct watch *hold_end; /* but not for long */
	bool impatient;         /* that time is over */

	struct watch *interrupts; /* until the prompt is back */
	unsigned interrupts_left;
};

static bool
is_wrapped(const struct run *u)
{
	return u->way >= WAY_POSIX;
}

static void
set_at(struct runs *r, enum shell_at at)
{
	r->at = at;
	atomic_store(&r->h->ring.shared->shell_at, (uint32_t)at);
}

/* ------------------------------------------------------- how a run has ended */

struct result {
	const char *outcome;
	int code;  /* -1: not known */
	int signo; /* 0: none */
	uint64_t seq;
};

/*
 * The terminal has made CR LF of every LF.  A NUL is what JSON's readers here
 * do not take, and becomes U+FFFD as other bytes do that are no text.
 */
static void
put_output(struct json_out *j, const struct buf *b)
{
	struct buf text;

	buf_init(&text, 3 * (b->len + 1));
	for (size_t i = 0; i < b->len; i++) {
		if (b->data[i] == '\0')
			buf_puts(&text, "\xef\xbf\xbd");
		else if (b->data[i] != '\r' || i + 1 == b->len ||
		    b->data[i + 1] != '\n')
			buf_putc(&text, (char)b->data[i]);
	}
	json_out_string(j, (const char *)text.data, text.len);
	buf_finish(&text);
}

static const char *
capture_name(const struct run *u)
{
	return u->exact ? "exact" : "best-effort";
}

static void
put_maybe(struct json_out *j, const char *key, bool known, int n)
{
	json_out_key(j, key);
	if (known)
		json_out_int(j, n);
	else
		json_out_null(j);
}

static void
put_result(struct json_out *j, const struct run *u, const struct result *x)
{
	json_out_open(j, '{');
	put_maybe(j, "exit_code", x->code >= 0, x->code);
	put_maybe(j, "exit_signal", x->signo > 0, x->signo);
	json_out_key(j, "output");
	put_output(j, &u->output);
	json_out_key(j, "truncated");
	json_out_bool(j, u->total > u->output.len);
	json_out_key(j, "timed_out");
	json_out_bool(j, strcmp(x->outcome, "timed_out") == 0);
	json_out_key(j, "capture");
	json_out_text(j, capture_name(u));
	json_out_key(j, "outcome");
	json_out_text(j, x->outcome);
	json_out_key(j, "offset");
	json_out_number(j, u->from);
	json_out_key(j, "seq");
	json_out_number(j, x->seq);
	json_out_close(j, '}');
}

static struct client *
who_waits(const struct runs *r)
{
	return r->run.client == 0 ? NULL :
				    server_client(r->h->server, r->run.client);
}

static void
answer(struct runs *r, const struct result *x)
{
	struct client *c = who_waits(r);
	struct json_out j;
	struct buf b;

	if (c != NULL) {
		requests_begin_answer(&b, &j, r->run.id);
		put_result(&j, &r->run, x);
		requests_send_answer(c, &b, r->run.id);
		buf_finish(&b);
	}
	r->run.client = 0;
	watch_rearm(r->limit, -1);
}

static void
refuse(struct runs *r, const struct error *err)
{
	struct client *c = who_waits(r);

	if (c != NULL)
		requests_refuse(c, r->run.id, err);
	r->run.client = 0;
	watch_rearm(r->limit, -1);
}

static void
clear(struct runs *r)
{
	free(r->run.command);
	buf_finish(&r->run.output);
	r->run = (struct run){ 0 };
	r->holds = false;
	watch_rearm(r->hold_end, -1);
	watch_rearm(r->limit, -1);
}

static void
finish(struct runs *r, struct result x)
{
	const struct run *u = &r->run;

	event_run_end(r->h, u->event, x.outcome, x.code, u->from, u->to);
	answer(r, &x);
	clear(r);
}

/* ------------------------------------------------------------------ typing */

static int
type_bytes(struct runs *r, struct client *c, const struct buf *b)
{
	struct input_piece piece = {
		.kind = INPUT_TEXT,
		.p = b->data,
		.len = b->len,
	};
	uint64_t seq;

	if (b->full)
		return TAKEN_FULL;
	return server_type(r->h->server, c, &piece, &seq);
}

/* Line breaks of the wrapping are Enter keys, but not in a paste. */
static void
put_pasted(struct buf *b, const char *p, size_t len)
{
	buf_puts(b, "\033[200~");
	for (size_t i = 0; i < len; i++)
		buf_putc(b, p[i] == '\r' ? '\n' : p[i]);
	buf_puts(b, "\033[201~\r");
}

static bool
pastes(const struct runs *r)
{
	struct input_modes modes = { 0 };

	if (r->h->vt != NULL)
		vt_input_modes(r->h->vt, &modes);
	return modes.bracketed_paste;
}

static const enum typing_dialect dialects[] = {
	[WAY_POSIX] = TYPING_POSIX,
	[WAY_FISH] = TYPING_FISH,
	[WAY_ANY] = TYPING_ANY,
};

static void
put_wrapped(struct runs *r, struct buf *b)
{
	const struct run *u = &r->run;
	struct buf line;

	buf_init(&line, INPUT_BYTES_MAX);
	typing_wrap(&line, dialects[u->way], u->command, u->key);
	if (line.full)
		b->full = true;
	else if (pastes(r))
		put_pasted(b, (char *)line.data, line.len - 1);
	else
		buf_append(b, line.data, line.len);
	buf_finish(&line);
}

static void
put_typing(struct runs *r, struct buf *b)
{
	const struct run *u = &r->run;

	if (is_wrapped(u))
		put_wrapped(r, b);
	else if (u->way == WAY_PASTE)
		put_pasted(b, u->command, strlen(u->command));
	else
		buf_printf(b, "%s\r", u->command);
}

static void
begin_hold(struct runs *r)
{
	r->holds = true;
	r->impatient = r->echoes = false;
	r->hold_from = atomic_load(&r->h->ring.shared->head);
	watch_rearm(r->hold_end, RUN_HOLD_MS);
}

/* Type what waits.  0, or what server_type says against it. */
static int
type_now(struct runs *r, struct client *c)
{
	struct run *u = &r->run;
	struct buf b;
	int status;

	buf_init(&b, INPUT_BYTES_MAX);
	put_typing(r, &b);
	if (is_wrapped(u))
		begin_hold(r);
	status = type_bytes(r, c, &b);
	buf_finish(&b);
	if (status != TAKEN_WRITTEN && status != INPUT_WAITS)
		return status;
	u->stage = RUN_TYPED;
	u->from = u->to = r->h->shown;
	u->event = event_run(r->h, u->command, c->by, capture_name(u));
	set_at(r, AT_COMMAND);
	return 0;
}

/* ---------------------------------------------------------- where to type */

/* Programs at whose prompt a shell may be, besides shells. */
static const char *const carriers[] = {
	"bash",
	"zsh",
	"fish",
	"dash",
	"ash",
	"sh",
	"ksh",
	"mksh",
	"yash",
	"busybox",
	"ssh",
	"mosh-client",
	"et",
	"telnet",
	"docker",
	"podman",
	"kubectl",
	"lxc",
	"incus",
	"su",
	"sudo",
	"doas",
	"login",
	"nsenter",
	"chroot",
	"unshare",
	"machinectl",
	"tmux: client",
	"screen",
};

static bool
carries(const char *name)
{
	for (size_t i = 0; i < sizeof(carriers) / sizeof(carriers[0]); i++)
		if (strcmp(name, carriers[i]) == 0)
			return true;
	return false;
}

/* The process whose group has the terminal; false when nobody knows. */
static bool
foreground(const struct runs *r, struct proc *out)
{
	pid_t pgrp = tcgetpgrp(r->h->master);

	return pgrp > 0 && proc_read(pgrp, out);
}

/* Somebody else's shell: only what it is called can be known. */
static int
look_at_other(struct runs *r, struct error *err)
{
	struct proc p;

	if (r->h->vt != NULL && vt_alt_screen(r->h->vt))
		return error_set(err, EBUSY,
		    "a full-screen program is shown: exec needs a shell at its "
		    "prompt");
	if (foreground(r, &p) && !carries(p.name))
		return error_set(err, EBUSY,
		    "%s is in the foreground: exec needs a shell at its prompt",
		    p.name);
	r->run.way = WAY_ANY;
	r->run.exact = false;
	return 0;
}

/* Whether what is typed so far was not entered: our own would be its end. */
static bool
is_half_typed(const struct runs *r)
{
	struct vt_cursor c;

	if (!r->typed || r->h->vt == NULL)
		return false;
	vt_cursor(r->h->vt, &c);
	return c.row != r->prompt_row || c.col != r->prompt_col;
}

/*
 * As people would, where the shell then says where its output begins and, of
 * what it refuses, that.  fish does not, and sh cannot.
 */
static enum run_way
own_way(const struct runs *r)
{
	bool brackets = r->shell == SHELL_ZSH ||
	    (r->shell == SHELL_BASH && pastes(r));

	if (r->shell == SHELL_FISH)
		return WAY_FISH;
	if (brackets && typing_is_plain(r->run.command, true))
		return WAY_PASTE;
	if (r->shell == SHELL_BASH && typing_is_plain(r->run.command, false))
		return WAY_LINE;
	return WAY_POSIX;
}

/*
 * Decide how to type, or that the prompt has to come first.  The shell of the
 * session may have been replaced by another program (exec).
 */
static int
choose(struct runs *r, struct error *err)
{
	const struct host *h = r->h;
	struct proc p = { 0 };
	bool own = foreground(r, &p) && p.pid == h->manifest.child.pid;

	if (r->shell == SHELL_NONE ||
	    (own && r->shell != SHELL_SH &&
		strcmp(p.name, shell_name(r->shell)) != 0))
		return look_at_other(r, err);
	if (r->at == AT_UNKNOWN || r->at == AT_BETWEEN) {
		r->run.stage = RUN_WAITS;
		return 0;
	}
	if (!own)
		return look_at_other(r, err);
	if (r->at == AT_COMMAND)
		return error_set(err, EBUSY,
		    "the shell is carrying out a "
		    "command already");
	if (is_half_typed(r))
		return error_set(err, EBUSY,
		    "something is typed at the prompt: send Enter or C-c "
		    "first");
	r->run.way = own_way(r);
	r->run.exact = true;
	return 0;
}

static void
make_key(char out[MARK_KEY_SIZE])
{
	uint64_t chance = 0;

	if (getrandom(&chance, sizeof(chance), 0) != sizeof(chance))
		chance ^= (uint64_t)(uintptr_t)out;
	snprintf(out, MARK_KEY_SIZE, "%016" PRIx64, chance);
}

/* Its marks are those of the shell, or its own. */
static void
choose_key(struct runs *r)
{
	struct run *u = &r->run;

	if (is_wrapped(u))
		make_key(u->key);
	else
		snprintf(u->key, sizeof(u->key), "%s",
		    r->h->manifest.shell_key);
}

/* Why nothing was typed, as an error. */
static int
start(struct runs *r, struct client *c, struct error *err)
{
	int rc = choose(r, err);

	if (rc < 0 || r->run.stage == RUN_WAITS)
		return rc;
	choose_key(r);
	rc = type_now(r, c);
	return rc == 0 ? 0 : requests_not_typed(rc, err);
}

/* Without the line breaks at its end: Enter comes from us. */
static char *
trimmed(const char *command)
{
	size_t len = strlen(command);

	char *out = xstrdup(command);

	while (len > 0 && (out[len - 1] == '\n' || out[len - 1] == '\r'))
		out[--len] = '\0';
	return out;
}

int
runs_begin(struct runs *r, const struct run_request *q, struct error *err)
{
	struct run *u = &r->run;
	int rc;

	if (u->doubtful)
		finish(r,
		    (struct result){ .outcome = "interrupted", .code = -1 });
	if (u->stage != RUN_NONE)
		return error_set(err, EBUSY,
		    "a command of an earlier exec is still running");
	*u = (struct run){
		.client = q->client->number,
		.id = q->id,
		.command = trimmed(q->command),
	};
	buf_init(&u->output, q->max_output);
	rc = start(r, q->client, err);
	if (rc < 0) {
		clear(r);
		return rc;
	}
	if (q->timeout_ms > 0)
		watch_rearm(r->limit, (int64_t)q->timeout_ms);
	return 0;
}

/* The prompt is there for one who waits for it. */
static void
begin_waiting(struct runs *r)
{
	struct client *c = who_waits(r);
	struct error err = { 0 };

	r->run.stage = RUN_NONE;
	if (c == NULL) {
		clear(r);
	} else if (start(r, c, &err) < 0) {
		refuse(r, &err);
		clear(r);
	}
}

/* -------------------------------------------------------------- the output */

static void
capture(struct run *u, const uint8_t *p, size_t len)
{
	size_t room = u->output.max - u->output.len;

	if (u->stage != RUN_TYPED && u->stage != RUN_GOES)
		return;
	u->total += len;
	if (len > room)
		len = room;
	if (len > 0)
		buf_append(&u->output, p, len);
}

/* Take back a mark that was captured. */
static void
uncapture(struct run *u, size_t len)
{
	u->total -= len < u->total ? len : u->total;
	if (u->output.len > u->total)
		u->output.len = u->total;
}

static void
forget_output(struct run *u)
{
	buf_clear(&u->output);
	u->total = 0;
}

/*
 * A command that the shell refused has no C.  What was printed follows the
 * line editor's farewell to bracketed paste.
 */
static void
keep_refusal(struct run *u)
{
	static const char farewell[] = "\033[?2004l";
	const size_t n = sizeof(farewell) - 1;
	struct buf *b = &u->output;
	size_t cut = 0;

	for (size_t i = 0; i + n <= b->len; i++)
		if (memcmp(b->data + i, farewell, n) == 0)
			cut = i + n;
	while (cut < b->len && (b->data[cut] == '\r' || b->data[cut] == '\n'))
		cut++;
	buf_consume(b, cut);
	u->total -= cut;
}

/* --------------------------------------------------------------- the marks */

/*
 * Get the prompt back.  A shell that has shown its prompt but does not read yet
 * may take a Ctrl-C for one that is to come with the next key.
 */
static void
interrupt(struct runs *r)
{
	const struct input_piece piece = {
		.kind = INPUT_TEXT,
		.by = "exec",
		.p = (const uint8_t *)"\003",
		.len = 1,
	};
	uint64_t seq;

	input_type(r->h->server->input, &piece, &seq);
	r->interrupts_left--;
	watch_rearm(r->interrupts, r->interrupts_left > 0 ? INTERRUPT_MS : -1);
}

static void
on_interrupt(void *arg)
{
	interrupt(arg);
}

/* The command is not complete. */
static void
give_up(struct runs *r)
{
	struct error err = { 0 };

	r->interrupts_left = INTERRUPTS;
	interrupt(r);
	error_set(&err, EINVAL,
	    "session.exec: 'command' is not complete: the shell asks for more "
	    "of it");
	event_run_end(r->h, r->run.event, "refused", -1, r->run.from,
	    r->run.to);
	refuse(r, &err);
	clear(r);
	set_at(r, AT_BETWEEN);
}

/* A mark with the key of the run that goes on. */
static void
on_run_mark(struct runs *r, const struct mark *m, uint64_t end, uint64_t seq)
{
	struct run *u = &r->run;

	if (m->kind == 'P' && !is_wrapped(u)) {
		give_up(r);
	} else if (m->kind == 'C' && u->stage == RUN_TYPED) {
		u->stage = RUN_GOES;
		forget_output(u);
		u->from = end;
	} else if (m->kind == 'D') {
		u->to = end - m->len;
		if (u->stage == RUN_TYPED)
			keep_refusal(u);
		if (u->exact)
			set_at(r, AT_BETWEEN);
		finish(r,
		    (struct result){ .outcome = "completed",
			.code = m->status,
			.seq = seq });
	}
}

/*
 * The session's shell is back while a wrapped run goes on: it was interrupted,
 * or had a mistake in it.  What ran elsewhere has ended with its connection.
 */
static void
on_shell_back(struct runs *r, const struct mark *m, uint64_t end, uint64_t seq)
{
	struct run *u = &r->run;

	u->to = end - m->len;
	finish(r,
	    (struct result){ .outcome = u->exact ? "completed" : "interrupted",
		.code = u->exact ? m->status : -1,
		.seq = seq });
}

/* A mark of the session's own shell. */
static void
on_shell_mark(struct runs *r, const struct mark *m)
{
	struct vt_cursor c;

	if (m->kind == 'D')
		watch_rearm(r->interrupts, -1);
	switch (m->kind) {
	case 'B':
		/* A line editor may draw its prompt again. */
		if (r->at != AT_PROMPT)
			r->typed = false;
		set_at(r, AT_PROMPT);
		if (r->h->vt != NULL) {
			vt_cursor(r->h->vt, &c);
			r->prompt_row = c.row;
			r->prompt_col = c.col;
		}
		if (r->run.stage == RUN_WAITS)
			begin_waiting(r);
		break;
	case 'C':
		set_at(r, AT_COMMAND);
		break;
	case 'D':
		set_at(r, AT_BETWEEN);
		break;
	default:
		break;
	}
}

static void
on_mark(struct runs *r, const struct mark *m, uint64_t end, uint64_t seq)
{
	struct run *u = &r->run;
	bool goes = u->stage == RUN_TYPED || u->stage == RUN_GOES;
	bool own = m->key[0] != '\0' &&
	    strcmp(m->key, r->h->manifest.shell_key) == 0;

	if (own)
		on_shell_mark(r, m);
	if (!goes)
		return;
	if (strcmp(m->key, u->key) == 0)
		on_run_mark(r, m, end, seq);
	else if (own && is_wrapped(u) && m->kind == 'D')
		on_shell_back(r, m, end, seq);
}

/* ---------------------------------------------------------- for the pump */

void
runs_shown(struct runs *r, const uint8_t *p, size_t len, bool hidden,
    uint64_t seq)
{
	uint64_t offset = r->h->shown - len;
	struct mark m;
	size_t n;

	if (seq == 0)
		seq = scribe_seq(r->h->scribe);
	while (!hidden && len > 0) {
		bool found = mark_next(&r->scan, p, len, &n, &m);

		capture(&r->run, p, n);
		p += n;
		len -= n;
		offset += n;
		if (!found)
			continue;
		uncapture(&r->run, m.len);
		on_mark(r, &m, offset, seq);
	}
}

/* The length of a sequence at p that sets or resets modes, or 0. */
static size_t
mode_len(const uint8_t *p, size_t len)
{
	size_t n = 3;

	if (len >= 2 && p[0] == '\033' && (p[1] == '=' || p[1] == '>'))
		return 2;
	if (len < 4 || memcmp(p, "\033[?", 3) != 0)
		return 0;
	while (n < len && ((p[n] >= '0' && p[n] <= '9') || p[n] == ';'))
		n++;
	return n < len && (p[n] == 'h' || p[n] == 'l') ? n + 1 : 0;
}

/* Nothing is left but the modes that a line editor sets or gives up. */
static void
blank(uint8_t *p, size_t len)
{
	for (size_t i = 0, n; i<len; i += n> 0 ? n : 1) {
		n = mode_len(p + i, len - i);
		if (n == 0)
			p[i] = 0;
	}
}

/*
 * In place of a mark with our key, one as any shell's: so that a wait for the
 * end of a command, and who looks for its output, knows of this one too.
 */
static void
leave_mark(uint8_t *p, const struct mark *m)
{
	char text[MARK_MAX];
	int n;

	if (m->kind == 'D' && m->status >= 0)
		n = snprintf(text, sizeof(text), "\033]133;D;%d\a", m->status);
	else
		n = snprintf(text, sizeof(text), "\033]133;%c\a", m->kind);
	memset(p, 0, m->len);
	memcpy(p, text, (size_t)n);
}

/*
 * What a wrapping prints: up to its next mark it is the program's; the mark is
 * hidden and counts when it is whole.
 */
static size_t
look_for_own(struct runs *r, uint8_t *p, size_t len, bool *hidden)
{
	struct mark_scan scan = { 0 };
	struct mark m;
	size_t at = 0, n;

	while (at < len && mark_next(&scan, p + at, len - at, &n, &m)) {
		at += n;
		if (strcmp(m.key, r->run.key) != 0)
			continue;
		if (at > m.len)
			return at - m.len;
		leave_mark(p, &m);
		*hidden = true;
		r->impatient = false;
		on_mark(r, &m, r->h->shown + at, scribe_seq(r->h->scribe));
		return at;
	}
	/* The beginning of what may become one waits, but not for long. */
	if (scan.n == 0 || r->impatient)
		return len;
	if (scan.n == len)
		watch_rearm(r->hold_end, RUN_HOLD_MS);
	return len - scan.n;
}

/*
 * The echo of a wrapping, up to its first mark.  One that is too long to be
 * held is an echo all the same when the key has been seen in it.
 */
static size_t
look_at_echo(struct runs *r, uint8_t *p, size_t len, bool *hidden)
{
	struct mark_scan scan = { 0 };
	struct mark m;
	size_t at = 0, n;

	if (r->h->shown < r->hold_from) {
		uint64_t before = r->hold_from - r->h->shown;

		return before < len ? (size_t)before : len;
	}
	while (at < len && mark_next(&scan, p + at, len - at, &n, &m)) {
		at += n;
		if (strcmp(m.key, r->run.key) != 0)
			continue;
		blank(p, at);
		*hidden = true;
		r->holds = false;
		watch_rearm(r->hold_end, -1);
		return at;
	}
	if (len < RUN_HOLD_BYTES)
		return 0;
	r->echoes |= memmem(p, len, r->run.key, strlen(r->run.key)) != NULL;
	if (!r->echoes) {
		r->holds = false;
		return len;
	}
	watch_rearm(r->hold_end, RUN_HOLD_MS);
	blank(p, len - MARK_MAX);
	*hidden = true;
	return len - MARK_MAX;
}

size_t
runs_look(struct runs *r, uint8_t *p, size_t len, bool *hidden)
{
	bool wrapped = r->run.stage >= RUN_TYPED && is_wrapped(&r->run);
	struct mark_scan scan = r->scan;
	struct mark m;
	size_t n;

	*hidden = false;
	if (wrapped && r->holds)
		return look_at_echo(r, p, len, hidden);
	if (wrapped) {
		n = look_for_own(r, p, len, hidden);
		if (*hidden || n == 0)
			return n;
		len = n;
	}
	mark_next(&scan, p, len, &n, &m);
	return n;
}

void
runs_typed(struct runs *r, const uint8_t *p, size_t len)
{
	r->typed = true;
	r->run.doubtful |= !r->run.exact && r->run.stage != RUN_NONE &&
	    memchr(p, '\003', len) != NULL;
}

void
runs_ended(struct runs *r)
{
	const struct manifest *m = &r->h->manifest;
	struct result x = { .outcome = "interrupted",
		.code = m->has_exit ? m->exit_code : -1,
		.signo = m->has_exit ? m->exit_signal : 0,
		.seq = scribe_seq(r->h->scribe) };

	set_at(r, AT_UNKNOWN);
	r->run.to = r->h->shown;
	if (r->run.stage == RUN_WAITS)
		refuse(r, &(struct error){ ESRCH, "the program has ended" });
	else if (r->run.stage != RUN_NONE)
		finish(r, x);
	if (r->run.stage != RUN_NONE)
		clear(r);
}

/* Nobody waits any longer.  What was typed goes on; what was not is not. */
static void
on_limit(void *arg)
{
	struct runs *r = arg;
	struct result x = { .outcome = "timed_out", .code = -1 };

	if (r->run.stage == RUN_WAITS) {
		refuse(r,
		    &(struct error){ ETIMEDOUT,
			"the shell has not shown its prompt" });
		clear(r);
		return;
	}
	x.seq = scribe_seq(r->h->scribe);
	answer(r, &x);
}

static void
on_hold_end(void *arg)
{
	struct runs *r = arg;

	r->holds = false;
	r->impatient = true;
	pump_again(r->h->pump);
}

struct runs *
runs_create(struct host *h)
{
	struct runs *r = xcalloc(1, sizeof(*r));

	r->h = h;
	r->shell = shell_named(h->manifest.shell);
	r->at = (enum shell_at)atomic_load(&h->ring.shared->shell_at);
	r->limit = loop_timer(h->loop, -1, on_limit, r);
	r->hold_end = loop_timer(h->loop, -1, on_hold_end, r);
	r->interrupts = loop_timer(h->loop, -1, on_interrupt, r);
	return r;
}

void
runs_destroy(struct runs *r)
{
	if (r == NULL)
		return;
	clear(r);
	watch_remove(r->limit);
	watch_remove(r->hold_end);
	watch_remove(r->interrupts);
	free(r);
}
