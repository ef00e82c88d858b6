#include "host/ask/exec.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/loop.h"
#include "base/mem.h"
#include "host/ask/cursor_line.h"
#include "host/ask/exec_state.h"
#include "host/core/events.h"
#include "host/core/session.h"
#include "host/input/input.h"
#include "host/serve/connection.h"
#include "host/serve/server.h"
#include "host/store/event_log.h"
#include "vt/text.h"
#include "vt/vt.h"
#include "wire/frame.h"

#define INTERRUPTS 10
#define INTERRUPT_MS 200

bool
exec_is_followed(const struct execs *r)
{
	return r->shell != SHELL_NONE || r->run.stage != EXEC_NONE;
}

bool
exec_is_wrapped(const struct exec *u)
{
	return u->way >= WAY_POSIX;
}

void
exec_set_at(struct execs *r, enum shell_at at)
{
	r->at = at;
	atomic_store(&r->session->terminal.ring.shared->shell_at, (uint32_t)at);
}

/* Drop the line breaks at the end: tend adds the Enter itself. */
static char *
trimmed(const char *command)
{
	size_t len = strlen(command);
	char *out = xstrdup(command);

	while (len > 0 && (out[len - 1] == '\n' || out[len - 1] == '\r'))
		out[--len] = '\0';
	return out;
}

static void
interrupt_run(struct execs *r, int code, int signo)
{
	r->run.to = r->session->display.shown;
	exec_finish(r,
	    (struct exec_result){ .outcome = "interrupted",
		.code = code,
		.signo = signo,
		.seq = event_log_seq(r->session->event_log) });
}

/*
 * True if a run is presumably over: Ctrl-C was typed, the shell has not
 * reported anything about the command, and no program is in its foreground.
 */
static bool
is_given_up(const struct execs *r)
{
	const struct exec *u = &r->run;

	if (!u->doubtful || !u->exact)
		return u->doubtful;
	return clock_ms(CLOCK_MONOTONIC) - r->typed_ms >= SILENCE_MS &&
	    exec_shell_is_in_front(r);
}

/*
 * The shell is not in the expected state any more: it was replaced or changed.
 */
static void
give_run_up(struct execs *r)
{
	const struct exec *u = &r->run;

	if (u->exact && !exec_is_wrapped(u) && r->at == AT_PROMPT)
		r->mute = true;
	if (u->exact && r->at == AT_COMMAND)
		exec_set_at(r, AT_BETWEEN);
	interrupt_run(r, -1, 0);
}

int
execs_begin(struct execs *r, const struct exec_request *q, struct error *err)
{
	struct exec *u = &r->run;
	int rc;

	if (is_given_up(r))
		give_run_up(r);
	if (u->stage == EXEC_WAITS && exec_who_waits(r) == NULL)
		exec_clear(r);
	if (u->stage != EXEC_NONE)
		return error_set(err, EBUSY,
		    "a command of an earlier exec is still running; wait for "
		    "its end, or send C-c");
	if (!exec_is_followed(r))
		r->scan = (struct mark_scan){ 0 };
	*u = (struct exec){
		.client = q->client->number,
		.id = q->id,
		.command = trimmed(q->command),
		.script_fd = -1,
	};
	snprintf(u->once, sizeof(u->once), "%s", q->key);
	buf_init(&u->output, q->max_output);
	rc = exec_start(r, q->client, err);
	if (rc < 0) {
		u->client = 0; /* the caller answers */
		exec_clear(r);
		return rc;
	}
	if (q->timeout_ms > 0)
		watch_rearm(r->limit, (int64_t)q->timeout_ms);
	return 0;
}

/* The prompt has come for a run that waits for it. */
static void
begin_waiting(struct execs *r)
{
	struct connection *c = exec_who_waits(r);
	struct error err = { 0 };

	r->run.stage = EXEC_NONE;
	if (c == NULL) {
		exec_clear(r);
	} else if (exec_start(r, c, &err) < 0) {
		exec_refuse(r, &err);
		exec_clear(r);
	}
}

/* Nothing was shown for a while; there may be a prompt without a mark. */
static void
on_silence(void *arg)
{
	struct execs *r = arg;

	exec_drop_fork(r);
	if (r->run.stage != EXEC_WAITS)
		return;
	if (!r->run.again &&
	    atomic_load(&r->session->terminal.ring.shared->head) !=
		r->session->display.shown) {
		/* Output that has come meanwhile is not shown yet. */
		watch_rearm(r->silence, ECHO_MS);
		return;
	}
	if (r->at != AT_PROMPT && !r->run.again) {
		if (!exec_shell_is_unmarked(r))
			return;
		exec_set_at(r, AT_UNMARKED);
	}
	begin_waiting(r);
}

static void
await_silence(struct execs *r)
{
	watch_rearm(r->silence, r->at == AT_PROMPT ? ECHO_MS : SILENCE_MS);
}

/* --------------------------------------------------------------- the marks */

/*
 * Get the prompt back.  A shell that has shown its prompt but does not read
 * yet may combine the Ctrl-C with the next key.
 */
static void
interrupt(struct execs *r)
{
	const struct input_piece piece = {
		.kind = INPUT_TEXT,
		.by = "exec",
		.p = (const uint8_t *)"\003",
		.len = 1,
	};
	uint64_t seq;

	input_type(r->input, &piece, &seq);
	r->interrupts_left--;
	watch_rearm(r->interrupts, r->interrupts_left > 0 ? INTERRUPT_MS : -1);
}

static void
on_interrupt(void *arg)
{
	interrupt(arg);
}

/* The command is incomplete. */
static void
give_up(struct execs *r)
{
	struct error err = { 0 };

	r->interrupts_left = INTERRUPTS;
	interrupt(r);
	error_set(&err, EINVAL,
	    "session.exec: 'command' is not complete: the shell asks for more "
	    "of it");
	event_run_end(r->session, r->run.event, "refused",
	    exec_capture_name(&r->run), -1, r->run.from, r->run.to);
	exec_refuse(r, &err);
	exec_clear(r);
	exec_set_at(r, AT_BETWEEN);
}

/*
 * The session's shell is back during a run: the command was interrupted, had a
 * syntax error, or made the shell forget to report the end of commands.  A
 * command that ran elsewhere has ended with its connection.  A status before
 * the first mark of a wrapper belongs to the wrapper, which the shell did not
 * run.
 */
static void
on_shell_back(struct execs *r, const struct mark *m, uint64_t end, uint64_t seq)
{
	struct exec *u = &r->run;
	bool known = u->exact &&
	    !(exec_is_wrapped(u) && u->stage == EXEC_TYPED);

	u->to = end - m->len;
	u->rough |= !known;
	exec_finish(r,
	    (struct exec_result){ .outcome = known ? "completed" :
						     "interrupted",
		.code = known ? m->status : -1,
		.seq = seq });
}

/* A mark with the key of the present run. */
static void
on_run_mark(struct execs *r, const struct mark *m, uint64_t end, uint64_t seq)
{
	struct exec *u = &r->run;

	u->rough |= m->rough;
	if (m->kind == 'P' && !exec_is_wrapped(u)) {
		give_up(r);
	} else if (m->kind == 'C' && u->stage == EXEC_TYPED) {
		u->stage = EXEC_GOES;
		exec_forget_output(u);
		u->from = end;
		exec_note(r);
	} else if ((m->kind == 'A' || m->kind == 'B') &&
	    u->stage == EXEC_GOES && !exec_is_wrapped(u)) {
		r->mute = u->rough = true;
		on_shell_back(r, m, end, seq);
	} else if (m->kind == 'D') {
		u->to = end - m->len;
		if (r->shell == SHELL_BASH && !exec_is_wrapped(u))
			exec_uncapture_verbose(u);
		if (u->stage == EXEC_TYPED)
			exec_keep_refusal(u);
		/*
		 * The shell's own D may still come, with or without a marked
		 * prompt.
		 */
		if (u->exact || r->at == AT_UNMARKED)
			exec_set_at(r, AT_BETWEEN);
		exec_finish(r,
		    (struct exec_result){ .outcome = "completed",
			.code = m->status,
			.seq = seq });
	}
}

/* A mark of the session's own shell. */
static void
on_shell_mark(struct execs *r, const struct mark *m)
{
	struct vt_cursor c;

	if (m->kind == 'D') {
		r->mute = false;
		watch_rearm(r->interrupts, -1);
	}
	switch (m->kind) {
	case 'B':
		/* A line editor may redraw its prompt. */
		if (r->at != AT_PROMPT) {
			r->typed = r->ahead;
			r->entered = r->ahead = false;
			buf_clear(&r->bare);
		}
		exec_set_at(r, AT_PROMPT);
		if (r->session->display.vt != NULL) {
			vt_cursor(r->session->display.vt, &c);
			r->prompt_row = c.row;
			r->prompt_col = c.col;
		}
		if (r->run.stage == EXEC_WAITS && r->typed)
			await_silence(r);
		else if (r->run.stage == EXEC_WAITS)
			begin_waiting(r);
		break;
	case 'C':
		exec_set_at(r, AT_COMMAND);
		break;
	case 'D':
		exec_set_at(r, AT_BETWEEN);
		break;
	default:
		break;
	}
}

void
exec_on_mark(struct execs *r, const struct mark *m, uint64_t end, uint64_t seq)
{
	struct exec *u = &r->run;
	bool goes = u->stage == EXEC_TYPED || u->stage == EXEC_GOES;
	bool own = m->key[0] != '\0' &&
	    strcmp(m->key, r->session->manifest.shell_key) == 0;

	if (own)
		on_shell_mark(r, m);
	if (!goes || end <= u->from)
		return;
	if (strcmp(m->key, u->key) == 0)
		on_run_mark(r, m, end, seq);
	else if (own && exec_is_wrapped(u) &&
	    (m->kind == 'D' || (m->kind == 'B' && u->stage == EXEC_GOES)))
		on_shell_back(r, m, end, seq);
}

/* A piece ends at its first mark; the engine may have taken less. */
void
execs_shown(struct execs *r, const uint8_t *p, size_t len, bool hidden,
    uint64_t seq)
{
	const struct mark m = r->next.mark;
	struct mark none;
	size_t n;

	if (hidden || !exec_is_followed(r))
		return;
	if (r->run.stage == EXEC_WAITS && !r->run.again)
		await_silence(r);
	exec_capture(&r->run, p, len);
	if (len != r->next.len) {
		mark_next(&r->scan, p, len, &n, &none);
		return;
	}
	r->scan = r->next.scan;
	if (!r->next.found)
		return;
	exec_uncapture(&r->run, m.len);
	exec_on_mark(r, &m, r->session->display.shown,
	    seq != 0 ? seq : event_log_seq(r->session->event_log));
}

/* Remember the prompt's row while nothing is typed there. */
static void
note_bare(struct execs *r)
{
	struct vt_row row;

	if (r->session->display.vt == NULL ||
	    r->prompt_row >= vt_rows(r->session->display.vt))
		return;
	buf_clear(&r->bare);
	vt_screen_row(r->session->display.vt, r->prompt_row, &row);
	vt_row_text(&row, &r->bare);
}

/* Input after an Enter is for the next prompt. */
static void
note_entered(struct execs *r, const uint8_t *p, size_t len)
{
	const uint8_t *enter = memchr(p, '\r', len);

	r->ahead |= r->at != AT_PROMPT || r->entered ||
	    (enter != NULL && enter + 1 < p + len);
	r->entered |= enter != NULL;
}

void
execs_typed(struct execs *r, const uint8_t *p, size_t len)
{
	if (r->at == AT_PROMPT && !r->typed)
		note_bare(r);
	note_entered(r, p, len);
	r->typed = true;
	r->typed_ms = clock_ms(CLOCK_MONOTONIC);
	r->typed_at = r->session->display.shown;
	r->run.doubtful |= r->run.stage >= EXEC_TYPED &&
	    memchr(p, '\003', len) != NULL;
}

void
execs_frame(struct execs *r)
{
	const struct exec *u = &r->run;

	if (u->doubtful && !u->exact && exec_prompt_is_back(r))
		interrupt_run(r, -1, 0);
}

bool
execs_are_awaited(const struct execs *r)
{
	const struct exec *u = &r->run;

	return exec_who_waits(r) != NULL ||
	    (u->client != 0 && u->once[0] != '\0');
}

/*
 * The end of the run will not be seen.  If the command was not typed yet,
 * refuse it.
 */
static void
lose(struct execs *r, int code, int signo, const struct error *err)
{
	if (r->run.stage == EXEC_WAITS) {
		exec_refuse(r, err);
		exec_clear(r);
	} else if (r->run.stage != EXEC_NONE) {
		interrupt_run(r, code, signo);
	}
}

void
execs_leave(struct execs *r, uint64_t client)
{
	static const struct error err = { EBUSY,
		"another host takes over the session; ask again" };

	if (r->run.client == client)
		lose(r, -1, 0, &err);
}

void
execs_ended(struct execs *r)
{
	static const struct error err = { ESRCH, "the program has ended" };
	const struct manifest *m = &r->session->manifest;

	exec_set_at(r, AT_UNKNOWN);
	lose(r, m->has_exit ? m->exit_code : -1,
	    m->has_exit ? m->exit_signal : 0, &err);
}

/*
 * The client's timeout.  A typed command keeps running; a queued one is
 * dropped.
 */
static void
on_limit(void *arg)
{
	struct execs *r = arg;
	struct exec_result x = { .outcome = "timed_out", .code = -1 };

	if (r->run.stage == EXEC_WAITS) {
		exec_refuse(r,
		    &(struct error){ ETIMEDOUT,
			"the shell has not shown its prompt" });
		exec_clear(r);
		return;
	}
	x.seq = event_log_seq(r->session->event_log);
	exec_answer(r, &x);
}

struct execs *
execs_create(struct session *session, struct server *server,
    struct input *input)
{
	struct execs *r = xcalloc(1, sizeof(*r));

	r->session = session;
	r->server = server;
	r->input = input;
	r->shell = shell_named(session->manifest.shell);
	r->at = (enum shell_at)atomic_load(
	    &session->terminal.ring.shared->shell_at);
	r->limit = loop_timer(session->loop, -1, on_limit, r);
	exec_hold_init(r);
	r->interrupts = loop_timer(session->loop, -1, on_interrupt, r);
	r->silence = loop_timer(session->loop, -1, on_silence, r);
	r->fork_fd = r->run.script_fd = -1;
	buf_init(&r->other_prompt, CURSOR_LINE_ROW_BYTES);
	buf_init(&r->bare, CURSOR_LINE_ROW_BYTES);
	exec_go_on(r);
	return r;
}

void
execs_destroy(struct execs *r)
{
	if (r == NULL)
		return;
	free(r->run.command);
	fd_close(&r->run.script_fd);
	buf_finish(&r->run.output);
	watch_remove(r->limit);
	exec_hold_finish(r);
	watch_remove(r->interrupts);
	watch_remove(r->silence);
	exec_drop_fork(r);
	buf_finish(&r->other_prompt);
	buf_finish(&r->bare);
	free(r);
}
