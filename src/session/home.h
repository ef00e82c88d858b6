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
 *	HOME/names/HASH -> ID	the active session with this name; the file's
 *				name is a hash, so names never become paths
 *
 * All directories have mode 0700 and all files 0600, whatever the umask.  tend
 * refuses a home that is a link, belongs to another user, or can be written by
 * others.  Root may open another user's home, but not create anything in it.
 */
struct home {
	char path[PATH_MAX];
	int fd;          /* of HOME; -1: no such directory */
	int sessions_fd; /* of HOME/sessions; -1: none */
	bool made;       /* true: it had no sessions before */
};

/*
 * The path of the home (path_home), which need not exist yet, without a slash
 * at the end.
 */
int home_path(const char *option, char out[PATH_MAX], struct error *err);

/*
 * With `create`, make missing directories.  Without it, a home that does not
 * exist or has no sessions counts as empty.  After a failure there is nothing
 * to close.
 */
int home_open(struct home *h, const char *option, bool create,
    struct error *err);
void home_close(struct home *h);

/* Open the directory of a session by its id; -ENOENT with err. */
int home_session_dir(const struct home *h, const char *id, struct error *err);

/*
 * Call fn with every id, newest first, until it returns non-zero.  Return that
 * value.
 */
typedef int home_fn(void *arg, const char *id);
int home_each(const struct home *h, home_fn *fn, void *arg, struct error *err);

/*
 * Remove a session's directory with everything in it.  It is first renamed to
 * a name that is no id, so the session disappears at once.  If a crash leaves
 * files behind, home_sweep removes them.  -ENOENT: there is no such session.
 */
int home_remove_session(const struct home *h, const char *id,
    struct error *err);
int home_sweep(const struct home *h, struct error *err);

/*
 * True if the session of this directory is being removed or has been removed.
 * Missing files are then no damage.
 */
bool home_is_leaving(int dirfd, const char *id);

/*
 * Open an absolute path that must be a directory, no link, ours (root may open
 * another user's) and closed to other users.  *fd is -1 if it does not exist
 * and `create` is false.
 */
int home_open_dir(const char *path, bool create, int *fd, struct error *err);

/*
 * Lock a directory (flock) until it is closed.  -EBUSY if another process held
 * the lock for limit_ms: a stopped process must not block the others.
 */
int home_lock(int fd, int limit_ms);

/* Make a directory of mode 0700.  0, or -errno and it was not made. */
int home_make_dir(int parent, const char *name);

/* Open a directory of the home, which must be ours; or -errno. */
int home_open_part(const struct home *h, const char *name, bool create,
    struct error *err);

/*
 * A name is 1 to 8 segments joined by `/`, each [A-Za-z0-9_][A-Za-z0-9._-]* of
 * at most 64 bytes, all of it at most NAME_SIZE_MAX, and no id.
 */
#define NAME_SIZE_MAX 255

/* 0 if a session may have this name; -EINVAL with err. */
int name_check(const char *name, struct error *err);

/*
 * Claim a name for a session.  -EEXIST if an active session holds it; `active`
 * decides that.  name_release gives a name up if that id still holds it.
 */
typedef bool name_active_fn(void *arg, const char *id);
int name_claim(const struct home *h, const char *name, const char *id,
    name_active_fn *active, void *arg, struct error *err);
void name_release(const struct home *h, const char *name, const char *id);

/*
 * Claim the command's basename, as far as it is a valid name, or that with -2,
 * -3 and so on.  Return the claimed name.
 */
int name_claim_default(const struct home *h, const char *command,
    const char *id, name_active_fn *active, void *arg,
    char out[NAME_SIZE_MAX + 1], struct error *err);

/*
 * Count the claims.  name_sweep first removes claims of sessions that are not
 * active.  -errno on failure.
 */
int name_count(const struct home *h);
int name_sweep(const struct home *h, name_active_fn *active, void *arg);

/* The id that last claimed a name and still holds it; or -ENOENT. */
int name_holder(const struct home *h, const char *name, char id[ID_SIZE]);

#endif
