#ifndef TEND_SESSION_HOME_H
#define TEND_SESSION_HOME_H

#include <limits.h>
#include <stdbool.h>

struct error;

/*
 * A home is the directory that holds sessions (K-01):
 *
 *	HOME/sessions/ID/{session.json, sock, log/, artifacts/, files/}
 *	HOME/names/HASH -> ID	which active session has a name; the file's
 *				name is a hash, names never become paths
 *
 * All directories are 0700 and files 0600 whatever the umask; a home that
 * belongs to somebody else, or is open to others, is refused.
 */
struct home {
	char path[PATH_MAX];
	int fd;          /* of HOME */
	int sessions_fd; /* of HOME/sessions; -1 when there is none */
};

/* With `create`, make what is missing; else a home without sessions is fine. */
int home_open(struct home *h, const char *option, bool create,
    struct error *err);
void home_close(struct home *h);

/* The directory of a session, by its id; -ENOENT and why. */
int home_session_dir(const struct home *h, const char *id, struct error *err);

/* Call fn with every id, newest first, until it returns non-zero. */
typedef int home_fn(void *arg, const char *id);
int home_each(const struct home *h, home_fn *fn, void *arg, struct error *err);

/* Whether a session may be called this; -EINVAL and why. */
int name_check(const char *name, struct error *err);

/*
 * Claim a name for a session, -EEXIST when an active one has it (`active` is
 * asked about the holder); give it up again (only if it is still that id's).
 */
typedef bool name_active_fn(void *arg, const char *id);
int name_claim(const struct home *h, const char *name, const char *id,
    name_active_fn *active, void *arg, struct error *err);
void name_release(const struct home *h, const char *name, const char *id);

#endif
