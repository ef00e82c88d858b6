#ifndef TEND_HOST_SERVE_SERVER_H
#define TEND_HOST_SERVE_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/event.h"

struct error;
struct host;
struct vt_event;

/*
 * The session's socket: connections, viewers, input and operations.  What the
 * rest of the host tells it is below; what it may do with the host is in
 * host.h and event_log.h.
 */
struct server;

/* Begin to accept on h->listen.  The server is h->server's. */
struct server *server_create(struct host *h, struct error *err);
void server_destroy(struct server *s); /* NULL is fine */

/* The socket was bound anew: h->listen is another descriptor, accept there. */
void server_listen(struct server *s);

/*
 * Output, in order and without holes, before it is in the log.  It is in the
 * ring and stays there until server_flush() of this turn has returned.  The
 * engine has it already.
 */
void server_output(struct server *s, uint64_t offset, size_t len);

/* What is on the screen now is a frame. */
void server_frame(struct server *s);

/* The turn is over: write to viewers, and input to the terminal. */
void server_flush(struct server *s);

/* How many viewers there are. */
unsigned server_viewers(const struct server *s);

/* Whether there is a viewer that has not fallen behind. */
bool server_is_followed(const struct server *s);

/*
 * From inside the engine, while it is fed: an answer to a query, which is not
 * logged (only called for bytes that no host has answered before); and what a
 * program said (title, bell, ...).  Neither may touch the engine, but an answer
 * pauses it when no more can be kept (input.h).  Then: it was fed so far.
 */
void server_reply(struct server *s, const char *p, size_t len);
void server_replied(struct server *s, uint64_t fed);
bool server_may_ask(const struct server *s);

/* The program has ended and reads no answers, or it runs again. */
void server_mute(struct server *s, bool mute);

void server_vt_event(struct server *s, const struct vt_event *ev);

/* The engine was replaced: h->session.display.vt is another, or NULL now. */
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

/* The program has ended and will be started again. */
void server_restarts(struct server *s);
bool server_is_drained(const struct server *s);

#endif
