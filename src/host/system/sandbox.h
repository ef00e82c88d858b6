#ifndef TEND_HOST_SYSTEM_SANDBOX_H
#define TEND_HOST_SYSTEM_SANDBOX_H

struct log;

/*
 * Gives up what a host does not need once it serves.  If the bytes that it
 * reads take over a host, it can type into its own session, but neither run a
 * program nor make code.
 *
 *	execve, execveat, ptrace	end the process
 *	memory writable and executable	ends it too
 *	memory executable		ENOSYS, so only loaded code runs
 *	another architecture's calls	end it
 *	calls that are not on the list	ENOSYS, noted once in the log
 *
 * Applies to all threads.  Returns 0, or -errno if the kernel has no seccomp.
 * Does nothing in builds with a sanitizer, which need unknown further calls.
 */
int sandbox_enter(const struct log *log);

#endif
