#ifndef TEND_HOST_LIFE_NAMING_H
#define TEND_HOST_LIFE_NAMING_H

struct error;
struct server;
struct session;

/*
 * The session's name, which no other active session of the home may have.
 */

/*
 * Claim another name for client `by`, save it, log it and tell viewers.  The
 * loop itself writes the name, so this fails on a disk that takes no writes.
 */
int naming_rename(struct session *session, struct server *server,
    const char *name, const char *by, struct error *err);

/* Let another session have the name. */
void naming_release(struct session *session);

#endif
