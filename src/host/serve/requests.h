#ifndef TEND_HOST_SERVE_REQUESTS_H
#define TEND_HOST_SERVE_REQUESTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/json_out.h"
#include "op/ops.h"

struct connection;
struct error;
struct host;
struct once_request;
struct server;

/*
 * Operations that clients ask for.  A client's are carried out one after the
 * other; with the feature `parallel` those that only observe run side by side.
 * request_queue.h has the rule and the limits.
 */
void requests_take(struct connection *c, const void *p, size_t len);

/* Carry out those that wait, when it is their turn. */
void requests_run(struct connection *c);
void requests_forget(struct connection *c); /* it is going away */

/* The host leaves: refuse the requests that have not begun. */
void requests_hand_back(struct connection *c);

/* Answer a PING, behind every answer that waits for the log. */
void requests_pong(struct connection *c, const void *p, size_t len);

/* Refuse a request, with the code that fits err. */
void requests_refuse(struct connection *c, uint64_t id,
    const struct error *err);

/*
 * An answer that was left for later: what is written to *j after the first is
 * the result.  The buffer is the caller's to finish.
 */
void requests_begin_answer(struct buf *b, struct json_out *j, uint64_t id);
void requests_send_answer(struct connection *c, struct buf *b, uint64_t id);

/*
 * The same, once the log has the event whose seq is told, so that it means the
 * same to the next host, whatever becomes of this one.  A log that is behind
 * holds nobody up.
 */
void requests_send_logged(struct connection *c, struct buf *b, uint64_t id,
    uint64_t seq);
void requests_send_held(struct connection *c);

/* A session.upgrade or session.revive: this one follows us. */
void requests_followed(struct connection *c, uint64_t id, pid_t pid);

/* Why nothing was typed (an enum taken_status) as an error: -errno. */
int requests_not_typed(int status, struct error *err);

extern const struct error requests_too_large;

/* Carry out a request whose key the log has: REQUEST_LATER, or -errno. */
int requests_carry_out(struct connection *c, const struct once_request *r,
    struct error *err);

/*
 * An operation being carried out: ops_session.c and others.  Arguments are
 * checked.  0 when the result was written, REQUEST_LATER when it is answered by
 * one of the above, or -errno and why.
 */
struct op_call {
	struct host *host; /* all parts of it; host.h is for handlers only */
	struct server *server;
	struct connection *client;
	uint64_t id;
	const json_t *args;
	struct buf buf;
	struct json_out result; /* into buf */
	uint64_t seq; /* of the last event that the result tells of; 0: none */
};
#define REQUEST_LATER 1

typedef int op_fn(struct op_call *call, struct error *err);

#define OP(group, verb, ...) op_fn op_##group##_##verb;
#define HOME_OP(...)
#include "op/ops.def"

/* The result of a session.send, given now or later. */
void requests_put_typed(struct json_out *j, uint64_t seq, uint64_t offset);

#endif
