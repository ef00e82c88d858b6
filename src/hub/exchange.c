#include "hub/exchange.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/failpoint.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "hub/connection.h"
#include "hub/exchange_state.h"
#include "hub/hub.h"
#include "hub/refusal.h"
#include "hub/socket_state.h"
#include "hub/verifier.h"
#include "op/failure.h"
#include "web/http.h"
#include "web/response.h"
#include "web/ws.h"

struct hub *
exchange_hub(const struct exchange *x)
{
	return x->connection->hub;
}

const struct http_request *
exchange_request(const struct exchange *x)
{
	return x->request;
}

const struct identity *
exchange_identity(const struct exchange *x)
{
	return &x->who;
}

const char *
exchange_from(const struct exchange *x)
{
	return x->connection->peer.from;
}

const uint8_t *
exchange_body(const struct exchange *x, size_t *len)
{
	*len = x->body.len;
	return x->body.data;
}

void
exchange_on_gone(struct exchange *x, void (*fn)(void *arg), void *arg)
{
	x->on_gone = fn;
	x->gone_arg = arg;
}

/* -------------------------------------------------------------------- body */

/* The client is known, and so is the body if it is not taken in pieces. */
static void
try_dispatch(struct exchange *x)
{
	if (!x->identified || (!x->complete && !x->streams))
		return;
	failpoint("hub-dispatch");
	x->dispatch(x);
}

void
exchange_identified(struct exchange *x)
{
	x->identified = true;
	if (x->expects && !x->complete) {
		(void)buf_puts(connection_out(x->connection),
		    "HTTP/1.1 100 Continue\r\n\r\n");
		connection_soon(x->connection);
	}
	try_dispatch(x);
}

static bool
on_wants_body(const void *arg)
{
	const struct exchange *x = arg;

	return !x->complete;
}

/* The rest of the request is of no use; the handler may have begun. */
static void
refuse_body(struct exchange *x, int status, const char *code, const char *why)
{
	void (*fn)(void *arg) = x->on_gone;

	x->on_gone = NULL;
	if (fn != NULL)
		fn(x->gone_arg);
	x->keep = false;
	exchange_problem(x, status, code, why);
}

static void
on_body(void *arg, const uint8_t *p, size_t len)
{
	struct exchange *x = arg;

	if (len > x->body_max - x->received) {
		refuse_body(x, 413, "usage", "the body is too long");
		return;
	}
	x->received += len;
	if (x->on_body != NULL)
		x->on_body(x->body_arg, p, len, false);
	else
		(void)buf_append(&x->body, p, len);
}

void
exchange_on_body(struct exchange *x, exchange_body_fn *fn, void *arg)
{
	struct buf first = x->body;

	buf_init(&x->body, SIZE_MAX);
	x->on_body = fn;
	x->body_arg = arg;
	fn(arg, first.data, first.len, x->complete);
	buf_finish(&first);
}

static void
on_complete(void *arg)
{
	struct exchange *x = arg;

	x->complete = true;
	if (x->on_body != NULL)
		x->on_body(x->body_arg, NULL, 0, true);
	else if (!x->streams)
		try_dispatch(x);
}

/* The rest of the request cannot be read. */
static void
on_bad(void *arg, int status, const char *why)
{
	refuse_body(arg, status, status == 408 ? "timeout" : "protocol", why);
}

static void
destroy(struct exchange *x)
{
	if (x->verifying != NULL)
		verifier_cancel(x->verifying);
	buf_finish(&x->body);
	buf_finish(&x->headers);
	free(x);
}

static void
on_gone(void *arg)
{
	struct exchange *x = arg;
	void (*fn)(void *arg) = x->on_gone;

	x->connection = NULL;
	if (fn != NULL)
		fn(x->gone_arg);
	destroy(x);
}

struct exchange *
exchange_create(struct connection *c, const struct http_request *r)
{
	static const struct connection_request user = {
		.wants_body = on_wants_body,
		.take_body = on_body,
		.complete = on_complete,
		.bad = on_bad,
		.gone = on_gone
	};
	struct exchange *x = xcalloc(1, sizeof(*x));

	x->connection = c;
	x->request = r;
	/*
	 * A proxy may take a refused upgrade for an accepted one, and pass on
	 * whatever its client sends then.
	 */
	x->keep = r->keep_alive && !r->upgrade;
	x->complete = !r->has_body;
	x->label = "unknown";
	buf_init(&x->body, SIZE_MAX);
	buf_init(&x->headers, 4096);
	connection_to_request(c, &user, x);
	return x;
}

/* ------------------------------------------------------------------ answer */

static void
put_head(struct exchange *x, int status, const char *type, uint64_t length)
{
	const struct connection *c = x->connection;
	struct response r = { .status = status,
		.type = type,
		.length = length,
		.keep_alive = x->keep,
		.extra = x->headers.data,
		.extra_len = x->headers.len };

	hub_count_request(c->hub, x->label, status);
	response_head(connection_out(x->connection), &r);
}

void
exchange_add_header(struct exchange *x, const char *name, const char *value)
{
	(void)buf_printf(&x->headers, "%s: %s\r\n", name, value);
}

void
exchange_text(struct exchange *x, int status, const char *type, const void *p,
    size_t len)
{
	struct connection *c = x->connection;

	/* An answer before the end of the request leaves bytes unread. */
	if (!x->complete)
		x->keep = false;
	put_head(x, status, type, len);
	if (strcmp(x->request->method, "HEAD") != 0)
		(void)buf_append(connection_out(c), p, len);
	connection_answered(c, x->keep && !connection_out(c)->full);
	failpoint("hub-answered");
	destroy(x);
}

static void
answer_json(struct exchange *x, int status, const char *type, json_t *value)
{
	struct buf b;

	buf_init(&b, EXCHANGE_ANSWER_MAX);
	json_tree_write(value, &b);
	json_decref(value);
	if (b.full)
		exchange_problem(x, 400, "usage",
		    "the answer is too large; ask for less");
	else
		exchange_text(x, status, type, b.data, b.len);
	buf_finish(&b);
}

/* A client that may try again learns when. */
static void
answer_problem(struct exchange *x, int status, json_t *problem)
{
	static const char again[] = "Retry-After:";
	const struct buf *b = &x->headers;

	if ((status == 429 || status == 503) &&
	    (b->len == 0 ||
		memmem(b->data, b->len, again, strlen(again)) == NULL))
		exchange_add_header(x, "Retry-After", REFUSAL_RETRY_S);
	answer_json(x, status, REFUSAL_TYPE, problem);
}

void
exchange_json(struct exchange *x, int status, json_t *value)
{
	answer_json(x, status, "application/json", value);
}

void
exchange_problem(struct exchange *x, int status, const char *code,
    const char *detail)
{
	answer_problem(x, status,
	    refusal_json(status, code, detail,
		failure_is_retryable(failure_called(code)), NULL));
}

void
exchange_fault(struct exchange *x, const struct fault *f)
{
	int status;
	json_t *o = refusal_of_fault(f, &status);

	answer_problem(x, status, o);
}

/* --------------------------------------------------------------- no end */

struct outflow {
	struct connection *connection;
	struct outflow_handlers on;
	void *arg;
	bool full; /* on_room is due */
};

static bool
outflow_take(void *arg, const void *p, size_t len)
{
	(void)arg;
	(void)p;
	(void)len;
	return true; /* nothing is expected */
}

static void
outflow_progress(void *arg)
{
	struct outflow *o = arg;

	if (!o->full || connection_queued(o->connection) >= OUTFLOW_LOW)
		return;
	o->full = false;
	o->on.on_room(o->arg);
}

static void
outflow_gone(void *arg)
{
	struct outflow *o = arg;

	o->on.on_gone(o->arg);
	free(o);
}

struct outflow *
exchange_stream(struct exchange *x, const char *type,
    const struct outflow_handlers *on, void *arg)
{
	static const struct connection_flow user = { outflow_take,
		outflow_progress, outflow_gone };
	struct connection *c = x->connection;
	struct outflow *o = xcalloc(1, sizeof(*o));

	o->connection = c;
	o->on = *on;
	o->arg = arg;
	x->keep = false;
	put_head(x, 200, type, RESPONSE_ENDLESS);
	connection_to_flow(c, &user, o);
	destroy(x);
	return o;
}

void
outflow_write(struct outflow *o, const void *p, size_t len)
{
	(void)buf_append(connection_out(o->connection), p, len);
	if (connection_queued(o->connection) >= OUTFLOW_HIGH)
		o->full = true;
	connection_soon(o->connection);
}

size_t
outflow_queued(const struct outflow *o)
{
	return connection_queued(o->connection);
}

void
outflow_end(struct outflow *o)
{
	connection_flow_ended(o->connection);
	free(o);
}

/* --------------------------------------------------------------- WebSocket */

struct socket *
exchange_upgrade(struct exchange *x, const char *protocol,
    const struct socket_handlers *on, void *arg)
{
	struct connection *c = x->connection;
	const char *why = NULL;
	struct socket *s;
	int status;

	status = ws_upgrade(x->request, protocol, connection_out(c), &why);
	if (status != 0) {
		if (status == 426) {
			exchange_add_header(x, "Upgrade", "websocket");
			exchange_add_header(x, "Sec-WebSocket-Version", "13");
		}
		exchange_problem(x, status, "usage", why);
		return NULL;
	}
	hub_count_request(c->hub, x->label, 101);
	s = socket_create(c, on, arg);
	destroy(x);
	return s;
}
