#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json_out.h"
#include "host/core/session.h"
#include "host/input/input.h"
#include "host/serve/connection.h"
#include "host/serve/once.h"
#include "host/serve/requests.h"
#include "host/serve/server.h"
#include "host/serve/server_state.h"
#include "wire/frame.h"

/*
 * The server: answers to requests that took time.  Their clients may have
 * disconnected; a request with a key is still answered, for a client that asks
 * again (once.h).
 */

const struct error server_client_left = { EBUSY,
	"the client that used this key first left before anything was typed; "
	"ask again" };

void
server_answer(struct server *s, const struct server_request *r, bool typed,
    const struct buf *result, uint64_t seq)
{
	struct connection *c = server_connection(s, r->client);
	struct json_out j;
	struct buf b;

	buf_init(&b, CONNECTION_RESPONSE_MAX);
	buf_puts(&b, "{\"ok\":true,\"result\":");
	buf_append(&b, result->data, result->len);
	buf_putc(&b, '}');
	if (result->full || b.full) {
		server_fail(s, r, typed, FAIL_USAGE, &requests_too_large);
	} else if (!once_answer(s->owner.once, r->client, r->id, typed,
		       (char *)b.data, b.len) &&
	    c != NULL) {
		buf_finish(&b);
		requests_begin_answer(&b, &j, r->id);
		buf_append(&b, result->data, result->len);
		requests_send_logged(c, &b, r->id, seq);
	}
	buf_finish(&b);
	turn_wake_at(&s->session->turn, 0);
}

void
server_fail(struct server *s, const struct server_request *r, bool typed,
    enum failure failure, const struct error *err)
{
	struct connection *c = server_connection(s, r->client);
	struct json_out j;
	struct buf b;

	buf_init(&b, CONNECTION_RESPONSE_MAX);
	json_out_init(&j, &b);
	json_out_open(&j, '{');
	connection_put_error(&j, failure, err);
	json_out_close(&j, '}');
	if (!once_answer(s->owner.once, r->client, r->id, typed, (char *)b.data,
		b.len) &&
	    c != NULL)
		connection_refuse(c, r->id, failure, err);
	buf_finish(&b);
	turn_wake_at(&s->session->turn, 0);
}

/*
 * ------------------------------------------------------ requests with a key
 */

static bool
on_once_secret(void *arg)
{
	const struct server *s = arg;

	return s->session->manifest.log_input != LOG_INPUT_ALL ||
	    input_is_secret(s->input);
}

/* The log has the key.  All operations that take a key answer later. */
static void
on_once_begin(void *arg, const struct once_request *q)
{
	const struct server_request r = { q->client, q->id };
	struct server *s = arg;
	struct connection *c = server_connection(s, q->client);
	struct error err = { 0 };

	if (c == NULL || c->state != CONNECTION_OPEN)
		server_fail(s, &r, false, FAIL_BUSY, &server_client_left);
	else if (requests_carry_out(c, q, &err) < 0)
		server_fail(s, &r, false, failure_of_errno(err.code), &err);
	turn_wake_at(&s->session->turn, 0);
}

static void
on_once_deliver(void *arg, uint64_t client, uint64_t id, const char *answer,
    uint64_t seq)
{
	struct server *s = arg;
	struct connection *c = server_connection(s, client);
	struct buf b;

	if (c == NULL)
		return;
	buf_init(&b, CONNECTION_RESPONSE_MAX);
	buf_printf(&b, "{\"id\":%" PRIu64 ",", id);
	/* Without its braces; the sender adds the last one. */
	buf_append(&b, answer + 1, strlen(answer) - 2);
	requests_send_logged(c, &b, id, seq);
	buf_finish(&b);
	turn_wake_at(&s->session->turn, 0);
}

static const struct once_hooks once_hooks = {
	.is_secret = on_once_secret,
	.begin = on_once_begin,
	.deliver = on_once_deliver,
};

void
server_begin_answers(struct server *s)
{
	s->owner.once = once_create(s->session, &once_hooks, s);
}

void
server_end_answers(struct server *s)
{
	once_destroy(s->owner.once);
}

void
server_rotated(struct server *s)
{
	if (s != NULL)
		once_rotated(s->owner.once);
}
