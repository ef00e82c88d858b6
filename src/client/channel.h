#ifndef TEND_CLIENT_CHANNEL_H
#define TEND_CLIENT_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

struct conn;
struct error;
struct frame;
struct hello;
struct loop;
struct welcome;

/*
 * A connection to a session's host on a loop, with many requests in flight.
 * No function waits: the loop calls back with answers, events and output,
 * never from inside a function of this header.  A callback may post and forget
 * requests, and may destroy the channel.
 *
 * A channel outlives hosts.  When the host leaves (BYE) or dies, the channel
 * connects to the next one.  A request is sent to the next host only if the
 * last one did not take it: it was not sent completely, or the leaving host
 * handed it back with `busy`; its timeout is then shorter by the time spent.  A request that the host may have carried out is
 * answered as CHANNEL_UNKNOWN and never sent twice.
 *
 * Limits: the host has at most CHANNEL_FLIGHT_MAX requests; others wait here,
 * up to CHANNEL_REQUESTS_MAX requests and CHANNEL_BYTES_MAX bytes in all.
 * channel_post refuses more.  An idle channel takes about 2.2 KiB of memory:
 * its read buffer (64 KiB, or one frame) exists only while a frame is
 * incomplete, and a request's text until it is answered.
 */
#define CHANNEL_FLIGHT_MAX 64
#define CHANNEL_REQUESTS_MAX 1024
#define CHANNEL_BYTES_MAX (4u << 20)

/* The timeout for a host to welcome us, or to be started again. */
#define CHANNEL_OPEN_MS 10000

struct channel;

enum channel_outcome {
	CHANNEL_DONE,     /* the host carried it out: `result` */
	CHANNEL_REFUSED,  /* the host did not: `code`, `message`, `retryable` */
	CHANNEL_UNKNOWN,  /* the host ended and may have done it: `rc` */
	CHANNEL_NOT_SENT, /* no host has taken it: `rc` */
};

/* Valid until the callback returns. */
struct channel_answer {
	uint64_t id;
	enum channel_outcome outcome;
	int rc;              /* 0, or the -errno of conn.h */
	json_t *result;      /* borrowed: json_incref to keep it; or NULL */
	size_t bytes;        /* of the answer on the wire */
	const char *code;    /* "" unless the host refused it */
	const char *message; /* the reason; "" when done */
	bool retryable;
	/* Of an input that the host answered: enum taken_status, and its event. */
	uint8_t status;
	uint64_t seq;
};

typedef void channel_answer_fn(void *arg, const struct channel_answer *a);

/* Each may be NULL.  Their arguments are borrowed until they return. */
struct channel_handlers {
	/* A host has welcomed us: the first one, or a later one. */
	void (*on_open)(void *arg, const struct welcome *w);

	/*
	 * A frame that is no answer: EVENT, OUTPUT, SCREEN, GAP, ENDED and so
	 * on.
	 */
	void (*on_frame)(void *arg, const struct frame *f);

	/*
	 * The session has no host any more, or it cannot be reached: rc as
	 * from conn_open, with err.  -ECONNABORTED: another client has
	 * detached this one.  All requests have been answered.  No
	 * other callback follows; the caller destroys the channel.
	 */
	void (*on_close)(void *arg, int rc, const struct error *err);
};

/*
 * Begin to connect; never NULL.  dirfd is the session's directory; the caller
 * keeps it open.  The hello and the handlers are copied; `on` may be NULL.
 * The features `parallel` and `handover` are added to the hello.  With a later
 * host, an attached channel continues from its last offset.
 */
struct channel *channel_create(struct loop *loop, int dirfd,
    const struct hello *h, const struct channel_handlers *on, void *arg);

/*
 * The same over an open connection, which moves into the channel: conn->fd is
 * -1 afterwards.  on_open is called for later hosts only.
 */
struct channel *channel_adopt(struct loop *loop, struct conn *conn,
    const struct channel_handlers *on, void *arg);

/* Close it.  No callback is called; requests with the host are abandoned. */
void channel_destroy(struct channel *c); /* NULL is fine */

/*
 * Request an operation; args is a JSON object as text, which is copied.
 * Returns 0 and *id, which identifies the request; fn is then called once,
 * from the loop, unless the request is forgotten.  On failure fn is not
 * called: -E2BIG: args are too long.  -EAGAIN: a limit is reached.  After the
 * channel has closed: the rc of on_close.
 */
int channel_post(struct channel *c, const char *op, const char *args,
    channel_answer_fn *fn, void *arg, uint64_t *id, struct error *err);

/*
 * Type something over an attached channel: a whole INPUT frame (wire/frame.h),
 * which is copied and gets an id of its own.  As channel_post; CHANNEL_DONE is
 * any answer of the host, also one that refuses (status).
 */
int channel_type(struct channel *c, const void *frame, size_t len,
    channel_answer_fn *fn, void *arg, uint64_t *id, struct error *err);

/* Tell this host and later ones the size of the client, or if it is visible. */
void channel_resize(struct channel *c, unsigned cols, unsigned rows);
void channel_view(struct channel *c, bool visible);

/*
 * Tell the host that the client leaves for good: it keeps nothing for it, as it
 * does for a client whose connection was lost.  channel_destroy follows.
 */
void channel_detach(struct channel *c);

/*
 * Read nothing from the host, or go on; also from a callback, after which no
 * other follows.  Answers wait too, behind the output.
 */
void channel_pause(struct channel *c, bool pause);

/* The bytes that have arrived, but were not given to a callback. */
size_t channel_backlog(const struct channel *c);

/*
 * Ignore the answer: fn is not called.  An unsent request is dropped; a sent
 * one is not undone.  An id without a request is ignored.
 */
void channel_forget(struct channel *c, uint64_t id);

/* The session's directory that the channel was created with. */
int channel_dirfd(const struct channel *c);

/*
 * The number of unanswered requests, including forgotten ones that were sent.
 */
size_t channel_pending(const struct channel *c);

#endif
