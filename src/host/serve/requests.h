#ifndef TEND_HOST_SERVE_REQUESTS_H
#define TEND_HOST_SERVE_REQUESTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/json_out.h"
#include "host/serve/op_call.h"

struct connection;
struct error;
struct once_request;

/*
 * Operations that clients request.  The requests of a client run one after the
 * other; with the feature `parallel` those that only observe run side by side.
 * request_queue.h has the rule and the limits.
 *
 * requests_take runs a REQUEST frame, or queues a copy of it.  It closes the
 * connection if the frame is no request or a limit is passed.
 */
void requests_take(struct connection *c, const void *p, size_t len);

/*
 * Start the waiting requests whose turn has come, unless the client does not
 * read its answers.
 */
void requests_run(struct connection *c);

/* Drop all requests and held answers; the connection is about to be freed. */
void requests_forget(struct connection *c);

/*
 * This host is being replaced: refuse the requests that have not begun with
 * `busy`, so that the client sends them to the next host.
 */
void requests_hand_back(struct connection *c);

/* Answer a PING, after the answers that wait for the log now. */
void requests_pong(struct connection *c, const void *p, size_t len);

/* Refuse a request, with the failure that corresponds to err->code. */
void requests_refuse(struct connection *c, uint64_t id,
    const struct error *err);

/*
 * Answer a request whose handler returned REQUEST_LATER: begin the answer in
 * *b, write the result to *j, send it with requests_send_logged, and call
 * buf_finish(b).  An answer that exceeds a frame is sent as a refusal.
 */
void requests_begin_answer(struct buf *b, struct json_out *j, uint64_t id);

/*
 * Send the answer once the log has the event `seq`.  Then the seq in it means
 * the same to the next host, even if this one dies.  If the log is behind, the
 * answer does not wait.  The caller finishes the buffer, which may be empty
 * then.
 */
void requests_send_logged(struct connection *c, struct buf *b, uint64_t id,
    uint64_t seq);

/* The log is behind: send the answers that wait for it now. */
void requests_send_held(struct connection *c);

/* Answer a session.upgrade or session.revive: the host `pid` takes over. */
void requests_followed(struct connection *c, uint64_t id, pid_t pid);

/*
 * Convert the reason why nothing was typed (an enum taken_status) to -errno.
 */
int requests_not_typed(int status, struct error *err);

/* The error of an answer that exceeds a frame. */
extern const struct error requests_too_large;

/*
 * Carry out a request with a key, which the log has now (once.h).  Returns
 * REQUEST_LATER, or -errno and err.
 */
int requests_carry_out(struct connection *c, const struct once_request *r,
    struct error *err);

/* Write the result of a session.send: seq and offset. */
void requests_put_typed(struct json_out *j, uint64_t seq, uint64_t offset);

#endif
