#include "host/ops/ops.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/hex.h"
#include "host/ask/exec.h"
#include "host/ask/message.h"
#include "host/core/events.h"
#include "host/core/session.h"
#include "host/input/input.h"
#include "host/life/handover.h"
#include "host/life/naming.h"
#include "host/life/stop.h"
#include "host/serve/connection.h"
#include "host/serve/requests.h"
#include "host/serve/server.h"
#include "host/store/event_log.h"
#include "host/stream/engine.h"
#include "op/items.h"
#include "op/snapshot.h"
#include "session/home.h"
#include "vt/vt.h"
#include "wire/frame.h"

/* The operations session.*. */

/* While the log is behind, that is the most important status to show. */
static int
put_session(struct op_call *call)
{
	struct session *session = call->host->session;
	struct manifest m;
	struct manifest_viewer viewers[MANIFEST_VIEWERS_MAX];
	char why[128], holder[SERVER_HOLDER_SIZE];

	session->manifest.seq = call->seq = event_log_seq(session->event_log);
	session->manifest.offset = session->display.shown;
	session->manifest.log_bytes = event_log_bytes(session->event_log);
	m = session->manifest; /* borrows all it points to */
	m.lease_holder = server_lease_holder(call->server, holder,
	    sizeof(holder));
	m.viewers = viewers;
	m.n_viewers = server_list_viewers(call->server, viewers,
	    MANIFEST_VIEWERS_MAX);
	if (event_log_unlogged_since(session->event_log) != 0) {
		snprintf(why, sizeof(why), "the log is behind: %s",
		    session->log_error != 0 ? strerror(session->log_error) :
					      "the disk is slow");
		m.degraded = why;
		m.unlogged = true;
	}
	m.observers = (int)server_viewers(call->server);
	manifest_json(&m, &call->result);
	return 0;
}

int
op_session_get(struct op_call *call, struct error *err)
{
	(void)err;
	return put_session(call);
}

/* ------------------------------------------------------------- snapshot */

static bool
is_new(const void *arg, unsigned y)
{
	const struct op_call *call = arg;
	const struct session *session = call->host->session;

	return changes_row(&session->display.changes, session->display.vt, y,
	    op_number(call->args, "since", 0));
}

int
op_session_snapshot(struct op_call *call, struct error *err)
{
	const struct session *session = call->host->session;
	const struct snapshot_of of = {
		.vt = session->display.vt,
		.seq = event_log_seq(session->event_log),
		.offset = session->display.shown,
		.is_new = is_new,
		.arg = call,
	};
	struct snapshot s;
	int rc = snapshot_read(&s, call->args, err);

	if (rc < 0)
		return rc;
	if (session->display.vt == NULL)
		return error_set(err, ENOENT,
		    "the session has no screen: its engine is off");
	call->seq = of.seq;
	return snapshot_put(&s, &of, &call->result, err);
}

/* --------------------------------------------------------------- typing */

/* An event is queued: answer {seq, offset} when that is allowed. */
static int
answer_with(struct op_call *call, uint64_t seq)
{
	const struct input_done done = {
		.client = call->client->number,
		.id = call->id,
		.request = true,
		.status = TAKEN_WRITTEN,
		.seq = seq,
	};

	server_typed(call->server, &done);
	return REQUEST_LATER;
}

static int
type(struct op_call *call, const struct buf *b, struct error *err)
{
	struct input_piece piece = {
		.id = call->id,
		.request = true,
		.kind = INPUT_TEXT,
		.secret = op_bool(call->args, "secret", false),
		.key = op_string(call->args, "key", NULL),
		.p = b->data,
		.len = b->len,
	};
	uint64_t seq = 0;
	int status = server_type(call->server, call->client, &piece, &seq);

	if (status == INPUT_WAITS)
		return REQUEST_LATER;
	if (status == TAKEN_NOTHING)
		seq = event_log_seq(call->client->session->event_log);
	else if (status != TAKEN_WRITTEN)
		return requests_not_typed(status, err);
	return answer_with(call, seq);
}

/*
 * A client that decided by the screen at a seq must not type on a newer one.
 */
static int
check_seq(const struct op_call *call, struct error *err)
{
	uint64_t expected = op_number(call->args, "expect_seq", UINT64_MAX);
	uint64_t changed = call->client->session->display.changes.seq;

	if (changed <= expected)
		return 0;
	return error_set(err, ESTALE,
	    "session.send: the screen has changed since 'expect_seq' %" PRIu64
	    ", last with %" PRIu64 "; look again",
	    expected, changed);
}

int
op_session_send(struct op_call *call, struct error *err)
{
	const struct session *session = call->host->session;
	struct items_for to = { .rows = session->manifest.rows,
		.cols = session->manifest.cols };
	struct error why;
	struct buf b;
	int rc = check_seq(call, err);

	if (rc < 0)
		return rc;
	if (session->display.vt != NULL)
		vt_input_modes(session->display.vt, &to.modes);
	buf_init(&b, INPUT_BYTES_MAX);
	rc = items_encode(json_object_get(call->args, "input"), &to, &b, &why);
	if (rc < 0)
		error_set(err, -rc, "session.send: 'input': %s", why.msg);
	else
		rc = type(call, &b, err);
	buf_finish(&b);
	return rc;
}

int
op_session_prompt(struct op_call *call, struct error *err)
{
	return messages_ask(call->host->messages, call, err);
}

int
op_session_mark(struct op_call *call, struct error *err)
{
	uint64_t seq = event_mark(call->client->session,
	    op_string(call->args, "name", ""), call->client->by);

	if (seq == 0)
		return error_set(err, ENOSPC,
		    "the log is behind and cannot "
		    "take the mark now; try again later");
	return answer_with(call, seq);
}

int
op_session_flush(struct op_call *call, struct error *err)
{
	(void)err;
	return answer_with(call,
	    event_log_seq(call->client->session->event_log));
}

int
op_session_exec(struct op_call *call, struct error *err)
{
	int rc = op_check_command(call->args, err);

	if (rc < 0)
		return rc;
	rc = execs_begin(call->host->execs,
	    &(struct exec_request){ .client = call->client,
		.id = call->id,
		.command = op_string(call->args, "command", ""),
		.key = op_string(call->args, "key", ""),
		.timeout_ms = op_number(call->args, "timeout_ms", 0),
		.max_output = (size_t)op_number(call->args, "max_output",
		    EXEC_OUTPUT_DEFAULT) },
	    err);
	return rc < 0 ? rc : REQUEST_LATER;
}

/* ---------------------------------------------------------------- others */

static int
put_nothing(struct op_call *call, int rc)
{
	json_out_open(&call->result, '{');
	json_out_close(&call->result, '}');
	return rc;
}

static int
read_colour(const struct op_call *call, const char *name, uint32_t *out,
    struct error *err)
{
	const char *text = op_string(call->args, name, "");

	if (!hex_colour(text, out))
		return error_set(err, EINVAL,
		    "session.colours: '%s' must be six hexadecimal digits",
		    name);
	return 0;
}

int
op_session_colours(struct op_call *call, struct error *err)
{
	struct hello *h = &call->client->hello;
	uint32_t fg, bg;

	if (read_colour(call, "fg", &fg, err) < 0 ||
	    read_colour(call, "bg", &bg, err) < 0)
		return -EINVAL;
	h->has_colours = true;
	h->fg = fg;
	h->bg = bg;
	server_colours_known(call->server, call->client);
	return put_nothing(call, 0);
}

int
op_session_resize(struct op_call *call, struct error *err)
{
	struct session *session = call->host->session;
	uint64_t cols = op_number(call->args, "cols", 0);
	uint64_t rows = op_number(call->args, "rows", 0);
	struct json_out *j = &call->result;
	struct error why;
	int rc = vt_check_size((unsigned)cols, (unsigned)rows, &why);

	if (rc < 0)
		return error_set(err, EINVAL,
		    "session.resize: 'cols' and 'rows': %s", why.msg);
	rc = engine_resize(session, (unsigned)cols, (unsigned)rows,
	    call->client->by, err);
	if (rc < 0)
		return rc;
	json_out_open(j, '{');
	json_put_number(j, "cols", session->manifest.cols);
	json_put_number(j, "rows", session->manifest.rows);
	call->seq = event_log_seq(session->event_log);
	json_put_number(j, "seq", call->seq);
	json_out_close(j, '}');
	return 0;
}

int
op_session_signal(struct op_call *call, struct error *err)
{
	struct session *session = call->host->session;
	int number = (int)op_number(call->args, "signal", 0);
	int rc = stop_signal(call->host->stop, number, call->client->by, err);

	return rc < 0 ? rc :
			answer_with(call, event_log_seq(session->event_log));
}

static uint32_t
grace(const struct op_call *call)
{
	return (uint32_t)op_number(call->args, "grace_ms", STOP_GRACE_MS);
}

int
op_session_stop(struct op_call *call, struct error *err)
{
	return put_nothing(call,
	    stop_politely(call->host->stop, grace(call),
		op_bool(call->args, "interrupt", false), call->client->by,
		err));
}

int
op_session_kill(struct op_call *call, struct error *err)
{
	return put_nothing(call,
	    stop_kill(call->host->stop, call->client->by, err));
}

int
op_session_destroy(struct op_call *call, struct error *err)
{
	return put_nothing(call,
	    stop_and_destroy(call->host->stop, grace(call), call->client->by,
		err));
}

int
op_session_detach(struct op_call *call, struct error *err)
{
	struct json_out *j = &call->result;

	(void)err;
	json_out_open(j, '{');
	json_put_number(j, "detached",
	    server_detach_others(call->server, call->client));
	json_out_close(j, '}');
	return 0;
}

/*
 * Takes the descriptor of the request and passes it to the keeper, which runs
 * it outside every session: that needs more than the operation itself.
 */
int
op_session_upgrade(struct op_call *call, struct error *err)
{
	auto_close int program = fd_take(&call->client->given);
	int rc = connection_check(call->client, OP_ADMIN, err);

	if (rc < 0)
		return rc;
	if (program < 0)
		return error_set(err, EINVAL,
		    "session.upgrade: the request must carry a descriptor of "
		    "tend-host, open for reading");
	return handover_ask(call->host->handover, call->client->number,
	    call->id, program, err);
}

int
op_session_revive(struct op_call *call, struct error *err)
{
	return handover_ask(call->host->handover, call->client->number,
	    call->id, -1, err);
}

int
op_session_rename(struct op_call *call, struct error *err)
{
	const char *name = op_string(call->args, "name", "");
	struct error why;
	int rc = name_check(name, &why);

	if (rc < 0)
		return error_set(err, EINVAL, "session.rename: 'name': %s",
		    why.msg);
	rc = naming_rename(call->client->session, call->server, name,
	    call->client->by, err);
	return rc < 0 ? rc : put_session(call);
}

/* Check all labels before the first is set; *n is the resulting number. */
static int
check_label(const struct manifest *m, const char *key, const json_t *value,
    size_t *n, struct error *err)
{
	const char *text = json_is_null(value) ? "" : json_string_value(value);
	bool is_set = manifest_label(m, key) != NULL;
	struct error why;

	if (manifest_check_label(key, text, &why) < 0)
		return error_set(err, EINVAL, "session.label: 'labels': %s",
		    why.msg);
	*n += !json_is_null(value) && !is_set;
	*n -= json_is_null(value) && is_set;
	return 0;
}

static int
check_labels(const struct manifest *m, const json_t *labels, struct error *err)
{
	size_t n = m->n_labels;
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)labels, key, value)
	{
		if (check_label(m, key, value, &n, err) < 0)
			return -EINVAL;
	}
	if (n > MANIFEST_LABELS_MAX)
		return error_set(err, EINVAL,
		    "session.label: 'labels' would make %zu, and a session "
		    "has at most %d",
		    n, MANIFEST_LABELS_MAX);
	return 0;
}

static int
set_label(struct session *session, const char *key, const char *value,
    const char *by, struct error *err)
{
	int rc = manifest_set_label(&session->manifest, key, value, err);

	if (rc < 0)
		return rc;
	event_meta(session, "label", key, value, by);
	return 0;
}

/* Remove labels first, to make room for new ones. */
static int
set_labels(struct session *session, json_t *labels, const char *by,
    struct error *err)
{
	const char *key;
	json_t *value;
	int rc = 0;

	for (int set = 0; rc == 0 && set <= 1; set++) {
		json_object_foreach(labels, key, value)
		{
			if (rc == 0 && json_is_string(value) == set)
				rc = set_label(session, key,
				    json_string_value(value), by, err);
		}
	}
	return rc;
}

int
op_session_label(struct op_call *call, struct error *err)
{
	struct session *session = call->host->session;
	json_t *labels = json_object_get(call->args, "labels");
	int rc = check_labels(&session->manifest, labels, err);

	if (rc < 0)
		return rc;
	rc = set_labels(session, labels, call->client->by, err);
	session_save(session);
	return rc < 0 ? rc : put_session(call);
}
