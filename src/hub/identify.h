#ifndef TEND_HUB_IDENTIFY_H
#define TEND_HUB_IDENTIFY_H

#include <stdint.h>

#include "hub/store.h"
#include "web/cookie.h"

struct connection;
struct exchange;
struct hub;

/*
 * Find out who sent a request:
 *
 *	hub.sock	the peer's uid, and the sessions that it runs in
 *	a proxy		the header that it adds, if the hub was told its
 *			name and the proxy's address; the same header from
 *			another address means nothing
 *	a program	Authorization: Bearer TOKEN
 *	a browser	the cookie and, in the header X-Tend-Key, the key that
 *			the page keeps for its own origin
 *
 * A cookie alone is nothing: browsers send it to every port of a host.  The
 * result arrives through exchange_identified; a client that is not verified is
 * refused.
 */
void identify_begin(struct exchange *x);

/* The name of the hub's cookie on this connection. */
void identify_cookie(const struct connection *c, char out[COOKIE_NAME_SIZE]);

/*
 * The time in ms until an address may try to prove something with this; 0: now.
 * There is no wait for a secret that was valid before (throttle.h).
 */
int64_t identify_wait(struct hub *hub, const char *from, enum store_kind kind,
    const char *secret, const char *key);

/* Count and record a failed try; `what` is for the audit. */
void identify_failed(struct hub *hub, const char *from, const char *what);

#endif
