#ifndef TEND_HUB_SOCKET_H
#define TEND_HUB_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct identity;
struct socket;

/*
 * One WebSocket connection (exchange_upgrade makes it).  Messages are complete
 * and within the maximum; a client that breaks the protocol is closed.
 *
 * socket_send never refuses, so the caller looks at socket_queued: beyond
 * SOCKET_HIGH it waits for on_room.  A connection with more than SOCKET_MAX
 * unsent bytes is closed, and so is one that accepts nothing for
 * SOCKET_STALL_MS although bytes wait.
 */
#define SOCKET_LOW (32u << 10)
#define SOCKET_HIGH (64u << 10)
#define SOCKET_MAX (8u << 20)
#define SOCKET_STALL_MS 30000

struct socket_handlers {
	void (
	    *on_message)(void *arg, bool binary, const uint8_t *p, size_t len);
	/* Fewer than SOCKET_LOW bytes wait, after there were SOCKET_HIGH. */
	void (*on_room)(void *arg);
	void (*on_gone)(
	    void *arg); /* the connection has ended; the last call */
};

/* One message: head, then p. */
void socket_send(struct socket *s, bool binary, const void *head,
    size_t head_len, const void *p, size_t len);

size_t socket_queued(const struct socket *s); /* bytes that wait */

/* Send a close frame; on_gone is called later. */
void socket_close(struct socket *s, unsigned code, const char *reason);

/* The largest message from the client; it begins with SOCKET_FIRST_MAX. */
#define SOCKET_FIRST_MAX 4096u
void socket_set_max(struct socket *s, size_t max);

/*
 * The client has not proved who it is: the connection ends, unless
 * socket_set_verified is called within ten seconds.
 */
void socket_must_verify(struct socket *s);
void socket_set_verified(struct socket *s, const struct identity *who);

const char *socket_from(const struct socket *s); /* the peer's address */

#endif
