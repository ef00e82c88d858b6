#include "host/input/input.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/failpoint.h"
#include "base/list.h"
#include "base/loop.h"
#include "base/mem.h"
#include "host/core/session.h"
#include "host/input/draft.h"
#include "host/input/interrupt.h"
#include "host/input/replies.h"
#include "host/input/secrecy.h"
#include "host/store/event_log.h"
#include "keep/control.h"
#include "log/by.h"
#include "log/payload.h"
#include "log/record.h"
#include "vt/vt.h"
#include "wire/frame.h"

#define CPR_MS 2000 /* a client's report may come this long after ours */
#define KEY_SIZE 129
#define EVENT_MAX (INPUT_BYTES_MAX + 1024) /* a piece and its sender */

struct piece {
	struct list link;
	struct input_done done;
	bool secret;
	uint8_t kind;
	enum draft_part part;
	char by[BY_SIZE];
	char key[KEY_SIZE];
	size_t len, written;
	uint8_t data[];
};

struct input {
	struct session *session;
	struct watch *watch; /* of the master; NULL after its end */
	bool echo;           /* there was input: show its echo soon */
	const struct input_hooks *hooks;
	void *arg;
	bool ended;

	struct list pieces;
	size_t n_pieces, n_bytes;
	uint64_t reservation; /* that may type now; 0: all */

	struct secrecy *secrecy;
	struct replies answers;
	bool mute;      /* no program reads answers */
	uint64_t owed;  /* bytes of answers to write before the next piece */
	int64_t cpr_ms; /* when the cursor was last reported */
};

enum written { WRITTEN_ALL, WRITTEN_PART, WRITTEN_NEVER };

/* Write as much of p[*at..len) as the terminal accepts. */
static enum written
write_some(int fd, const uint8_t *p, size_t len, size_t *at)
{
	while (*at < len) {
		ssize_t n = write(fd, p + *at, len - *at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			return WRITTEN_NEVER;
		if (n <= 0)
			return WRITTEN_PART;
		*at += (size_t)n;
	}
	return WRITTEN_ALL;
}

static uint64_t
log_event(struct input *in, const struct piece *p, bool withheld)
{
	struct payload_input event = {
		.kind = p->kind,
		.flags = withheld ? PAYLOAD_WITHHELD : 0,
		.by = payload_text(p->by),
		.count = (uint32_t)p->len,
		.key = payload_text(p->key),
		.bytes = { p->data, withheld ? 0 : p->len },
	};
	struct buf b;
	size_t len;

	buf_init(&b, EVENT_MAX);
	payload_input_encode(&event, &b);
	assert(!b.full);
	len = b.len;
	return event_log_take(in->session->event_log, RECORD_INPUT, 0,
	    buf_take(&b), len);
}

/*
 * Check the terminal and the screen before the first byte is written: a
 * program that has read its password may be back at its prompt right after.
 */
static bool
is_secret(const struct input *in, const struct piece *p)
{
	bool known = p->secret || tty_is_secret(in->session->terminal.master);

	return secrecy_typed(in->secrecy, p->data, p->len, known) || known;
}

static bool
is_withheld(const struct input *in, bool secret)
{
	return secret || in->session->manifest.log_input == LOG_INPUT_LENGTHS;
}

static void
log_piece(struct input *in, struct piece *p, bool withheld)
{
	if (in->session->manifest.log_input == LOG_INPUT_NONE)
		p->done.seq = event_log_seq(in->session->event_log);
	else
		p->done.seq = log_event(in, p, withheld);
}

static enum draft_extent
extent(const struct piece *p)
{
	if (p->written == 0)
		return DRAFT_NOTHING;
	return p->written < p->len ? DRAFT_SOME : DRAFT_ALL;
}

/* The next host must know which part of a prompt is in the terminal. */
static enum written
write_bytes(struct input *in, struct piece *p)
{
	struct ring_shared *ring = in->session->terminal.ring.shared;
	enum written rc;

	draft_begins(ring, p->part);
	failpoint("input-write");
	rc = write_some(in->session->terminal.master, p->data, p->len,
	    &p->written);
	failpoint("input-written");
	draft_done(ring, p->part, extent(p));
	return rc;
}

/* Programs do not echo the mouse, focus, or a secret. */
static void
note_typed(struct input *in, const struct piece *p, bool secret)
{
	if (p->kind <= INPUT_BYTES && !secret)
		in->hooks->on_typed(in->arg, p->data, p->len);
}

static enum written
write_piece(struct input *in, struct piece *p)
{
	bool begun = p->written > 0, secret = !begun && is_secret(in, p);
	enum written rc;

	if (!begun &&
	    interrupt_is_in(in->session->terminal.master, p->data, p->len))
		interrupt_make_room(in->session->terminal.master);
	rc = write_bytes(in, p);
	if (!begun && p->written > 0) {
		note_typed(in, p, secret);
		log_piece(in, p, is_withheld(in, secret));
	}
	in->echo = true;
	return rc;
}

/* Write answers until `until` bytes of them are written in all. */
static enum written
write_answers(struct input *in, uint64_t until)
{
	int rc = replies_write(&in->answers, in->session->terminal.master,
	    until);

	if (rc == 0)
		return WRITTEN_ALL;
	return rc == -EAGAIN ? WRITTEN_PART : WRITTEN_NEVER;
}

static void
drop_piece(struct input *in, struct piece *p)
{
	list_remove(&p->link);
	in->n_pieces--;
	in->n_bytes -= p->len;
	explicit_bzero(p->data, p->len);
	free(p);
}

static struct piece *
first_piece(struct input *in)
{
	if (list_is_empty(&in->pieces))
		return NULL;
	return container_of(in->pieces.next, struct piece, link);
}

static bool
may_write(const struct input *in, const struct piece *p)
{
	return p->written > 0 || in->reservation == 0 ||
	    p->done.reservation == in->reservation;
}

/* Move the next piece to write to the front; NULL: all must wait. */
static struct piece *
next_piece(struct input *in)
{
	list_for_each(it, &in->pieces) {
		struct piece *p = container_of(it, struct piece, link);

		if (!may_write(in, p))
			continue;
		list_remove(&p->link);
		list_insert(&in->pieces, &p->link);
		return p;
	}
	return NULL;
}

static void
finish_piece(struct input *in, struct piece *p, int status)
{
	struct input_done done = p->done;

	done.status = status;
	drop_piece(in, p);
	in->hooks->on_done(in->arg, &done);
}

static void
refuse_all(struct input *in, int status)
{
	struct piece *p;

	while ((p = first_piece(in)) != NULL)
		finish_piece(in, p, status);
}

/*
 * Answers and pieces take turns: answers that exist when a piece becomes the
 * next one go before it, later answers after it.
 */
static enum written
write_waiting(struct input *in)
{
	enum written rc = WRITTEN_ALL;
	struct piece *p;

	while (rc == WRITTEN_ALL && (p = next_piece(in)) != NULL) {
		if (p->written == 0)
			rc = write_answers(in, in->owed);
		if (rc == WRITTEN_ALL)
			rc = write_piece(in, p);
		if (rc != WRITTEN_ALL)
			return rc;
		in->owed = in->answers.added;
		finish_piece(in, p, TAKEN_WRITTEN);
	}
	return rc == WRITTEN_ALL ? write_answers(in, UINT64_MAX) : rc;
}

/*
 * The terminal is full, and a client has typed an interrupt key.  The driver
 * discards unread input when it gets that key, but cannot get it before there
 * is room.  Earlier queries are not answered either: the answers would fill
 * the terminal again, and the program could not even print its last output.
 */
static enum written
write_interrupt(struct input *in)
{
	struct piece *p = next_piece(in);

	if (p == NULL ||
	    !interrupt_is_in(in->session->terminal.master, p->data, p->len) ||
	    !interrupt_make_room(in->session->terminal.master))
		return WRITTEN_PART;
	replies_drop(&in->answers);
	in->session->display.replies_from = atomic_load(
	    &in->session->terminal.ring.shared->head);
	return write_waiting(in);
}

static void
want(struct input *in, enum loop_events also)
{
	watch_want(in->watch, also | (in->echo ? LOOP_READ : 0));
}

static void
run(struct input *in)
{
	bool was_full = input_is_full(in);
	enum written rc;

	if (in->ended)
		return;
	rc = write_waiting(in);
	if (rc == WRITTEN_PART)
		rc = write_interrupt(in);
	want(in, rc == WRITTEN_PART ? LOOP_WRITE : 0);
	if (rc == WRITTEN_NEVER) {
		replies_drop(&in->answers);
		refuse_all(in, TAKEN_ENDED);
	}
	if (was_full && !input_is_full(in))
		output_flow_again(&in->session->output_flow, 0);
}

/*
 * Only the keeper reads the terminal.  But after input, we wake together with
 * the keeper instead of after it, which shows an echo sooner.
 */
static void
on_ready(void *arg, enum loop_events ready)
{
	struct input *in = arg;

	if (ready & LOOP_READ) {
		in->echo = false;
		output_flow_echo(&in->session->output_flow);
	}
	run(in);
}

struct input *
input_create(struct session *session, const struct input_hooks *hooks,
    void *arg)
{
	struct input *in = xcalloc(1, sizeof(*in));

	in->session = session;
	in->hooks = hooks;
	in->arg = arg;
	list_init(&in->pieces);
	in->secrecy = secrecy_create(session);
	replies_init(&in->answers, session->terminal.ring.shared, CONTROL_RING);
	in->owed = in->answers.added;
	in->cpr_ms = -CPR_MS;
	in->watch = loop_fd(session->loop, session->terminal.master, 0,
	    on_ready, in);
	in->ended = in->watch == NULL;
	run(in); /* the answers that an earlier host left */
	return in;
}

void
input_destroy(struct input *in)
{
	struct piece *p;

	if (in == NULL)
		return;
	watch_remove(in->watch);
	while ((p = first_piece(in)) != NULL)
		drop_piece(in, p);
	replies_finish(&in->answers);
	secrecy_destroy(in->secrecy);
	free(in);
}

/* Mouse and focus events do not change the text of a line. */
static enum draft_part
part_of(const struct input_piece *from)
{
	if (from->part == DRAFT_OTHER &&
	    (from->kind == INPUT_MOUSE || from->kind == INPUT_FOCUS))
		return DRAFT_ASIDE;
	return (enum draft_part)from->part;
}

static struct piece *
piece_create(const struct input_piece *from)
{
	struct piece *p = xmalloc(sizeof(*p) + from->len);

	memset(p, 0, sizeof(*p));
	p->done.client = from->client;
	p->done.id = from->id;
	p->done.request = from->request;
	p->done.reservation = from->reservation;
	p->secret = from->secret;
	p->kind = from->kind;
	p->part = part_of(from);
	snprintf(p->by, sizeof(p->by), "%s", from->by);
	if (from->key != NULL)
		snprintf(p->key, sizeof(p->key), "%s", from->key);
	p->len = from->len;
	memcpy(p->data, from->p, from->len);
	return p;
}

/* The holder of the reservation does not wait for those that wait for it. */
static bool
fits(const struct input *in, const struct input_piece *piece)
{
	if (piece->reservation != 0 && piece->reservation == in->reservation)
		return true;
	return in->n_pieces < INPUT_PIECES_MAX &&
	    in->n_bytes + piece->len <= INPUT_BYTES_MAX;
}

int
input_type(struct input *in, const struct input_piece *from, uint64_t *seq)
{
	struct piece *p;

	if (in->ended)
		return TAKEN_ENDED;
	if (from->len == 0)
		return TAKEN_NOTHING;
	if (!fits(in, from))
		return TAKEN_FULL;
	session_touch(in->session);
	p = piece_create(from);
	list_append(&in->pieces, &p->link);
	in->n_pieces++;
	in->n_bytes += p->len;
	if (in->n_pieces == 1)
		in->owed = in->answers.added;
	if (in->n_pieces == 1 && replies_are_empty(&in->answers) &&
	    may_write(in, p) && write_piece(in, p) == WRITTEN_ALL) {
		*seq = p->done.seq;
		drop_piece(in, p);
		want(in, 0);
		return TAKEN_WRITTEN;
	}
	run(in);
	return INPUT_WAITS;
}

void
input_reserve(struct input *in, uint64_t reservation)
{
	in->reservation = reservation;
	run(in);
}

bool
input_drop(struct input *in, uint64_t reservation)
{
	bool whole = true;

	list_for_each_safe(it, &in->pieces) {
		struct piece *p = container_of(it, struct piece, link);

		if (p->done.reservation != reservation)
			continue;
		whole &= p->written == 0;
		if (p->written == 0)
			drop_piece(in, p);
	}
	return whole;
}

void
input_reply(struct input *in, const char *p, size_t len)
{
	if (in->ended || in->mute)
		return;
	if (len > 2 && p[len - 1] == 'R')
		in->cpr_ms = clock_ms(CLOCK_MONOTONIC);
	replies_add(&in->answers, p, len);
	if (replies_are_full(&in->answers))
		vt_pause(in->session->display.vt);
}

void
input_replied(struct input *in, uint64_t fed)
{
	replies_publish(&in->answers, fed);
	failpoint("answers");
	if (!replies_are_empty(&in->answers))
		run(in);
}

bool
input_is_full(const struct input *in)
{
	return replies_are_full(&in->answers);
}

void
input_mute(struct input *in, bool mute)
{
	in->mute = mute;
	if (mute)
		replies_drop(&in->answers);
}

uint64_t
input_answers_written(const struct input *in)
{
	return in->answers.written;
}

bool
input_is_secret(const struct input *in)
{
	return tty_is_secret(in->session->terminal.master) ||
	    secrecy_asked(in->secrecy);
}

bool
input_cpr_answered(const struct input *in)
{
	return clock_ms(CLOCK_MONOTONIC) - in->cpr_ms < CPR_MS;
}

bool
input_is_empty(const struct input *in)
{
	return list_is_empty(&in->pieces) && replies_are_safe(&in->answers);
}

void
input_end(struct input *in)
{
	in->ended = true;
	replies_drop(&in->answers);
	watch_remove(in->watch);
	in->watch = NULL;
	refuse_all(in, TAKEN_ENDED);
}
