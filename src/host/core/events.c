#include "host/core/events.h"

#include <string.h>
#include <sys/wait.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json_out.h"
#include "host/core/session.h"
#include "host/store/event_log.h"
#include "host/system/oom.h"
#include "log/record.h"
#include "vt/keyframe.h"
#include "vt/vt.h"

#define EVENT_MAX (64u << 10)    /* of every event but a keyframe */
#define RUN_MAX (512u << 10)     /* a command with every byte escaped */
#define KEYFRAME_MAX (64u << 20) /* more than any screen needs */

/* Queue the contents of the buffer, and free it. */
static uint64_t
queue(struct session *session, uint8_t type, struct buf *b)
{
	uint64_t seq = 0;

	if (!b->full)
		seq = event_log_add(session->event_log, type, 0, b->data,
		    b->len);
	buf_finish(b);
	return seq;
}

/* The maxima of types that may be larger than EVENT_MAX. */
static const uint32_t most[] = {
	[RECORD_START] = MANIFEST_MAX,
	[RECORD_RUN] = RUN_MAX,
};

static uint32_t
most_of(uint8_t type)
{
	bool own = type < sizeof(most) / sizeof(*most) && most[type] > 0;

	return own ? most[type] : EVENT_MAX;
}

#define ADDS(id, ID) \
	uint64_t event_add_##id(struct session *session, \
	    const struct payload_##id *event) \
	{ \
		struct buf b; \
		buf_init(&b, most_of(RECORD_##ID)); \
		payload_##id##_encode(event, &b); \
		return queue(session, RECORD_##ID, &b); \
	}
#define RECORD(number, name, id, ID, flags, summary) ADDS(id, ID)
#define JSON_RECORD(number, name, id, ID, summary) ADDS(id, ID)
#include "log/records.def"

uint64_t
event_start(struct session *session)
{
	const struct manifest *m = &session->manifest;

	return event_add_start(session,
	    &(struct payload_start){
		.id = m->id,
		.name = m->name,
		.command = m->command,
		.cwd = m->cwd == NULL ? "" : m->cwd,
		.cols = m->cols,
		.rows = m->rows,
		.time_ms = (uint64_t)m->created_ms,
		.boot_id = m->boot_id,
	    });
}

uint64_t
event_clock(struct session *session, enum clock_why why)
{
	return event_add_clock(session,
	    &(struct payload_clock){ (uint64_t)clock_ns(CLOCK_REALTIME),
		(uint8_t)why });
}

uint64_t
event_resize(struct session *session, unsigned cols, unsigned rows,
    const char *by)
{
	return event_add_resize(session,
	    &(struct payload_resize){ (uint16_t)cols, (uint16_t)rows,
		payload_text(by) });
}

uint64_t
event_signal(struct session *session, int signo, const char *by,
    const char *what)
{
	return event_add_signal(session,
	    &(struct payload_signal){ (uint32_t)signo, payload_text(by),
		payload_text(what) });
}

uint64_t
event_mark(struct session *session, const char *name, const char *by)
{
	return event_add_mark(session,
	    &(struct payload_mark){ payload_text(by), payload_text(name) });
}

uint64_t
event_gap(struct session *session, uint64_t offset, uint64_t bytes,
    enum gap_why why)
{
	return event_add_gap(session,
	    &(struct payload_gap){ offset, bytes, (uint8_t)why });
}

uint64_t
event_engine_gap(struct session *session, uint64_t from, uint64_t to)
{
	return event_add_engine_gap(session,
	    &(struct payload_engine_gap){ from, to });
}

uint64_t
event_trimmed(struct session *session, uint64_t seq, uint64_t offset)
{
	return event_add_trimmed(session,
	    &(struct payload_trimmed){ seq, offset });
}

uint64_t
event_recovered(struct session *session, uint64_t bytes)
{
	return event_add_recovered(session,
	    &(struct payload_recovered){ bytes });
}

uint64_t
event_exit(struct session *session, int status, uint64_t offset,
    unsigned outcome)
{
	return event_add_exit(session,
	    &(struct payload_exit){ (uint32_t)status, offset,
		(uint8_t)outcome });
}

uint64_t
event_meta(struct session *session, const char *what, const char *key,
    const char *value, const char *by)
{
	return event_add_meta(session,
	    &(struct payload_meta){ what, key, value, by });
}

uint64_t
event_trouble(struct session *session, const char *what, const char *text)
{
	return event_add_trouble(session,
	    &(struct payload_trouble){ .what = what, .text = text });
}

uint64_t
event_lease_stolen(struct session *session, const char *from, const char *by)
{
	return event_add_trouble(session,
	    &(struct payload_trouble){
		.trouble = "lease-stolen",
		.from = from,
		.by = by,
	    });
}

uint64_t
event_oom(struct session *session, const struct oom_kill *k)
{
	return event_add_oom(session,
	    &(struct payload_oom){
		.process = k->name,
		.pid = (uint64_t)k->pid,
		.rss = k->rss,
		.limit = session->manifest.memory_max,
		.count = k->count,
	    });
}

uint64_t
event_restart(struct session *session, int status, int64_t delay_ms)
{
	return event_add_restart(session,
	    &(struct payload_restart){
		.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
		.exit_signal = WIFSIGNALED(status) ?
		    (uint64_t)WTERMSIG(status) :
		    0,
		.delay_ms = (uint64_t)delay_ms,
		.count = session->manifest.restarts,
	    });
}

uint64_t
event_program_status(struct session *session)
{
	const struct said *s = &session->manifest.said;

	return event_add_program_status(session,
	    &(struct payload_program_status){
		.state = json_filled(s->state),
		.kind = json_filled(s->kind),
		.app = json_filled(s->app),
		.text = s->text,
	    });
}

uint64_t
event_activity(struct session *session)
{
	const struct manifest_agent *a = &session->manifest.agent;

	return event_add_activity(session,
	    &(struct payload_activity){
		.agent = json_filled(a->name),
		.version = json_filled(a->version),
		.activity = activity_name(a->activity),
		.source = json_filled(a->source),
		.confidence = json_filled(a->confidence),
		.why = json_filled(a->why),
	    });
}

/* The log has the typed text only if the session logs input. */
uint64_t
event_run(struct session *session, const char *command, const char *by,
    const char *key, const char *capture)
{
	bool logged = session->manifest.log_input == LOG_INPUT_ALL;

	return event_add_run(session,
	    &(struct payload_run){
		.command = logged ? command : NULL,
		.capture = capture,
		.by = by,
		.key = json_filled(key),
	    });
}

uint64_t
event_run_end(struct session *session, uint64_t run, const char *outcome,
    const char *capture, int code, uint64_t from, uint64_t to)
{
	return event_add_run_end(session,
	    &(struct payload_run_end){
		.run = run > 0 ? (int64_t)run : -1,
		.outcome = outcome,
		.capture = capture,
		.exit_code = code,
		.from = from,
		.to = to,
	    });
}

/* Everything but the screen, which the engine saves after it. */
static void
begin_keyframe(struct buf *b, uint64_t offset, unsigned cols, unsigned rows,
    uint32_t engine)
{
	struct payload_keyframe k = {
		.offset = offset,
		.cols = (uint16_t)cols,
		.rows = (uint16_t)rows,
		.engine = engine,
	};

	payload_keyframe_encode(&k, b);
}

/* The payload of a keyframe; false if there is no screen. */
static bool
make_keyframe(struct session *session, bool full, struct buf *b)
{
	buf_init(b, KEYFRAME_MAX);
	if (session->display.vt == NULL)
		return false;
	begin_keyframe(b, session->display.shown, vt_cols(session->display.vt),
	    vt_rows(session->display.vt), VT_ENGINE_VERSION);
	if (full)
		keyframe_save(session->display.vt, b);
	else
		keyframe_save_screen(session->display.vt, b);
	if (!b->full)
		return true;
	buf_finish(b);
	return false;
}

uint64_t
event_keyframe(struct session *session, bool full)
{
	struct buf b;
	size_t len;

	if (!make_keyframe(session, full, &b))
		return 0;
	len = b.len;
	return event_log_take(session->event_log, RECORD_KEYFRAME,
	    full ? RECORD_FULL : 0, buf_take(&b), len);
}

/*
 * Without an engine, an empty keyframe still marks the beginning of the
 * segment.
 */
void
event_rotate(struct session *session)
{
	struct payload_clock now = {
		.wall_ns = (uint64_t)clock_ns(CLOCK_REALTIME),
		.why = CLOCK_SEGMENT,
	};
	struct buf b, clock;
	size_t len;

	buf_init(&clock, EVENT_MAX);
	payload_clock_encode(&now, &clock);
	if (!make_keyframe(session, true, &b))
		begin_keyframe(&b, session->display.shown,
		    session->manifest.cols, session->manifest.rows, 0);
	len = b.len;
	event_log_rotate(session->event_log, buf_take(&b), len, clock.data,
	    clock.len);
	buf_finish(&clock);
}
