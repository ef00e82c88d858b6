#include "home/past_screen.h"

#include <errno.h>
#include <inttypes.h>

#include "base/error.h"
#include "home/damage.h"
#include "home/fault.h"
#include "home/handle.h"
#include "home/report.h"
#include "home/when.h"
#include "log/reader.h"
#include "op/differ.h"
#include "op/snapshot.h"
#include "vt/vt.h"

#define FIRST_SCREEN 2 /* the event of the keyframe after `start` */

/* The state of taking a screen. */
struct taking {
	struct handle *handle;
	struct log_reader *log;
	struct report *report;
	bool history;
};

/*
 * There was no screen before the start: show the first one and report that.
 * Returns -ENOENT if the beginning of the log was removed.
 */
static int
replay_start(const struct taking *t, struct replay *out, struct error *err)
{
	struct log_extent extent;
	int rc;

	if (log_reader_extent(t->log, &extent) < 0 || extent.first_seq != 1)
		return -ENOENT;
	rc = replay_at(t->log, LOG_BY_SEQ, FIRST_SCREEN, t->history, out, err);
	if (rc == 0)
		report_note(t->report,
		    "session %s started after this moment; this is its first "
		    "screen",
		    handle_name(t->handle));
	return rc;
}

/* For a future moment, the last screen is shown. */
static void
report_to_come(const struct taking *t, const struct when *when,
    const struct log_place *place)
{
	char words[WHEN_WORDS_MAX];

	if (when_is_to_come(when, place, t->log, handle_log_now(t->handle),
		words, sizeof(words)))
		report_note(t->report, "%s", words);
}

static int
replay_when(const struct taking *t, const char *at, struct replay *out,
    struct error *err)
{
	struct log_place place;
	struct when when;
	int rc;

	if (at == NULL)
		return replay_end(t->log, t->history, out, err);
	rc = when_parse(at, &when, err);
	if (rc == 0)
		rc = when_resolve(&when, t->log, handle_log_now(t->handle),
		    &place, err);
	if (rc < 0)
		return rc;
	report_to_come(t, &when, &place);
	rc = replay_at(t->log, place.by, place.value, t->history, out, err);
	return rc == -ENOENT ? replay_start(t, out, err) : rc;
}

static void
report_doubts(const struct past_screen *s, struct report *r)
{
	if (!s->now.complete)
		report_note(r,
		    "part of the log before this moment is missing; the "
		    "screen may be wrong");
	if (s->now.rebuilt)
		report_note(r,
		    "the log has screens of a newer tend; this screen was "
		    "rebuilt from the output and may differ in details");
	if (r->damage.len > 0)
		report_note(r,
		    "this is the screen at event %" PRIu64 ", offset %" PRIu64
		    ", the last that can be trusted",
		    s->now.shown_seq, s->now.shown_offset);
}

int
past_screen_take(struct past_screen *s, struct handle *h,
    const struct snapshot *want, const char *at, struct report *r,
    struct fault *f)
{
	struct taking t = { h, NULL, r,
		want->scrollback || want->last_command };
	struct error err = { 0 };
	int rc;

	*s = (struct past_screen){ 0 };
	if (handle_open_log(h, &t.log, f) < 0)
		return -1;
	rc = replay_when(&t, at, &s->now, &err);
	if (rc == 0 && want->has_since)
		replay_at(t.log, LOG_BY_SEQ, want->since, false, &s->then,
		    NULL);
	if (rc == 0 && handle_is_gone(h))
		rc = error_set(&err, ENOENT,
		    "it was removed while tend read its log");
	else if (rc == 0)
		damage_report_all(r, &h->session, t.log);
	else
		damage_explain(r, &h->session, t.log);
	log_reader_close(t.log);
	if (rc < 0)
		return handle_no_moment(h, "cannot show session", r, &err, f);
	report_doubts(s, r);
	return 0;
}

void
past_screen_finish(struct past_screen *s)
{
	vt_destroy(s->now.vt);
	vt_destroy(s->then.vt);
}

/* If there is no screen to compare with, every row is new. */
static bool
is_new(const void *arg, unsigned y)
{
	const struct past_screen *s = arg;

	return s->then.vt == NULL || differ_row(s->then.vt, s->now.vt, y);
}

static struct snapshot_of
moment(const struct past_screen *s)
{
	return (struct snapshot_of){ .vt = s->now.vt,
		.seq = s->now.shown_seq,
		.offset = s->now.shown_offset,
		.is_new = is_new,
		.arg = s };
}

static int
end(int rc, const struct error *err, struct fault *f)
{
	if (rc == 0)
		return 0;
	return fault_set(f, rc == -ENOENT ? FAIL_NOT_FOUND : FAIL_USAGE, "%s",
	    err->msg);
}

int
past_screen_put(const struct past_screen *s, const struct snapshot *want,
    struct json_out *j, struct fault *f)
{
	const struct snapshot_of of = moment(s);
	struct error err = { 0 };

	return end(snapshot_put(want, &of, j, &err), &err, f);
}

int
past_screen_data(const struct past_screen *s, const struct snapshot *want,
    struct buf *out, bool *truncated, struct fault *f)
{
	const struct snapshot_of of = moment(s);
	struct error err = { 0 };

	return end(snapshot_data(want, &of, out, truncated, &err), &err, f);
}
