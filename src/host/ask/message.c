#include "host/ask/message.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "host/ask/exec.h"
#include "host/ask/message_state.h"
#include "host/core/session.h"
#include "host/input/draft.h"
#include "host/input/input.h"
#include "host/serve/server.h"
#include "op/profile.h"
#include "vt/key.h"
#include "vt/key_encode.h"
#include "vt/paste.h"
#include "vt/text.h"
#include "vt/vt.h"
#include "wire/frame.h"

#define DRAWING_MS 20 /* until the next check for the end of an update */
#define TAIL_MAX 12   /* bytes of the text by which it is recognised */

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

static bool
ends_with(const struct buf *line, const char *tail, size_t len)
{
	return line->len >= len &&
	    memcmp(line->data + line->len - len, tail, len) == 0;
}

/*
 * A program that hides the cursor draws its own, in any row.  Returns the
 * lowest row that shows the text, or -1.
 */
static int
row_of_text(const struct vt *vt, const char *tail, size_t len)
{
	struct buf line;
	int y = (int)vt_rows(vt);
	bool found = false;

	buf_init(&line, CURSOR_LINE_ROW_BYTES);
	while (!found && y > 0) {
		struct vt_row row;

		buf_clear(&line);
		vt_screen_row(vt, (unsigned)--y, &row);
		vt_row_text(&row, &line);
		found = line.len >= len &&
		    memmem(line.data, line.len, tail, len) != NULL;
	}
	buf_finish(&line);
	return found ? y : -1;
}

/*
 * The margin may have broken the text.  Then its end is in another row than
 * the one where typing began; or in the same row if that moved up, but with
 * the text's last character.
 */
static bool
may_be_broken(const struct message *p, const struct buf *line, const char *tail,
    size_t len)
{
	struct vt_cursor cursor;
	size_t last = 1;

	vt_cursor(message_screen(p), &cursor);
	if (cursor.col >= len)
		return false;
	if (line->len == 0 || cursor.row != p->at.cursor.row)
		return true;
	while (last < len && ((uint8_t)tail[len - last] & 0xc0) == 0x80)
		last++;
	return ends_with(line, tail + len - last, last);
}

/* True if the end of the text is before the cursor, or may be. */
static bool
is_shown(const struct message *p)
{
	struct vt_cursor cursor;
	struct buf line;
	const char *tail;
	size_t len = tail_of(p->text, &tail);
	bool shown;

	vt_cursor(message_screen(p), &cursor);
	if (len == 0)
		return true;
	if (!cursor.visible)
		return row_of_text(message_screen(p), tail, len) >= 0;
	buf_init(&line, CURSOR_LINE_ROW_BYTES);
	cursor_line_before_cursor(message_screen(p), &line);
	shown = ends_with(&line, tail, len) ||
	    may_be_broken(p, &line, tail, len);
	buf_finish(&line);
	return shown;
}

bool
message_is_asked(struct message *p, const char *own)
{
	if (p->force || message_screen(p) == NULL)
		return false;
	p->question = question_find(message_screen(p), own);
	return p->question != QUESTION_NONE;
}

/* ------------------------------------------------------------------ typing */

static void
type(struct message *p, enum message_phase phase, uint8_t kind,
    const struct buf *b)
{
	static const uint8_t parts[] = {
		[PHASE_TYPING] = DRAFT_TEXT,
		[PHASE_PAUSING] = DRAFT_ASIDE,
		[PHASE_SUBMITTING] = DRAFT_SUBMIT,
	};
	const struct input_piece piece = {
		.reservation = p->reservation,
		.kind = kind,
		.part = parts[phase],
		.by = p->by,
		.key = p->key,
		.p = b->data,
		.len = b->len,
	};
	struct input_done done = { .reservation = p->reservation };
	struct messages *all = p->all;

	p->phase = phase;
	p->due_ms = MESSAGE_NEVER;
	witness_type(&p->witness, b->data, b->len);
	done.status = input_type(all->input, &piece, &done.seq);
	execs_typed(all->execs, b->data, b->len);
	if (done.status != INPUT_WAITS)
		messages_typed(all, &done);
}

void
message_type(struct message *p)
{
	struct input_modes modes;
	struct buf b;
	bool paste = p->profile->text == PROFILE_PASTE;

	vt_input_modes(message_screen(p), &modes);
	buf_init(&b, INPUT_BYTES_MAX);
	if (paste)
		paste_encode(p->text, strlen(p->text), &modes, &b);
	else
		buf_puts(&b, p->text);
	if (b.full) {
		message_fail(p, EINVAL, "session.prompt: 'text' is too long");
	} else {
		draft_prepare(p->all->session->terminal.ring.shared, p->text,
		    p->secret);
		type(p, PHASE_TYPING, paste ? INPUT_PASTE : INPUT_TEXT, &b);
	}
	buf_finish(&b);
}

static void
type_key(struct message *p, enum message_phase phase, const char *name)
{
	struct input_modes modes = { 0 };
	struct key key;
	struct buf b;

	if (message_screen(p) != NULL)
		vt_input_modes(message_screen(p), &modes);
	buf_init(&b, 64);
	if (key_parse(name, &key, NULL) == 0)
		key_encode(&key, &modes, &b);
	type(p, phase, INPUT_KEY, &b);
	buf_finish(&b);
}

/* The place where something will happen when the program takes the message. */
static void
look_at_place(struct message *p, const struct vt *vt)
{
	struct vt_cursor cursor;
	const char *tail;
	size_t len = tail_of(p->text, &tail);
	int y = -1;

	vt_cursor(vt, &cursor);
	if (len > 0 && !cursor.visible)
		y = row_of_text(vt, tail, len);
	if (y >= 0)
		cursor_line_look_row(&p->at, vt, (unsigned)y);
	else
		cursor_line_look(&p->at, vt);
}

/*
 * A question that opened after the text was typed must not be answered by the
 * key.
 */
static void
submit(struct message *p)
{
	if (message_is_asked(p, p->text)) {
		message_finish(p, OUTCOME_ASKED);
		return;
	}
	if (message_screen(p) != NULL)
		look_at_place(p, message_screen(p));
	p->commands = p->all->commands;
	p->moved = false;
	p->tries++;
	type_key(p, PHASE_SUBMITTING, p->profile->submit);
}

/* ------------------------------------------------------------------ phases */

static void
settle(struct message *p)
{
	const struct profile *how = p->profile;
	int64_t now = message_now_ms();
	bool waits = how->still && !p->secret;

	p->phase = PHASE_SETTLING;
	p->generation = vt_generation(message_screen(p));
	p->latest_ms = now + how->settle_most_ms;
	p->due_ms = waits ? p->latest_ms : now + how->settle_ms;
	p->seen = !waits;
}

void
message_resume(struct message *p)
{
	settle(p);
	if (!p->seen && is_shown(p)) {
		p->seen = true;
		p->due_ms = message_now_ms() + p->profile->settle_ms;
	}
}

static void
await(struct message *p)
{
	p->phase = PHASE_CONFIRMING;
	p->latest_ms = message_now_ms() + p->profile->each_ms;
	p->due_ms = p->latest_ms;
}

static void
has_settled(struct message *p)
{
	if (p->profile->before != NULL && message_is_asked(p, p->text))
		message_finish(p, OUTCOME_ASKED);
	else if (p->profile->before != NULL)
		type_key(p, PHASE_PAUSING, p->profile->before);
	else
		submit(p);
}

/*
 * Some shells mark only their prompts (dash).  A shell that has marked a
 * command is trusted to mark all.
 */
static bool
marks_commands(const struct message *p)
{
	return p->profile->confirm == PROFILE_COMMAND && p->all->commands > 0;
}

static bool
has_begun(const struct message *p)
{
	return p->all->commands > p->commands;
}

static bool
has_answered(const struct message *p)
{
	return p->moved &&
	    witness_has_answered(&p->witness, p->all->session->display.shown);
}

/* The text can only disappear if it was seen before. */
static bool
has_happened(const struct message *p)
{
	return marks_commands(p) ? has_begun(p) : has_answered(p) && p->seen;
}

/* The strongest reason for doubt. */
static enum message_outcome
doubt(const struct message *p)
{
	if (p->witness.endless)
		return OUTCOME_NO_LINE;
	if (!witness_is_known(&p->witness))
		return OUTCOME_UNKNOWN;
	if (!witness_has_read(&p->witness))
		return OUTCOME_UNREAD;
	if (!p->moved)
		return OUTCOME_NOTHING;
	if (!p->seen)
		return OUTCOME_NOT_SEEN;
	return marks_commands(p) ? OUTCOME_NO_COMMAND : OUTCOME_SILENT;
}

static bool
is_delivered(const struct message *p)
{
	return witness_has_read(&p->witness) && has_happened(p);
}

/* The outcome, by the last check. */
static enum message_outcome
verdict(const struct message *p)
{
	if (!is_delivered(p))
		return doubt(p);
	return has_begun(p) ? OUTCOME_COMMAND : OUTCOME_ANSWERED;
}

/*
 * The kernel is asked last, because most frames prove nothing.  An answer of
 * the terminal may make the kernel's count doubtful.  Then it is asked again,
 * even without another frame.
 */
static void
confirm(struct message *p)
{
	int64_t again = message_now_ms() + WITNESS_ARRIVES_MS;

	if (!has_happened(p))
		return;
	message_look(p);
	if (is_delivered(p)) {
		message_finish(p, verdict(p));
	} else if (p->witness.doubtful && again < p->due_ms) {
		p->due_ms = again;
		messages_set_timer(p->all);
	}
}

/* While a key is unread, do not send another one. */
static void
await_more(struct message *p)
{
	p->tries++;
	await(p);
}

static void
has_waited(struct message *p)
{
	message_look(p);
	if (p->moved || p->tries >= p->profile->tries)
		message_finish(p, verdict(p));
	else if (p->witness.unread <= 0)
		submit(p);
	else
		await_more(p);
}

/* The doubt may be resolved, or the time of this try is up. */
static void
look_again(struct message *p)
{
	if (message_now_ms() >= p->latest_ms) {
		has_waited(p);
		return;
	}
	p->due_ms = p->latest_ms;
	confirm(p);
}

/*
 * A program that is drawing may be about to draw a question.  The pump ends an
 * update that takes too long.
 */
static bool
is_drawing(const struct message *p)
{
	return message_screen(p) != NULL && vt_in_sync(message_screen(p)) &&
	    (p->phase == PHASE_SETTLING || p->phase == PHASE_PAUSING);
}

void
message_due(struct message *p)
{
	p->due_ms = MESSAGE_NEVER;
	if (is_drawing(p)) {
		p->due_ms = message_now_ms() + DRAWING_MS;
		return;
	}
	switch (p->phase) {
	case PHASE_SETTLING:
		has_settled(p);
		break;
	case PHASE_PAUSING:
		submit(p);
		break;
	case PHASE_CONFIRMING:
		look_again(p);
		break;
	default:
		break;
	}
}

/* Its time is up, in any phase. */
void
message_late(struct message *p)
{
	switch (p->phase) {
	case PHASE_WAITING:
		message_finish(p,
		    p == messages_first(p->all) ? OUTCOME_DRAWING :
						  OUTCOME_QUEUED);
		break;
	case PHASE_TYPING:
		if (input_drop(p->all->input, p->reservation))
			message_finish(p, OUTCOME_NOT_TYPED);
		else
			message_finish(p, OUTCOME_PART_READ);
		break;
	case PHASE_CONFIRMING:
		message_look(p);
		message_finish(p, verdict(p));
		break;
	default:
		message_finish(p, OUTCOME_NOT_SUBMITTED);
		break;
	}
}

void
messages_typed(struct messages *all, const struct input_done *done)
{
	struct message *p = messages_first(all);
	int64_t now = message_now_ms();

	if (p == NULL || p->reservation != done->reservation)
		return;
	if (done->status != TAKEN_WRITTEN) {
		message_fail(p, ESRCH, "the program has ended");
		return;
	}
	witness_typed(&p->witness, input_answers_written(all->input));
	if (p->phase == PHASE_TYPING && message_screen(p) != NULL) {
		settle(p);
	} else if (p->phase == PHASE_PAUSING) {
		p->due_ms = now + p->profile->before_ms;
	} else if (p->phase == PHASE_SUBMITTING) {
		p->seq = done->seq;
		await(p);
	}
	messages_set_timer(all);
}

static void
see_text(struct message *p)
{
	int64_t still = message_now_ms() + p->profile->settle_ms;

	if (!p->profile->still || p->secret)
		return;
	p->seen |= is_shown(p);
	if (p->seen)
		p->due_ms = still < p->latest_ms ? still : p->latest_ms;
	messages_set_timer(p->all);
}

void
messages_shown(struct messages *all)
{
	struct message *p = messages_first(all);
	bool changed;

	if (p == NULL || message_screen(p) == NULL)
		return;
	changed = vt_generation(message_screen(p)) != p->generation;
	p->generation = vt_generation(message_screen(p));
	if (p->phase == PHASE_WAITING) {
		message_begin(p);
	} else if (p->phase == PHASE_SETTLING && changed) {
		see_text(p);
	} else if (p->phase == PHASE_CONFIRMING) {
		/* A mark alone shows nothing. */
		p->moved |= changed &&
		    cursor_line_has_changed(&p->at, message_screen(p));
		confirm(p);
	}
}
