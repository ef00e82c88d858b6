#include "log/record_batch.h"

#include <assert.h>
#include <string.h>

#include "log/event.h"
#include "log/io.h"
#include "log/payload.h"

static int
flush(struct record_batch *b)
{
	int rc = log_io_write(b->io, b->fd, b->iov, b->iov_count,
	    (off_t)b->written);

	b->written = b->place.at;
	b->records = 0;
	b->iov_count = 0;
	return rc;
}

void
record_batch_put_bytes(struct record_batch *b, const void *p, size_t len)
{
	if (len > 0)
		b->iov[b->iov_count++] = (struct iovec){ (void *)p, len };
	b->place.at += len;
}

/*
 * A record to add.  r has its type, flags, seq and time.  Its payload is
 * `prefix` bytes, which the caller has put behind the header, and two pieces.
 */
struct pieces {
	size_t prefix;
	const uint8_t *p[2];
	size_t len[2];
};

static void
put_record(struct record_batch *b, const struct record *r, uint8_t *head,
    const struct pieces *x)
{
	/* At most one of prefix and first piece is present. */
	if (x->prefix > 0)
		record_header(head, r, b->nonce, b->place.at,
		    head + RECORD_HEADER, x->prefix, x->p[1], x->len[1]);
	else
		record_header(head, r, b->nonce, b->place.at, x->p[0],
		    x->len[0], x->p[1], x->len[1]);
	record_batch_put_bytes(b, head, RECORD_HEADER + x->prefix);
	record_batch_put_bytes(b, x->p[0], x->len[0]);
	record_batch_put_bytes(b, x->p[1], x->len[1]);
	b->records++;
	b->place.seq = r->seq;
	b->place.time_ns = r->time_ns;
}

static int
next_head(struct record_batch *b, uint8_t **head)
{
	int rc = b->records == RECORD_BATCH_RECORDS ? flush(b) : 0;

	*head = b->heads[b->records];
	return rc;
}

/* The position of the next sync, a fixed place that readers can seek to. */
static uint64_t
sync_due(const struct record_batch_place *p)
{
	uint64_t due = p->sync + RECORD_SYNC_EVERY;

	if (due < p->at)
		due = p->at + (0 - p->at) % RECORD_SYNC_ALIGN;
	if (due > p->at && due - p->at < RECORD_HEADER)
		due += RECORD_SYNC_ALIGN;
	return due;
}

/* Sync and pad repeat the seq and time of the record before them. */
static int
put_sync(struct record_batch *b)
{
	struct record r = { .type = RECORD_SYNC,
		.seq = b->place.seq,
		.time_ns = b->place.time_ns };
	uint64_t at = b->place.at;
	uint8_t *head;
	int rc = next_head(b, &head);

	if (rc < 0)
		return rc;
	payload_put_offset(head + RECORD_HEADER, b->place.offset);
	put_record(b, &r, head,
	    &(struct pieces){ .prefix = PAYLOAD_OFFSET_SIZE });
	b->place.sync = at;
	return 0;
}

static int
put_pad(struct record_batch *b, size_t len)
{
	struct record r = { .type = RECORD_PAD,
		.seq = b->place.seq,
		.time_ns = b->place.time_ns };
	uint8_t *head;
	int rc = next_head(b, &head);

	assert(len >= RECORD_HEADER && len <= RECORD_BATCH_HEAD);
	if (rc < 0)
		return rc;
	memset(head + RECORD_HEADER, 0, len - RECORD_HEADER);
	put_record(b, &r, head,
	    &(struct pieces){ .prefix = len - RECORD_HEADER });
	return 0;
}

/* The output offset after an event, if the event has one. */
static void
event_next_offset(const struct log_event *ev, uint64_t *next)
{
	struct record r = { .type = ev->type,
		.len = (uint32_t)ev->len1,
		.payload = ev->p1 };

	if (ev->type == RECORD_OUTPUT)
		*next = ev->offset + ev->len2;
	else
		payload_next_offset(&r, next);
}

/* The part of an event that is still to be added. */
struct rest {
	const struct log_event *ev;
	const uint8_t *p[2];
	size_t len[2];
	bool begun;
};

static size_t
cut_off(struct rest *rest, int i, size_t max, struct pieces *x)
{
	size_t n = rest->len[i] < max ? rest->len[i] : max;

	if (n == 0)
		return 0;
	x->p[i] = rest->p[i];
	x->len[i] = n;
	rest->p[i] += n;
	rest->len[i] -= n;
	return n;
}

/* Add a record with as much of the event as `room` allows. */
static int
put_part(struct record_batch *b, struct rest *rest, size_t room)
{
	const struct log_event *ev = rest->ev;
	bool output = ev->type == RECORD_OUTPUT;
	struct pieces x = { .prefix = output ? PAYLOAD_OFFSET_SIZE : 0 };
	struct record r = { .type = ev->type,
		.flags = ev->flags,
		.seq = ev->seq,
		.time_ns = ev->time_ns };
	size_t max = room - RECORD_HEADER - x.prefix;
	uint8_t *head;
	int rc = next_head(b, &head);

	if (rc < 0)
		return rc;
	max -= cut_off(rest, 0, max, &x);
	cut_off(rest, 1, max, &x);
	if (rest->len[0] + rest->len[1] > 0) {
		r.flags |= RECORD_MORE;
		r.flags &= (uint8_t)~RECORD_FRAME;
	}
	if (output)
		payload_put_offset(head + RECORD_HEADER, b->place.offset);
	put_record(b, &r, head, &x);
	if (output)
		b->place.offset += x.len[1];
	rest->begun = true;
	return 0;
}

/* Add the next record of the event: a sync, a pad, or a part of it. */
static int
put_next(struct record_batch *b, struct rest *rest)
{
	size_t room = sync_due(&b->place) - b->place.at;
	size_t least = RECORD_HEADER + 1;

	if (rest->ev->type == RECORD_OUTPUT)
		least += PAYLOAD_OFFSET_SIZE;
	if (room == 0)
		return put_sync(b);
	if (room < least)
		return put_pad(b, room);
	return put_part(b, rest, room);
}

static int
put_event(struct record_batch *b, const struct log_event *ev)
{
	bool output = ev->type == RECORD_OUTPUT;
	struct rest rest = { .ev = ev,
		.p = { ev->p1, ev->p2 },
		.len = { output ? 0 : ev->len1, ev->len2 } };
	int rc = 0;

	while (rc == 0 && (!rest.begun || rest.len[0] + rest.len[1] > 0))
		rc = put_next(b, &rest);
	if (!output)
		event_next_offset(ev, &b->place.offset);
	return rc;
}

void
record_batch_init(struct record_batch *b, const struct log_io *io, int fd,
    uint64_t nonce, const struct record_batch_place *at)
{
	b->io = io;
	b->fd = fd;
	b->nonce = nonce;
	b->place = *at;
	b->written = at->at;
	b->records = 0;
	b->iov_count = 0;
}

int
record_batch_put_events(struct record_batch *b, const struct log_event *ev,
    size_t n)
{
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++)
		rc = put_event(b, &ev[i]);
	return rc == 0 ? flush(b) : rc;
}

bool
record_batch_follows(const struct record_batch_place *at,
    const struct log_event *ev, size_t n)
{
	uint64_t seq = at->seq, time_ns = at->time_ns, offset = at->offset;

	for (size_t i = 0; i < n; i++, ev++) {
		if (ev->seq != ++seq || ev->time_ns < time_ns)
			return false;
		if (ev->type == RECORD_OUTPUT && ev->offset != offset)
			return false;
		event_next_offset(ev, &offset);
		time_ns = ev->time_ns;
	}
	return true;
}
