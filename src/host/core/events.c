#include "host/core/events.h"

#include <string.h>
#include <sys/wait.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/json_out.h"
#include "host/core/session.h"
#include "host/system/oom.h"
#include "host/store/event_log.h"
#include "log/record.h"
#include "vt/keyframe.h"
#include "vt/vt.h"

#define EVENT_MAX (64u << 10)    /* of anything but a keyframe */
#define RUN_MAX (512u << 10)     /* a command, all of it escaped */
#define KEYFRAME_MAX (64u << 20) /* more than any screen needs */

static void
put_u8(struct buf *b, unsigned v)
{
	buf_putc(b, (char)v);
}

static void
put_u16(struct buf *b, unsigned v)
{
	uint8_t p[2];

	put_u16le(p, (uint16_t)v);
	buf_append(b, p, sizeof(p));
}

static void
put_u32(struct buf *b, uint32_t v)
{
	uint8_t p[4];

	put_u32le(p, v);
	buf_append(b, p, sizeof(p));
}

static void
put_u64(struct buf *b, uint64_t v)
{
	uint8_t p[8];

	put_u64le(p, v);
	buf_append(b, p, sizeof(p));
}

static void
put_by(struct buf *b, const char *by)
{
	size_t len = strnlen(by, 255);

	put_u8(b, (unsigned)len);
	buf_append(b, by, len);
}

/* Queue what the buffer holds and be done with it. */
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

static void
put_clock(struct buf *b, enum clock_why why)
{
	put_u64(b, (uint64_t)clock_ns(CLOCK_REALTIME));
	put_u8(b, why);
}

uint64_t
event_clock(struct session *session, enum clock_why why)
{
	struct buf b;

	buf_init(&b, EVENT_MAX);
	put_clock(&b, why);
	return queue(session, RECORD_CLOCK, &b);
}

uint64_t
event_resize(struct session *session, unsigned cols, unsigned rows,
    const char *by)
{
	struct buf b;

	buf_init(&b, EVENT_MAX);
	put_u16(&b, cols);
	put_u16(&b, rows);
	put_by(&b, by);
	return queue(session, RECORD_RESIZE, &b);
}

uint64_t
event_signal(struct session *session, int signo, const char *by,
    const char *what)
{
	struct buf b;

	buf_init(&b, EVENT_MAX);
	put_u32(&b, (uint32_t)signo);
	put_by(&b, by);
	buf_puts(&b, what);
	return queue(session, RECORD_SIGNAL, &b);
}

uint64_t
event_mark(struct session *session, const char *name, const char *by)
{
	struct buf b;

	buf_init(&b, EVENT_MAX);
	put_by(&b, by);
	buf_puts(&b, name);
	return queue(session, RECORD_MARK, &b);
}

uint64_t
event_gap(struct session *session, uint64_t offset, uint64_t bytes,
    enum gap_why why)
{
	struct buf b;

	buf_init(&b, EVENT_MAX);
	put_u64(&b, offset);
	put_u64(&b, bytes);
	put_u8(&b, why);
	return queue(session, RECORD_GAP, &b);
}

static uint64_t
event_pair(struct session *session, uint8_t type, uint64_t first,
    uint64_t second)
{
	struct buf b;

	buf_init(&b, EVENT_MAX);
	put_u64(&b, first);
	put_u64(&b, second);
	return queue(session, type, &b);
}

uint64_t
event_engine_gap(struct session *session, uint64_t from, uint64_t to)
{
	return event_pair(session, RECORD_ENGINE_GAP, from, to);
}

uint64_t
event_trimmed(struct session *session, uint64_t seq, uint64_t offset)
{
	return event_pair(session, RECORD_TRIMMED, seq, offset);
}

uint64_t
event_recovered(struct session *session, uint64_t bytes)
{
	struct buf b;

	buf_init(&b, EVENT_MAX);
	put_u64(&b, bytes);
	return queue(session, RECORD_RECOVERED, &b);
}

uint64_t
event_exit(struct session *session, int status, uint64_t offset,
    unsigned outcome)
{
	struct buf b;

	buf_init(&b, EVENT_MAX);
	put_u32(&b, (uint32_t)status);
	put_u64(&b, offset);
	put_u8(&b, outcome);
	return queue(session, RECORD_EXIT, &b);
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

/* What is typed is in the log only as far as the session wants that. */
uint64_t
event_run(struct session *session, const char *command, const char *by,
    const char *capture)
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

/* The payload of a keyframe, in a buffer; false when there is no screen. */
static bool
make_keyframe(struct session *session, bool full, struct buf *b)
{
	buf_init(b, KEYFRAME_MAX);
	if (session->display.vt == NULL)
		return false;
	put_u64(b, session->display.shown);
	put_u16(b, vt_cols(session->display.vt));
	put_u16(b, vt_rows(session->display.vt));
	put_u32(b, VT_ENGINE_VERSION);
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

/* Without an engine an empty keyframe still tells where the segment begins. */
void
event_rotate(struct session *session)
{
	struct buf b, clock;
	size_t len;

	buf_init(&clock, EVENT_MAX);
	put_clock(&clock, CLOCK_SEGMENT);
	if (!make_keyframe(session, true, &b)) {
		put_u64(&b, session->display.shown);
		put_u16(&b, session->manifest.cols);
		put_u16(&b, session->manifest.rows);
		put_u32(&b, 0);
	}
	len = b.len;
	event_log_rotate(session->event_log, buf_take(&b), len, clock.data,
	    clock.len);
	buf_finish(&clock);
}
