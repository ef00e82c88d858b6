#ifndef TEND_KEEPER_SPAWN_H
#define TEND_KEEPER_SPAWN_H

#include <sys/types.h>

/*
 * Run the program as a host.  fds[] are the descriptors of enum control_fd
 * (keep/control.h) except for its first, the control socket; our end of that
 * is *control.  0, or -errno.
 */
int spawn_host(int program, int oom_score, const int *fds, pid_t *pid,
    int *control);

#endif
