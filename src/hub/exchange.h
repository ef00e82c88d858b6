#ifndef TEND_HUB_EXCHANGE_H
#define TEND_HUB_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

struct exchange;
struct fault;
struct http_request;
struct hub;
struct identity;
struct outflow;
struct socket;
struct socket_handlers;

/*
 * One HTTP request and its answer.  The handler of a route gets it when the
 * client is verified and the body is complete.  It answers once, now or later,
 * with one of the functions that say so; the exchange is invalid afterwards.
 * If the client leaves before the answer, on_gone is called, and the exchange
 * is invalid as well.
 */
struct hub *exchange_hub(const struct exchange *x);
const struct http_request *exchange_request(const struct exchange *x);
const struct identity *exchange_identity(const struct exchange *x);

/* The peer's address, as in "127.0.0.1" or "unix". */
const char *exchange_from(const struct exchange *x);

const uint8_t *exchange_body(const struct exchange *x, size_t *len);

/*
 * Take the body in pieces: for the handler of a route that streams, which is
 * called before the body is complete.  fn is called at once, with what has
 * arrived, and for each further piece; `end`: it is the last one.  If the body is
 * too long or cannot be read, the exchange answers and calls on_gone.  Any call
 * of fn may answer.
 */
typedef void exchange_body_fn(void *arg, const uint8_t *p, size_t len,
    bool end);
void exchange_on_body(struct exchange *x, exchange_body_fn *fn, void *arg);

/* The client has left before the answer: the last call for this exchange. */
void exchange_on_gone(struct exchange *x, void (*fn)(void *arg), void *arg);

/*
 * Answer with JSON; the value becomes the exchange's.  An answer beyond
 * EXCHANGE_ANSWER_MAX is refused instead: all clients wait while it is written,
 * about 11 ms for each mebibyte.
 */
#define EXCHANGE_ANSWER_MAX (16u << 20)
void exchange_json(struct exchange *x, int status, json_t *value);

/* Answer with other content. */
void exchange_text(struct exchange *x, int status, const char *type,
    const void *p, size_t len);

/*
 * Answer with application/problem+json: {"type","title","status","detail",
 * "code","retryable"}.
 */
void exchange_problem(struct exchange *x, int status, const char *code,
    const char *detail);

/* The same for a fault of an operation. */
void exchange_fault(struct exchange *x, const struct fault *f);

/* Add a header to the answer that follows; the texts are copied. */
void exchange_add_header(struct exchange *x, const char *name,
    const char *value);

/*
 * Answer with content that has no end, such as server-sent events.  The outflow
 * is valid until on_gone, or until outflow_end.
 */
struct outflow_handlers {
	/* Fewer than OUTFLOW_LOW bytes wait, after there were OUTFLOW_HIGH. */
	void (*on_room)(void *arg);
	void (*on_gone)(void *arg); /* the client has left; the last call */
};
#define OUTFLOW_LOW (16u << 10)
#define OUTFLOW_HIGH (256u << 10)

struct outflow *exchange_stream(struct exchange *x, const char *type,
    const struct outflow_handlers *on, void *arg);
void outflow_write(struct outflow *o, const void *p, size_t len);
size_t outflow_queued(const struct outflow *o);
void outflow_end(struct outflow *o); /* no handler is called any more */

/*
 * Answer with an upgrade to a WebSocket (socket.h).  NULL: it was refused with
 * a problem, because the request is no valid upgrade.
 */
struct socket *exchange_upgrade(struct exchange *x, const char *protocol,
    const struct socket_handlers *on, void *arg);

#endif
