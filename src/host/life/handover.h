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
 * Hands a running session over to another host: docs/protocol.md, "Another
 * host".
 *
 *	a client asks	the keeper gets the program, and tries it
 *	LEAVE		pending input goes to the program
 *			clients are disconnected
 *			everything goes to the log
 *			the client that asked is answered, and the loop ends
 *
 * Before the last step the host may still stay; then clients come back to it.
 */
struct handover;

struct handover *handover_create(struct session *session, struct server *server,
    struct execs *execs, struct waits *waits);
void handover_destroy(struct handover *o); /* NULL is fine */

/*
 * A client asks for a handover; program -1: the same program again.  The
 * descriptor stays the caller's.  Returns REQUEST_LATER, or -errno and the
 * reason.
 */
int handover_ask(struct handover *o, uint64_t client, uint64_t request,
    int program, struct error *err);

/*
 * handover_leave: the keeper reports that the next host is ready.
 * handover_failed: it reports why there is none (NULL: the keeper died).
 */
void handover_leave(struct handover *o, pid_t next);
void handover_failed(struct handover *o, const struct control *c);

/* Called at the end of each turn: take the steps that are possible now. */
void handover_settle(struct handover *o);

#endif
