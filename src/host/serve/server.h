#ifndef TEND_HOST_SERVE_SERVER_H
#define TEND_HOST_SERVE_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/serve/op_call.h"
#include "log/by.h"
#include "op/failure.h"
#include "wire/event.h"

struct connection;
struct buf;
struct error;
struct input;
struct input_done;
struct input_piece;
struct manifest_viewer;
struct op_host;
struct session;
struct vt_event;

/*
 * The session's socket: connections and viewers, their input and their
 * requests.  The other parts of the host call the functions below to report
 * events; the server calls the parts above it through its hooks.
 */
struct server;

/* Each hook gets server_config.arg.  A client is its connection's number. */
struct server_hooks {
	/* The client has disconnected: do not answer its requests. */
	void (*on_client_gone)(void *arg, uint64_t client);
	/*
	 * Another host takes over, and the client was sent a BYE or was cut
	 * off: leave its waits and commands to the next host.
	 */
	void (*on_client_leaves)(void *arg, uint64_t client);
	/* A client typed these bytes.  A full queue may have refused them. */
	void (*on_typed)(void *arg, const uint8_t *p, size_t len);
	/* False while a message is being typed (ask/message.h). */
	bool (*has_typed_messages)(const void *arg);
};

struct server_config {
	struct session *session;
	struct input *input;
	int listen; /* the session's socket; the server does not close it */
	const struct server_hooks *hooks;
	void *arg; /* of the hooks */
	/*
	 * Of all operations, by their number in ops.h; NULL for one of a home.
	 * Each gets `host` in its op_call (op_call.h).
	 */
	op_fn *const *handlers;
	const struct op_host *host;
};

/* NULL and err if the socket cannot be watched. */
struct server *server_create(const struct server_config *c, struct error *err);
void server_destroy(struct server *s); /* NULL is fine */

/*
 * The socket was bound again: accept on *fd.  On return *fd is the old
 * descriptor, for the caller to close.
 */
void server_listen(struct server *s, int *fd);

/*
 * The engine has processed this output, which may not be in the log yet.  Each
 * call continues at the end of the one before.  The caller keeps the bytes in
 * the ring until server_flush() of this turn has returned.
 */
void server_output(struct server *s, uint64_t offset, size_t len);

/*
 * The turn ends: begin requests whose turn has come, send to all clients, free
 * closed connections, and apply a new size.
 */
void server_flush(struct server *s);

/*
 * Tell a client that its input was written or refused, or that the event of
 * its request is queued.  The answer to a request waits until the log has the
 * event; with --durable, so does the answer to all other input.  Without
 * --durable, no answer waits while the log is behind.
 */
void server_typed(struct server *s, const struct input_done *done);

/* The number of viewers. */
unsigned server_viewers(const struct server *s);

/* True if at least one viewer keeps up with the output. */
bool server_is_followed(const struct server *s);

/*
 * The engine calls this when the program sets a title, rings the bell or sends
 * a notification.
 */
void server_vt_event(struct server *s, const struct vt_event *ev);

/*
 * Answer or refuse a request for which the handler returned REQUEST_LATER.
 * Its client may be gone; the answer to a request with a key is kept (once.h).
 * `typed`: the request typed something, so its key must not type again.  The
 * caller keeps `result`, the JSON of the result alone.  The answer waits until
 * the log has the event `seq`; 0: none.
 */
struct server_request {
	uint64_t client; /* number of the connection */
	uint64_t id;
};
void server_answer(struct server *s, const struct server_request *r, bool typed,
    const struct buf *result, uint64_t seq);
void server_fail(struct server *s, const struct server_request *r, bool typed,
    enum failure failure, const struct error *err);

/*
 * The error for a request whose client left before anything was typed.  Only
 * requests that wait with the same key get it.  The key is free, so they may
 * ask again.
 */
extern const struct error server_client_left;

/* A new segment of the log has begun. */
void server_rotated(struct server *s); /* NULL is fine */

/* The engine was replaced, or removed. */
void server_engine_changed(struct server *s);

/* The terminal has a new size: tell all clients. */
void server_resized(struct server *s);

/*
 * Send an EVENT frame with this JSON object to the clients that want events.
 */
void server_event(struct server *s, const struct buf *json);

/* Send such an event, with one text field; NULL: null. */
void server_text_event(struct server *s, enum wire_event_id id,
    const char *value);

/*
 * The log is behind since then (CLOCK_REALTIME); 0: it has caught up.  Tell
 * all clients, and send the answers that wait for the log; with --durable,
 * those to input still wait.
 */
void server_unlogged(struct server *s, int64_t since_ms);

/*
 * Begin to disconnect all clients except number `but` (docs/protocol.md,
 * Handover), and stop accepting new ones.  server_flush does the rest, in
 * later turns: it waits a limited time for a client's BYE, its input and its
 * answers, then closes the connection.  server_has_left is true once those
 * clients are gone and all input is typed.  server_stay keeps the clients that
 * were not told yet, and accepts again.
 */
void server_leave(struct server *s, uint64_t but);
bool server_has_left(const struct server *s);
void server_stay(struct server *s);

/*
 * True if the terminal has accepted all input, the clients have the answers to
 * it, and no message is being typed.
 */
bool server_has_typed(const struct server *s);

/*
 * The program has ended, and the manifest has its status.  Refuse input from
 * now on; send viewers the remaining output, then ENDED.  Do not show output
 * of processes that the program left behind.
 */
void server_ended(struct server *s);

/*
 * True if all clients that were connected at the end have got everything.  The
 * host waits for this before it exits, but not longer than 5 seconds.
 */
bool server_is_drained(const struct server *s);

/* For the parts above that act for a client. */

/* The open connection of this number, or NULL. */
struct connection *server_connection(struct server *s, uint64_t number);

/*
 * Type for a client, whose number and name this writes into the piece.  All
 * input of clients passes here: a read-only client, and one without the lease,
 * is refused.  Returns INPUT_WAITS if server_typed reports the outcome later;
 * otherwise an enum taken_status, and *seq if the piece was written.
 */
int server_type(struct server *s, struct connection *c,
    struct input_piece *piece, uint64_t *seq);

/*
 * The client has sent its colours.  They are used unless another client typed
 * last.
 */
void server_colours_known(struct server *s, struct connection *c);

/*
 * Take, steal or give back the lease (the right to type), and tell all clients
 * of a new holder.  server_take_lease returns false if another client has the
 * lease and `steal` is not set; it is always true in a session whose policy is
 * not `lease`.  server_release_lease ignores a client that has no lease.
 */
bool server_take_lease(struct server *s, struct connection *c, bool steal);
void server_release_lease(struct server *s, struct connection *c);
bool server_has_lease(const struct server *s, const struct connection *c);

/*
 * The holder of the lease, written to `out`, for example "uid:1000#3".
 * Returns `out`, or NULL if no connected client holds it.
 */
#define SERVER_HOLDER_SIZE (BY_SIZE + 24)
const char *server_lease_holder(struct server *s, char *out, size_t size);

/*
 * Write up to `max` viewers to `out` and return their number.  Their texts are
 * borrowed until the end of the turn.
 */
size_t server_list_viewers(const struct server *s, struct manifest_viewer *out,
    size_t max);

/*
 * Close every viewer except the client `by`, with an event that names `by`.
 * Returns the number of closed viewers.
 */
unsigned server_detach_others(struct server *s, const struct connection *by);

/* True from server_leave until server_stay. */
bool server_is_leaving(const struct server *s);

#endif
