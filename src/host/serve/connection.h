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
#include "host/serve/request_queue.h"
#include "host/serve/peer.h"
#include "op/failure.h"
#include "wire/hello.h"

struct error;
struct frame;
struct frame_taken;
struct host;
struct json_out;
struct once;
struct viewer;
struct server;
struct session;
struct watch;

/*
 * One connection.  What it sends is taken in by handlers; what it is sent
 * waits in `out` until the turn is flushed.  A client that breaks the protocol
 * is told so and closed; nothing else is touched by it.
 *
 * Limits: a frame of 1 MiB in; out, one picture and CONNECTION_BACKLOG bytes of
 * answers: a client that asks and never reads is closed.  Events that do not
 * fit are left out, and what they would have said is told when there is room.
 */
#define CONNECTION_BACKLOG (1u << 20)
#define CONNECTION_EVENTS_MAX (16u << 10)
#define CONNECTION_READ_SIZE (32u << 10)
#define CONNECTION_RESPONSE_MAX (FRAME_MAX_HOST - FRAME_HEADER)
#define CONNECTION_HELLO_MS 10000
#define CONNECTION_CLOSE_MS 1000

enum connection_state {
	CONNECTION_NEW, /* its first line has not come */
	CONNECTION_OPEN,
	CONNECTION_CLOSING, /* only what is in `out` is still sent; what comes is
			   dropped, so that its sender gets to read that */
	CONNECTION_GONE,    /* closed; freed when the turn is over */
};

/* How far the farewell of a host that leaves has come (server_leave.c). */
enum connection_bye {
	CONNECTION_STAYS,
	CONNECTION_TOLD, /* it was sent a BYE */
	CONNECTION_CUT,  /* it can send no more; the last of it is being read */
	CONNECTION_HEARD, /* all it sent was taken */
};

struct connection;

/* Calls from a connection to the server above it. */
struct connection_hooks {
	/* Its first line was good and is answered. */
	void (*on_open)(struct connection *c);
	void (*on_frame)(struct connection *c, const struct frame *f);
	/* No more bytes belong to the half sequence that its DATA ended with. */
	void (*on_half_key)(struct connection *c);
	/* It is about to be closed. */
	void (*on_close)(struct connection *c);
};

/* The same for all connections of a server. */
struct connection_owner {
	struct session *session;
	struct server *server;
	struct host *host; /* for handlers of operations */
	const struct connection_hooks *hooks;
	uint8_t *bytes; /* CONNECTION_READ_SIZE, of the one that is read from */
	struct confinement *own; /* the session's: what others may do to it */
	struct once *once;       /* requests with a key */
};

struct connection {
	struct list link;
	struct session *session;
	struct server *server;
	const struct connection_owner *owner;
	uint64_t number; /* from 1, never used again */
	struct peer peer;
	char by[BY_SIZE]; /* peer and principal, as log/by.h has it */
	int64_t since_ms; /* since 1970: when it connected */
	enum connection_state state;
	int fd;
	struct watch *watch;
	int64_t deadline_ms; /* INT64_MAX: none */
	int given;           /* a descriptor that it sent; -1: none */

	enum connection_bye bye;
	int64_t bye_by_ms; /* when that must have gone on */
	int64_t heard_ms;  /* when something came from it last */

	struct hello hello;
	unsigned features;     /* that both sides have */
	struct viewer *viewer; /* NULL: control, or not yet */

	struct buf in; /* the beginning of a frame */
	struct buf out;
	size_t out_sent;
	size_t large;     /* bytes of it that are pictures and other giants */
	bool in_history;  /* its viewer is sending a HISTORY */
	struct buf held;  /* frames that must wait for the end of it */
	bool blocked;     /* the socket took no more */
	bool owes;        /* `out` or `held` has an answer in it */
	bool shut;        /* closing, and all was sent */
	bool events_lost; /* some did not fit */

	struct reply_filter filter; /* of DATA */

	struct request_queue requests;
	struct held_answers held_answers;
};

/* The peer becomes the connection's; NULL when that cannot be watched. */
struct connection *connection_create(const struct connection_owner *owner,
    int fd, const struct peer *peer, uint64_t number);

/* Close it if it is open, and free it; the viewer and requests are gone. */
void connection_destroy(struct connection *c);

/* Close after what is in `out`, or at once. */
void connection_finish(struct connection *c);
void connection_close(struct connection *c);

/* Tell what it did wrong, and close. */
void connection_fail(struct connection *c, enum failure failure,
    const char *message);

/* Whether it may type, resize and the like. */
bool connection_may_type(const struct connection *c);

/* Whether its peer may do this to the session; -EACCES and why. */
int connection_check(const struct connection *c, enum op_permission permission,
    struct error *err);

/* Frames to send.  Those that do not fit close the client, but for events. */
void connection_put(struct connection *c, uint8_t type, const void *p,
    size_t len);
void connection_put_event(struct connection *c, const char *json, size_t len);
void connection_put_taken(struct connection *c, const struct frame_taken *t);

/*
 * The buffer for frames made in place; call connection_put_done afterwards.
 */
struct buf *connection_out(struct connection *c);
void connection_put_done(struct connection *c);

/* Refuse the request that is being handled; 0 is the id of none. */
void connection_refuse(struct connection *c, uint64_t id, enum failure failure,
    const struct error *err);

/* The members of a response that refuses, but for its id. */
void connection_put_error(struct json_out *j, enum failure failure,
    const struct error *err);

/* All that it sent was taken: nothing more will come. */
void connection_heard_bye(struct connection *c);

/* Have it send no more; what it has sent is still read. */
void connection_cut(struct connection *c);

/* Write `out`; whether all of it is gone and the client still there. */
bool connection_flush(struct connection *c);

/* The socket takes no more: go on when it does. */
void connection_block(struct connection *c);

/* The time limit has passed: of the first line, of closing, of a half key. */
void connection_expire(struct connection *c);

#endif
