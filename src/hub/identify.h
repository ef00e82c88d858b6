#ifndef TEND_HUB_IDENTIFY_H
#define TEND_HUB_IDENTIFY_H

struct exchange;

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

#endif
