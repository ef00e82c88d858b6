#ifndef TEND_SESSION_LAUNCH_H
#define TEND_SESSION_LAUNCH_H

#include <limits.h>

struct error;
struct home;
struct manifest;

/*
 * Start a session.  The caller fills in the manifest except ids, pids and
 * times, which this sets.  If the name is "", the session gets the command's
 * basename; if an active session has that, it gets -2, -3 and so on at the
 * end.  envp is the program's environment; this adds TEND_SESSION and
 * TEND_HOME, and SSH_AUTH_SOCK unless envp has it (visit.h).
 *
 * On success return 0 and enter the home in the registry.  On failure return
 * -errno and err, set *code to an exit status and leave nothing behind.  As in
 * a shell, the status is 127 if the program does not exist and 126 if it
 * cannot run; it is 125 for any other failure.
 *
 * A session that is created inside a confined one is confined as well, and its
 * grants must be among those of the outer one; otherwise this fails with
 * -EACCES, and also if the sessions around the caller are in doubt (around.h).
 * The keeper is not a child of the caller, which need not wait for
 * it.  This looks for tend-keeper and tend-host beside the caller's program,
 * then in libexec.
 */
int launch_session(const struct home *h, struct manifest *m, char **envp,
    int *code, struct error *err);

/*
 * Open the installed tend-host for reading.  Return its descriptor, which the
 * caller closes; or -errno and err, which lists the directories.
 */
int launch_open_host(struct error *err);

/*
 * The path of another installed program of tend, as in "tend-hub", which is in
 * the directory of tend-host.  0, or -errno and err.
 */
int launch_find(const char *program, char path[PATH_MAX], struct error *err);

#endif
