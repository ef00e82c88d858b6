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
 * The session's socket: connections, viewers, and what they type and ask.  The
 * rest of the host tells it what happens by the functions below; it tells the
 * parts above it by its hooks.
 */
struct server;

/* Each is given server_config.host.  A client is its connection's number. */
struct server_hooks {
	/* It is gone, and nobody reads answers to its requests. */
	void (*on_client_gone)(struct host *h, uint64_t client);
	/* Another host follows and the client knows: it asks that one. */
	void (*on_client_leaves)(struct host *h, uint64_t client);
	/* A client has typed this, or it waits to be typed. */
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
 * The socket was bound anew: accept on *fd.  The descriptor until now is in *fd
 * then, for the caller to close.
 */
void server_listen(struct server *s, int *fd);

/*
 * Output, in order and without holes, before it is in the log.  It is in the
 * ring and stays there until server_flush() of this turn has returned.  The
 * engine has it already.
 */
void server_output(struct server *s, uint64_t offset, size_t len);

/* The turn is over: write to viewers, and input to the terminal. */
void server_flush(struct server *s);

/*
 * A client's input was written or refused, or another event that it caused is
 * done.  A request is answered once the log has the event, and so is all input
 * with --durable.  Without --durable nobody waits for a disk that hangs.
 */
void server_typed(struct server *s, const struct input_done *done);

/* How many viewers there are. */
unsigned server_viewers(const struct server *s);

/* Whether there is a viewer that has not fallen behind. */
bool server_is_followed(const struct server *s);

/* From inside the engine: the program set a title, rang the bell ... */
void server_vt_event(struct server *s, const struct vt_event *ev);

/*
 * Answer a request, or refuse it, whether its client is still there or not.
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

/* A segment of the log has begun. */
void server_rotated(struct server *s); /* NULL is fine */

/* The engine was replaced by another one, or by none. */
void server_engine_changed(struct server *s);

void server_resized(struct server *s);

/* An EVENT frame to those who want them: a JSON object as text. */
void server_event(struct server *s, const char *json, size_t len);

/* The same for an event with one text field. */
void server_tell(struct server *s, enum wire_event_id id, const char *value);

/* The log is behind since then, or (0) is not any more. */
void server_unlogged(struct server *s, int64_t since_ms);

/*
 * Take leave of everybody, but for the client of this number: docs/protocol.md,
 * Handover.  Nobody is accepted any more.  True once all they sent is typed and
 * answered, and they have gone; server_stay is for a host that stays after all.
 */
void server_leave(struct server *s, uint64_t but);
bool server_has_left(const struct server *s);
void server_stay(struct server *s);

/* Whether all that was typed has been taken by the terminal. */
bool server_has_typed(const struct server *s);

/*
 * The program has ended and the manifest says how: no more input; viewers get
 * what is left, then ENDED.  Output may still come from processes it left
 * behind; nobody is shown it.  The host waits for server_is_drained(), but
 * for 5 seconds at most.
 */
void server_ended(struct server *s);

bool server_is_drained(const struct server *s);

/* For the parts above that act for a client. */

/* The open connection of this number, or NULL. */
struct connection *server_connection(struct server *s, uint64_t number);

/*
 * Type for a client.  This is where read-only connections and the lease are
 * checked, for every way in.  An enum taken_status and *seq, or INPUT_WAITS.
 * The piece's client and by are filled in.
 */
int server_type(struct server *s, struct connection *c,
    struct input_piece *piece, uint64_t *seq);

/* The client has sent its colours: they count unless another typed last. */
void server_colours_known(struct server *s, struct connection *c);

/* Take, steal or give back the right to type, and tell everybody. */
bool server_take_lease(struct server *s, struct connection *c, bool steal);
void server_release_lease(struct server *s, struct connection *c);
bool server_has_lease(const struct server *s, const struct connection *c);

/* The client that may type, as in "uid:1000#3"; NULL for nobody. */
#define SERVER_HOLDER_SIZE (BY_SIZE + 24)
const char *server_lease_holder(struct server *s, char *out, size_t size);

/* The viewers, at most `max`; their texts are borrowed. */
size_t server_list_viewers(const struct server *s, struct manifest_viewer *out,
    size_t max);

/*
 * Close every viewer but this client, with an event that names it; how many
 * there were.
 */
unsigned server_detach_others(struct server *s, const struct connection *by);

/* True while the clients are taken leave of. */
bool server_is_leaving(const struct server *s);

#endif
