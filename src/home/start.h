#ifndef TEND_HOME_START_H
#define TEND_HOME_START_H

struct config;
struct fault;
struct handle;
struct report;

/*
 * Start the session that h->session describes, with this environment, in the
 * handle's home, and open its directory.  The limits of the home (quota.h) come
 * from TEND_MAX_SESSIONS, TEND_MAX_RATE and TEND_MIN_FREE, or else from the
 * settings.  The fault contains the exit status of `tend run`.
 */
int start_session(struct handle *h, char **env, const struct config *c,
    struct report *r, struct fault *f);

#endif
