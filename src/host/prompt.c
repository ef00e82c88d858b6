#include "host/prompt.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "host/host.h"
#include "host/input.h"
#include "host/prompt_state.h"
#include "host/serve.h"
#include "op/profile.h"
#include "vt/key.h"
#include "vt/key_encode.h"
#include "vt/paste.h"
#include "vt/vt.h"
#include "wire/frame.h"

#define TAIL_MAX 12 /* bytes of the text by which it is known on the screen */

/* ----------------------------------------------------------------- looking */

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
	struct vt_cursor cursor;
	struct buf line;
	const char *tail;
	size_t len = tail_of(p->text, &tail);
	bool shown;

	vt_cursor(prompt_screen(p), &cursor);
	if (len == 0 || cursor.col < len)
		return true; /* it may have been broken by the margin */
	buf_init(&line, PLACE_ROW_BYTES);
	place_before_cursor(prompt_screen(p), &line);
	shown = line.len >= len &&
	    memcmp(line.data + line.len - len, tail, len) == 0;
	buf_finish(&line);
	return shown;
}

/* ------------------------------------------------------------------ typing */

static void
type(struct prompt *p, enum prompt_phase phase, uint8_t kind,
    const struct buf *b)
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
	p->due_ms = PROMPT_NEVER;
	done.status = input_type(all->server->input, &piece, &done.seq);
	if (done.status != INPUT_WAITS)
		prompts_typed(all, &done);
}

void
prompt_type(struct prompt *p)
{
	struct input_modes modes;
	struct buf b;
	bool paste = p->profile->text == PROFILE_PASTE;

	vt_input_modes(prompt_screen(p), &modes);
	buf_init(&b, INPUT_BYTES_MAX);
	if (paste)
		paste_encode(p->text, strlen(p->text), &modes, &b);
	else
		buf_puts(&b, p->text);
	if (b.full)
		prompt_fail(p, EINVAL, "session.prompt: 'text' is too long");
	else
		type(p, PHASE_TYPING, paste ? INPUT_PASTE : INPUT_TEXT, &b);
	buf_finish(&b);
}

static void
type_key(struct prompt *p, enum prompt_phase phase, const char *name)
{
	struct input_modes modes = { 0 };
	struct key key;
	struct buf b;

	if (prompt_screen(p) != NULL)
		vt_input_modes(prompt_screen(p), &modes);
	buf_init(&b, 64);
	if (key_parse(name, &key, NULL) == 0)
		key_encode(&key, &modes, &b);
	type(p, phase, INPUT_KEY, &b);
	buf_finish(&b);
}

static void
submit(struct prompt *p)
{
	if (prompt_screen(p) != NULL)
		place_look(&p->at, prompt_screen(p));
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
	int64_t now = prompt_now_ms();
	bool waits = how->still && !p->secret;

	p->phase = PHASE_SETTLING;
	p->generation = vt_generation(prompt_screen(p));
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
		prompt_finish(p, UNCONFIRMED, doubt(p));
}

void
prompt_due(struct prompt *p)
{
	p->due_ms = PROMPT_NEVER;
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
void
prompt_late(struct prompt *p)
{
	switch (p->phase) {
	case PHASE_WAITING:
		prompt_finish(p, REFUSED,
		    "another prompt was under way all the time");
		break;
	case PHASE_TYPING:
		if (input_drop(p->all->server->input, p->turn))
			prompt_finish(p, REFUSED,
			    "the program has not read what was typed before");
		else
			prompt_finish(p, UNCONFIRMED,
			    "the program does not read all of the text");
		break;
	case PHASE_CONFIRMING:
		prompt_finish(p, UNCONFIRMED, doubt(p));
		break;
	default:
		prompt_finish(p, UNCONFIRMED,
		    "the time was up before it was submitted");
		break;
	}
}

void
prompts_typed(struct prompts *all, const struct input_done *done)
{
	struct prompt *p = prompts_first(all);
	int64_t now = prompt_now_ms();

	if (p == NULL || p->turn != done->turn)
		return;
	if (done->status != TAKEN_WRITTEN) {
		prompt_fail(p, ESRCH, "the program has ended");
		return;
	}
	if (p->phase == PHASE_TYPING && prompt_screen(p) != NULL) {
		settle(p);
	} else if (p->phase == PHASE_PAUSING) {
		p->due_ms = now + p->profile->before_ms;
	} else if (p->phase == PHASE_SUBMITTING) {
		p->seq = done->seq;
		p->phase = PHASE_CONFIRMING;
		p->due_ms = now + p->profile->each_ms;
	}
	prompts_set_timer(all);
}

static void
see_text(struct prompt *p)
{
	int64_t still = prompt_now_ms() + p->profile->settle_ms;

	if (!p->profile->still || p->secret)
		return;
	p->seen |= shows_text(p);
	if (p->seen)
		p->due_ms = still < p->settle_ms ? still : p->settle_ms;
	prompts_set_timer(p->all);
}

void
prompts_shown(struct prompts *all)
{
	struct prompt *p = prompts_first(all);
	bool changed;

	if (p == NULL || prompt_screen(p) == NULL)
		return;
	changed = vt_generation(prompt_screen(p)) != p->generation;
	p->generation = vt_generation(prompt_screen(p));
	if (p->phase == PHASE_SETTLING && changed) {
		see_text(p);
	} else if (p->phase == PHASE_CONFIRMING) {
		/* A mark alone shows nothing. */
		p->moved |= changed &&
		    place_has_changed(&p->at, prompt_screen(p));
		if (is_confirmed(p))
			prompt_finish(p, DELIVERED, evidence(p));
	}
}
