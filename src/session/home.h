#ifndef TEND_SESSION_HOME_H
#define TEND_SESSION_HOME_H

#include <limits.h>
#include <stdbool.h>

#include "base/id.h"

struct error;

/*
 * A home is the directory that holds sessions (K-01):
 *
 *	HOME/sessions/ID/{session.json, sock, log/, artifacts/, files/}
 *	HOME/names/HASH -> ID	which active session has a name; the file's
 *				name is a hash, names never become paths
 *
 * All directories are 0700 and files 0600 whatever the umask; a home that is a
 * link, belongs to somebody else or can be written by others is refused.  Root
 * may open another's home, but not create anything in it.
 */
struct home {
	char path[PATH_MAX];
	int fd;          /* of HOME; -1 when there is none */
	int sessions_fd; /* of HOME/sessions; -1 when there is none */
	bool made;       /* it had no sessions before it was opened */
};

/* Where it is (path_home), or would be, without a slash at the end. */
int home_path(const char *option, char out[PATH_MAX], struct error *err);

/*
 * With `create`, make what is missing; else no home, or one without sessions,
 * is fine and has none.  On failure there is nothing to close.
 */
int home_open(struct home *h, const char *option, bool create,
    struct error *err);
void home_close(struct home *h);

/* The directory of a session, by its id; -ENOENT and why. */
int home_session_dir(const struct home *h, const char *id, struct error *err);

/*
 * Call fn with every id, newest first, until it returns non-zero; that is then
 * the result.
 */
typedef int home_fn(void *arg, const char *id);
int home_each(const struct home *h, home_fn *fn, void *arg, struct error *err);

/*
 * Remove a session's directory with everything in it.  It goes at once, under
 * a name that is no id; what a crash leaves of it, home_sweep removes.
 * -ENOENT: there is no such session (any more).
 */
int home_remove_session(const struct home *h, const char *id,
    struct error *err);
int home_sweep(const struct home *h, struct error *err);

/*
 * Whether the session of this directory is being removed, or has been: what it
 * lacks is no damage then.
 */
bool home_is_leaving(int dirfd, const char *id);

/*
 * An absolute path that must be a directory, no link, ours (root may look into
 * another's) and closed to others: its descriptor, or -1 in *fd when it is not
 * there and not to be made.
 */
int home_open_dir(const char *path, bool create, int *fd, struct error *err);

/*
 * The lock (flock) of a directory, until it is closed; -EBUSY when another has
 * had it for all that time, for a stopped process must not stop the others.
 */
int home_lock(int fd, int limit_ms);

/* A new directory of mode 0700; 0, or -errno and it was not made. */
int home_make_dir(int parent, const char *name);

/* A directory of the home, which must be ours; its descriptor, or -errno. */
int home_open_part(const struct home *h, const char *name, bool create,
    struct error *err);

/*
 * A name is 1 to 8 segments joined by `/`, each [A-Za-z0-9_][A-Za-z0-9._-]* of
 * at most 64 bytes, all of it at most NAME_SIZE_MAX, and no id.
 */
#define NAME_SIZE_MAX 255

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

/*
 * Claim the command's basename as far as it is a name, or that with -2, -3 …,
 * and tell which it was.
 */
int name_claim_default(const struct home *h, const char *command,
    const char *id, name_active_fn *active, void *arg,
    char out[NAME_SIZE_MAX + 1], struct error *err);

/*
 * How many claims there are, and how many are left when those of sessions that
 * are not active have been given up; or -errno.
 */
int name_count(const struct home *h);
int name_sweep(const struct home *h, name_active_fn *active, void *arg);

/* Who claimed a name last and has not given it up; or -ENOENT. */
int name_holder(const struct home *h, const char *name, char id[ID_SIZE]);

#endif
