#ifndef TEND_SESSION_FIND_H
#define TEND_SESSION_FIND_H

#include <stdbool.h>

struct error;
struct home;
struct manifest;

enum find_flags {
	FIND_NEWEST_OK = 1 << 0, /* no argument: newest (reading only) */
	FIND_DESTROYED = 1 << 1, /* also destroyed sessions */
	FIND_BEGINNING = 1 << 2, /* also by the beginning of a name */
};

/*
 * Find the session that an argument names: an id, a unique beginning of one
 * (at least 4 characters), or a name.  Of sessions with the same name, an active
 * one is preferred, then the newest.  An argument that is the name of one
 * session and the beginning of another's id is not unique.  With
 * FIND_BEGINNING, the beginning of a name also matches if exactly one active
 * session has it.  arg may be NULL.
 *
 * On success m is the reconciled manifest and *dirfd the open directory; the
 * caller frees both.  -ENOENT: no such session.  -EINVAL: an argument is
 * needed.  -ENOTUNIQ: err lists the candidates.  After a failure m owns
 * nothing and *dirfd is -1.
 */
int find_session(const struct home *h, const char *arg, unsigned flags,
    struct manifest *m, int *dirfd, struct error *err);

/*
 * True if the session is active or starting.  A name_active_fn whose arg is
 * the struct home.
 */
bool find_is_active(void *home, const char *id);

#endif
