#ifndef TEND_HOST_LIFE_LINK_H
#define TEND_HOST_LIFE_LINK_H

struct control;
struct error;
struct host;

/*
 * The host's end of the control connection.  When the keeper dies, the host
 * goes on in its place (unkept.h): nobody will know the program's status.
 */
struct link;

/* The keeper's HELLO, which is waited for (-1: for ever); 0 or -errno. */
#define LINK_HELLO_MS 5000
int link_hello(struct host *h, int timeout_ms, struct control *out,
    struct error *err);

struct link *link_create(struct host *h);
void link_destroy(struct link *l); /* NULL is fine */

/* Tell the keeper that we serve, and how long to keep the terminal open. */
void link_ready(struct link *l);

#endif
