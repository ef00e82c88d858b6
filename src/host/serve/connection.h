#ifndef TEND_HOST_SERVE_CONNECTION_H
#define TEND_HOST_SERVE_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/list.h"
#include "host/input/reply_filter.h"
#include "host/serve/held_answers.h"
#include "host/serve/op_call.h"
#include "host/serve/peer.h"
#include "host/serve/request_queue.h"
#include "op/failure.h"
#include "wire/hello.h"

struct error;
struct frame;
struct frame_taken;
struct json_out;
struct once;
struct op_host;
struct viewer;
struct server;
struct session;
struct watch;

/*
 * One connection.  Handlers take what the client sends; frames to the client
 * wait in `out` until the end of the turn.  A client that breaks the protocol
 * gets an error and is closed; other clients are not affected.
 *
 * Limits: an incoming frame has at most 1 MiB.  `out` holds one picture and
 * CONNECTION_BACKLOG bytes of answers: a client that asks and never reads is
 * closed.  Events that do not fit are dropped, and the client gets the current
 * state when there is room.
 */
#define CONNECTION_BACKLOG (1u << 20)
#define CONNECTION_EVENTS_MAX (16u << 10)
#define CONNECTION_READ_SIZE (32u << 10)
#define CONNECTION_RESPONSE_MAX (FRAME_MAX_HOST - FRAME_HEADER)
#define CONNECTION_HELLO_MS 10000
#define CONNECTION_CLOSE_MS 1000

enum connection_state {
	CONNECTION_NEW, /* no first line yet */
	CONNECTION_OPEN,
	/*
	 * Send `out`, and drop what still arrives, so that the client can read
	 * the rest.
	 */
	CONNECTION_CLOSING,
	CONNECTION_GONE, /* closed; freed at the end of the turn */
};

/* The steps of a host's farewell to a client (server_leave.c). */
enum connection_bye {
	CONNECTION_STAYS,
	CONNECTION_TOLD,  /* a BYE was sent */
	CONNECTION_CUT,   /* it can send no more; its last bytes are read */
	CONNECTION_HEARD, /* all that it sent was handled */
};

struct connection;

/* Calls from a connection to the server above it. */
struct connection_hooks {
	/* Its first line was valid and is answered. */
	void (*on_open)(struct connection *c);
	void (*on_frame)(struct connection *c, const struct frame *f);
	/*
	 * No more bytes belong to the incomplete key sequence at the end of
	 * its DATA.
	 */
	void (*on_half_key)(struct connection *c);
	/* The connection is about to be closed. */
	void (*on_close)(struct connection *c);
};

/* State that all connections of a server share. */
struct connection_owner {
	struct session *session;
	struct server *server;
	/* By the number of the operation, and their argument. */
	op_fn *const *handlers;
	const struct op_host *host;
	const struct connection_hooks *hooks;
	uint8_t *bytes;          /* CONNECTION_READ_SIZE bytes, to read into */
	struct confinement *own; /* the session's: limits what others may do */
	struct once *once;       /* requests with an at-most-once key */
};

struct connection {
	struct list link;
	struct session *session;
	struct server *server;
	const struct connection_owner *owner;
	uint64_t number; /* from 1, never reused */
	struct peer peer;
	char by[BY_SIZE]; /* peer and principal, as in log/by.h */
	int64_t since_ms; /* CLOCK_REALTIME when it connected */
	enum connection_state state;
	int fd;
	struct watch *watch;
	int64_t deadline_ms; /* INT64_MAX: none */
	int given;           /* descriptor from the client; -1: none */

	enum connection_bye bye;
	int64_t bye_by_ms; /* deadline of the present step */
	int64_t heard_ms;  /* when it last sent something */

	struct hello hello;
	unsigned features;     /* common to both sides */
	struct viewer *viewer; /* NULL: a control connection, or not yet */

	struct buf in; /* an incomplete frame */
	struct buf out;
	size_t out_sent;
	size_t large;     /* bytes of `out` in pictures and large answers */
	bool in_history;  /* its viewer is sending a HISTORY */
	struct buf held;  /* frames that wait for the end of it */
	bool blocked;     /* the socket accepts no more */
	bool owes;        /* `out` or `held` contains an answer */
	bool shut;        /* closing, and everything was sent */
	bool events_lost; /* some events did not fit */

	struct reply_filter filter; /* for DATA */

	struct request_queue requests;
	struct held_answers held_answers;
};

/* Takes over the peer.  NULL if the descriptor cannot be watched. */
struct connection *connection_create(const struct connection_owner *owner,
    int fd, const struct peer *peer, uint64_t number);

/*
 * Close the connection if it is open, and free it.  Its viewer and requests
 * must be gone.
 */
void connection_destroy(struct connection *c);

/* connection_finish closes after `out` is sent, connection_close at once. */
void connection_finish(struct connection *c);
void connection_close(struct connection *c);

/* Send an error and close. */
void connection_fail(struct connection *c, enum failure failure,
    const char *message);

/* True if the client may type, resize and the like. */
bool connection_may_type(const struct connection *c);

/* Check that the peer may do this to the session; -EACCES and the reason. */
int connection_check(const struct connection *c, enum op_permission permission,
    struct error *err);

/*
 * Send a frame.  If it does not fit, the client is closed; an event is
 * dropped.
 */
void connection_put(struct connection *c, uint8_t type, const void *p,
    size_t len);
void connection_put_event(struct connection *c, const char *json, size_t len);
void connection_put_taken(struct connection *c, const struct frame_taken *t);

/*
 * The buffer for frames made in place; call connection_put_done afterwards.
 */
struct buf *connection_out(struct connection *c);
void connection_put_done(struct connection *c);

/* Refuse the request that is being handled; id 0: there is none. */
void connection_refuse(struct connection *c, uint64_t id, enum failure failure,
    const struct error *err);

/* The members of a refusal, without its id. */
void connection_put_error(struct json_out *j, enum failure failure,
    const struct error *err);

/* The client will send nothing more, and everything it sent was handled. */
void connection_heard_bye(struct connection *c);

/* Stop the client from sending; bytes that it has sent are still read. */
void connection_cut(struct connection *c);

/* Write `out`.  True if all of it was sent and the client is still there. */
bool connection_flush(struct connection *c);

/* The socket accepts no more: continue when it does. */
void connection_block(struct connection *c);

/*
 * A deadline has passed: of the first line, of closing, of an incomplete key.
 */
void connection_expire(struct connection *c);

#endif
