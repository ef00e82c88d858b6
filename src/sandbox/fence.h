#ifndef TEND_SANDBOX_FENCE_H
#define TEND_SANDBOX_FENCE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A Landlock domain: from now on, the process can open only files below the
 * given places.  As far as the kernel knows how, it can neither make nor use TCP
 * connections with new sockets, nor reach abstract sockets of other processes,
 * nor signal them unless that is allowed.  It also cannot trace them: most of /proc/PID of another
 * process, such as mem, environ, exe and fd, cannot be opened.
 *
 * Open descriptors stay usable.  Threads and processes that are started later
 * inherit the limits; a thread that runs already would not have them, so the
 * calling thread must be the only one.
 */
struct fence_place {
	int dirfd; /* as for openat */
	const char *path;
	bool writable; /* else files and directories below can only be read */
	bool device;   /* also all ioctl calls of a terminal */
};

/*
 * Missing places are left out.  Returns the version of the kernel's Landlock
 * (ABI); -EOPNOTSUPP: there is none, or one that cannot allow renames between
 * directories (ABI 1).  -EBUSY: there are other threads.  After a failure the
 * process is not limited.
 */
enum fence_flags {
	FENCE_SIGNALS = 1 << 0, /* it may signal other processes */
};
int fence_enter(const struct fence_place *places, size_t n, unsigned flags);

#endif
