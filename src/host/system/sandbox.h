#ifndef TEND_HOST_SYSTEM_SANDBOX_H
#define TEND_HOST_SYSTEM_SANDBOX_H

struct log;

/*
 * Gives up what a host does not need once it serves.  If the bytes that it
 * reads take over a host, it can type into its own session, but neither run a
 * program nor make code.  sandbox/filter.h has the rules; sandbox.def lists the
 * calls.
 */
int sandbox_enter(const struct log *log);

/*
 * The first part, before any thread runs: from now on the host can open only
 * files of its session's directory, of the home (to read), of `cgroup` (NULL:
 * none) and of /proc, and terminals; it cannot read the memory of other processes
 * (sandbox/fence.h).  As fence_enter.
 */
int sandbox_fence(int dirfd, const char *cgroup);

#endif
