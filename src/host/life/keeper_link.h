#ifndef TEND_HOST_LIFE_KEEPER_LINK_H
#define TEND_HOST_LIFE_KEEPER_LINK_H

struct control;
struct error;
struct ending;
struct handover;
struct restart;
struct server;
struct session;

/*
 * The host's end of the control connection.  If the keeper dies, the host
 * continues in its place (keeper_gone.h); the program's exit status is then
 * unknown.
 */
struct keeper_link;

/* Wait for the keeper's HELLO (-1: without a limit); 0 or -errno. */
#define KEEPER_LINK_HELLO_MS 5000
int keeper_link_hello(int control, int timeout_ms, struct control *out,
    struct error *err);

/* The parts that handle the keeper's messages. */
struct keeper_link_parts {
	struct server *server;
	struct ending *ending;
	struct handover *handover;
	struct restart *restart;
};

struct keeper_link *keeper_link_create(struct session *session,
    const struct keeper_link_parts *with);
void keeper_link_destroy(struct keeper_link *l); /* NULL is fine */

/* Tell the keeper that we serve, and how long to keep the terminal open. */
void keeper_link_ready(struct keeper_link *l);

#endif
