#ifndef TEND_CLIENT_CONN_H
#define TEND_CLIENT_CONN_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "wire/frame.h"
#include "wire/hello.h"

struct error;

#define CONN_READ_SIZE (64u << 10) /* bytes at once, at most */
#define CONN_IN_MAX (FRAME_HEADER + FRAME_MAX_HOST + CONN_READ_SIZE)

/*
 * A connection to a session's host.  Blocking with a time limit for those who
 * ask one thing; conn.fd may be put into a loop by those who stay.
 */
struct conn {
	int fd;
	struct welcome welcome;
	struct buf in;    /* bytes read */
	size_t in_taken;  /* of those, given by conn_next */
	struct buf out;   /* requests posted */
	size_t out_sent;  /* of those bytes, sent */
	uint64_t next_id; /* of requests */
	int give;         /* a descriptor for the next request; -1: none */
	bool left;        /* the host leaves, and we have said BYE */
	unsigned pongs;   /* so many have come */
	int dirfd;        /* as it was opened with, to open it again */
	struct hello hello;
	int timeout_ms;     /* of each call that waits */
	int open_ms;        /* of opening it */
	int64_t open_until; /* CLOCK_MONOTONIC: opening has taken too long */
	int64_t next_try;   /* likewise: conn_proceed is to be called again */
	int cancel_fd;      /* readable: give up waiting, -ECANCELED; 0: none */
	bool retryable; /* what was refused last may be granted another time */
	int slow_ms;    /* on_slow is called when conn_call takes longer; 0 */
	void (*on_slow)(void *arg); /* once for a call */
	void *slow_arg;
};

/*
 * Connect to the socket in a session's directory and exchange first lines.
 * While the host is away but will be started again, that is waited for.
 * dirfd stays the caller's, and open.
 * -ECONNREFUSED and -ENOENT: it is not running; -ETIMEDOUT, -EPROTO, -EACCES
 * (denied), -EBUSY; and why.  After a failure there is nothing to close, and
 * c->welcome has the refusal if there was one.
 */
int conn_open(struct conn *c, int dirfd, const struct hello *h, int timeout_ms,
    struct error *err);
void conn_close(struct conn *c);

/*
 * The same in steps that never wait, for those who have more to do: begin,
 * then proceed until it says 1.  After a 0 it is to be called again when
 * conn.fd can be read, which is -1 while nobody listens, and in any case at
 * conn.next_try.
 */
void conn_begin(struct conn *c, int dirfd, const struct hello *h,
    int timeout_ms);
int conn_proceed(struct conn *c, struct error *err);

/*
 * Once more, to the host that follows; it can be cancelled.  After a failure it
 * may be tried again.
 */
int conn_reopen(struct conn *c, struct error *err);

/*
 * Until conn.fd is ready for these events of poll, or until that time
 * (CLOCK_MONOTONIC): 0, -ETIMEDOUT, -ECANCELED or -errno.
 */
int conn_await(const struct conn *c, short events, int64_t until);

/*
 * Read what there is (blocking up to the time limit when `wait`): 1, 0 when
 * there is nothing, -ETIMEDOUT, -ECONNRESET when the host has gone.  Frames
 * given before are no longer valid.
 */
int conn_fill(struct conn *c, bool wait, struct error *err);
/* The next whole frame of what was read: 1, 0 for none yet, -EPROTO. */
int conn_next(struct conn *c, struct frame *f, struct error *err);
/* Give the memory for reading back, unless a part of a frame is in it. */
void conn_rest(struct conn *c);
/* All of it, blocking up to the time limit; -EPIPE: nothing of it went. */
int conn_send(struct conn *c, const void *p, size_t len, struct error *err);

/*
 * One operation: args is a JSON object as text.  *result is the result as
 * JSON text, the caller's.  A refusal of the host is -EREMOTEIO with the
 * error's code in `code`.  Frames that are no answer are passed over.
 *
 * When the host leaves the session to another (BYE), and with `handover`, the
 * answer still comes; a request that it did not take any more goes to the next
 * host.
 */
int conn_call(struct conn *c, const char *op, const char *args, char **result,
    char code[32], struct error *err);

/*
 * The same in two steps, for those who have more to do than to wait: ask, and
 * after each conn_fill look whether the answer is there: 1, 0 for not yet, or
 * an error as above.
 */
int conn_ask(struct conn *c, const char *op, const char *args, uint64_t *id,
    struct error *err);
int conn_answer(struct conn *c, uint64_t id, char **result, char code[32],
    struct error *err);

/*
 * Have the host say when it has answered all that it had decided until it heard
 * this: then conn_answer counts one more in conn.pongs.  Never waits.
 */
int conn_ping(struct conn *c, struct error *err);

/*
 * conn_ask for those who must not wait: post it, then flush until that says 1.
 * After a 0 it is to be called again when conn.fd can be written to.  -EPIPE:
 * nothing of it went, so that another host may be asked.
 */
int conn_post(struct conn *c, const char *op, const char *args, uint64_t *id,
    struct error *err);
int conn_flush(struct conn *c, struct error *err);

/* Append a whole REQUEST; -E2BIG: it is longer than a frame may be. */
int conn_put_request(struct buf *out, uint64_t id, const char *op,
    const char *args, struct error *err);

/*
 * Post a PING behind it.  A host handles the frames of a connection in order,
 * so once conn_answer has counted the PONG the host has taken the request.
 */
int conn_post_ping(struct conn *c, struct error *err);

/*
 * Whether a request was refused because the host leaves, in the middle of it:
 * ask again, and the next host answers.  conn_call has done so.
 */
bool conn_was_left(const struct conn *c, int result, const char *code);

#endif
