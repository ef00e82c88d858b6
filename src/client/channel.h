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
 * No call waits: answers, events and output come through callbacks, from the
 * loop and never from inside a call of this header.  A callback may post,
 * forget and destroy the channel.
 *
 * A channel outlives hosts.  When the host leaves (BYE) or dies, the channel
 * connects to the next one.  A request is sent to the next host only if the
 * last one did not take it: it was not sent whole, or the leaving host refused
 * it with `busy`.  A request that the host may have carried out is answered as
 * CHANNEL_UNKNOWN, and is never sent twice.
 *
 * Limits: CHANNEL_FLIGHT_MAX requests are with the host; others wait here, up
 * to CHANNEL_REQUESTS_MAX requests and CHANNEL_BYTES_MAX bytes in all.  What is
 * beyond is refused by channel_post.  An idle channel takes about 2.2 KiB of
 * memory: its buffer for reading (64 KiB, or one frame) lives only while a
 * frame is incomplete, and a request's text until it is answered.
 */
#define CHANNEL_FLIGHT_MAX 64
#define CHANNEL_REQUESTS_MAX 1024
#define CHANNEL_BYTES_MAX (4u << 20)

/* How long a host may take to welcome us, or to be started again. */
#define CHANNEL_OPEN_MS 10000

struct channel;

enum channel_outcome {
	CHANNEL_DONE,     /* the host carried it out: `result` */
	CHANNEL_REFUSED,  /* the host did not: `code`, `message`, `retryable` */
	CHANNEL_UNKNOWN,  /* the host went away and may have carried it out */
	CHANNEL_NOT_SENT, /* there is no host to ask: `rc` */
};

struct channel_answer {
	uint64_t id;
	enum channel_outcome outcome;
	int rc;              /* 0, or the -errno that conn.h has for it */
	json_t *result;      /* borrowed: json_incref to keep it */
	size_t bytes;        /* of the answer on the wire */
	const char *code;    /* "" where the host did not refuse it */
	const char *message; /* why not; "" when done */
	bool retryable;
};

typedef void channel_answer_fn(void *arg, const struct channel_answer *a);

/* All may be NULL. */
struct channel_handlers {
	/* A host has welcomed us: the first, or the next one. */
	void (*on_open)(void *arg, const struct welcome *w);

	/* A frame that is no answer: EVENT, OUTPUT, SCREEN, GAP, ENDED … */
	void (*on_frame)(void *arg, const struct frame *f);

	/*
	 * There is no host any more, or it cannot be talked to: rc as of
	 * conn_open, and why.  Every request has been answered.  Nothing more
	 * is called; the channel remains to be destroyed.
	 */
	void (*on_close)(void *arg, int rc, const struct error *err);
};

/*
 * dirfd is the session's directory; it stays the caller's, and open.  `parallel`
 * and `handover` are added to the features of the hello.  After the first host,
 * an attached channel goes on from the offset that it has reached.
 */
struct channel *channel_create(struct loop *loop, int dirfd,
    const struct hello *h, const struct channel_handlers *on, void *arg);

/*
 * The same over a connection that is open.  *conn moves into the channel, and
 * is closed for its owner.  on_open is called for the next host only.
 */
struct channel *channel_adopt(struct loop *loop, struct conn *conn,
    const struct channel_handlers *on, void *arg);

/* Close it.  No callback is called; requests with the host are abandoned. */
void channel_destroy(struct channel *c); /* NULL is fine */

/*
 * Ask for an operation; args is a JSON object as text.  *id is the request's;
 * fn is called once.  -E2BIG: args are too long; -EAGAIN: a limit is reached;
 * when the channel has closed, what on_close was told.
 */
int channel_post(struct channel *c, const char *op, const char *args,
    channel_answer_fn *fn, void *arg, uint64_t *id, struct error *err);

/*
 * The answer is not wanted any more: fn is not called.  A request that was not
 * sent is dropped; one that was sent is not undone.
 */
void channel_forget(struct channel *c, uint64_t id);

/* The session's directory, as it was created with. */
int channel_dirfd(const struct channel *c);

/* Requests that are not answered, forgotten ones that were sent among them. */
size_t channel_pending(const struct channel *c);

#endif
