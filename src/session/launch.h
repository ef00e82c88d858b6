#ifndef TEND_SESSION_LAUNCH_H
#define TEND_SESSION_LAUNCH_H

struct error;
struct home;
struct manifest;

/*
 * Start a session.  The manifest has everything but ids, pids and times.  The
 * name "" stands for the command's basename, or that with -2, -3 and so on.
 * envp is the program's environment; TEND_SESSION and TEND_HOME are added, and
 * SSH_AUTH_SOCK unless it is set (visit.h).
 *
 * Return 0 and enter the home in the registry.  On failure return -errno, set
 * *code to the exit status (125, or 126 and 127 as a shell has them) and leave
 * nothing behind.
 *
 * A session that is created inside a confined one is confined as well and has
 * no more grants; asking for more fails with -EACCES.  The keeper is not a
 * descendant of the caller, who has nothing to wait for.  tend-keeper and
 * tend-host are searched for beside the caller's program, then in libexec.
 */
int launch_session(const struct home *h, struct manifest *m, char **envp,
    int *code, struct error *err);

/*
 * Open the installed tend-host for reading.  On failure return -errno; err
 * lists the places that were searched.
 */
int launch_open_host(struct error *err);

#endif
