#ifndef TEND_HUB_NAMES_H
#define TEND_HUB_NAMES_H

#include <stddef.h>

struct error;
struct hub;
struct hub_options;

/*
 * The names under which clients reach the hub, for Host and Origin, for its
 * links, and for its own certificate:
 *
 *	ADDRESS:PORT		each address that it serves; for 0.0.0.0 and [::]
 *				those of the machine when the hub starts
 *	localhost:PORT		with an address of the loopback
 *	--host NAME		as it is, for a proxy, and with each port
 *	--host NAME:PORT	as it is
 *	--host SCHEME://…	likewise, with this scheme
 *
 * A port that is the scheme's own is left out, as browsers do.
 *
 * Limit: NAMES_ADDRESSES addresses of the machine; the others need --host.
 */
#define NAMES_ADDRESSES 16
#define NAMES_MAX 64 /* of the certificate */
#define NAMES_SIZE 256

/* Check the names of --host; 0, or -EINVAL and err. */
int names_check(const struct hub_options *o, struct error *err);

/*
 * Allow the names of an address that the hub serves now.  hub->url becomes the
 * first --host, or the first of these names that other machines can use.
 */
void names_allow(struct hub *hub, const char *address, unsigned port);

/* The names for a certificate; returns their number. */
size_t names_of_certificate(const struct hub_options *o,
    char out[NAMES_MAX][NAMES_SIZE]);

#endif
