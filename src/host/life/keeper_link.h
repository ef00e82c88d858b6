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
 * The host's end of the control connection.  When the keeper dies, the host
 * goes on in its place (keeper_gone.h): nobody will know the program's status.
 */
struct keeper_link;

/* The keeper's HELLO, which is waited for (-1: for ever); 0 or -errno. */
#define KEEPER_LINK_HELLO_MS 5000
int keeper_link_hello(int control, int timeout_ms, struct control *out,
    struct error *err);

/* The parts that the keeper's messages are for. */
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
