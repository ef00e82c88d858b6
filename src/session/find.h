#ifndef TEND_SESSION_FIND_H
#define TEND_SESSION_FIND_H

#include <stdbool.h>

struct error;
struct home;
struct manifest;

enum find_flags {
	FIND_NEWEST_OK = 1 << 0, /* no argument: the newest (reading only) */
	FIND_DESTROYED = 1 << 1, /* those as well */
	FIND_BEGINNING = 1 << 2, /* also by the beginning of a name */
};

/*
 * The session somebody meant: an id, a unique beginning of one (4 letters at
 * least), or a name, active ones first, then the newest.  An argument that is
 * the name of one and the beginning of another is not unique.  arg may be NULL.
 * With FIND_BEGINNING, an argument that is none of these may be the beginning of
 * the name of one active session; of several it is not unique.
 * Reads and reconciles its manifest and opens its directory; both are the
 * caller's.  -ENOENT, -EINVAL without argument, -ENOTUNIQ with the candidates
 * in err; m then owns nothing and *dirfd is -1.
 */
int find_session(const struct home *h, const char *arg, unsigned flags,
    struct manifest *m, int *dirfd, struct error *err);

/*
 * Whether the session is active, or just being started: a name_active_fn, its
 * arg the struct home.
 */
bool find_is_active(void *home, const char *id);

#endif
