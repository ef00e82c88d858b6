#include "host/prompt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/json_out.h"
#include "base/list.h"
#include "base/loop.h"
#include "base/mem.h"
#include "host/client.h"
#include "host/host.h"
#include "host/input.h"
#include "host/requests.h"
#include "host/scribe.h"
#include "host/serve.h"
#include "op/profile.h"
#include "vt/key.h"
#include "vt/key_encode.h"
#include "vt/paste.h"
#include "vt/text.h"
#include "vt/vt.h"
#include "wire/frame.h"

#define DEFAULT_MS 10000
#define LONGEST_MS 3600000
#define NEVER INT64_MAX

#define TAIL_MAX 12 /* bytes of the text by which it is known on the screen */
#define ROW_BYTES ((size_t)VT_COLS_MAX * VT_TEXT_MAX)
#define PLACE_BYTES (2 * ROW_BYTES + 1)

enum phase {
	PHASE_WAITING, /* for those before it */
	PHASE_TYPING,
	PHASE_SETTLING,
	PHASE_PAUSING,
	PHASE_SUBMITTING,
	PHASE_CONFIRMING,
	PHASE_DONE,
};

enum result { DELIVERED, UNCONFIRMED, REFUSED };

/*
 * Where the cursor is, and what stands in its row.  In the last row it may be
 * where it was after the screen has scrolled: the row above tells.
 */
struct place {
	struct vt_cursor cursor;
	bool alt;
	uint32_t scrolled; /* lines, as many as are kept */
	struct buf lines;
};

struct prompt {
	struct list link;
	struct prompts *all;
	uint64_t turn;
	uint64_t client, request;
	char by[24];
	const struct profile *profile;
	char *text;

	enum phase phase;
	int64_t until_ms;  /* all of it */
	int64_t due_ms;    /* what this phase waits for at most */
	int64_t settle_ms; /* the latest end of settling */

	uint64_t generation; /* of the screen that was looked at last */
	bool secret;         /* nothing is echoed here */
	bool seen;           /* the text is on the screen */
	struct place at;     /* when it was submitted */
	uint64_t commands;   /* that had begun then */
	bool moved;          /* something has happened there since */
	int tries;

	uint64_t seq; /* of the key that submitted it; 0: none yet */
	enum result result;
	const char *reason;
};

struct prompts {
	struct server *server;
	struct list queue; /* the first is under way */
	struct list done;  /* answered once their event is in the log */
	struct watch *timer;
	uint64_t last_turn;
	int mark;          /* of OSC 133, the last; 0: none */
	uint64_t commands; /* that have begun, by those marks */
};

static void begin(struct prompt *p);
static void finish(struct prompt *p, enum result result, const char *reason);
static void fail(struct prompt *p, int error, const char *why);

static int64_t
now_ms(void)
{
	return clock_ms(CLOCK_MONOTONIC);
}

static struct prompt *
prompt_of(struct list *link)
{
	return container_of(link, struct prompt, link);
}

static struct prompt *
current(const struct prompts *all)
{
	return list_is_empty(&all->queue) ? NULL : prompt_of(all->queue.next);
}

static const struct vt *
screen(const struct prompt *p)
{
	return p->all->server->host->vt;
}

static void
prompt_destroy(struct prompt *p)
{
	list_remove(&p->link);
	buf_finish(&p->at.lines);
	free(p->text);
	free(p);
}

/* One timer for all: that of the phase, and the end of everybody's time. */
static void
set_timer(struct prompts *all)
{
	int64_t next = NEVER, now = now_ms();

	list_for_each(it, &all->queue) {
		const struct prompt *p = prompt_of(it);

		next = p->until_ms < next ? p->until_ms : next;
		next = p->due_ms < next ? p->due_ms : next;
	}
	watch_rearm(all->timer,
	    next == NEVER  ? -1 :
		next > now ? next - now :
			     0);
}

/* ----------------------------------------------------------------- looking */

static void
look_at_cursor(const struct vt *vt, struct place *at)
{
	struct vt_row row;
	unsigned y;

	vt_cursor(vt, &at->cursor);
	at->alt = vt_alt_screen(vt);
	at->scrolled = vt_history_lines(vt);
	buf_clear(&at->lines);
	y = at->cursor.row;
	if (!at->alt && y > 0 && y + 1 == vt_rows(vt)) {
		vt_screen_row(vt, y - 1, &row);
		vt_row_text(&row, &at->lines);
		buf_putc(&at->lines, '\n');
	}
	vt_screen_row(vt, y, &row);
	vt_row_text(&row, &at->lines);
}

static bool
has_moved(const struct vt *vt, const struct place *before)
{
	struct place now = { 0 };
	bool moved;

	buf_init(&now.lines, PLACE_BYTES);
	look_at_cursor(vt, &now);
	moved = now.alt != before->alt || now.scrolled != before->scrolled ||
	    now.cursor.row != before->cursor.row ||
	    now.cursor.col != before->cursor.col ||
	    now.lines.len != before->lines.len ||
	    (now.lines.len > 0 &&
		memcmp(now.lines.data, before->lines.data, now.lines.len) != 0);
	buf_finish(&now.lines);
	return moved;
}

/* The end of the text's last line, as a row would show it. */
static size_t
tail_of(const char *text, const char **tail)
{
	const char *end = text + strlen(text), *p;

	while (end > text && end[-1] == ' ')
		end--;
	for (p = end; p > text && end - p < TAIL_MAX; p--) {
		if (p[-1] == '\n' || p[-1] == '\r')
			break;
	}
	while (p < end && ((uint8_t)*p & 0xc0) == 0x80)
		p++;
	*tail = p;
	return (size_t)(end - p);
}

/* Whether the end of the text stands before the cursor, or may do so. */
static bool
shows_text(const struct prompt *p)
{
	const struct vt *vt = screen(p);
	struct vt_cursor cursor;
	struct vt_row row;
	struct buf line;
	const char *tail;
	size_t len = tail_of(p->text, &tail);
	bool shown;

	vt_cursor(vt, &cursor);
	vt_screen_row(vt, cursor.row, &row);
	if (len == 0 || cursor.col < len)
		return true; /* it may have been broken by the margin */
	if (row.used > cursor.col && !cursor.pending_wrap)
		row.used = cursor.col;
	buf_init(&line, ROW_BYTES);
	vt_row_text(&row, &line);
	shown = line.len >= len &&
	    memcmp(line.data + line.len - len, tail, len) == 0;
	buf_finish(&line);
	return shown;
}

/* ------------------------------------------------------------------ typing */

static void
type(struct prompt *p, enum phase phase, uint8_t kind, const struct buf *b)
{
	const struct input_piece piece = {
		.turn = p->turn,
		.kind = kind,
		.by = p->by,
		.p = b->data,
		.len = b->len,
	};
	struct input_done done = { .turn = p->turn };
	struct prompts *all = p->all;

	p->phase = phase;
	p->due_ms = NEVER;
	done.status = input_type(all->server->input, &piece, &done.seq);
	if (done.status != INPUT_WAITS)
		prompts_typed(all, &done);
}

static void
type_text(struct prompt *p)
{
	struct input_modes modes;
	struct buf b;
	bool paste = p->profile->text == PROFILE_PASTE;

	vt_input_modes(screen(p), &modes);
	buf_init(&b, INPUT_BYTES_MAX);
	if (paste)
		paste_encode(p->text, strlen(p->text), &modes, &b);
	else
		buf_puts(&b, p->text);
	if (b.full)
		fail(p, EINVAL, "session.prompt: 'text' is too long");
	else
		type(p, PHASE_TYPING, paste ? INPUT_PASTE : INPUT_TEXT, &b);
	buf_finish(&b);
}

static void
type_key(struct prompt *p, enum phase phase, const char *name)
{
	struct input_modes modes = { 0 };
	struct key key;
	struct buf b;

	if (screen(p) != NULL)
		vt_input_modes(screen(p), &modes);
	buf_init(&b, 64);
	if (key_parse(name, &key, NULL) == 0)
		key_encode(&key, &modes, &b);
	type(p, phase, INPUT_KEY, &b);
	buf_finish(&b);
}

static void
submit(struct prompt *p)
{
	if (screen(p) != NULL)
		look_at_cursor(screen(p), &p->at);
	p->commands = p->all->commands;
	p->moved = false;
	p->tries++;
	type_key(p, PHASE_SUBMITTING, p->profile->submit);
}

/* ------------------------------------------------------------------ phases */

static void
settle(struct prompt *p)
{
	const struct profile *how = p->profile;
	int64_t now = now_ms();
	bool waits = how->still && !p->secret;

	p->phase = PHASE_SETTLING;
	p->generation = vt_generation(screen(p));
	p->settle_ms = now + how->settle_most_ms;
	p->due_ms = waits ? p->settle_ms : now + how->settle_ms;
	p->seen = !waits;
}

static void
has_settled(struct prompt *p)
{
	if (p->profile->before != NULL)
		type_key(p, PHASE_PAUSING, p->profile->before);
	else
		submit(p);
}

/*
 * Some shells mark only their prompts (dash): one that has marked a command is
 * believed.  Only what was seen to be typed can be seen to be gone.
 */
static bool
is_confirmed(const struct prompt *p)
{
	if (p->profile->confirm == PROFILE_COMMAND && p->all->commands > 0)
		return p->all->commands > p->commands;
	return p->moved && p->seen;
}

static const char *
evidence(const struct prompt *p)
{
	return p->all->commands > p->commands ?
	    "the shell has begun a command" :
	    "the cursor has left what was typed";
}

static const char *
doubt(const struct prompt *p)
{
	if (!p->moved)
		return "nothing has happened at the cursor";
	if (!p->seen)
		return "the text was not seen before it was submitted";
	return "the shell has not begun a command; is the text a whole one?";
}

static void
has_waited(struct prompt *p)
{
	if (!p->moved && p->tries < p->profile->tries)
		submit(p);
	else
		finish(p, UNCONFIRMED, doubt(p));
}

static void
on_due(struct prompt *p)
{
	p->due_ms = NEVER;
	switch (p->phase) {
	case PHASE_SETTLING:
		has_settled(p);
		break;
	case PHASE_PAUSING:
		submit(p);
		break;
	case PHASE_CONFIRMING:
		has_waited(p);
		break;
	default:
		break;
	}
}

/* Its time is up, wherever it is. */
static void
on_late(struct prompt *p)
{
	switch (p->phase) {
	case PHASE_WAITING:
		finish(p, REFUSED, "another prompt was under way all the time");
		break;
	case PHASE_TYPING:
		if (input_drop(p->all->server->input, p->turn))
			finish(p, REFUSED,
			    "the program has not read what was typed before");
		else
			finish(p, UNCONFIRMED,
			    "the program does not read all of the text");
		break;
	case PHASE_CONFIRMING:
		finish(p, UNCONFIRMED, doubt(p));
		break;
	default:
		finish(p, UNCONFIRMED,
		    "the time was up before it was submitted");
		break;
	}
}

static void
on_timer(void *arg)
{
	struct prompts *all = arg;
	int64_t now = now_ms();
	struct prompt *p;

	list_for_each_safe(it, &all->queue) {
		p = prompt_of(it);
		if (p->phase == PHASE_WAITING && p->until_ms <= now)
			on_late(p);
	}
	p = current(all);
	if (p != NULL && p->until_ms <= now)
		on_late(p);
	else if (p != NULL && p->due_ms <= now)
		on_due(p);
	set_timer(all);
	server_wake_at(all->server, 0);
}

void
prompts_typed(struct prompts *all, const struct input_done *done)
{
	struct prompt *p = current(all);
	int64_t now = now_ms();

	if (p == NULL || p->turn != done->turn)
		return;
	if (done->status != TAKEN_WRITTEN) {
		fail(p, ESRCH, "the program has ended");
		return;
	}
	if (p->phase == PHASE_TYPING && screen(p) != NULL) {
		settle(p);
	} else if (p->phase == PHASE_PAUSING) {
		p->due_ms = now + p->profile->before_ms;
	} else if (p->phase == PHASE_SUBMITTING) {
		p->seq = done->seq;
		p->phase = PHASE_CONFIRMING;
		p->due_ms = now + p->profile->each_ms;
	}
	set_timer(all);
}

static void
see_text(struct prompt *p)
{
	int64_t still = now_ms() + p->profile->settle_ms;

	if (!p->profile->still || p->secret)
		return;
	p->seen |= shows_text(p);
	if (p->seen)
		p->due_ms = still < p->settle_ms ? still : p->settle_ms;
	set_timer(p->all);
}

void
prompts_shown(struct prompts *all)
{
	struct prompt *p = current(all);
	bool changed;

	if (p == NULL || screen(p) == NULL)
		return;
	changed = vt_generation(screen(p)) != p->generation;
	p->generation = vt_generation(screen(p));
	if (p->phase == PHASE_SETTLING && changed) {
		see_text(p);
	} else if (p->phase == PHASE_CONFIRMING) {
		/* A mark alone shows nothing. */
		p->moved |= changed && has_moved(screen(p), &p->at);
		if (is_confirmed(p))
			finish(p, DELIVERED, evidence(p));
	}
}

void
prompts_mark(struct prompts *all, int mark)
{
	all->mark = mark;
	all->commands += mark == 'C';
}

/* ------------------------------------------------------------------ ending */

static void
answer(struct prompt *p)
{
	static const char *const results[] = { "delivered", "unconfirmed",
		"refused" };
	const struct host *h = p->all->server->host;
	struct client *c = server_client(p->all->server, p->client);
	struct json_out j;
	struct buf b;

	if (c == NULL)
		return;
	requests_begin_answer(&b, &j, p->request);
	json_out_open(&j, '{');
	json_out_key(&j, "result");
	json_out_text(&j, results[p->result]);
	json_out_key(&j, "reason");
	json_out_text(&j, p->reason);
	json_out_key(&j, "seq");
	json_out_number(&j, p->seq != 0 ? p->seq : scribe_seq(h->scribe));
	json_out_key(&j, "offset");
	json_out_number(&j, h->shown);
	json_out_close(&j, '}');
	requests_send_answer(c, &b, p->request);
	buf_finish(&b);
	server_wake_at(p->all->server, 0);
}

static void
on_logged(void *arg, uint64_t seq)
{
	struct prompt *p = arg;

	(void)seq;
	answer(p);
	prompt_destroy(p);
}

/* Whoever asked may look into the log next; a slow disk holds nobody up. */
static void
answer_logged(struct prompt *p)
{
	struct host *h = p->all->server->host;

	if (p->seq == 0 || h->ended || scribe_unlogged_since(h->scribe) != 0)
		on_logged(p, p->seq);
	else
		scribe_after(h->scribe, p->seq, on_logged, p);
}

/* Out of the queue: others may type again, and the next one begins. */
static void
leave(struct prompt *p)
{
	struct prompts *all = p->all;
	bool first = p == current(all);
	struct prompt *next;

	p->phase = PHASE_DONE;
	list_remove(&p->link);
	list_append(&all->done, &p->link);
	if (!first)
		return;
	input_drop(all->server->input, p->turn);
	input_give_turn(all->server->input, 0);
	next = current(all);
	if (next != NULL && next->phase == PHASE_WAITING)
		begin(next);
	set_timer(all);
}

/* A size that is none, and the real one again: the program looks at both. */
static void
wake(const struct host *h)
{
	struct winsize ws;

	if (ioctl(h->master, TIOCGWINSZ, &ws) < 0 || ws.ws_row < 2)
		return;
	ws.ws_row--;
	ioctl(h->master, TIOCSWINSZ, &ws);
	ws.ws_row++;
	ioctl(h->master, TIOCSWINSZ, &ws);
}

static void
finish(struct prompt *p, enum result result, const char *reason)
{
	if (p->profile->wake && p->seq != 0)
		wake(p->all->server->host);
	p->result = result;
	p->reason = reason;
	leave(p);
	answer_logged(p);
}

static void
fail(struct prompt *p, int error, const char *why)
{
	struct client *c = server_client(p->all->server, p->client);
	struct error err;

	error_set(&err, error, "%s", why);
	leave(p);
	if (c != NULL)
		requests_refuse(c, p->request, &err);
	server_wake_at(p->all->server, 0);
	prompt_destroy(p);
}

/* Its last prompt may have been what ended it. */
void
prompts_ended(struct prompts *all)
{
	struct prompt *p;

	while ((p = current(all)) != NULL) {
		if (p->phase == PHASE_CONFIRMING)
			finish(p, DELIVERED, "the program has ended");
		else
			fail(p, ESRCH, "the program has ended");
	}
}

/* --------------------------------------------------------------- beginning */

/* Why this screen is not one to type it on; NULL: it is. */
static const char *
objection(const struct prompt *p)
{
	struct input_modes modes;

	if (p->profile->guard == PROFILE_ANY)
		return NULL;
	vt_input_modes(screen(p), &modes);
	if (strchr(p->text, '\n') != NULL && !modes.bracketed_paste)
		return "the text has several lines, and the program has not "
		       "asked for bracketed pastes: each would be submitted "
		       "by itself";
	if (p->profile->guard != PROFILE_SHELL)
		return NULL;
	if (vt_alt_screen(screen(p)))
		return "a full-screen program is running, no shell";
	if (p->all->mark == 'C')
		return "the shell is running a command";
	return NULL;
}

static void
begin(struct prompt *p)
{
	struct host *h = p->all->server->host;
	const char *why;

	if (h->vt == NULL) {
		fail(p, ENOENT, "the session has no screen: its engine is off");
		return;
	}
	why = objection(p);
	if (why != NULL) {
		finish(p, REFUSED, why);
		return;
	}
	p->secret = tty_is_secret(h->master);
	input_give_turn(p->all->server->input, p->turn);
	type_text(p);
}

/* A newline at its end is that of a file or of echo. */
static char *
copy_text(const char *text)
{
	char *copy = xstrdup(text);
	size_t len = strlen(copy);

	if (copy[len - 1] == '\n')
		copy[len - 1] = '\0';
	return copy;
}

static int
check(const struct prompts *all, const struct op_call *call, struct error *err)
{
	uint64_t ms = op_number(call->args, "timeout_ms", DEFAULT_MS);
	const char *text = op_string(call->args, "text", "");

	if (text[0] == '\0' || strcmp(text, "\n") == 0)
		return error_set(err, EINVAL,
		    "session.prompt: 'text' must not be empty");
	if (strlen(text) > INPUT_BYTES_MAX / 2)
		return error_set(err, EINVAL,
		    "session.prompt: 'text' must be at most %u bytes",
		    INPUT_BYTES_MAX / 2);
	if (ms == 0 || ms > LONGEST_MS)
		return error_set(err, EINVAL,
		    "session.prompt: 'timeout_ms' must be from 1 to %d",
		    LONGEST_MS);
	if (all->server->host->ended)
		return error_set(err, ESRCH, "the program has ended");
	if (!server_take_lease(all->server, call->client, false))
		return error_set(err, EBUSY, "another has the lease to type");
	return 0;
}

int
prompts_ask(struct prompts *all, struct op_call *call, struct error *err)
{
	const struct profile *profile = profile_find(op_string(call->args,
							 "profile",
							 PROFILE_DEFAULT),
	    err);
	struct prompt *p;
	int rc = profile == NULL ? -EINVAL : check(all, call, err);

	if (rc < 0)
		return rc;
	p = xcalloc(1, sizeof(*p));
	p->all = all;
	p->turn = ++all->last_turn;
	p->client = call->client->number;
	p->request = call->id;
	snprintf(p->by, sizeof(p->by), "%s", call->client->by);
	p->profile = profile;
	p->text = copy_text(op_string(call->args, "text", ""));
	p->until_ms = now_ms() +
	    (int64_t)op_number(call->args, "timeout_ms", DEFAULT_MS);
	p->due_ms = NEVER;
	buf_init(&p->at.lines, PLACE_BYTES);
	list_append(&all->queue, &p->link);
	if (current(all) == p)
		begin(p);
	set_timer(all);
	return REQUEST_LATER;
}

bool
prompts_are_done(const struct prompts *all)
{
	return list_is_empty(&all->queue) && list_is_empty(&all->done);
}

struct prompts *
prompts_create(struct server *s)
{
	struct prompts *all = xcalloc(1, sizeof(*all));

	all->server = s;
	list_init(&all->queue);
	list_init(&all->done);
	all->timer = loop_timer(s->host->loop, -1, on_timer, all);
	return all;
}

void
prompts_destroy(struct prompts *all)
{
	if (all == NULL)
		return;
	list_for_each_safe(it, &all->queue)
		prompt_destroy(prompt_of(it));
	list_for_each_safe(it, &all->done) {
		scribe_forget(all->server->host->scribe, prompt_of(it));
		prompt_destroy(prompt_of(it));
	}
	watch_remove(all->timer);
	free(all);
}
