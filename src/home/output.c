#include "home/output.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "home/damage.h"
#include "home/fault.h"
#include "home/handle.h"
#include "home/log_sink.h"
#include "home/log_tail.h"
#include "home/report.h"
#include "home/when.h"
#include "log/payload.h"
#include "log/reader.h"

#define FLUSH_AT (256u << 10)
#define LOOK_AGAIN_MS 1000 /* if the kernel reports no changes of the log */
#define CANCEL_EVERY 1024  /* records between checks of cancel_fd */

/* The state of reading a log. */
struct walk {
	struct handle *handle;
	const struct output_to *to_reader;
	struct report *report;
	struct fault *fault;
	struct log_reader *reader;
	struct log_sink *sink;
	bool follow, has_from, has_to;
	struct log_place from, to;
	uint64_t now_ns; /* now, on the log's clock, or 0 */
	uint64_t offset; /* of the next byte of output */
	struct log_damage told[LOG_DAMAGES_MAX];
	size_t n_told;
	struct output_end end;
	bool reached; /* --to has been reached */
	bool ended;   /* the exit was read */
	bool cancelled;
	bool done;
	unsigned records;      /* number read so far */
	int status;            /* the value with which flush stopped it */
	struct log_tail *tail; /* NULL: write everything directly */
};

/* Every format reports missing parts. */

static void
tell_gap(const struct walk *w, const struct record *rec)
{
	struct payload_gap gap;

	if (!payload_gap_of(&gap, rec))
		return;
	report_note(w->report,
	    "%" PRIu64 " bytes of output are missing at offset %" PRIu64 ": %s",
	    gap.bytes, gap.offset,
	    gap.why == GAP_DISK ? "the disk was full or too slow" :
				  "they were lost with the host");
}

/* True if this damage was reported before. */
static bool
was_told(const struct walk *w, const struct log_damage *d)
{
	for (size_t i = 0; i < w->n_told; i++)
		if (w->told[i].seq_from == d->seq_from &&
		    w->told[i].seq_to == d->seq_to &&
		    w->told[i].offset_from == d->offset_from)
			return true;
	return false;
}

static void
tell_lost(struct walk *w, const struct log_damage *d)
{
	const struct manifest *m = &w->handle->session;

	if (was_told(w, d) || handle_is_gone(w->handle))
		return;
	if (w->n_told < LOG_DAMAGES_MAX)
		w->told[w->n_told++] = *d;
	if (damage_counts(m, d))
		damage_report(w->report, m, d);
	else
		report_note(w->report,
		    "the log ends torn, after event %" PRIu64
		    ", offset %" PRIu64 "; the next host removes that part",
		    d->seq_from, d->offset_from);
}

static void
tell_damage(struct walk *w)
{
	struct log_damage d;

	log_reader_damage(w->reader, &d);
	if (d.trimmed)
		report_note(w->report,
		    "the log begins with event %" PRIu64 ", offset %" PRIu64
		    "; --max-log or a person removed the earlier part",
		    d.seq_to, d.offset_to);
	else
		tell_lost(w, &d);
	if (w->sink->ops->damage != NULL)
		w->sink->ops->damage(w->sink, &d);
}

/* Report damage outside --from and --to that was found while seeking. */
static void
tell_rest(struct walk *w)
{
	size_t n;
	const struct log_damage *d = log_reader_damages(w->reader, &n);

	for (size_t i = 0; i < n; i++) {
		if (was_told(w, &d[i]))
			continue;
		tell_lost(w, &d[i]);
		if (w->sink->ops->damage != NULL)
			w->sink->ops->damage(w->sink, &d[i]);
	}
}

/* where() compares a record to a place: negative is before, positive after. */
static int
compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int
where(const struct walk *w, const struct record *rec,
    const struct log_place *place)
{
	switch (place->by) {
	case LOG_BY_SEQ:
		return compare(rec->seq, place->value);
	case LOG_BY_TIME:
		return compare(rec->time_ns, place->value);
	case LOG_BY_OFFSET:
		break;
	}
	return compare(w->offset, place->value);
}

static void
read_up_to(struct walk *w, uint64_t seq, uint64_t offset)
{
	w->end = (struct output_end){ true, seq, offset };
}

/* A range of offsets may begin and end inside a record. */
static void
on_output(struct walk *w, const struct record *rec)
{
	struct payload_output out;
	uint64_t offset;
	size_t len, before = 0;
	bool wanted = true, is_cut = false;

	if (!payload_output_of(&out, rec))
		return;
	offset = out.offset;
	len = out.bytes.len;
	w->offset = offset + len;
	if (w->has_to && w->to.by == LOG_BY_OFFSET && w->offset > w->to.value) {
		w->reached = w->done = true;
		if (offset >= w->to.value)
			return;
		len = (size_t)(w->to.value - offset);
		is_cut = true;
	}
	if (w->has_from && w->from.by != LOG_BY_OFFSET)
		wanted = where(w, rec, &w->from) >= 0;
	else if (w->has_from && offset < w->from.value)
		before = w->from.value - offset < len ?
		    (size_t)(w->from.value - offset) :
		    len;
	if (before > 0)
		w->sink->ops->output(w->sink, rec, offset, out.bytes.p, before,
		    false);
	if (len > before)
		w->sink->ops->output(w->sink, rec, offset + before,
		    out.bytes.p + before, len - before, wanted);
	if (len > before && wanted)
		read_up_to(w, rec->seq - is_cut, offset + len);
}

static void
on_record(struct walk *w, const struct record *rec)
{
	bool wanted = !w->has_from || where(w, rec, &w->from) >= 0;

	if (w->has_to && where(w, rec, &w->to) > 0) {
		w->reached = w->done = true;
		return;
	}
	w->ended |= rec->type == RECORD_EXIT;
	if (rec->type == RECORD_OUTPUT) {
		on_output(w, rec);
		return;
	}
	payload_next_offset(rec, &w->offset);
	if (rec->type == RECORD_GAP && wanted)
		tell_gap(w, rec);
	if (wanted)
		read_up_to(w, rec->seq, w->offset);
	if (w->sink->ops->event != NULL)
		w->sink->ops->event(w->sink, rec, wanted);
}

static void
flush(struct walk *w)
{
	if (w->tail != NULL && log_tail_holds(w->tail, w->to_reader->buf))
		return;
	if (w->status == 0)
		w->status = w->to_reader->flush(w->to_reader->arg);
	if (w->status != 0)
		w->done = true;
}

/* Wait until the log may have grown or the reader stops. */
static void
wait_for_more(struct walk *w)
{
	int fd = log_reader_watch(w->reader);

	if (!w->to_reader->wait(w->to_reader->arg, fd < 0 ? -1 : fd,
		LOOK_AGAIN_MS))
		w->done = true;
}

/* At the log's end: the last lines are known, or there were too few. */
static void
end_tail(struct walk *w)
{
	if (w->tail != NULL && !log_tail_end(w->tail, w->to_reader->buf))
		w->done = true;
}

static void
on_pause(struct walk *w)
{
	if (w->sink->ops->pause != NULL)
		w->sink->ops->pause(w->sink);
	if (w->follow)
		end_tail(w);
	flush(w);
	if (!w->follow)
		w->done = true;
	if (!w->done)
		wait_for_more(w);
}

/* After a host died, the log pauses until a new host continues it. */
static void
on_log_end(struct walk *w)
{
	struct handle *t = w->handle;

	if (w->follow && handle_refresh(t, NULL) == 0 &&
	    status_is_active(t->session.status))
		on_pause(w);
	else
		w->done = true;
}

static bool
is_cancelled(const struct walk *w)
{
	struct pollfd p = { .fd = w->handle->cancel_fd, .events = POLLIN };

	return p.fd > 0 && w->records % CANCEL_EVERY == 0 && poll(&p, 1, 0) > 0;
}

static void
step(struct walk *w)
{
	struct record rec;

	if (is_cancelled(w)) {
		w->cancelled = w->done = true;
		return;
	}
	w->records++;
	switch (log_reader_next(w->reader, &rec)) {
	case LOG_RECORD:
		on_record(w, &rec);
		if (w->to_reader->buf->len >= FLUSH_AT)
			flush(w);
		break;
	case LOG_WAIT:
		on_pause(w);
		break;
	case LOG_END:
		on_log_end(w);
		break;
	case LOG_DAMAGED:
		tell_damage(w);
		break;
	}
}

static int
go(struct walk *w)
{
	while (!w->done)
		step(w);
	if (w->cancelled)
		return fault_set(w->fault, FAIL_CANCELLED, "cancelled");
	if (w->status == 0)
		tell_rest(w);
	if (w->status == 0 && w->sink->ops->end != NULL)
		w->sink->ops->end(w->sink);
	end_tail(w);
	flush(w);
	if (w->tail != NULL && log_tail_again(w->tail))
		return w->status;
	if (w->status == 0 && w->report->damage.len > 0)
		return fault_set(w->fault, FAIL_REPLAY,
		    "part of session %s is damaged; tend has shown the rest",
		    handle_name(w->handle));
	if (w->status == 0 && !w->reached && !w->ended &&
	    handle_is_gone(w->handle))
		return fault_set(w->fault, FAIL_REPLAY,
		    "session %s was removed while tend read its log; the "
		    "output is incomplete",
		    handle_name(w->handle));
	return w->status;
}

static int
find_place(struct walk *w, const char *text, struct log_place *out,
    struct error *err)
{
	struct when when;
	int result = when_parse(text, &when, err);

	if (result == 0)
		result = when_resolve(&when, w->reader, w->now_ns, out, err);
	return result;
}

/* Warn that the range begins in the future; --follow waits for it. */
static void
tell_to_come(const struct walk *w, const char *text)
{
	char words[WHEN_WORDS_MAX];
	struct when when;

	if (!w->follow && when_parse(text, &when, NULL) == 0 &&
	    when_is_to_come(&when, &w->from, w->reader, w->now_ns, words,
		sizeof(words)))
		report_note(w->report, "%s", words);
}

/* Seek to --from, or to the keyframe before it. */
static void
seek(struct walk *w)
{
	uint64_t value = w->has_from ? w->from.value : 0;
	enum log_by by = w->has_from ? w->from.by : LOG_BY_SEQ;

	if (w->has_from && w->sink->ops->needs_screen &&
	    log_reader_seek_keyframe(w->reader, by, value, false) == 0)
		return;
	if (w->sink->ops->needs_screen)
		log_reader_seek(w->reader, LOG_BY_SEQ, 0);
	else
		log_reader_seek(w->reader, by, value);
}

/* Search for the last lines from this far before the end. */
static void
seek_tail(struct walk *w)
{
	struct log_extent all;

	if (log_reader_extent(w->reader, &all) < 0)
		return;
	w->from = (struct log_place){ LOG_BY_OFFSET,
		log_tail_begin(w->tail, all.first_offset, all.end_offset) };
	w->has_from = w->from.value > all.first_offset;
}

/* A moment that is not found may be in the missing part of a log. */
static int
fail(struct walk *w, const struct error *err)
{
	const struct handle *t = w->handle;

	damage_explain(w->report, &t->session, w->reader);
	return handle_no_moment(t, "session", w->report, err, w->fault);
}

static int
walk(struct walk *w, const struct output *q)
{
	struct error err;

	w->now_ns = handle_log_now(w->handle);
	w->has_from = q->from != NULL;
	w->has_to = q->to != NULL;
	if ((w->has_from && find_place(w, q->from, &w->from, &err) < 0) ||
	    (w->has_to && find_place(w, q->to, &w->to, &err) < 0))
		return fail(w, &err);
	if (w->has_from)
		tell_to_come(w, q->from);
	if (w->tail != NULL)
		seek_tail(w);
	seek(w);
	return go(w);
}

static int
check_when(const char *name, const char *text, struct fault *f)
{
	struct error err;
	struct when when;

	if (text == NULL || when_parse(text, &when, &err) == 0)
		return 0;
	return fault_argument(f, name, ": %s", err.msg);
}

/* Check that the request is well formed. */
static int
check(const struct output *q, struct fault *f)
{
	struct log_tail tail;
	struct error err;

	if (check_when("from", q->from, f) < 0 ||
	    check_when("to", q->to, f) < 0)
		return -1;
	if (q->lines != NULL && log_tail_init(&tail, q->lines, &err) < 0)
		return fault_argument(f, "lines", ": %s", err.msg);
	return 0;
}

static struct log_sink *
create_sink(struct buf *out, const struct output *q)
{
	switch (q->form) {
	case OUTPUT_RAW:
		return log_raw_create(out);
	case OUTPUT_EVENTS:
		return log_events_create(out, q->no_output);
	case OUTPUT_TEXT:
		break;
	}
	return log_text_create(out, q->follow);
}

static int
show(struct walk *w, const struct output *q)
{
	int rc;

	w->sink = create_sink(w->to_reader->buf, q);
	rc = walk(w, q);
	w->sink->ops->destroy(w->sink);
	return rc;
}

/* Retry from further back until there are enough lines. */
static int
show_tail(struct walk *w, const struct output *q)
{
	struct log_tail tail;
	int rc;

	(void)log_tail_init(&tail, q->lines, NULL);
	w->tail = &tail;
	do {
		w->done = w->reached = w->ended = false;
		buf_clear(w->to_reader->buf);
		rc = show(w, q);
	} while (rc == 0 && log_tail_again(&tail));
	return rc;
}

int
output_run(struct handle *h, const struct output *q, const struct output_to *to,
    struct report *r, struct fault *f)
{
	struct walk w = { .handle = h,
		.to_reader = to,
		.report = r,
		.fault = f,
		.follow = q->follow };
	int rc;

	if (check(q, f) < 0 || handle_open_log(h, &w.reader, f) < 0)
		return -1;
	rc = q->lines != NULL ? show_tail(&w, q) : show(&w, q);
	log_reader_close(w.reader);
	if (to->end != NULL)
		*to->end = w.end;
	return rc;
}
