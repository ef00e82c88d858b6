#ifndef TEND_HOST_LIFE_HANDOVER_H
#define TEND_HOST_LIFE_HANDOVER_H

#include <stdint.h>
#include <sys/types.h>

struct control;
struct error;
struct execs;
struct server;
struct session;
struct waits;

/*
 * Leaving a running session to another host: docs/protocol.md, "Another host".
 *
 *	somebody asks	the keeper is given the program, and tries it
 *	LEAVE		what was typed is let through to the program
 *			clients are taken leave of
 *			all there is goes to the log
 *			who asked is answered, and the loop ends
 *
 * Until the last step we may stay after all: clients come back to us.
 */
struct handover;

struct handover *handover_create(struct session *session, struct server *server,
    struct execs *execs, struct waits *waits);
void handover_destroy(struct handover *o); /* NULL is fine */

/*
 * A client asks for it; program -1: the same again.  It stays the caller's.
 * REQUEST_LATER, or -errno and why.
 */
int handover_ask(struct handover *o, uint64_t client, uint64_t request,
    int program, struct error *err);

/* The keeper says that the next host is ready, or (NULL: by its death) why
 * there will be none. */
void handover_leave(struct handover *o, pid_t next);
void handover_failed(struct handover *o, const struct control *c);

/* At the end of each turn: go on as far as can be. */
void handover_settle(struct handover *o);

#endif
