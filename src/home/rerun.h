#ifndef TEND_HOME_RERUN_H
#define TEND_HOME_RERUN_H

struct config;
struct fault;
struct handle;
struct report;

/* Starting the program of an ended session again, in a new session. */
struct rerun {
	const char *const *env; /* KEY=VALUE, set in addition; NULL: none */
	char *const *from; /* the environment, where the session kept none */
};

/* Whether the session of the handle can be started again. */
int rerun_check(const struct handle *h, struct fault *f);

/*
 * Start it; then the handle has the new session.  The old one stays as it is;
 * damage in its log is reported.
 */
int rerun_session(struct handle *h, const struct rerun *q,
    const struct config *c, struct report *r, struct fault *f);

#endif
