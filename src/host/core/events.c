#include "host/core/events.h"

#include <string.h>
#include <sys/wait.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json_out.h"
#include "host/core/session.h"
#include "host/system/oom.h"
#include "host/store/event_log.h"
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

static void
json_command(struct json_out *j, char *const *command)
{
	json_put_open(j, "command", '[');
	for (; command != NULL && *command != NULL; command++)
		json_out_text(j, *command);
	json_out_close(j, ']');
}

uint64_t
event_start(struct session *session)
{
	const struct manifest *m = &session->manifest;
	struct json_out j;
	struct buf b;

	buf_init(&b, MANIFEST_MAX);
	json_out_init(&j, &b);
	json_out_open(&j, '{');
	json_put_text(&j, "id", m->id);
	json_put_text(&j, "name", m->name);
	json_command(&j, m->command);
	json_put_text(&j, "cwd", m->cwd == NULL ? "" : m->cwd);
	json_put_number(&j, "cols", m->cols);
	json_put_number(&j, "rows", m->rows);
	json_put_number(&j, "time_ms", (uint64_t)m->created_ms);
	json_put_text(&j, "boot_id", m->boot_id);
	json_out_close(&j, '}');
	return queue(session, RECORD_START, &b);
}

#define QUEUES(name, NAME) \
	static uint64_t queue_##name(struct session *session, \
	    const struct payload_##name *event) \
	{ \
		struct buf b; \
		buf_init(&b, EVENT_MAX); \
		payload_##name##_encode(event, &b); \
		return queue(session, RECORD_##NAME, &b); \
	}

QUEUES(clock, CLOCK)
QUEUES(resize, RESIZE)
QUEUES(signal, SIGNAL)
QUEUES(mark, MARK)
QUEUES(gap, GAP)
QUEUES(engine_gap, ENGINE_GAP)
QUEUES(trimmed, TRIMMED)
QUEUES(recovered, RECOVERED)
QUEUES(exit, EXIT)

uint64_t
event_clock(struct session *session, enum clock_why why)
{
	return queue_clock(session,
	    &(struct payload_clock){ (uint64_t)clock_ns(CLOCK_REALTIME),
		(uint8_t)why });
}

uint64_t
event_resize(struct session *session, unsigned cols, unsigned rows,
    const char *by)
{
	return queue_resize(session,
	    &(struct payload_resize){ (uint16_t)cols, (uint16_t)rows,
		payload_text(by) });
}

uint64_t
event_signal(struct session *session, int signo, const char *by,
    const char *what)
{
	return queue_signal(session,
	    &(struct payload_signal){ (uint32_t)signo, payload_text(by),
		payload_text(what) });
}

uint64_t
event_mark(struct session *session, const char *name, const char *by)
{
	return queue_mark(session,
	    &(struct payload_mark){ payload_text(by), payload_text(name) });
}

uint64_t
event_gap(struct session *session, uint64_t offset, uint64_t bytes,
    enum gap_why why)
{
	return queue_gap(session,
	    &(struct payload_gap){ offset, bytes, (uint8_t)why });
}

uint64_t
event_engine_gap(struct session *session, uint64_t from, uint64_t to)
{
	return queue_engine_gap(session,
	    &(struct payload_engine_gap){ from, to });
}

uint64_t
event_trimmed(struct session *session, uint64_t seq, uint64_t offset)
{
	return queue_trimmed(session, &(struct payload_trimmed){ seq, offset });
}

uint64_t
event_recovered(struct session *session, uint64_t bytes)
{
	return queue_recovered(session, &(struct payload_recovered){ bytes });
}

uint64_t
event_exit(struct session *session, int status, uint64_t offset,
    unsigned outcome)
{
	return queue_exit(session,
	    &(struct payload_exit){ (uint32_t)status, offset,
		(uint8_t)outcome });
}

uint64_t
event_meta(struct session *session, const char *what, const char *key,
    const char *value, const char *by)
{
	struct json_out j;
	struct buf b;

	buf_init(&b, EVENT_MAX);
	json_out_init(&j, &b);
	json_out_open(&j, '{');
	json_put_text(&j, "what", what);
	if (key != NULL)
		json_put_text(&j, "key", key);
	if (value != NULL)
		json_put_text(&j, "value", value);
	json_put_text(&j, "by", by);
	json_out_close(&j, '}');
	return queue(session, RECORD_META, &b);
}

uint64_t
event_trouble(struct session *session, const char *what, const char *text)
{
	struct json_out j;
	struct buf b;

	buf_init(&b, EVENT_MAX);
	json_out_init(&j, &b);
	json_out_open(&j, '{');
	json_put_text(&j, "what", what);
	json_put_text(&j, "text", text);
	json_out_close(&j, '}');
	return queue(session, RECORD_TROUBLE, &b);
}

uint64_t
event_oom(struct session *session, const struct oom_kill *k)
{
	struct json_out j;
	struct buf b;

	buf_init(&b, EVENT_MAX);
	json_out_init(&j, &b);
	json_out_open(&j, '{');
	json_put_text(&j, "process", k->name);
	json_put_number(&j, "pid", (uint64_t)k->pid);
	json_put_number(&j, "rss", k->rss);
	json_put_number(&j, "limit", session->manifest.memory_max);
	json_put_number(&j, "count", k->count);
	json_out_close(&j, '}');
	return queue(session, RECORD_OOM, &b);
}

uint64_t
event_restart(struct session *session, int status, int64_t delay_ms)
{
	struct json_out j;
	struct buf b;

	buf_init(&b, EVENT_MAX);
	json_out_init(&j, &b);
	json_out_open(&j, '{');
	json_put_int(&j, "exit_code",
	    WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	json_put_number(&j, "exit_signal",
	    WIFSIGNALED(status) ? (uint64_t)WTERMSIG(status) : 0);
	json_put_number(&j, "delay_ms", (uint64_t)delay_ms);
	json_put_number(&j, "count", session->manifest.restarts);
	json_out_close(&j, '}');
	return queue(session, RECORD_RESTART, &b);
}

static const char *
or_null(const char *s)
{
	return s[0] != '\0' ? s : NULL;
}

uint64_t
event_program_status(struct session *session)
{
	const struct said *s = &session->manifest.said;
	struct json_out j;
	struct buf b;

	buf_init(&b, EVENT_MAX);
	json_out_init(&j, &b);
	json_out_open(&j, '{');
	json_put_text(&j, "state", or_null(s->state));
	json_put_text(&j, "kind", or_null(s->kind));
	json_put_text(&j, "app", or_null(s->app));
	json_put_text(&j, "text", s->text);
	json_out_close(&j, '}');
	return queue(session, RECORD_PROGRAM_STATUS, &b);
}

/* The log has the typed text only if the session logs input. */
uint64_t
event_run(struct session *session, const char *command, const char *by,
    const char *key, const char *capture)
{
	struct json_out j;
	struct buf b;

	buf_init(&b, RUN_MAX);
	json_out_init(&j, &b);
	json_out_open(&j, '{');
	if (session->manifest.log_input == LOG_INPUT_ALL) {
		json_out_key(&j, "command");
		json_out_text(&j, command);
	}
	json_put_text(&j, "capture", capture);
	json_put_text(&j, "by", by);
	if (key[0] != '\0')
		json_put_text(&j, "key", key);
	json_out_close(&j, '}');
	return queue(session, RECORD_RUN, &b);
}

uint64_t
event_run_end(struct session *session, uint64_t run, const char *outcome,
    const char *capture, int code, uint64_t from, uint64_t to)
{
	struct json_out j;
	struct buf b;

	buf_init(&b, EVENT_MAX);
	json_out_init(&j, &b);
	json_out_open(&j, '{');
	json_put_maybe(&j, "run", run > 0, (int64_t)run);
	json_put_text(&j, "outcome", outcome);
	json_put_text(&j, "capture", capture);
	json_put_maybe(&j, "exit_code", code >= 0, code);
	json_put_number(&j, "from", from);
	json_put_number(&j, "to", to);
	json_out_close(&j, '}');
	return queue(session, RECORD_RUN_END, &b);
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
