#ifndef TEND_HOST_SERVE_SERVER_STATE_H
#define TEND_HOST_SERVE_SERVER_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "host/serve/connection.h"
#include "host/serve/detached.h"
#include "host/stream/recent_output.h"
#include "host/serve/lease.h"
#include "vt/input_modes.h"

struct buf;
struct connection;
struct frame;
struct host;
struct input;
struct server_hooks;
struct session;
struct watch;

/* What the files of the server share; all others use server.h. */

#define SERVER_CLIENTS_MAX 256
#define SERVER_NEW_MAX 64 /* of them, without their first line */

struct server {
	struct session *session;
	const struct server_hooks *hooks;
	struct host *host; /* given to the hooks */
	int listen;
	struct watch *watch;  /* of it */
	bool accept_paused;   /* no descriptor was left */
	int64_t accept_at_ms; /* when to try again */

	struct list clients;
	unsigned n_clients;
	struct connection_owner owner; /* of each */
	uint64_t last_number;

	struct recent_output recent;
	struct input *input;
	struct lease lease;
	struct detached detached;

	struct list later; /* answers that wait for the log, by seq */

	/* Size votes: something changed; the clock of `latest`. */
	bool size_changed;
	uint64_t votes;

	/* Told to viewers when the turn is flushed. */
	bool title_changed, bell;
	struct input_modes told;
	unsigned notices_left; /* in the present second */
	int64_t notices_ms;

	uint64_t colours_of; /* the client whose colours the engine has */
	bool holds;          /* the program is made to wait for a viewer */

	bool leaving;           /* another host is to follow */
	int64_t leaving_ms;     /* since when */
	uint64_t leaving_for;   /* the client that wanted it: the last to go */
	int64_t sizes_after_ms; /* until then nobody's size counts */

	bool ended;
	uint64_t ended_after; /* the last client that was there */
};

/* Its size, visibility, or that it has drawn, changed; or (latest) it typed. */
void server_vote(struct server *s, struct connection *c);

/* One step of the farewell to a client, if there is one. */
void server_part(struct server *s, struct connection *c);

/* What a client's frame does; a frame that it must not send closes it. */
void server_handle_frame(struct connection *c, const struct frame *f);

/* No more bytes belong to the half sequence that its DATA ended with. */
void server_let_go(struct connection *c);

/* Go on accepting, if nothing speaks against it. */
void server_resume_accept(struct server *s);

void server_begin_answers(struct server *s);
void server_end_answers(struct server *s);

void server_begin_typing(struct server *s);
void server_end_typing(struct server *s);

/* The log is behind: answer all that waits for it, unless --durable. */
void server_answer_now(struct server *s);

/* A client has come, and may want the lease or had it; one has gone. */
void server_claim_lease(struct server *s, struct connection *c);
void server_lose_lease(struct server *s, struct connection *c);
void server_expire_lease(struct server *s);

/* Close this client again if it was detached and has come back. */
bool server_turn_away(struct server *s, struct connection *c);

/* An event to everybody who wants them; what has changed in this turn. */
void server_tell_all(struct server *s, const struct buf *json);
void server_tell_changes(struct server *s);

/* The events that say how things stand, to one who missed some. */
void server_tell_state(struct server *s, struct connection *c);

#endif
