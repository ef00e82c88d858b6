#ifndef TEND_HOST_LIFE_NAMING_H
#define TEND_HOST_LIFE_NAMING_H

struct error;
struct server;
struct session;

/*
 * The session's name, which is unique among the active sessions of the home.
 */

/*
 * Claim another name for client `by`, save it, log it and tell viewers.  The
 * loop itself writes the name, so this fails if the disk accepts no writes.
 */
int naming_rename(struct session *session, struct server *server,
    const char *name, const char *by, struct error *err);

/* Free the name for other sessions. */
void naming_release(struct session *session);

#endif
