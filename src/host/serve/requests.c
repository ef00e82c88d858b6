#include "host/serve/requests.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "host/core/session.h"
#include "host/input/input.h"
#include "host/serve/connection.h"
#include "host/serve/once.h"
#include "host/store/event_log.h"
#include "wire/frame.h"

const struct error requests_too_large = { ENOBUFS,
	"the answer is larger than a frame may be" };

void
requests_refuse(struct connection *c, uint64_t id, const struct error *err)
{
	connection_refuse(c, id, failure_of_errno(err->code), err);
}

/* Begin a response, up to the place of its result. */
void
requests_begin_answer(struct buf *b, struct json_out *j, uint64_t id)
{
	buf_init(b, CONNECTION_RESPONSE_MAX);
	buf_printf(b, "{\"id\":%" PRIu64 ",\"ok\":true,\"result\":", id);
	json_out_init(j, b);
}

static void
send_answer(struct connection *c, struct buf *b, uint64_t id)
{
	request_queue_done(&c->requests, id);
	buf_putc(b, '}');
	if (b->full)
		connection_refuse(c, id, FAIL_USAGE, &requests_too_large);
	else
		connection_put(c, FRAME_RESPONSE, b->data, b->len);
}

static void
on_logged(void *arg, uint64_t seq)
{
	struct connection *c = arg;
	struct held_answer *a;

	while ((a = held_answers_take(&c->held_answers, seq)) != NULL) {
		if (a->type == FRAME_RESPONSE)
			request_queue_done(&c->requests, a->id);
		connection_put(c, a->type, a->data, a->len);
		held_answer_destroy(a);
		turn_wake_at(&c->session->turn, 0);
	}
}

void
requests_send_held(struct connection *c)
{
	event_log_forget(c->session->event_log, c);
	on_logged(c, UINT64_MAX);
}

void
requests_pong(struct connection *c, const void *p, size_t len)
{
	if (held_answers_is_empty(&c->held_answers))
		connection_put(c, FRAME_PONG, p, len);
	else if (held_answers_add_pong(&c->held_answers, p, len) < 0)
		connection_fail(c, FAIL_BUSY,
		    "too many PINGs wait for an answer");
}

void
requests_send_logged(struct connection *c, struct buf *b, uint64_t id,
    uint64_t seq)
{
	struct event_log *event_log = c->session->event_log;

	if (seq <= event_log_written(event_log) ||
	    event_log_unlogged_since(event_log) != 0 || buf_putc(b, '}') < 0) {
		send_answer(c, b, id);
		return;
	}
	held_answers_add(&c->held_answers, id, seq, b);
	event_log_after(event_log, seq, on_logged, c);
}

static op_fn *
handler_of(const struct connection *c, const struct op *op)
{
	return c->owner->handlers[op - ops];
}

static int
check_permissions(const struct connection *c, unsigned needs, struct error *err)
{
	int rc = 0;

	for (unsigned p = 0; rc == 0 && p < OP_PERMISSIONS; p++)
		if (needs & 1u << p)
			rc = connection_check(c, p, err);
	return rc;
}

static int
check(const struct connection *c, const struct op_request *r, struct error *err)
{
	int rc;

	if (r->op == NULL)
		return error_set(err, EINVAL, "no such operation: %.100s",
		    r->name);
	if (handler_of(c, r->op) == NULL)
		return error_set(err, EINVAL,
		    "%s is an operation of a home, not of a session",
		    r->op->name);
	rc = check_permissions(c, op_needs(r->op, r->args), err);
	if (rc < 0)
		return rc;
	if (r->op->permission != OP_OBSERVE && c->hello.readonly)
		return error_set(err, EACCES,
		    "%s is not allowed on a read-only connection", r->op->name);
	if (op_check_socket(r->op, r->args, err) < 0)
		return -EINVAL;
	return op_take_arguments(r->op, r->args, err);
}

/* Nothing is typed before the log has the key; later requests wait for that. */
static int
ask_once(struct connection *c, const struct op_request *r, struct error *err)
{
	int rc;
	const struct once_request q = {
		.client = c->number,
		.id = r->id,
		.by = c->by,
		.op = r->op,
		.args = r->args,
	};

	rc = once_ask(c->owner->once, &q, err);
	if (rc == ONCE_NOTED)
		request_queue_hold(&c->requests, r->id);
	return rc < 0 ? rc : 0;
}

int
requests_carry_out(struct connection *c, const struct once_request *r,
    struct error *err)
{
	struct op_call now = {
		.host = c->owner->host,
		.server = c->server,
		.client = c,
		.id = r->id,
		.args = r->args,
	};

	request_queue_release(&c->requests, r->id);
	return handler_of(c, r->op)(&now, err);
}

static int
call(struct connection *c, const struct op_request *r, struct error *err)
{
	struct op_call now = {
		.host = c->owner->host,
		.server = c->server,
		.client = c,
		.id = r->id,
		.args = r->args,
	};
	int rc = check(c, r, err);

	if (rc < 0)
		return rc;
	if (op_string(r->args, "key", NULL) != NULL)
		return ask_once(c, r, err);
	requests_begin_answer(&now.buf, &now.result, r->id);
	rc = handler_of(c, r->op)(&now, err);
	if (rc == 0)
		requests_send_logged(c, &now.buf, r->id, now.seq);
	buf_finish(&now.buf);
	return rc;
}

/* True if it may run beside other requests of its connection. */
static bool
observes(const struct connection *c, const struct op_request *r)
{
	return (c->features & HELLO_PARALLEL) && r->op != NULL &&
	    r->op->permission == OP_OBSERVE;
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
	if (request_queue_begin(&c->requests, r.id, observes(c, &r)) < 0)
		connection_fail(c, FAIL_PROTOCOL,
		    "two unanswered requests have the same id");
	else if (call(c, &r, &err) < 0)
		requests_refuse(c, r.id, &err);
	op_request_finish(&r);
}

/* While the client does not read its answers, no further request begins. */
static bool
has_room(const struct connection *c)
{
	return c->out.len - c->out_sent + c->held_answers.bytes <=
	    CONNECTION_BACKLOG / 2;
}

static bool
text_observes(const struct connection *c, const void *p, size_t len)
{
	struct op_request r;
	bool yes;

	if (!(c->features & HELLO_PARALLEL) ||
	    op_request_parse(&r, p, len, NULL) < 0)
		return false;
	yes = observes(c, &r);
	op_request_finish(&r);
	return yes;
}

void
requests_take(struct connection *c, const void *p, size_t len)
{
	struct request_queue *q = &c->requests;

	if (request_queue_check(q, len) < 0) {
		connection_fail(c, FAIL_BUSY,
		    "too many requests wait for an answer");
	} else if (request_queue_is_idle(q) && has_room(c)) {
		carry_out(c, p, len);
	} else {
		request_queue_add(q, p, len, text_observes(c, p, len));
		requests_run(c);
	}
}

void
requests_run(struct connection *c)
{
	struct request_waiting *w;

	while (c->state == CONNECTION_OPEN && has_room(c) &&
	    (w = request_queue_next(&c->requests)) != NULL) {
		carry_out(c, w->text, w->len);
		free(w);
	}
}

void
requests_hand_back(struct connection *c)
{
	static const struct error err = { EBUSY,
		"another host takes over the session; ask again" };
	struct request_waiting *w;
	struct op_request r;

	while ((w = request_queue_take(&c->requests)) != NULL) {
		if (op_request_parse(&r, w->text, w->len, NULL) == 0) {
			requests_refuse(c, r.id, &err);
			op_request_finish(&r);
		}
		free(w);
	}
}

void
requests_forget(struct connection *c)
{
	event_log_forget(c->session->event_log, c);
	held_answers_finish(&c->held_answers);
	request_queue_finish(&c->requests);
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
		return error_set(err, EBUSY,
		    "another client has the lease to type");
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
	send_answer(c, &b, id);
	buf_finish(&b);
}
