#include "host/serve/requests.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/list.h"
#include "base/mem.h"
#include "host/serve/connection.h"
#include "host/host.h"
#include "host/input/input.h"
#include "host/store/event_log.h"
#include "host/serve/server_state.h"
#include "wire/frame.h"

struct waiting {
	struct list link;
	size_t len;
	uint8_t text[];
};

#define RESPONSE_MAX (FRAME_MAX_HOST - FRAME_HEADER)

/* NULL: it is a home's. */
static op_fn *const handlers[OP_COUNT] = {
#define OP(group, verb, ...) op_##group##_##verb,
#define HOME_OP(group, verb, ...) NULL,
#include "op/ops.def"
};

void
connection_refuse(struct connection *c, uint64_t id, enum failure failure,
    const struct error *err)
{
	struct json_out j;
	struct buf b;

	c->busy = false;
	buf_init(&b, RESPONSE_MAX);
	json_out_init(&j, &b);
	json_out_open(&j, '{');
	json_put_number(&j, "id", id);
	json_put_bool(&j, "ok", false);
	json_put_open(&j, "error", '{');
	json_put_text(&j, "code", failure_code(failure));
	json_put_text(&j, "message", err->msg);
	json_put_bool(&j, "retryable", failure_is_retryable(failure));
	json_put_open(&j, "details", '{');
	json_out_close(&j, '}');
	json_out_close(&j, '}');
	json_out_close(&j, '}');
	connection_put(c, FRAME_RESPONSE, b.data, b.len);
	buf_finish(&b);
}

void
requests_refuse(struct connection *c, uint64_t id, const struct error *err)
{
	connection_refuse(c, id, failure_of_errno(err->code), err);
}

/* Begin a response, up to where its result stands. */
void
requests_begin_answer(struct buf *b, struct json_out *j, uint64_t id)
{
	buf_init(b, RESPONSE_MAX);
	buf_printf(b, "{\"id\":%" PRIu64 ",\"ok\":true,\"result\":", id);
	json_out_init(j, b);
}

void
requests_send_answer(struct connection *c, struct buf *b, uint64_t id)
{
	static const struct error large = { ENOBUFS,
		"the answer is larger than a frame may be" };

	c->busy = false;
	buf_putc(b, '}');
	if (b->full)
		connection_refuse(c, id, FAIL_USAGE, &large);
	else
		connection_put(c, FRAME_RESPONSE, b->data, b->len);
}

void
requests_send_held(struct connection *c)
{
	if (c->answer.len == 0)
		return;
	event_log_forget(c->server->host->event_log, c);
	c->busy = false;
	connection_put(c, FRAME_RESPONSE, c->answer.data, c->answer.len);
	buf_finish(&c->answer);
	buf_append(connection_out(c), c->pongs.data, c->pongs.len);
	connection_put_done(c);
	buf_finish(&c->pongs);
	buf_init(&c->pongs, CONNECTION_PONGS_MAX);
	server_wake_at(c->server, 0);
}

static void
on_logged(void *arg, uint64_t seq)
{
	(void)seq;
	requests_send_held(arg);
}

void
requests_send_logged(struct connection *c, struct buf *b, uint64_t id,
    uint64_t seq)
{
	struct event_log *event_log = c->server->host->event_log;

	if (seq <= event_log_written(event_log) ||
	    event_log_unlogged_since(event_log) != 0 || buf_putc(b, '}') < 0) {
		requests_send_answer(c, b, id);
		return;
	}
	c->answer = *b;
	buf_init(b, RESPONSE_MAX);
	event_log_after(event_log, seq, on_logged, c);
}

static int
check(const struct connection *c, const struct op_request *r, struct error *err)
{
	if (r->op == NULL)
		return error_set(err, EINVAL, "no such operation: %.100s",
		    r->name);
	if (handlers[r->op - ops] == NULL)
		return error_set(err, EINVAL,
		    "%s is asked of a home, not of a session", r->op->name);
	if (r->op->permission != OP_OBSERVE && !connection_may_type(c))
		return error_set(err, EACCES,
		    "%s is not for a read-only connection", r->op->name);
	return op_take_arguments(r->op, r->args, err);
}

static int
call(struct connection *c, const struct op_request *r, struct error *err)
{
	struct op_call now = {
		.server = c->server,
		.client = c,
		.id = r->id,
		.args = r->args,
	};
	int rc = check(c, r, err);

	if (rc < 0)
		return rc;
	requests_begin_answer(&now.buf, &now.result, r->id);
	rc = handlers[r->op - ops](&now, err);
	if (rc == 0)
		requests_send_logged(c, &now.buf, r->id, now.seq);
	buf_finish(&now.buf);
	return rc;
}

static void
carry_out(struct connection *c, const void *p, size_t len)
{
	struct op_request r;
	struct error err = { 0 };

	if (op_request_parse(&r, p, len, &err) < 0) {
		connection_fail(c, FAIL_PROTOCOL, err.msg);
		return;
	}
	c->busy = true;
	if (call(c, &r, &err) < 0)
		requests_refuse(c, r.id, &err);
	op_request_finish(&r);
}

static bool
must_wait(const struct connection *c)
{
	return c->busy || !list_is_empty(&c->waiting) ||
	    c->out.len - c->out_sent > CONNECTION_BACKLOG / 2;
}

void
requests_take(struct connection *c, const void *p, size_t len)
{
	struct waiting *w;

	if (!must_wait(c)) {
		carry_out(c, p, len);
		return;
	}
	if (c->n_waiting == CONNECTION_REQUESTS_MAX ||
	    c->n_waiting_bytes + len > REQUESTS_BYTES_MAX) {
		connection_fail(c, FAIL_BUSY,
		    "too many requests wait for an answer");
		return;
	}
	w = xmalloc(sizeof(*w) + len);
	w->len = len;
	memcpy(w->text, p, len);
	list_append(&c->waiting, &w->link);
	c->n_waiting++;
	c->n_waiting_bytes += len;
}

static struct waiting *
take_first(struct connection *c)
{
	struct waiting *w = container_of(c->waiting.next, struct waiting, link);

	list_remove(&w->link);
	c->n_waiting--;
	c->n_waiting_bytes -= w->len;
	return w;
}

void
requests_run(struct connection *c)
{
	while (!c->busy && !list_is_empty(&c->waiting) &&
	    c->state == CONNECTION_OPEN &&
	    c->out.len - c->out_sent <= CONNECTION_BACKLOG / 2) {
		struct waiting *w = take_first(c);

		carry_out(c, w->text, w->len);
		free(w);
	}
}

void
requests_forget(struct connection *c)
{
	event_log_forget(c->server->host->event_log, c);
	buf_finish(&c->answer);
	while (!list_is_empty(&c->waiting))
		free(take_first(c));
}

void
requests_put_typed(struct json_out *j, uint64_t seq, uint64_t offset)
{
	json_out_open(j, '{');
	json_put_number(j, "seq", seq);
	json_put_number(j, "offset", offset);
	json_out_close(j, '}');
}

int
requests_not_typed(int status, struct error *err)
{
	switch (status) {
	case TAKEN_READ_ONLY:
		return error_set(err, EACCES, "the connection is read-only");
	case TAKEN_LEASED:
		return error_set(err, EBUSY, "another has the lease to type");
	case TAKEN_FULL:
		return error_set(err, EAGAIN,
		    "the program has not read what was typed before");
	default:
		return error_set(err, ESRCH, "the program has ended");
	}
}

void
requests_followed(struct connection *c, uint64_t id, pid_t pid)
{
	struct json_out j;
	struct buf b;

	requests_begin_answer(&b, &j, id);
	json_out_open(&j, '{');
	json_put_number(&j, "pid", (uint64_t)pid);
	json_out_close(&j, '}');
	requests_send_answer(c, &b, id);
	buf_finish(&b);
}

void
requests_typed(struct connection *c, const struct input_done *done)
{
	struct error err = { 0 };
	struct json_out j;
	struct buf b;

	if (done->status != TAKEN_WRITTEN) {
		error_set(&err, ESRCH, "the program has ended");
		connection_refuse(c, done->id, FAIL_NOT_RUNNING, &err);
		return;
	}
	requests_begin_answer(&b, &j, done->id);
	requests_put_typed(&j, done->seq, c->server->host->shown);
	requests_send_answer(c, &b, done->id);
	buf_finish(&b);
}
