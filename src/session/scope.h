#ifndef TEND_SESSION_SCOPE_H
#define TEND_SESSION_SCOPE_H

#include <stddef.h>
#include <stdint.h>

struct manifest;

/*
 * A session's scope: a cgroup (version 2) of its program and all that comes of
 * it, but not of its keeper and host, that holds it to the limits of its
 * manifest.  It is made where we may: below the directory that TEND_CGROUP
 * names, else below the nearest cgroup above our own that is ours to write, as
 * systemd delegates to users.
 *
 * Make it and set m->cgroup.  What cannot be held is no failure: the session
 * runs without, and m->unenforced says what and why.  The descriptor of its
 * cgroup.procs, to be written by who enters it; -1 when there is no scope.
 */
int scope_create(struct manifest *m);

/* Once nobody is in it any more. */
void scope_remove(const char *path); /* NULL is fine */

/* SIGKILL for everybody in it, at once and without a race; 0 or -errno. */
int scope_kill(const char *path);

/* ----------------------------------------------------- parts, for the tests */

/*
 * Where cgroup2 is mounted and which cgroup is ours, from the text of
 * /proc/self/mountinfo and /proc/self/cgroup; -ENOENT.
 */
int scope_find_mount(const char *mountinfo, char *out, size_t size);
int scope_find_own(const char *cgroup, char *out, size_t size);

/*
 * Write the limits of m into the cgroup that is open as dirfd, of which
 * `controllers` are on; `why` gets what cannot be held ("" when all is).
 */
void scope_set_limits(int dirfd, const char *controllers,
    const struct manifest *m, char *why, size_t size);

#endif
