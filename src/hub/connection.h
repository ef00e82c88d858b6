#ifndef TEND_HUB_CONNECTION_H
#define TEND_HUB_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/id.h"
#include "base/list.h"
#include "hub/identity.h"

struct connection;
struct gate;
struct http;
struct http_request;
struct hub;
struct tls;
struct tls_context;
struct watch;

/*
 * One connection of a client, over TCP or hub.sock: TLS, the requests one
 * after the other, and the bytes that wait to be sent.  It reads no further
 * while a request is unanswered.
 *
 * Limits: a connection has CONNECTION_HEAD_MS until its first byte, and the head
 * of a request as long again until it is complete; then each mebibyte of the
 * body has CONNECTION_BODY_MS.  A late head or body gets the status 408.  An idle
 * connection ends after CONNECTION_IDLE_MS.  A client that accepts no byte of an
 * answer for CONNECTION_STALL_MS is cut off.
 *
 * While more than CONNECTION_AHEAD_MAX bytes wait to be sent, no other request
 * begins; while any wait, no more is read, but for a WebSocket, which may have
 * CONNECTION_UNREAD_MAX.  A client that closes its side while it waits for an
 * answer has left; answers that were given before are sent.
 */
#define CONNECTION_HEAD_MS 5000
#define CONNECTION_BODY_MS 60000
#define CONNECTION_IDLE_MS 60000
#define CONNECTION_STALL_MS 30000
#define CONNECTION_LINGER_MS 1000
#define CONNECTION_AHEAD_MAX (64u << 10)
#define CONNECTION_UNREAD_MAX (8u << 20)
#define CONNECTION_READ_SIZE (64u << 10)
#define CONNECTION_OUT_MAX (64u << 20)
#define CONNECTION_FROM_SIZE 64

/*
 * The client's side of the connection, known when it was accepted: later, the
 * process may have ended, and another may have its number.
 */
struct connection_peer {
	bool is_unix;
	char from[CONNECTION_FROM_SIZE]; /* the address; "unix" */
	/* Of a unix socket, the sessions that the process runs in: */
	char session[ID_SIZE]; /* the nearest; "": none */
	bool confined;         /* one of them is */
	bool doubtful;         /* nobody can tell */
};

/*
 * The door through which clients come: shared by its connections, and
 * outlives them.
 */
struct connection_door {
	struct hub *hub;
	const struct gate *gate;
	struct tls_context *tls; /* NULL: none */
	/* A complete head; this begins a request (connection_to_request). */
	void (*on_request)(struct connection *c, const struct http_request *r);
	void (*on_verified)(struct connection *c); /* once */
	void (*on_ended)(struct connection *c);    /* once; it is freed later */
	void *owner;
};

/* The user of a connection that answers a request. */
struct connection_request {
	bool (*wants_body)(const void *arg);
	void (*take_body)(void *arg, const uint8_t *p, size_t len);
	void (*complete)(void *arg); /* the body is complete */
	void (*bad)(void *arg, int status, const char *why); /* unreadable */
	void (*gone)(void *arg); /* the client has left: the last call */
};

/* The user of a connection that has left HTTP: an outflow or a WebSocket. */
struct connection_flow {
	/* Take bytes from the client; false: the connection must end. */
	bool (*take)(void *arg, const void *p, size_t len);
	void (*progress)(void *arg); /* the client has accepted bytes */
	void (*gone)(void *arg);     /* the client has left: the last call */
};

struct connection {
	struct list link; /* the listener's; when dead, the hub's */
	struct list soon; /* the hub's: it is looked at in this turn */
	int64_t since_ms; /* CLOCK_MONOTONIC: accepted */
	struct hub *hub;
	const struct connection_door *door;
	struct connection_peer peer;
	int fd;
	struct watch *watch;
	struct watch *timer;
	struct tls *tls; /* NULL: none */
	struct http *http;
	struct buf in;    /* read, but not yet used */
	struct buf plain; /* to be encrypted; unused without TLS */
	struct buf out;   /* to be sent */
	size_t sent;      /* bytes of out */
	int in_kernel;    /* bytes that the client has not, when it stalled */
	unsigned looks; /* at the bytes in the kernel, since they were fewer */
	uint64_t body;  /* bytes of this request's, so far */
	/* At most one of these, with its argument: */
	const struct connection_request *request;
	const struct connection_flow *flow;
	void *arg;
	struct identity who; /* of the last request; all zero: unknown */
	bool verified;       /* a request has proved who the client is */
	bool half;           /* a head is incomplete */
	bool reading;        /* its bytes are watched for */
	bool ended;          /* TLS says that no more bytes come */
	bool eof;            /* no more bytes come, and none are read */
	bool announced;      /* TLS has announced the end */
	bool stalled;        /* the client has not accepted all bytes */
	bool doomed;         /* the timer ends it, whatever else happens */
	bool closing;        /* end it when all was sent */
	bool lingering; /* the answer was sent; the rest of a request is read */
	bool dead;      /* it is freed at the end of the turn */
};

/* Serve the descriptor, which becomes the connection's.  NULL with errno. */
struct connection *connection_create(int *fd,
    const struct connection_peer *peer, const struct connection_door *door);

/* End it at once; its user learns that it has gone. */
void connection_end(struct connection *c);
void connection_free(struct connection *c); /* of a dead one */

/* The buffer for bytes to the client; connection_flush sends them. */
struct buf *connection_out(struct connection *c);
size_t connection_queued(const struct connection *c);
void connection_flush(struct connection *c);

/* Look at it at the end of this turn: connection_go_on. */
void connection_soon(struct connection *c);

/* Send what waits, and use what was read after a request was answered. */
void connection_go_on(struct connection *c);

/* The request is answered by this user from now on. */
void connection_to_request(struct connection *c,
    const struct connection_request *request, void *arg);

/* The answer is complete: read the next request, or close. */
void connection_answered(struct connection *c, bool keep);

/* From now on the connection is an endless answer, or a WebSocket. */
void connection_to_flow(struct connection *c,
    const struct connection_flow *flow, void *arg);

/* The flow has ended: close when all was sent.  Its user hears no more. */
void connection_flow_ended(struct connection *c);

/* The client has proved who it is. */
void connection_set_verified(struct connection *c, const struct identity *who);

#endif
