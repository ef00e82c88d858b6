#include "host/ask/run.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/loop.h"
#include "base/mem.h"
#include "host/serve/client.h"
#include "host/core/events.h"
#include "host/host.h"
#include "host/input/input.h"
#include "host/ask/place.h"
#include "host/ask/run_state.h"
#include "host/store/scribe.h"
#include "host/serve/serve.h"
#include "vt/text.h"
#include "vt/vt.h"
#include "wire/frame.h"

#define INTERRUPTS 10
#define INTERRUPT_MS 200

bool
run_is_followed(const struct runs *r)
{
	return r->shell != SHELL_NONE || r->run.stage != RUN_NONE;
}

bool
run_is_wrapped(const struct run *u)
{
	return u->way >= WAY_POSIX;
}

void
run_set_at(struct runs *r, enum shell_at at)
{
	r->at = at;
	atomic_store(&r->h->ring.shared->shell_at, (uint32_t)at);
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

static void
interrupt_run(struct runs *r, int code, int signo)
{
	r->run.to = r->h->shown;
	run_finish(r,
	    (struct run_result){ .outcome = "interrupted",
		.code = code,
		.signo = signo,
		.seq = scribe_seq(r->h->scribe) });
}

/*
 * Whether a run is over for all that can be known: somebody has typed Ctrl-C,
 * and the shell it was typed at has not said anything of it, nor is a program
 * in its foreground.
 */
static bool
is_given_up(const struct runs *r)
{
	const struct run *u = &r->run;

	if (!u->doubtful || !u->exact)
		return u->doubtful;
	return clock_ms(CLOCK_MONOTONIC) - r->typed_ms >= SILENCE_MS &&
	    run_shell_is_in_front(r);
}

/* The shell is no longer as it was given to us: it was replaced, or changed. */
static void
give_run_up(struct runs *r)
{
	const struct run *u = &r->run;

	if (u->exact && !run_is_wrapped(u) && r->at == AT_PROMPT)
		r->mute = true;
	if (u->exact && r->at == AT_COMMAND)
		run_set_at(r, AT_BETWEEN);
	interrupt_run(r, -1, 0);
}

int
runs_begin(struct runs *r, const struct run_request *q, struct error *err)
{
	struct run *u = &r->run;
	int rc;

	if (is_given_up(r))
		give_run_up(r);
	if (u->stage == RUN_WAITS && !runs_are_awaited(r))
		run_clear(r);
	if (u->stage != RUN_NONE)
		return error_set(err, EBUSY,
		    "a command of an earlier exec is still running; wait for "
		    "its end, or send C-c");
	if (!run_is_followed(r))
		r->scan = (struct mark_scan){ 0 };
	*u = (struct run){
		.client = q->client->number,
		.id = q->id,
		.command = trimmed(q->command),
		.script_fd = -1,
	};
	buf_init(&u->output, q->max_output);
	rc = run_start(r, q->client, err);
	if (rc < 0) {
		run_clear(r);
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
	struct client *c = run_who_waits(r);
	struct error err = { 0 };

	r->run.stage = RUN_NONE;
	if (c == NULL) {
		run_clear(r);
	} else if (run_start(r, c, &err) < 0) {
		run_refuse(r, &err);
		run_clear(r);
	}
}

/* Nothing was shown for a while; perhaps a prompt that was not marked. */
static void
on_silence(void *arg)
{
	struct runs *r = arg;

	run_drop_fork(r);
	if (r->run.stage != RUN_WAITS)
		return;
	if (!r->run.again &&
	    atomic_load(&r->h->ring.shared->head) != r->h->shown) {
		/* What has come meanwhile is yet to be shown. */
		watch_rearm(r->silence, ECHO_MS);
		return;
	}
	if (r->at != AT_PROMPT && !r->run.again) {
		if (!run_shell_is_unmarked(r))
			return;
		run_set_at(r, AT_UNMARKED);
	}
	begin_waiting(r);
}

static void
await_silence(struct runs *r)
{
	watch_rearm(r->silence, r->at == AT_PROMPT ? ECHO_MS : SILENCE_MS);
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
	event_run_end(r->h, r->run.event, "refused", run_capture_name(&r->run),
	    -1, r->run.from, r->run.to);
	run_refuse(r, &err);
	run_clear(r);
	run_set_at(r, AT_BETWEEN);
}

/*
 * The session's shell is back while a run goes on: it was interrupted, or had a
 * mistake in it, or made the shell forget to say how commands end.  What ran
 * elsewhere has ended with its connection.  A status that comes before the first
 * mark of a wrapping is that of the wrapping, which the shell did not carry out.
 */
static void
on_shell_back(struct runs *r, const struct mark *m, uint64_t end, uint64_t seq)
{
	struct run *u = &r->run;
	bool known = u->exact && !(run_is_wrapped(u) && u->stage == RUN_TYPED);

	u->to = end - m->len;
	u->rough |= !known;
	run_finish(r,
	    (struct run_result){ .outcome = known ? "completed" : "interrupted",
		.code = known ? m->status : -1,
		.seq = seq });
}

/* A mark with the key of the run that goes on. */
static void
on_run_mark(struct runs *r, const struct mark *m, uint64_t end, uint64_t seq)
{
	struct run *u = &r->run;

	u->rough |= m->rough;
	if (m->kind == 'P' && !run_is_wrapped(u)) {
		give_up(r);
	} else if (m->kind == 'C' && u->stage == RUN_TYPED) {
		u->stage = RUN_GOES;
		run_forget_output(u);
		u->from = end;
		run_note(r);
	} else if ((m->kind == 'A' || m->kind == 'B') && u->stage == RUN_GOES &&
	    !run_is_wrapped(u)) {
		r->mute = u->rough = true;
		on_shell_back(r, m, end, seq);
	} else if (m->kind == 'D') {
		u->to = end - m->len;
		if (r->shell == SHELL_BASH && !run_is_wrapped(u))
			run_uncapture_verbose(u);
		if (u->stage == RUN_TYPED)
			run_keep_refusal(u);
		/* The shell's own D may be yet to come, marked prompt or not. */
		if (u->exact || r->at == AT_UNMARKED)
			run_set_at(r, AT_BETWEEN);
		run_finish(r,
		    (struct run_result){ .outcome = "completed",
			.code = m->status,
			.seq = seq });
	}
}

/* A mark of the session's own shell. */
static void
on_shell_mark(struct runs *r, const struct mark *m)
{
	struct vt_cursor c;

	if (m->kind == 'D') {
		r->mute = false;
		watch_rearm(r->interrupts, -1);
	}
	switch (m->kind) {
	case 'B':
		/* A line editor may draw its prompt again. */
		if (r->at != AT_PROMPT) {
			r->typed = r->ahead;
			r->entered = r->ahead = false;
			buf_clear(&r->bare);
		}
		run_set_at(r, AT_PROMPT);
		if (r->h->vt != NULL) {
			vt_cursor(r->h->vt, &c);
			r->prompt_row = c.row;
			r->prompt_col = c.col;
		}
		if (r->run.stage == RUN_WAITS && r->typed)
			await_silence(r);
		else if (r->run.stage == RUN_WAITS)
			begin_waiting(r);
		break;
	case 'C':
		run_set_at(r, AT_COMMAND);
		break;
	case 'D':
		run_set_at(r, AT_BETWEEN);
		break;
	default:
		break;
	}
}

void
run_on_mark(struct runs *r, const struct mark *m, uint64_t end, uint64_t seq)
{
	struct run *u = &r->run;
	bool goes = u->stage == RUN_TYPED || u->stage == RUN_GOES;
	bool own = m->key[0] != '\0' &&
	    strcmp(m->key, r->h->manifest.shell_key) == 0;

	if (own)
		on_shell_mark(r, m);
	if (!goes || end <= u->from)
		return;
	if (strcmp(m->key, u->key) == 0)
		on_run_mark(r, m, end, seq);
	else if (own && run_is_wrapped(u) &&
	    (m->kind == 'D' || (m->kind == 'B' && u->stage == RUN_GOES)))
		on_shell_back(r, m, end, seq);
}

/* A piece ends at the first mark in it; the engine may have taken less. */
void
runs_shown(struct runs *r, const uint8_t *p, size_t len, bool hidden,
    uint64_t seq)
{
	const struct mark m = r->next.mark;
	struct mark none;
	size_t n;

	if (hidden || !run_is_followed(r))
		return;
	if (r->run.stage == RUN_WAITS && !r->run.again)
		await_silence(r);
	run_capture(&r->run, p, len);
	if (len != r->next.len) {
		mark_next(&r->scan, p, len, &n, &none);
		return;
	}
	r->scan = r->next.scan;
	if (!r->next.found)
		return;
	run_uncapture(&r->run, m.len);
	run_on_mark(r, &m, r->h->shown,
	    seq != 0 ? seq : scribe_seq(r->h->scribe));
}

/* What the prompt's row is without anything typed there. */
static void
note_bare(struct runs *r)
{
	struct vt_row row;

	if (r->h->vt == NULL || r->prompt_row >= vt_rows(r->h->vt))
		return;
	buf_clear(&r->bare);
	vt_screen_row(r->h->vt, r->prompt_row, &row);
	vt_row_text(&row, &r->bare);
}

/* What comes behind an Enter is for the prompt after this one. */
static void
note_entered(struct runs *r, const uint8_t *p, size_t len)
{
	const uint8_t *enter = memchr(p, '\r', len);

	r->ahead |= r->at != AT_PROMPT || r->entered ||
	    (enter != NULL && enter + 1 < p + len);
	r->entered |= enter != NULL;
}

void
runs_typed(struct runs *r, const uint8_t *p, size_t len)
{
	if (r->at == AT_PROMPT && !r->typed)
		note_bare(r);
	note_entered(r, p, len);
	r->typed = true;
	r->typed_ms = clock_ms(CLOCK_MONOTONIC);
	r->typed_at = r->h->shown;
	r->run.doubtful |= r->run.stage >= RUN_TYPED &&
	    memchr(p, '\003', len) != NULL;
}

void
runs_frame(struct runs *r)
{
	const struct run *u = &r->run;

	if (u->doubtful && !u->exact && run_prompt_is_back(r))
		interrupt_run(r, -1, 0);
}

bool
runs_are_awaited(const struct runs *r)
{
	return run_who_waits(r) != NULL;
}

/* Nothing will be seen of its end; what was not even typed is refused. */
static void
lose(struct runs *r, int code, int signo, const struct error *err)
{
	if (r->run.stage == RUN_WAITS) {
		run_refuse(r, err);
		run_clear(r);
	} else if (r->run.stage != RUN_NONE) {
		interrupt_run(r, code, signo);
	}
}

void
runs_leave(struct runs *r, uint64_t client)
{
	static const struct error err = { EBUSY,
		"the session goes to another host; ask again" };

	if (r->run.client == client)
		lose(r, -1, 0, &err);
}

void
runs_ended(struct runs *r)
{
	static const struct error err = { ESRCH, "the program has ended" };
	const struct manifest *m = &r->h->manifest;

	run_set_at(r, AT_UNKNOWN);
	lose(r, m->has_exit ? m->exit_code : -1,
	    m->has_exit ? m->exit_signal : 0, &err);
}

/* Nobody waits any longer.  What was typed goes on; what was not is not. */
static void
on_limit(void *arg)
{
	struct runs *r = arg;
	struct run_result x = { .outcome = "timed_out", .code = -1 };

	if (r->run.stage == RUN_WAITS) {
		run_refuse(r,
		    &(struct error){ ETIMEDOUT,
			"the shell has not shown its prompt" });
		run_clear(r);
		return;
	}
	x.seq = scribe_seq(r->h->scribe);
	run_answer(r, &x);
}

struct runs *
runs_create(struct host *h)
{
	struct runs *r = xcalloc(1, sizeof(*r));

	r->h = h;
	r->shell = shell_named(h->manifest.shell);
	r->at = (enum shell_at)atomic_load(&h->ring.shared->shell_at);
	r->limit = loop_timer(h->loop, -1, on_limit, r);
	run_hold_init(r);
	r->interrupts = loop_timer(h->loop, -1, on_interrupt, r);
	r->silence = loop_timer(h->loop, -1, on_silence, r);
	r->fork_fd = r->run.script_fd = -1;
	buf_init(&r->other_prompt, PLACE_ROW_BYTES);
	buf_init(&r->bare, PLACE_ROW_BYTES);
	run_go_on(r);
	return r;
}

void
runs_destroy(struct runs *r)
{
	if (r == NULL)
		return;
	free(r->run.command);
	fd_close(&r->run.script_fd);
	buf_finish(&r->run.output);
	watch_remove(r->limit);
	run_hold_finish(r);
	watch_remove(r->interrupts);
	watch_remove(r->silence);
	run_drop_fork(r);
	buf_finish(&r->other_prompt);
	buf_finish(&r->bare);
	free(r);
}
