#ifndef TEND_HUB_SOCKET_STATE_H
#define TEND_HUB_SOCKET_STATE_H

struct connection;
struct socket;
struct socket_handlers;

/* For exchange_upgrade: the connection becomes a WebSocket. */
struct socket *socket_create(struct connection *c,
    const struct socket_handlers *on, void *arg);

#endif
