#include "log/replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "log/payload.h"
#include "vt/keyframe.h"
#include "vt/slice.h"
#include "vt/story.h"
#include "vt/vt.h"

#define GAPS_MAX 1024 /* engine gaps between keyframe and moment */

/* Output that the engine must skip, because it was skipped in the session. */
struct engine_gap {
	uint64_t from, to;
};

struct player {
	struct log_reader *r;
	enum log_by by;
	uint64_t value;
	bool history;
	struct vt *vt;
	bool lost;     /* the screen is unknown until the next keyframe */
	bool resizing; /* the record before was a resize, to this size: */
	uint16_t cols, rows;
	struct engine_gap *gaps;
	size_t gap_count;
	uint64_t reached;                 /* end of the output read so far */
	const struct replay_watch *watch; /* NULL: no callbacks */
	bool watching;                    /* callbacks are due at this event */
	bool stopped;                     /* fn returned false */
	struct replay at;
};

/* True if the record comes after the wanted moment. */
static bool
is_past(const struct player *p, const struct record *rec)
{
	struct payload_keyframe k;
	struct payload_output output;
	struct payload_gap gap;

	/* A resize and its keyframe belong together. */
	if (p->resizing && rec->type == RECORD_KEYFRAME)
		return false;
	if (p->by == LOG_BY_SEQ)
		return rec->seq > p->value;
	if (p->by == LOG_BY_TIME)
		return rec->time_ns > p->value;
	if (p->reached > p->value)
		return true;
	if (payload_output_of(&output, rec))
		return output.offset >= p->value && output.bytes.len > 0;
	if (payload_gap_of(&gap, rec))
		return gap.offset >= p->value && gap.bytes > 0;
	if (payload_keyframe_of(&k, rec))
		return k.offset > p->value;
	return false;
}

/* ------------------------------------------------------------- engine gaps */

static void
add_gap(struct player *p, const struct record *rec)
{
	struct payload_engine_gap g;

	if (p->gap_count == GAPS_MAX || !payload_engine_gap_of(&g, rec))
		return;
	if (g.to == 0)
		g.to = UINT64_MAX;
	p->gaps = xrealloc(p->gaps, p->gap_count + 1, sizeof(*p->gaps));
	p->gaps[p->gap_count++] = (struct engine_gap){ g.from, g.to };
}

/* A gap without an end ends at the next keyframe of an engine. */
static void
end_gap(struct player *p, const struct record *rec)
{
	struct payload_keyframe k;
	struct engine_gap *g;

	if (p->gap_count == 0)
		return;
	g = &p->gaps[p->gap_count - 1];
	if (g->to == UINT64_MAX && payload_keyframe_of(&k, rec) &&
	    k.offset >= g->from)
		g->to = k.offset;
}

/*
 * Find the gaps ahead.  A gap is logged after the bytes in it, but before the
 * next keyframe, so read ahead to that: bytes that crashed an engine must not
 * crash this one.
 */
static void
find_gaps(struct player *p)
{
	struct record rec;
	enum log_next next;

	log_reader_mark(p->r);
	while ((next = log_reader_next(p->r, &rec)) == LOG_RECORD ||
	    next == LOG_DAMAGED) {
		if (next == LOG_DAMAGED)
			continue;
		if (rec.type == RECORD_ENGINE_GAP)
			add_gap(p, &rec);
		if (rec.type != RECORD_KEYFRAME)
			continue;
		end_gap(p, &rec);
		if (is_past(p, &rec))
			break;
	}
	log_reader_return(p->r);
}

static bool
ends_gap(const struct player *p, uint64_t offset)
{
	for (size_t i = 0; i < p->gap_count; i++)
		if (p->gaps[i].to == offset)
			return true;
	return false;
}

/* The first gap that ends behind the offset, or NULL. */
static const struct engine_gap *
gap_at_or_after(const struct player *p, uint64_t offset)
{
	const struct engine_gap *found = NULL;

	for (size_t i = 0; i < p->gap_count; i++) {
		const struct engine_gap *g = &p->gaps[i];

		if (g->to > offset && g->from < g->to &&
		    (found == NULL || g->from < found->from))
			found = g;
	}
	return found;
}

/* ----------------------------------------------------------------- playing */

static void
lose(struct player *p)
{
	p->lost = true;
	p->resizing = false;
	p->at.complete = false;
}

/* The story to update, or NULL. */
static const struct vt_story *
story_of(const struct player *p)
{
	return p->watch != NULL && !p->lost ? p->watch->story : NULL;
}

static void
on_said(void *arg, const struct vt_event *ev)
{
	struct player *p = arg;
	const struct vt_story *story = story_of(p);

	happenings_note(&p->at.happened, ev);
	if (ev->type == VT_EVENT_MARK && story != NULL)
		story->marked(p->watch->story_arg, p->vt, ev->number);
}

static void
replace(struct player *p, struct vt *vt)
{
	static const struct vt_ops ops = { .event = on_said };

	vt_destroy(p->vt);
	vt_set_ops(vt, &ops, p);
	p->vt = vt;
	p->cols = (uint16_t)vt_cols(vt);
	p->rows = (uint16_t)vt_rows(vt);
}

struct vt *
replay_keyframe(const struct payload_keyframe *k, bool *rebuilt,
    struct error *err)
{
	const struct vt_config config = {
		.cols = k->cols,
		.rows = k->rows,
		.history_lines = VT_HISTORY_LINES,
		.history_bytes = VT_HISTORY_BYTES,
	};
	struct error why = { 0 };
	struct vt *vt = keyframe_restore(k->bytes.p, k->bytes.len, NULL, NULL,
	    &why);

	if (vt == NULL && why.code == EPROTONOSUPPORT && k->offset == 0) {
		*rebuilt = true;
		vt = vt_create(&config, &why);
	}
	if (vt == NULL && err != NULL)
		*err = why;
	return vt;
}

static bool
restore(struct player *p, const struct payload_keyframe *k, struct error *err)
{
	struct vt *vt = replay_keyframe(k, &p->at.rebuilt, err);

	if (vt == NULL)
		return false;
	replace(p, vt);
	p->lost = false;
	return true;
}

/* The engine starts fresh after a gap. */
static void
renew(struct player *p)
{
	struct vt_config config = {
		.cols = p->cols,
		.rows = p->rows,
		.history_lines = VT_HISTORY_LINES,
		.history_bytes = VT_HISTORY_BYTES,
	};
	struct vt *vt;

	if (p->vt != NULL)
		vt_history_limits(p->vt, &config);
	vt = vt_create(&config, NULL);
	if (vt != NULL)
		replace(p, vt);
	else
		lose(p);
}

static void
tell(struct player *p, bool frame)
{
	p->at.vt = p->vt;
	if (p->watch->fn != NULL &&
	    !p->watch->fn(p->watch->arg, &p->at, frame) && frame)
		p->stopped = true;
}

static void
feed(struct player *p, const uint8_t *bytes, size_t len)
{
	if (!p->watching || !p->watch->slices) {
		vt_feed(p->vt, bytes, len);
		return;
	}
	while (len > 0) {
		size_t n = slice_len(p->vt, bytes, len);

		vt_feed(p->vt, bytes, n);
		tell(p, false);
		bytes += n;
		len -= n;
	}
}

/* Show bytes, except those in gaps. */
static void
show(struct player *p, uint64_t offset, const uint8_t *bytes, size_t len)
{
	while (len > 0) {
		const struct engine_gap *g = gap_at_or_after(p, offset);
		bool inside = g != NULL && g->from <= offset;
		uint64_t to = g == NULL ? UINT64_MAX : inside ? g->to : g->from;
		size_t n = to - offset < len ? (size_t)(to - offset) : len;

		if (!inside && !p->lost)
			feed(p, bytes, n);
		if (inside)
			p->at.complete = false;
		offset += n;
		bytes += n;
		len -= n;
		if (inside && offset == g->to)
			renew(p);
	}
	p->at.offset = offset;
}

static void
play_output(struct player *p, const struct record *rec)
{
	struct payload_output out;

	if (!payload_output_of(&out, rec))
		return;
	if (p->by == LOG_BY_OFFSET && out.bytes.len > p->value - out.offset)
		out.bytes.len = (size_t)(p->value - out.offset);
	if (out.offset != p->at.offset)
		lose(p);
	show(p, out.offset, out.bytes.p, out.bytes.len);
}

/*
 * With history, resize our own screen and keep its lines, if that gives the
 * logged screen.
 */
static bool
reflow(struct player *p, const struct payload_keyframe *k)
{
	struct buf screen;
	bool same;

	if (vt_resize(p->vt, p->cols, p->rows, NULL) < 0)
		return false;
	buf_init(&screen, LOG_EVENT_MAX);
	same = keyframe_save_screen(p->vt, &screen) == 0 &&
	    screen.len == k->bytes.len &&
	    memcmp(screen.data, k->bytes.p, screen.len) == 0;
	buf_finish(&screen);
	return same;
}

/*
 * After a resize, use the logged screen, or ours if that is too new to read.
 */
static void
play_resized(struct player *p, const struct payload_keyframe *k)
{
	struct error why = { 0 };

	if (restore(p, k, &why))
		return;
	if (why.code == EPROTONOSUPPORT && p->vt != NULL &&
	    vt_resize(p->vt, p->cols, p->rows, NULL) == 0)
		p->at.rebuilt = true;
	else
		lose(p);
}

static void
play_keyframe(struct player *p, const struct record *rec)
{
	struct payload_keyframe k;

	if (!payload_keyframe_of(&k, rec))
		return;
	if (p->lost || ends_gap(p, k.offset)) {
		if (restore(p, &k, NULL) && !p->history)
			p->at.complete = true;
		p->at.offset = k.offset;
	} else if (p->resizing && !(p->history && reflow(p, &k))) {
		play_resized(p, &k);
	}
}

/* True if the last bytes played have shown a frame; a resize shows one too. */
static bool
is_frame(const struct player *p, const struct record *rec)
{
	if (p->lost)
		return false;
	if (rec->type == RECORD_OUTPUT)
		return rec->flags & RECORD_FRAME;
	return rec->type == RECORD_KEYFRAME && p->resizing;
}

static void
play_input(struct player *p, const struct record *rec)
{
	const struct vt_story *story = story_of(p);
	struct payload_input in;

	if (story != NULL && payload_input_of(&in, rec) &&
	    payload_input_is_typed(&in))
		story->typed(p->watch->story_arg, p->vt, p->at.seq,
		    (int64_t)(rec->time_ns / 1000000), in.bytes.p,
		    in.bytes.len);
}

static bool
take_size(struct player *p, const struct record *rec)
{
	struct payload_resize size;

	if (!payload_resize_of(&size, rec))
		return false;
	p->cols = size.cols;
	p->rows = size.rows;
	return true;
}

static void
play(struct player *p, const struct record *rec)
{
	bool resizes = false, frame;

	p->watching = p->watch != NULL && rec->seq > p->watch->after;
	switch (rec->type) {
	case RECORD_OUTPUT:
		play_output(p, rec);
		break;
	case RECORD_KEYFRAME:
		play_keyframe(p, rec);
		break;
	case RECORD_INPUT:
		play_input(p, rec);
		break;
	case RECORD_RESTART:
	case RECORD_EXIT:
		vt_end_program(p->vt);
		break;
	case RECORD_RESIZE:
		resizes = take_size(p, rec);
		break;
	case RECORD_GAP:
		lose(p);
		payload_next_offset(rec, &p->at.offset);
		break;
	default:
		break;
	}
	frame = is_frame(p, rec);
	payload_next_offset(rec, &p->reached);
	p->resizing = resizes;
	p->at.seq = rec->seq;
	p->at.time_ns = rec->time_ns;
	if (!p->lost) {
		p->at.shown_seq = rec->seq;
		p->at.shown_offset = p->at.offset;
	}
	happenings_number(&p->at.happened, rec->seq);
	if (frame && story_of(p) != NULL)
		story_of(p)->frame(p->watch->story_arg, p->vt, rec->seq,
		    (int64_t)(rec->time_ns / 1000000));
	if (p->watching && frame)
		tell(p, true);
}

static void
play_on(struct player *p)
{
	struct record rec;
	enum log_next next;

	while (!p->stopped &&
	    ((next = log_reader_next(p->r, &rec)) == LOG_RECORD ||
		next == LOG_DAMAGED)) {
		struct log_damage d;

		log_reader_damage(p->r, &d);
		if (next == LOG_RECORD && is_past(p, &rec))
			break;
		if (next == LOG_RECORD)
			play(p, &rec);
		else if (!d.end)
			lose(p);
	}
}

/* Begin with the next keyframe in the log. */
static bool
begin(struct player *p, struct error *err)
{
	struct payload_keyframe k;
	struct record rec;

	p->at.seq = 1; /* no earlier keyframe to try */
	if (log_reader_next(p->r, &rec) != LOG_RECORD ||
	    rec.type != RECORD_KEYFRAME)
		return false;
	p->at = (struct replay){
		.seq = rec.seq,
		.time_ns = rec.time_ns,
		.complete = true,
	};
	happenings_init(&p->at.happened);
	if (!payload_keyframe_of(&k, &rec) || !restore(p, &k, err))
		return false;
	p->at.offset = k.offset;
	p->at.begin_seq = rec.seq;
	p->at.begin_offset = k.offset;
	p->at.shown_seq = rec.seq;
	p->at.shown_offset = k.offset;
	return true;
}

/*
 * Find a keyframe to begin with: the last one, or an earlier one if it cannot
 * be restored, from which more is played.
 */
static int
find_begin(struct player *p, struct error *err)
{
	enum log_by by = p->by;
	uint64_t value = p->value;
	bool full = p->history;
	struct error why = { 0 };
	bool any = false, newer = false;

	for (;;) {
		int rc = log_reader_seek_keyframe(p->r, by, value, full);

		if (rc == 0 && begin(p, &why)) {
			p->at.rebuilt |= newer;
			return 0;
		}
		if (rc == 0) {
			any = true;
			newer |= why.code == EPROTONOSUPPORT;
			by = LOG_BY_SEQ;
			value = p->at.seq - 1;
		} else if (rc == -ENOENT && full) {
			full = false;
			by = p->by;
			value = p->value;
		} else if (rc == -ENOENT && any) {
			return error_set(err, EIO,
			    "no keyframe can be restored: %s", why.msg);
		} else {
			return error_set(err, -rc,
			    "the log has no screen for this moment");
		}
	}
}

static void
play_to_value(struct player *p, struct replay *out)
{
	find_gaps(p);
	if (story_of(p) != NULL)
		story_of(p)->begun(p->watch->story_arg, p->vt);
	play_on(p);
	free(p->gaps);
	vt_set_ops(p->vt, NULL, NULL);
	*out = p->at;
	out->vt = p->vt;
}

int
replay_at(struct log_reader *r, enum log_by by, uint64_t value, bool history,
    struct replay *out, struct error *err)
{
	struct player p = { .r = r,
		.by = by,
		.value = value,
		.history = history };
	int rc = find_begin(&p, err);

	if (rc < 0)
		return rc;
	play_to_value(&p, out);
	return 0;
}

/* Begin with the first keyframe that exists. */
static bool
begin_first(struct player *p)
{
	struct record rec;
	enum log_next next;

	if (log_reader_seek(p->r, LOG_BY_SEQ, 0) < 0)
		return false;
	do {
		log_reader_mark(p->r);
		next = log_reader_next(p->r, &rec);
	} while (next == LOG_DAMAGED ||
	    (next == LOG_RECORD && rec.type != RECORD_KEYFRAME));
	log_reader_return(p->r);
	return next == LOG_RECORD && begin(p, NULL);
}

int
replay_watched(struct log_reader *r, uint64_t until,
    const struct replay_watch *watch, struct replay *out, struct error *err)
{
	struct player p = { .r = r,
		.by = LOG_BY_SEQ,
		.value = watch->after,
		.watch = watch };
	int rc = find_begin(&p, err);

	if (rc < 0 && !begin_first(&p))
		return rc;
	p.value = until;
	play_to_value(&p, out);
	return 0;
}

int
replay_end_watched(struct log_reader *r, bool history,
    const struct replay_watch *watch, struct replay *out, struct error *err)
{
	struct log_extent x;
	/* The callbacks may be slower than the writer, so fix the end now. */
	uint64_t end = log_reader_extent(r, &x) == 0 ? x.last_seq : UINT64_MAX;
	struct player p = { .r = r,
		.by = LOG_BY_SEQ,
		.value = end,
		.history = history,
		.watch = watch };
	int rc = find_begin(&p, err);

	if (rc < 0)
		return rc;
	play_to_value(&p, out);
	return 0;
}

int
replay_end(struct log_reader *r, bool history, struct replay *out,
    struct error *err)
{
	return replay_at(r, LOG_BY_SEQ, UINT64_MAX, history, out, err);
}
