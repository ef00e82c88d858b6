#ifndef TEND_CLIENT_CONN_H
#define TEND_CLIENT_CONN_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "wire/frame.h"
#include "wire/hello.h"

struct error;

#define CONN_READ_SIZE (64u << 10) /* bytes per read, at most */
#define CONN_IN_MAX (FRAME_HEADER + FRAME_MAX_HOST + CONN_READ_SIZE)
#define CONN_NO_LIMIT (INT64_MAX / 2) /* a timeout that never ends */

/*
 * A connection to a session's host.  Calls block with a timeout, for callers
 * with one request; callers that stay may put conn.fd into a loop.
 */
struct conn {
	int fd;
	struct welcome welcome;
	struct buf in;    /* bytes read */
	size_t in_taken;  /* of those, returned by conn_next */
	uint64_t next_id; /* of requests */
	int give;         /* a descriptor for the next request; -1: none */
	bool left;        /* the host leaves, and we have sent BYE */
	unsigned pongs;   /* received */
	int dirfd;        /* kept to reconnect */
	struct hello hello;
	int64_t timeout_ms; /* of each blocking call */
	int open_ms;        /* of connecting */
	int64_t open_until; /* CLOCK_MONOTONIC: end of connecting */
	int64_t next_try;   /* likewise: call conn_proceed again */
	int cancel_fd;      /* readable: stop with -ECANCELED; 0: none */
	bool retryable;     /* the refused request may be retried */
	int slow_ms;        /* conn_call calls on_slow after this; 0: never */
	void (*on_slow)(void *arg); /* once per call */
	void *slow_arg;
};

/*
 * Connect to the socket in a session's directory and exchange first lines.  If
 * the host is about to be started again, this waits for it.  The caller keeps
 * dirfd open.
 *
 * -ECONNREFUSED and -ENOENT: the session is not running.  -ETIMEDOUT, -EPROTO,
 * -EACCES (denied), -EBUSY.  All with err.  After a failure there is nothing
 * to close, and c->welcome has the refusal, if any.
 */
int conn_open(struct conn *c, int dirfd, const struct hello *h, int timeout_ms,
    struct error *err);
void conn_close(struct conn *c);

/*
 * The same in steps that never wait: begin, then proceed until it returns 1.
 * After a 0, call it again when conn.fd is readable (-1 while there is no
 * listener), and at conn.next_try at the latest.
 */
void conn_begin(struct conn *c, int dirfd, const struct hello *h,
    int timeout_ms);
int conn_proceed(struct conn *c, struct error *err);

/*
 * Connect to the next host; can be cancelled.  After a failure it may be
 * retried.
 */
int conn_reopen(struct conn *c, struct error *err);

/*
 * Wait until conn.fd is ready for these poll events, or until that time
 * (CLOCK_MONOTONIC): 0, -ETIMEDOUT, -ECANCELED or -errno.
 */
int conn_await(const struct conn *c, short events, int64_t until);

/*
 * Read available bytes; with `wait`, block up to the timeout.  1; 0: nothing
 * to read; -ETIMEDOUT; -ECONNRESET: the host has closed the connection.
 * Frames returned before become invalid.
 */
int conn_fill(struct conn *c, bool wait, struct error *err);
/* The next complete frame of the bytes read: 1, 0 for none yet, -EPROTO. */
int conn_next(struct conn *c, struct frame *f, struct error *err);
/* Free the read buffer, unless it has an incomplete frame. */
void conn_rest(struct conn *c);
/* Send all of it, blocking up to the timeout; -EPIPE: nothing was sent. */
int conn_send(struct conn *c, const void *p, size_t len, struct error *err);

/*
 * Call one operation; args is a JSON object as text.  *result is the result as
 * JSON text, to be freed by the caller.  If the host refuses, -EREMOTEIO with
 * the error's code in `code`.  Frames that are no answer are skipped.
 *
 * If the host leaves (BYE) and `handover` was agreed, it still answers; a
 * request that it no longer takes goes to the next host.
 */
int conn_call(struct conn *c, const char *op, const char *args, char **result,
    char code[32], struct error *err);

/*
 * The same in two steps: ask, then check for the answer after each conn_fill:
 * 1, 0 for not yet, or an error as above.
 */
int conn_ask(struct conn *c, const char *op, const char *args, uint64_t *id,
    struct error *err);
int conn_answer(struct conn *c, uint64_t id, char **result, char code[32],
    struct error *err);

/*
 * Send a PING.  The host answers it after all answers that it had ready when
 * it read the PING; then conn_answer increments conn.pongs.  Never waits.
 */
int conn_ping(struct conn *c, struct error *err);

/* Append a complete REQUEST; -E2BIG: it exceeds the size of a frame. */
int conn_put_request(struct buf *out, uint64_t id, const char *op,
    const char *args, struct error *err);

/*
 * True if a request was refused because the host is leaving: ask again, and
 * the next host answers.  conn_call does so itself.
 */
bool conn_was_left(const struct conn *c, int result, const char *code);

#endif
