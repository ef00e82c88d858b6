#ifndef TEND_HOST_SERVE_SERVER_H
#define TEND_HOST_SERVE_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log/by.h"
#include "op/failure.h"
#include "wire/event.h"

struct connection;
struct buf;
struct error;
struct host;
struct input;
struct input_done;
struct input_piece;
struct manifest_viewer;
struct session;
struct vt_event;

/*
 * The session's socket: connections and viewers, their input and their
 * requests.  The rest of the host reports events by the functions below; the
 * server calls the parts above it by its hooks.
 */
struct server;

/* Each hook gets server_config.host.  A client is its connection's number. */
struct server_hooks {
	/* The client has disconnected and gets no answers. */
	void (*on_client_gone)(struct host *h, uint64_t client);
	/*
	 * Another host takes over, and the client knows it: it asks that host.
	 */
	void (*on_client_leaves)(struct host *h, uint64_t client);
	/* A client has typed these bytes, or they wait to be typed. */
	void (*on_typed)(struct host *h, const uint8_t *p, size_t len);
	/* False while a message is being typed (ask/message.h). */
	bool (*has_typed_messages)(const struct host *h);
};

struct server_config {
	struct session *session;
	struct input *input;
	int listen; /* the session's socket, for accept(2) */
	const struct server_hooks *hooks;
	struct host *host; /* given to hooks and handlers of operations */
};

struct server *server_create(const struct server_config *c, struct error *err);
void server_destroy(struct server *s); /* NULL is fine */

/*
 * The socket was bound again: accept on *fd.  On return *fd is the old
 * descriptor, for the caller to close.
 */
void server_listen(struct server *s, int *fd);

/*
 * Output, in order and without holes, before it is in the log.  The bytes stay
 * in the ring until server_flush() of this turn has returned.  The engine has
 * processed them.
 */
void server_output(struct server *s, uint64_t offset, size_t len);

/* The turn ends: write to viewers, and input to the terminal. */
void server_flush(struct server *s);

/*
 * A client's input was written or refused, or another event that it caused is
 * done.  A request is answered once the log has the event, and with --durable
 * so is all input.  Without --durable no client waits for a disk that hangs.
 */
void server_typed(struct server *s, const struct input_done *done);

unsigned server_viewers(const struct server *s);

/* True if some viewer has not fallen behind. */
bool server_is_followed(const struct server *s);

/* From inside the engine: the program set a title, rang the bell ... */
void server_vt_event(struct server *s, const struct vt_event *ev);

/*
 * Answer or refuse a request, whether its client is still connected or not.
 * `typed`: something was typed for it.  An answer waits until the log has the
 * event `seq`.
 */
struct server_request {
	uint64_t client; /* number of the connection */
	uint64_t id;
};
void server_answer(struct server *s, const struct server_request *r, bool typed,
    const struct buf *result, uint64_t seq);
void server_fail(struct server *s, const struct server_request *r, bool typed,
    enum failure failure, const struct error *err);

/* A new segment of the log has begun. */
void server_rotated(struct server *s); /* NULL is fine */

/* The engine was replaced, or removed. */
void server_engine_changed(struct server *s);

void server_resized(struct server *s);

/*
 * Send an EVENT frame with this JSON object to the clients that want events.
 */
void server_event(struct server *s, const char *json, size_t len);

/* Send an event with one text field. */
void server_tell(struct server *s, enum wire_event_id id, const char *value);

/* The log is behind since then; 0: it has caught up. */
void server_unlogged(struct server *s, int64_t since_ms);

/*
 * Disconnect all clients except number `but`: docs/protocol.md, Handover.  No
 * new clients are accepted.  server_has_left is true once all input is typed,
 * all requests are answered and the clients have disconnected.  server_stay
 * cancels the farewell.
 */
void server_leave(struct server *s, uint64_t but);
bool server_has_left(const struct server *s);
void server_stay(struct server *s);

/* True if the terminal has accepted all input. */
bool server_has_typed(const struct server *s);

/*
 * The program has ended, and the manifest has its status.  Input is refused;
 * viewers get the remaining output, then ENDED.  Output of processes that the
 * program left behind is not shown.  The host waits for server_is_drained(),
 * but not longer than 5 seconds.
 */
void server_ended(struct server *s);

bool server_is_drained(const struct server *s);

/* For the parts above that act for a client. */

/* The open connection of this number, or NULL. */
struct connection *server_connection(struct server *s, uint64_t number);

/*
 * Type for a client.  Every path to the terminal passes here, and here
 * read-only connections and the lease are checked.  Returns an enum
 * taken_status and *seq, or INPUT_WAITS.  Fills in the client and `by` of the
 * piece.
 */
int server_type(struct server *s, struct connection *c,
    struct input_piece *piece, uint64_t *seq);

/*
 * The client has sent its colours.  They are used unless another client typed
 * last.
 */
void server_colours_known(struct server *s, struct connection *c);

/* Take, steal or give back the right to type, and tell all clients. */
bool server_take_lease(struct server *s, struct connection *c, bool steal);
void server_release_lease(struct server *s, struct connection *c);
bool server_has_lease(const struct server *s, const struct connection *c);

/* The client that may type, for example "uid:1000#3"; NULL: none. */
#define SERVER_HOLDER_SIZE (BY_SIZE + 24)
const char *server_lease_holder(struct server *s, char *out, size_t size);

/* The viewers, at most `max`; their texts are borrowed. */
size_t server_list_viewers(const struct server *s, struct manifest_viewer *out,
    size_t max);

/*
 * Close every viewer except this client, with an event that names it.  Returns
 * their number.
 */
unsigned server_detach_others(struct server *s, const struct connection *by);

/* True during the farewell to the clients. */
bool server_is_leaving(const struct server *s);

#endif
