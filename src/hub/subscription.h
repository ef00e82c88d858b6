#ifndef TEND_HUB_SUBSCRIPTION_H
#define TEND_HUB_SUBSCRIPTION_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "base/list.h"
#include "hub/audit.h"
#include "hub/stream_allowance.h"
#include "hub/stream_message.h"
#include "wire/hello.h"

struct api_call;
struct calls_answer;
struct channel;
struct channel_answer;
struct error;
struct fault;
struct frame;
struct stream;
struct subscription;
struct watch;
struct welcome;

/*
 * A subscription of a stream.  Each one of a session has a connection of its own
 * to the session's host, as long as the session runs: the host serves every
 * viewer at its own speed, and one that does not read stops nobody else.
 *
 * A kind (output, screen, events, home) embeds this as its first member, and
 * makes its messages of what comes from the host.
 */
struct subscription_kind {
	/* Begin; the answer to `subscribe` was sent. */
	void (*begin)(struct subscription *s);
	/*
	 * The host has welcomed us: the first one, or a later one.  Then the
	 * event `opened` was sent, with these fields.  NULL: nothing to do.
	 */
	void (*on_open)(struct subscription *s);
	void (*on_opened)(struct subscription *s, const json_t *fields);
	/* Any other frame. */
	void (*on_frame)(struct subscription *s, const struct frame *f);
	/*
	 * The session has ended; subscription_finish follows when all was sent.
	 * NULL: its host has sent everything; otherwise there is none, and the
	 * session is this.
	 */
	void (*on_ended)(struct subscription *s, const json_t *session);
	/* More may be sent. */
	void (*on_room)(struct subscription *s);
	/* The permissions are others; NULL: nothing depends on them. */
	void (*on_access)(struct subscription *s);
	void (*destroy)(struct subscription *s); /* its own parts; NULL: none */
};

struct subscription {
	struct list link;
	struct stream *stream;
	const struct subscription_kind *kind;
	uint32_t number;
	enum stream_want want;
	char id[32], name[256];    /* of the session; "": none */
	bool readwrite;            /* granted */
	struct audit_entry *audit; /* NULL: none */
	int dirfd;                 /* of the session */
	struct hello hello;        /* for its hosts */
	struct channel *channel;   /* NULL: there is no host */
	struct stream_allowance allowance;
	bool counts;         /* its frames need credit */
	bool resting;        /* the kind wants no frames now */
	bool opened;         /* the event was sent */
	json_t *ending;      /* the fields of `ended`; NULL: the session runs */
	int64_t stopped_ms;  /* since when nothing is read; 0: it is read */
	struct watch *timer; /* until more may be sent */
	struct list
	    requests; /* inputs and calls that the host has not answered */
	unsigned n_requests;
	struct api_call *call; /* of subscription_ask; NULL: none */
	void (*on_answer)(struct subscription *s, json_t *result);
};

/* An input or a call that the host has not answered. */
struct subscription_request {
	struct list link;
	struct subscription *subscription;
	uint64_t id; /* of the message; 0: it wants no answer */
	bool is_call;
	struct audit_entry *audit; /* of a call; NULL: none */
};

/*
 * The request that the channel gets as arg of its answer, or NULL: the client
 * has been told that too many are unanswered.
 */
struct subscription_request *subscription_request(struct subscription *s,
    uint64_t id);

/*
 * The channel has not taken it, or its answer has come: the client has an
 * answer, and the request is freed.
 */
void subscription_request_end(struct subscription_request *r,
    enum audit_outcome outcome);

/* True if the host did it; otherwise the client gets the reason. */
bool subscription_request_is_done(const struct subscription_request *r,
    const struct channel_answer *a);

/* Add to the stream what a kind has allocated. */
void subscription_init(struct subscription *s, struct stream *stream,
    const struct subscription_kind *kind, const struct stream_message *m);

/* End it without a message; unanswered requests are answered as unknown. */
void subscription_destroy(struct subscription *s);

/* The session has ended: send `ended`.  The subscription is invalid afterwards. */
void subscription_finish(struct subscription *s);

/* NULL: there is none. */
struct subscription *subscription_find(struct stream *stream, uint32_t number);

/* Connect to the session's host as s->hello says; an open one is left. */
void subscription_connect(struct subscription *s);

/* Send an event or bytes; both are counted. */
void subscription_send(struct subscription *s, const char *name,
    json_t *fields);
void subscription_bytes(struct subscription *s, const void *head,
    size_t head_len, const void *p, size_t len);

/* A notice of the host, as it is. */
void subscription_notice(struct subscription *s, const struct frame *f);

/* Read from the host, or stop, as credit and the client allow. */
void subscription_update(struct subscription *s);

/* True if more may be sent now; otherwise on_room follows. */
bool subscription_may_send(struct subscription *s);

/*
 * Run an operation on the session for the client; fn gets the result, which is
 * borrowed.  If it fails, the subscription is closed.  The last one counts: an earlier one is cancelled.
 */
void subscription_ask(struct subscription *s, const char *op, json_t *args,
    void (*fn)(struct subscription *s, json_t *result));

/* Compare the permissions with those that it has. */
void subscription_reconsider(struct subscription *s);

#endif
