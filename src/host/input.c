#include "host/input.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/list.h"
#include "base/loop.h"
#include "base/mem.h"
#include "host/host.h"
#include "host/pump.h"
#include "host/scribe.h"
#include "log/record.h"
#include "wire/frame.h"

#define CPR_MS 2000 /* how long after our answer a client's may come */
#define BY_MAX 63

struct piece {
	struct list link;
	struct input_done done;
	bool secret;
	uint8_t kind;
	char by[BY_MAX + 1];
	size_t len, written;
	uint8_t data[];
};

struct input {
	struct host *host;
	struct watch *watch; /* of the master; NULL when it has ended */
	bool echo;           /* something was typed; what comes is shown soon */
	input_done_fn *done;
	void *arg;
	bool ended;

	struct list pieces;
	size_t n_pieces, n_bytes;
	uint64_t turn; /* whose it is to type; 0: everybody's */

	struct buf replies;
	size_t replies_written;
	unsigned replies_left; /* in this second */
	int64_t second_ms;     /* when it began */
	int64_t cpr_ms;        /* when the cursor was last reported */
};

enum written { WRITTEN_ALL, WRITTEN_PART, WRITTEN_NEVER };

/* Write what the terminal takes of p[*at..len). */
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

/* The event of a piece: kind, flags, by, count, bytes (docs/log-format.md). */
static uint64_t
log_event(struct input *in, const struct piece *p, bool withheld)
{
	size_t by = strlen(p->by), at = 3 + by + 4;
	size_t len = at + (withheld ? 0 : p->len);
	uint8_t *event = xmalloc(len);

	event[0] = p->kind;
	event[1] = withheld;
	event[2] = (uint8_t)by;
	memcpy(event + 3, p->by, by);
	put_u32le(event + 3 + by, (uint32_t)p->len);
	memcpy(event + at, p->data, len - at);
	return scribe_event_take(in->host->scribe, RECORD_INPUT, 0, event, len);
}

/*
 * The terminal is asked before the first byte is written: a program that has
 * read its password may be back at its prompt right after.
 */
static bool
is_withheld(const struct input *in, const struct piece *p)
{
	return p->secret || in->host->manifest.log_input == LOG_INPUT_LENGTHS ||
	    tty_is_secret(in->host->master);
}

static void
log_piece(struct input *in, struct piece *p, bool withheld)
{
	if (in->host->manifest.log_input == LOG_INPUT_NONE)
		p->done.seq = scribe_seq(in->host->scribe);
	else
		p->done.seq = log_event(in, p, withheld);
}

static enum written
write_piece(struct input *in, struct piece *p)
{
	bool begun = p->written > 0, withheld = !begun && is_withheld(in, p);
	enum written rc = write_some(in->host->master, p->data, p->len,
	    &p->written);

	if (!begun && p->written > 0)
		log_piece(in, p, withheld);
	in->echo = true;
	return rc;
}

static enum written
write_replies(struct input *in)
{
	enum written rc = write_some(in->host->master, in->replies.data,
	    in->replies.len, &in->replies_written);

	if (rc != WRITTEN_PART) {
		buf_clear(&in->replies);
		in->replies_written = 0;
	}
	return rc;
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
is_its_turn(const struct input *in, const struct piece *p)
{
	return p->written > 0 || in->turn == 0 || p->done.turn == in->turn;
}

/* The one to write next, which is the first then; NULL: all must wait. */
static struct piece *
next_piece(struct input *in)
{
	list_for_each(it, &in->pieces) {
		struct piece *p = container_of(it, struct piece, link);

		if (!is_its_turn(in, p))
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
	in->done(in->arg, &done);
}

static void
refuse_all(struct input *in, int status)
{
	struct piece *p;

	while ((p = first_piece(in)) != NULL)
		finish_piece(in, p, status);
}

/* Answers go first, but never into the middle of a piece. */
static enum written
write_waiting(struct input *in)
{
	enum written rc = WRITTEN_ALL;
	struct piece *p;

	for (;;) {
		p = next_piece(in);
		if (in->replies.len > 0 && (p == NULL || p->written == 0))
			rc = write_replies(in);
		if (p == NULL || rc != WRITTEN_ALL)
			return rc;
		rc = write_piece(in, p);
		if (rc != WRITTEN_ALL)
			return rc;
		finish_piece(in, p, TAKEN_WRITTEN);
	}
}

static void
want(struct input *in, enum loop_events also)
{
	watch_want(in->watch, also | (in->echo ? LOOP_READ : 0));
}

static void
run(struct input *in)
{
	if (in->ended)
		return;
	switch (write_waiting(in)) {
	case WRITTEN_ALL:
		want(in, 0);
		break;
	case WRITTEN_PART:
		want(in, LOOP_WRITE);
		break;
	case WRITTEN_NEVER:
		want(in, 0);
		refuse_all(in, TAKEN_ENDED);
		break;
	}
}

/*
 * Only the keeper reads the terminal.  But after somebody has typed, we are
 * woken with the keeper instead of by it, which shows an echo sooner.
 */
static void
on_ready(void *arg, enum loop_events ready)
{
	struct input *in = arg;

	if (ready & LOOP_READ) {
		in->echo = false;
		pump_echo(in->host->pump);
	}
	run(in);
}

struct input *
input_create(struct host *h, input_done_fn *done, void *arg)
{
	struct input *in = xcalloc(1, sizeof(*in));

	in->host = h;
	in->done = done;
	in->arg = arg;
	list_init(&in->pieces);
	buf_init(&in->replies, INPUT_REPLIES_MAX);
	in->cpr_ms = -CPR_MS;
	in->watch = loop_fd(h->loop, h->master, 0, on_ready, in);
	in->ended = in->watch == NULL;
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
	buf_finish(&in->replies);
	free(in);
}

static struct piece *
piece_create(const struct input_piece *from)
{
	struct piece *p = xmalloc(sizeof(*p) + from->len);

	memset(p, 0, sizeof(*p));
	p->done.client = from->client;
	p->done.id = from->id;
	p->done.request = from->request;
	p->done.turn = from->turn;
	p->secret = from->secret;
	p->kind = from->kind;
	snprintf(p->by, sizeof(p->by), "%s", from->by);
	p->len = from->len;
	memcpy(p->data, from->p, from->len);
	return p;
}

/* Whose turn it is does not wait for those who must wait for it. */
static bool
fits(const struct input *in, const struct input_piece *piece)
{
	if (piece->turn != 0 && piece->turn == in->turn)
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
	host_touch(in->host);
	p = piece_create(from);
	list_append(&in->pieces, &p->link);
	in->n_pieces++;
	in->n_bytes += p->len;
	if (in->n_pieces == 1 && in->replies.len == 0 && is_its_turn(in, p) &&
	    write_piece(in, p) == WRITTEN_ALL) {
		*seq = p->done.seq;
		drop_piece(in, p);
		want(in, 0);
		return TAKEN_WRITTEN;
	}
	run(in);
	return INPUT_WAITS;
}

void
input_give_turn(struct input *in, uint64_t turn)
{
	in->turn = turn;
	run(in);
}

bool
input_drop(struct input *in, uint64_t turn)
{
	bool whole = true;

	list_for_each_safe(it, &in->pieces) {
		struct piece *p = container_of(it, struct piece, link);

		if (p->done.turn != turn)
			continue;
		whole &= p->written == 0;
		if (p->written == 0)
			drop_piece(in, p);
	}
	return whole;
}

/* Whether one more answer may be given in this second. */
static bool
may_reply(struct input *in, int64_t now_ms)
{
	if (now_ms - in->second_ms >= 1000) {
		in->second_ms = now_ms;
		in->replies_left = INPUT_REPLIES_PER_S;
	}
	if (in->replies_left == 0)
		return false;
	in->replies_left--;
	return true;
}

void
input_reply(struct input *in, const char *p, size_t len)
{
	int64_t now_ms = clock_ms(CLOCK_MONOTONIC);

	if (in->ended || !may_reply(in, now_ms))
		return;
	if (len > 2 && p[len - 1] == 'R')
		in->cpr_ms = now_ms;
	if (len <= in->replies.max - in->replies.len)
		buf_append(&in->replies, p, len);
	run(in);
}

bool
input_cpr_answered(const struct input *in)
{
	return clock_ms(CLOCK_MONOTONIC) - in->cpr_ms < CPR_MS;
}

bool
input_is_empty(const struct input *in)
{
	return list_is_empty(&in->pieces) && in->replies.len == 0;
}

void
input_end(struct input *in)
{
	in->ended = true;
	buf_clear(&in->replies);
	in->replies_written = 0;
	watch_remove(in->watch);
	in->watch = NULL;
	refuse_all(in, TAKEN_ENDED);
}
