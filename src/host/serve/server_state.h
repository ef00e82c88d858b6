#ifndef TEND_HOST_SERVE_SERVER_STATE_H
#define TEND_HOST_SERVE_SERVER_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "host/serve/connection.h"
#include "host/serve/detached.h"
#include "host/serve/lease.h"
#include "host/stream/recent_output.h"
#include "vt/input_modes.h"

struct connection;
struct frame;
struct input;
struct server_hooks;
struct session;
struct watch;

/* State that the files of the server share; all others use server.h. */

#define SERVER_CLIENTS_MAX 256
#define SERVER_NEW_MAX 64 /* clients without a first line */

struct server {
	struct session *session;
	const struct server_hooks *hooks;
	void *arg; /* of the hooks */
	int listen;
	struct watch *watch;  /* of the socket */
	bool accept_paused;   /* no file descriptor was left */
	int64_t accept_at_ms; /* when to try again */

	struct list clients;
	unsigned n_clients;
	struct connection_owner owner; /* of each connection */
	uint64_t last_number;

	struct recent_output recent;
	struct input *input;
	struct lease lease;
	struct detached detached;

	struct list later; /* answers that wait for the log, by seq */

	/* Size votes: a change, and the counter for `latest`. */
	bool size_changed;
	uint64_t votes;

	/* Sent to viewers when the turn is flushed. */
	bool title_changed, bell;
	struct input_modes told;
	unsigned notices_left; /* for the present second */
	int64_t notices_ms;

	uint64_t colours_of; /* client whose colours the engine has */
	bool holds;          /* output is held for a viewer */

	bool leaving;           /* another host takes over */
	int64_t leaving_ms;     /* since then */
	uint64_t leaving_for;   /* the client that asked for it: leaves last */
	int64_t sizes_after_ms; /* no size counts before */

	bool ended;
	uint64_t ended_after; /* the last client that was connected */
};

/* The connection at this place of `clients`. */
static inline struct connection *
connection_of(struct list *link)
{
	return container_of(link, struct connection, link);
}

/*
 * The client's size or visibility changed, it has drawn, or (latest) it has
 * typed.
 */
void server_vote(struct server *s, struct connection *c);

/* Take the next step of the farewell to a client, if it is due. */
void server_part(struct server *s, struct connection *c);

/* Handle a client's frame; an invalid one closes the connection. */
void server_handle_frame(struct connection *c, const struct frame *f);

/*
 * No more bytes belong to the incomplete key sequence at the end of its DATA.
 */
void server_let_go(struct connection *c);

/* Resume accept, unless something prevents it. */
void server_resume_accept(struct server *s);

void server_begin_answers(struct server *s);
void server_end_answers(struct server *s);

void server_begin_typing(struct server *s);
void server_end_typing(struct server *s);

/* The log is behind: send all answers that wait for it, unless --durable. */
void server_answer_now(struct server *s);

/*
 * server_claim_lease: a client has connected and may want the lease or have it
 * reserved.  server_lose_lease: it has disconnected.
 */
void server_claim_lease(struct server *s, struct connection *c);
void server_lose_lease(struct server *s, struct connection *c);
void server_expire_lease(struct server *s);

/* Close a client that was detached and has reconnected; true if it was. */
bool server_turn_away(struct server *s, struct connection *c);

/* Send the changes of this turn to the clients that want events. */
void server_send_changes(struct server *s);

/*
 * Send the events that describe the present state to a client that missed
 * some.
 */
void server_send_state(struct server *s, struct connection *c);

#endif
