#include "host/serve/viewer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/log.h"
#include "base/mem.h"
#include "host/core/session.h"
#include "host/serve/connection.h"
#include "host/serve/viewer_event.h"
#include "host/stream/past_output.h"
#include "host/stream/picture.h"
#include "host/stream/recent_output.h"
#include "vt/vt.h"
#include "wire/frame.h"

#define FRAME_BYTES (16u << 10) /* of output in one frame */
#define FRAMES_A_WRITE 4
#define TURN_BYTES (256u << 10) /* for one viewer, so that others get theirs */
#define PREFIX_MAX (FRAME_HEADER + FRAME_OUTPUT_PREFIX)
#define BETWEEN_MS 100
#define OPEN_AGAIN_MS 1000
#define HISTORY_MAX (8u << 20) /* in one frame */
#define RESUME_MAX (1u << 20)  /* a longer backlog is skipped */
#define FLOW_WINDOW (64u << 10)
#define NEVER UINT64_MAX

static const uint8_t zeros[4096];

static bool
has(const struct viewer *o, unsigned feature)
{
	return (o->client->features & feature) != 0;
}

static bool
is_lossless(const struct viewer *o)
{
	return o->client->hello.behind == HELLO_BEHIND_LOSSLESS;
}

static void
set_cursor(struct viewer *o, uint64_t to)
{
	o->cursor = to;
	o->client->in_history = to < o->history_end;
}

static uint64_t
least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The present end of its output. */
static uint64_t
end_of(const struct viewer *o)
{
	return recent_output_end(o->recent);
}

/* ------------------------------------------------------------- sending */

/*
 * The frames of one write, and the number of bytes before each frame's
 * payload.
 */
struct burst {
	struct iovec iov[2 * FRAMES_A_WRITE];
	uint8_t prefix[FRAMES_A_WRITE][PREFIX_MAX];
	size_t prefix_len, n;
};

static void
put_prefix(uint8_t *out, uint64_t offset, size_t len, size_t prefix)
{
	if (prefix == FRAME_HEADER) {
		frame_header(out, FRAME_DATA, (uint32_t)len);
	} else if (prefix > 0) {
		frame_header(out, FRAME_OUTPUT,
		    (uint32_t)(len + FRAME_OUTPUT_PREFIX));
		put_u64be(out + FRAME_HEADER, offset);
	}
}

static void
burst_make(struct burst *b, const struct viewer *o, const uint8_t *p,
    size_t len)
{
	size_t at = 0;

	b->n = 0;
	b->prefix_len = has(o, HELLO_OFFSET) ? PREFIX_MAX : FRAME_HEADER;
	if (o->cursor < o->history_end)
		b->prefix_len = 0;
	while (at < len && b->n < FRAMES_A_WRITE) {
		size_t piece = least(len - at, FRAME_BYTES);

		put_prefix(b->prefix[b->n], o->cursor + at, piece,
		    b->prefix_len);
		b->iov[2 * b->n] = (struct iovec){ b->prefix[b->n],
			b->prefix_len };
		b->iov[2 * b->n + 1] = (struct iovec){
			(void *)(uintptr_t)(p + at), piece
		};
		at += piece;
		b->n++;
	}
}

/* The socket accepted part of a frame: the rest must follow. */
static void
keep_rest(struct viewer *o, const struct iovec *iov, size_t sent)
{
	struct buf *out = &o->client->out;
	size_t prefix = iov[0].iov_len;

	if (sent < prefix) {
		buf_append(out, (uint8_t *)iov[0].iov_base + sent,
		    prefix - sent);
		sent = prefix;
	}
	buf_append(out, (uint8_t *)iov[1].iov_base + (sent - prefix),
	    iov[1].iov_len - (sent - prefix));
}

/* Count the sent bytes; copy the rest of a frame that was begun. */
static void
burst_sent(struct burst *b, struct viewer *o, size_t sent)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct iovec *iov = &b->iov[2 * i];
		size_t whole = iov[0].iov_len + iov[1].iov_len;

		if (sent < whole) {
			connection_block(o->client);
			if (b->prefix_len == 0) {
				set_cursor(o, o->cursor + sent);
			} else if (sent > 0) {
				keep_rest(o, iov, sent);
				set_cursor(o, o->cursor + iov[1].iov_len);
			}
			return;
		}
		set_cursor(o, o->cursor + iov[1].iov_len);
		sent -= whole;
	}
}

static void
send_span(struct viewer *o, const uint8_t *p, size_t len)
{
	struct burst b;
	struct msghdr msg = { .msg_iov = b.iov };
	ssize_t n;

	if (o->cursor < o->history_end)
		len = least(len, o->history_end - o->cursor);
	burst_make(&b, o, p, len);
	msg.msg_iovlen = 2 * b.n;
	do
		n = sendmsg(o->client->fd, &msg, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n >= 0)
		burst_sent(&b, o, (size_t)n);
	else if (errno == EAGAIN)
		connection_block(o->client);
	else
		connection_close(o->client);
}

/* ------------------------------------------------------------- pictures */

static void
put_gap(struct viewer *o, uint64_t from, uint64_t to, uint8_t why)
{
	const struct frame_gap gap = { from, to, why };

	if (has(o, HELLO_OFFSET) && from < to) {
		frame_put_gap(connection_out(o->client), &gap);
		connection_put_done(o->client);
	}
}

static bool
wants_keyframe(const struct viewer *o)
{
	return has(o, HELLO_OFFSET) && has(o, HELLO_KEYFRAME);
}

/*
 * An ANSI picture must not be drawn in the middle of a sequence, whose end
 * would follow it.
 */
static bool
may_draw(struct viewer *o)
{
	struct session *session = o->client->session;

	if (session->display.vt == NULL || wants_keyframe(o) ||
	    vt_is_between(session->display.vt))
		return true;
	if (o->picture_by_ms == 0)
		o->picture_by_ms = session->turn.now_ms + BETWEEN_MS;
	turn_wake_at(&session->turn, o->picture_by_ms);
	return session->turn.now_ms >= o->picture_by_ms;
}

static void
draw_screen(struct viewer *o)
{
	struct connection *c = o->client;
	bool keyframe = wants_keyframe(o);
	size_t before = c->out.len;

	if (picture_put_screen(connection_out(c), c->session, keyframe) < 0)
		connection_close(c);
	c->large += c->out.len - before;
}

/*
 * For a client without offsets: the bytes that draw the screen on its
 * terminal.
 */
static void
draw_plain(struct viewer *o)
{
	struct connection *c = o->client;
	struct buf b;

	buf_init(&b, FRAME_MAX_HOST);
	picture_ansi(&b, c->session);
	connection_put(c, o->history_sent ? FRAME_DATA : FRAME_HISTORY, b.data,
	    b.len);
	o->history_sent = true;
	buf_finish(&b);
}

static bool
send_picture(struct viewer *o)
{
	uint64_t now = o->client->session->display.shown;

	if (!may_draw(o))
		return false;
	if (o->picture != PICTURE_FIRST)
		put_gap(o, o->cursor, now, FRAME_GAP_SLOW);
	o->picture = PICTURE_NONE;
	o->picture_by_ms = 0;
	o->catching_up = false;
	set_cursor(o, now);
	if (has(o, HELLO_OFFSET))
		draw_screen(o);
	else
		draw_plain(o);
	return o->client->state == CONNECTION_OPEN;
}

/* Skip the output between the cursor and the newest screen. */
static bool
lose(struct viewer *o)
{
	past_output_close(o->past);
	o->past = NULL;
	o->picture = PICTURE_LOST;
	return true;
}

void
viewer_resized(struct viewer *o)
{
	if (o->picture == PICTURE_NONE && has(o, HELLO_OFFSET) &&
	    o->client->hello.replay == HELLO_SCREEN)
		o->picture = PICTURE_SIZE;
}

/* Send output from before the new size first, if possible. */
static bool
picture_is_due(const struct viewer *o)
{
	if (o->picture != PICTURE_SIZE)
		return o->picture != PICTURE_NONE;
	return o->cursor >= end_of(o) ||
	    (!is_lossless(o) && !recent_output_holds(o->recent, o->cursor));
}

/* --------------------------------------------------------- older output */

/* The log lacks the next bytes. */
static bool
skip_gap(struct viewer *o, const struct frame_gap *gap)
{
	uint64_t to = least(gap->to, end_of(o));

	if (o->cursor < o->history_end) {
		o->missing_end = least(to, o->history_end);
		return true;
	}
	if (!has(o, HELLO_OFFSET))
		return lose(o);
	put_gap(o, o->cursor, to, gap->why);
	set_cursor(o, to);
	return true;
}

static bool
open_past(struct viewer *o)
{
	struct session *session = o->client->session;
	struct error err;

	if (o->past != NULL)
		return true;
	o->past = past_output_open(session->log_dirfd, &err);
	if (o->past == NULL)
		log_write(&session->log, LOG_WARN, "cannot read the log back",
		    log_str("error", err.msg));
	return o->past != NULL;
}

static bool
send_from_log(struct viewer *o)
{
	struct frame_gap gap;
	const uint8_t *p;
	size_t len;

	if (!open_past(o)) {
		turn_wake_at(&o->client->session->turn,
		    o->client->session->turn.now_ms + OPEN_AGAIN_MS);
		return false;
	}
	switch (past_output_read(o->past, o->cursor, &p, &len, &gap)) {
	case PAST_OUTPUT_BYTES:
		send_span(o, p, least(len, end_of(o) - o->cursor));
		return true;
	case PAST_OUTPUT_GAP:
		return skip_gap(o, &gap);
	case PAST_OUTPUT_AGAIN:
		turn_wake_at(&o->client->session->turn, 0);
		return false;
	case PAST_OUTPUT_WAIT:
		break;
	}
	return false;
}

static bool
send_older(struct viewer *o)
{
	const struct recent_output *feed = o->recent;
	uint8_t copy[FRAME_BYTES];
	size_t len;

	if (o->cursor < o->missing_end) {
		send_span(o, zeros,
		    least(sizeof(zeros), o->missing_end - o->cursor));
		return true;
	}
	if (!is_lossless(o) && !o->catching_up)
		return lose(o);
	len = recent_output_from_ring(feed, o->cursor, copy, sizeof(copy));
	if (len == 0)
		return send_from_log(o);
	send_span(o, copy, least(len, end_of(o) - o->cursor));
	return true;
}

/* --------------------------------------------------------------- flushing */

static bool
send_bytes(struct viewer *o)
{
	const struct recent_output *feed = o->recent;
	const uint8_t *p;
	size_t len = recent_output_at(feed, o->cursor, &p);

	if (len == 0)
		return send_older(o);
	send_span(o, p, least(len, end_of(o) - o->cursor));
	return true;
}

static bool
send_end(struct viewer *o)
{
	struct connection *c = o->client;
	struct buf b;

	past_output_close(o->past);
	o->past = NULL;
	o->catching_up = false;
	if (!o->recent->closed)
		return false;
	buf_init(&b, FRAME_MAX_HOST);
	viewer_event_ended(&b, c->session, recent_output_end(o->recent));
	connection_put(c, FRAME_ENDED, b.data, b.len);
	buf_finish(&b);
	connection_finish(c);
	return true;
}

/* Send the next item; false if there is nothing for now. */
static bool
advance(struct viewer *o)
{
	if (picture_is_due(o))
		return send_picture(o);
	if (o->cursor < end_of(o))
		return send_bytes(o);
	return send_end(o);
}

static void
note_drawn(struct viewer *o)
{
	if (o->picture != PICTURE_FIRST && o->cursor >= o->first_end)
		o->drawn = true;
}

static void
send_all(struct viewer *o)
{
	struct connection *c = o->client;
	uint64_t limit = o->cursor + TURN_BYTES;

	while (connection_flush(c) && !c->blocked) {
		note_drawn(o);
		if (o->cursor >= limit) {
			turn_wake_at(&c->session->turn, 0);
			return;
		}
		if (!advance(o))
			return;
	}
}

bool
viewer_flush(struct viewer *o)
{
	bool drawn = o->drawn;

	send_all(o);
	return o->drawn && !drawn;
}

bool
viewer_keeps_up(const struct viewer *o)
{
	return o->cursor >= end_of(o) ||
	    recent_output_holds(o->recent, o->cursor);
}

bool
viewer_wants(const struct viewer *o)
{
	if (o->cursor >= end_of(o))
		return false;
	return is_lossless(o) || o->catching_up || viewer_keeps_up(o);
}

bool
viewer_votes(const struct viewer *o)
{
	return o->drawn && o->visible && o->vote.cols > 0 &&
	    connection_may_type(o->client);
}

/*
 * Hold the program while this viewer is more than a window behind, but not
 * longer than the limit; then not again until it has caught up.  A viewer that
 * may only observe must not affect the program.
 */
bool
viewer_holds(struct viewer *o, int64_t now_ms)
{
	const struct hello *h = &o->client->hello;
	uint64_t end = end_of(o), at = least(o->cursor, o->seen);

	if (!h->flow_block || !o->drawn || !connection_may_type(o->client))
		return false;
	if (at >= end)
		o->gave_up = false;
	if (o->gave_up || at + FLOW_WINDOW >= end) {
		o->held_since_ms = 0;
		return false;
	}
	if (o->held_since_ms == 0)
		o->held_since_ms = now_ms;
	o->gave_up = now_ms - o->held_since_ms >= (int64_t)h->flow_ms;
	turn_wake_at(&o->client->session->turn, o->held_since_ms + h->flow_ms);
	return !o->gave_up;
}

/* -------------------------------------------------------------- beginning */

/* HISTORY is one frame, with its length before its bytes. */
static void
begin_history(struct viewer *o)
{
	uint8_t header[FRAME_HEADER];
	uint64_t len = o->first_end - o->cursor;

	if (has(o, HELLO_OFFSET) || o->picture == PICTURE_FIRST)
		return;
	frame_header(header, FRAME_HISTORY, (uint32_t)len);
	buf_append(&o->client->out, header, sizeof(header));
	o->history_end = o->first_end;
	set_cursor(o, o->cursor);
	o->history_sent = true;
}

/*
 * The beginning of a raw replay: at most `history` bytes, as far as the log
 * has them.
 */
static uint64_t
raw_start(struct viewer *o)
{
	const struct hello *h = &o->client->hello;
	uint64_t end = o->first_end, first = 0;
	uint64_t most = has(o, HELLO_OFFSET) ? h->history :
					       least(h->history, HISTORY_MAX);
	uint64_t from = h->has_from ? least(h->from, end) : 0;

	if (from < end && open_past(o))
		first = past_output_first(o->past);
	if (from < first)
		from = least(first, end);
	return end - from > most ? end - most : from;
}

static void
place(struct viewer *o)
{
	const struct hello *h = &o->client->hello;
	const struct session *session = o->client->session;
	uint64_t head = atomic_load(&session->terminal.ring.shared->head);

	set_cursor(o, o->first_end);
	if (h->replay == HELLO_SCREEN)
		o->picture = PICTURE_FIRST;
	else if (h->replay == HELLO_RAW)
		set_cursor(o, raw_start(o));
	else if (h->has_from && h->from <= head)
		set_cursor(o, h->from);
	o->catching_up = o->cursor < o->first_end;
	if (h->replay == HELLO_NONE && !is_lossless(o) &&
	    o->cursor + RESUME_MAX < o->first_end)
		lose(o);
}

/* The requested bytes that cannot be sent; reported in METADATA. */
static uint64_t
missing(const struct viewer *o)
{
	const struct hello *h = &o->client->hello;

	if (h->replay != HELLO_RAW || !h->has_from || h->from >= o->cursor)
		return 0;
	return o->cursor - h->from;
}

struct viewer *
viewer_create(struct connection *c, const struct recent_output *recent)
{
	struct viewer *o = xcalloc(1, sizeof(*o));
	struct buf b;

	o->client = c;
	o->recent = recent;
	o->first_end = end_of(o);
	o->visible = !c->hello.hidden;
	o->vote.cols = c->hello.cols;
	o->vote.rows = c->hello.rows;
	o->seen = NEVER;
	place(o);
	buf_init(&b, FRAME_MAX_HOST);
	viewer_event_metadata(&b, c->session, o->cursor, missing(o),
	    c->hello.readonly);
	frame_put(&c->out, FRAME_METADATA, b.data, b.len);
	buf_finish(&b);
	begin_history(o);
	return o;
}

void
viewer_destroy(struct viewer *o)
{
	if (o == NULL)
		return;
	past_output_close(o->past);
	free(o);
}
