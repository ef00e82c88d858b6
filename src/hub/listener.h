#ifndef TEND_HUB_LISTENER_H
#define TEND_HUB_LISTENER_H

#include <stddef.h>

struct connection;
struct http_request;
struct error;
struct gate;
struct hub;
struct listener;
struct tls_context;

/*
 * Accepts connections on hub.sock and on TCP addresses.
 *
 * Limits: LISTENER_MAX connections; of those over TCP LISTENER_STRANGERS that have
 * not proved who they are, and LISTENER_STRANGERS_PEER of them from one address.
 * At the last two, the oldest stranger is closed, so that a client which opens
 * many connections and sends nothing cannot keep others out.  At the first, and
 * when no descriptor is left, a new client gets the status 503; hub.sock takes
 * LISTENER_OWN more, for the owner, who can end what the others use.
 *
 * For a client over TCP that does not read, the kernel takes LISTENER_UNSENT
 * bytes and the last write; the rest waits in the connection.
 */
#define LISTENER_MAX 4096
#define LISTENER_OWN 64
#define LISTENER_STRANGERS 256
#define LISTENER_STRANGERS_PEER 32
#define LISTENER_UNSENT (32 << 10)

/* on_request: as in struct connection_door. */
struct listener *listener_create(struct hub *hub,
    void (*on_request)(struct connection *c, const struct http_request *r));
void listener_destroy(struct listener *l); /* NULL is fine */

/* Listen on HOME/hub.sock, which replaces an old one.  0 or -errno and err. */
int listener_add_unix(struct listener *l, const struct gate *gate,
    struct error *err);

/*
 * Listen on a TCP address, as in "127.0.0.1:7070" or "[::1]:0".  *port gets the
 * port that was chosen.
 */
int listener_add_tcp(struct listener *l, const char *address,
    const struct gate *gate, struct tls_context *tls, unsigned *port,
    struct error *err);

/* Split "ADDR:PORT", with a numeric address; 0, or -EINVAL and err. */
int listener_parse(const char *address, char *host, size_t size, unsigned *port,
    struct error *err);

size_t listener_count(const struct listener *l); /* connections */

/* Close the connections in use by clients who are not valid any more. */
void listener_end_invalid(struct listener *l);

#endif
