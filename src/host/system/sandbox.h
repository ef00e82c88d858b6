#ifndef TEND_HOST_SYSTEM_SANDBOX_H
#define TEND_HOST_SYSTEM_SANDBOX_H

struct log;

/*
 * Give up what a host does not need once it serves: a host that was taken
 * over by the bytes it reads can type into its own session, but run no program
 * and make no code.
 *
 *	execve, execveat, ptrace	end the process
 *	memory writable and executable	ends it too
 *	memory executable		ENOSYS, so code is what was loaded
 *	another architecture's calls	end it
 *	what is not on the list		ENOSYS, noted once in the log
 *
 * For all threads.  0, or -errno where the kernel has no seccomp.  Does
 * nothing in builds with a sanitizer, which needs more than we know of.
 */
int sandbox_enter(const struct log *log);

#endif
