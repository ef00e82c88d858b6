#ifndef TEND_SESSION_SCOPE_H
#define TEND_SESSION_SCOPE_H

#include <stddef.h>
#include <stdint.h>

struct manifest;

/*
 * A session's scope: a cgroup (version 2) that holds its program and all
 * descendants, but not its keeper and host, to the limits of its manifest.  It
 * is made below the directory that TEND_CGROUP names.  Without that it is made
 * below the nearest cgroup above ours that we may write, as systemd delegates
 * to users.
 *
 * Create the scope and set m->cgroup.  If a limit cannot be enforced, the
 * session runs without it and m->unenforced says which and why.  Return the
 * descriptor of its cgroup.procs, which the entering process writes to; -1 if
 * there is no scope.
 */
int scope_create(struct manifest *m);

/* Only once no process is in it. */
void scope_remove(const char *path); /* NULL is fine */

/*
 * Send SIGKILL to every process in it, at once and without a race; 0 or
 * -errno.
 */
int scope_kill(const char *path);

/* ----------------------------------------------------- parts, for the tests */

/*
 * The mount point of cgroup2 and our own cgroup, from the text of
 * /proc/self/mountinfo and /proc/self/cgroup; -ENOENT.
 */
int scope_find_mount(const char *mountinfo, char *out, size_t size);
int scope_find_own(const char *cgroup, char *out, size_t size);

/*
 * Write the limits of m into the cgroup that is open as dirfd.  `controllers`
 * are those turned on.  `why` lists the limits that cannot be enforced ("":
 * none).
 */
void scope_set_limits(int dirfd, const char *controllers,
    const struct manifest *m, char *why, size_t size);

#endif
