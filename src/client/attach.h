#ifndef TEND_CLIENT_ATTACH_H
#define TEND_CLIENT_ATTACH_H

#include <stdbool.h>

#include "client/keys.h"
#include "wire/hello.h"

struct error;

/*
 * A session on the user's terminal: `tend attach`, and `tend run` until the
 * user detaches.  All zero, but for id and name, is what people want.
 */
struct attach_options {
	const char *id;   /* the session's; its own terminal is refused */
	bool nested;      /* from inside of another session is fine */
	const char *name; /* for messages */
	bool readonly;    /* look, and type nothing */
	bool steal;       /* take the lease from whoever has it */
	bool alone;       /* detach everybody else */
	int homefd;       /* where to note it as the last; -1: nowhere */
	bool started;     /* just now, by this command */
	bool in_line;     /* no alternate screen: into the scrollback */
	enum hello_replay replay;
	const char *prefix; /* a key's name; NULL: $TEND_PREFIX, or C-] */
	const char *outer;  /* the prefix of a session around this; likewise */
	struct keys_bound bound;
	bool *other; /* set when the user wants to pick another session */
	bool (*has_other)(void *arg); /* whether there is one */
	void *arg;
};

/*
 * Check that this terminal can show it: not one that is a session's itself, unless
 * `nested` and it is another's.  -EDEADLK, and what to do instead.
 */
int attach_check(const struct attach_options *o, struct error *err);

/*
 * Show the session of that directory on standard input and output, which must
 * be a terminal, until it ends, the user detaches or the window is closed.
 * The terminal is afterwards as it was before, whatever happened, also when
 * this process is killed.
 *
 * Returns the exit status that fits: the program's (128+n for a signal), 0
 * after a detach.  A session that has ended already is fine.  Negative errno
 * and why when there was nothing to attach to: -ENOTTY, as attach_check, -EINVAL
 * (no such prefix), or as conn_open.
 */
int attach_run(const struct attach_options *o, int dirfd, struct error *err);

#endif
