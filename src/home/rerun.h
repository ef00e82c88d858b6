#ifndef TEND_HOME_RERUN_H
#define TEND_HOME_RERUN_H

struct config;
struct fault;
struct handle;
struct report;

/* Start the program of an ended session again, in a new session. */
struct rerun {
	const char *const *env; /* additional KEY=VALUE; NULL: none */
	char *const *from;      /* the environment, if the session kept none */
};

/*
 * Start it; the handle then has the new session.  The old session is not
 * changed; damage in its log is reported.
 */
int rerun_session(struct handle *h, const struct rerun *q,
    const struct config *c, struct report *r, struct fault *f);

#endif
