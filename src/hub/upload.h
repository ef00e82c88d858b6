#ifndef TEND_HUB_UPLOAD_H
#define TEND_HUB_UPLOAD_H

#include "hub/inbox.h"

struct exchange;
struct hub;
struct uploads;

/*
 * session.upload: POST /api/v1/session/upload?session=…&name=…&paste=true stores
 * its body, of any type, in the session's files (inbox.h), and can paste it
 * (pasting.h).
 *
 * Permissions are checked before the body is read.  Threads write it to the disk
 * while it arrives.  At most UPLOADS_MAX are under way; others are refused with
 * `busy`.  If the client leaves, or anything fails, no file remains, except if the
 * outcome of pasting its path is unknown.
 */
#define UPLOADS_MAX 4

struct uploads *uploads_create(struct hub *hub); /* NULL with errno */
void uploads_destroy(struct uploads *u);         /* NULL is fine */

/* The handler of the route; it gets the body in pieces. */
void upload_run(struct exchange *x);

#endif
