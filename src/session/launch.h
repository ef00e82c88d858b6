#ifndef TEND_SESSION_LAUNCH_H
#define TEND_SESSION_LAUNCH_H

struct error;
struct home;
struct manifest;

/*
 * Start a session.  The manifest has everything but ids, pids and times; a
 * name of "" asks for the command's basename, or that with -2, -3 …  envp is
 * the program's; TEND_SESSION and TEND_HOME are added, and SSH_AUTH_SOCK unless
 * it is there (visit.h).  0, or -errno with *code the exit status that fits
 * (125, or 126 and 127 as a shell has them) and nothing left behind.  The
 * home is entered in the registry.  A session that is created inside of a
 * confined one is confined as well and has no more grants: -EACCES otherwise.  The keeper is a child of the caller, who may
 * wait for it.  tend-keeper and tend-host are looked for beside the caller's
 * program, then in libexec.
 */
int launch_session(const struct home *h, struct manifest *m, char **envp,
    int *code, struct error *err);

/*
 * tend-host as it is installed beside the caller's program, open for reading;
 * or -errno and where it was looked for.
 */
int launch_open_host(struct error *err);

#endif
