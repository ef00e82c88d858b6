#ifndef TEND_LOG_BY_H
#define TEND_LOG_BY_H

#include <stddef.h>

struct json_out;

/*
 * The author of an action.  The peer is the process that connected, as the
 * host found it.  The principal is the name that it claims to act for.
 * Records, leases and events have both as one text, which tools that know only
 * the peer can still show:
 *
 *	uid:1000			the peer alone
 *	user:ann via uid:1000		a principal
 *	user:ann (token) via uid:1000	and how it was verified
 *
 * Neither word has a blank in it.  Pure.
 */
#define BY_PRINCIPAL_SIZE 129
#define BY_VERIFIED_SIZE 33
#define BY_PEER_SIZE 48
#define BY_SIZE 256

struct by {
	char principal[BY_PRINCIPAL_SIZE]; /* "": the peer itself */
	char verified[BY_VERIFIED_SIZE];   /* "": not given */
	char peer[BY_PEER_SIZE];
};

void by_format(const struct by *by, char out[BY_SIZE]);

/*
 * Accepts any text.  A text of another form is a principal without a peer, cut
 * to fit: "viewers" is the host itself.
 */
void by_parse(const char *p, size_t len, struct by *out);

/* The text as the members `by`, `verified` and `peer`, as far as given. */
void by_put(const char *p, size_t len, struct json_out *j);

#endif
