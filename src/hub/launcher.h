#ifndef TEND_HUB_LAUNCHER_H
#define TEND_HUB_LAUNCHER_H

#include <stdbool.h>
#include <sys/types.h>

#include "home/calls.h"

struct error;
struct launch_call;
struct launcher;
struct log;
struct loop;
struct op;
struct operation;

/*
 * A process that starts sessions for the hub.  Sandboxes are inherited, so the
 * hub forks it before it enters its own.  The launcher carries out the
 * operations that need an unfiltered process: those that run programs, open
 * programs for the next host, or use other homes (launcher_runs).
 *
 * New sessions have the environment of the process that started the hub.
 * Without `cwd` they begin in the user's home directory.
 *
 * If the launcher dies, calls under way end with FAIL_UNKNOWN, later ones are
 * FAIL_UNREACHABLE; the hub then ends, and its starter starts it again.
 */

/*
 * Fork the process for this home.  *fd is our end of its socket.  0 or -errno
 * and err.
 */
int launcher_fork(const char *home, int *fd, pid_t *pid, struct error *err);

/* Use the forked process from a loop; fd becomes the launcher's. */
struct launcher *launcher_create(struct loop *loop, int *fd,
    void (*on_end)(void *arg), void *arg);
void launcher_destroy(struct launcher *l); /* NULL is fine */

/* True if the launcher must carry out this operation. */
bool launcher_runs(const struct operation *o);

/* As calls_start; the answer has no report. */
int launcher_start(struct launcher *l, const struct operation *o,
    calls_done_fn *fn, void *arg, struct launch_call **call, struct fault *f);

/* The answer is not needed any more; the operation goes on. */
void launcher_cancel(struct launch_call *call);

#endif
