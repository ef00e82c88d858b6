#ifndef TEND_CLIENT_ATTACH_H
#define TEND_CLIENT_ATTACH_H

#include <stdbool.h>

#include "client/keys.h"
#include "wire/hello.h"

struct error;

/*
 * Shows a session on the user's terminal: `tend attach`, and `tend run` until
 * the user detaches.  The defaults are all zero, except for id and name.
 */
struct attach_options {
	const char *id;   /* the session's; its own terminal is refused */
	bool nested;      /* allow attaching from another session */
	const char *name; /* for messages */
	bool readonly;    /* view only, type nothing */
	bool steal;       /* take the lease from its holder */
	bool alone;       /* detach all other clients */
	int homefd;       /* records it as the last one; -1: do not */
	bool started;     /* this command started it just now */
	bool in_line;     /* no alternate screen: use the scrollback */
	enum hello_replay replay;
	const char *prefix; /* a key's name; NULL: $TEND_PREFIX, or C-] */
	const char *outer;  /* the prefix of an outer session; likewise */
	struct keys_bound bound;
	bool *other; /* set if the user wants another session */
	bool (*has_other)(void *arg); /* true if there is one */
	void *arg;
};

/*
 * Check that this terminal can show the session.  A session's own terminal
 * cannot, unless `nested` is set and it belongs to another session.  -EDEADLK,
 * and err gives the next step.
 */
int attach_check(const struct attach_options *o, struct error *err);

/*
 * Show the session of that directory on standard input and output, which must
 * be a terminal, until the session ends, the user detaches or the window is
 * closed.  Afterwards the terminal is as it was before, even if this process
 * is killed.
 *
 * Returns the exit status: the program's (128+n for a signal), or 0 after a
 * detach.  A session that has already ended is fine.  On failure returns
 * negative errno with err: -ENOTTY, as attach_check, -EINVAL (invalid prefix),
 * or as conn_open.
 */
int attach_run(const struct attach_options *o, int dirfd, struct error *err);

#endif
