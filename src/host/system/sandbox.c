#include "host/system/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>

#include "base/fd.h"
#include "sandbox/fence.h"
#include "sandbox/filter.h"
#include "sandbox/sanitized.h"

#define ALLOW(name) { .call = __NR_##name },

static const struct filter_rule rules[] = {
#include "host/system/sandbox.def"
};

int
sandbox_enter(const struct log *log)
{
	return filter_enter(log, rules, sizeof(rules) / sizeof(*rules));
}

int
sandbox_fence(int dirfd, const char *cgroup)
{
	auto_close int group = cgroup != NULL ?
	    open(cgroup, O_PATH | O_DIRECTORY | O_CLOEXEC) :
	    -1;
	const struct fence_place places[] = {
		{ dirfd, ".", .writable = true },
		{ dirfd, "../..", .writable = false },
		{ dirfd, "../../names", .writable = true },
		/* Removing a cgroup changes the one above it. */
		{ group, group < 0 ? "" : "..", .writable = true },
		/* The program's side shows what was read; restarts renew it. */
		{ AT_FDCWD, "/dev/pts", .writable = true, .device = true },
		{ AT_FDCWD, "/proc", .writable = false },
		{ AT_FDCWD, "/dev/null", .writable = false },
		{ AT_FDCWD, "/etc/localtime", .writable = false },
		{ AT_FDCWD, "/usr/share/zoneinfo", .writable = false },
		/* the heap */
		{ AT_FDCWD, "/sys/devices/system/cpu", .writable = false },
	};

	/* Failpoints and reports of sanitizers write elsewhere. */
	if (SANITIZED)
		return -EOPNOTSUPP;
	return fence_enter(places, sizeof(places) / sizeof(*places),
	    FENCE_SIGNALS);
}
