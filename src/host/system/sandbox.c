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
		{ dirfd, ".", true }, { dirfd, "../..", false },
		{ dirfd, "../../names", true }, /* for renaming */
		/* Removing a cgroup changes the one above it. */
		{ group, group < 0 ? "" : "..", true },
		{ AT_FDCWD, "/proc", false }, { AT_FDCWD, "/dev/null", false },
		{ AT_FDCWD, "/etc/localtime", false },
		{ AT_FDCWD, "/usr/share/zoneinfo", false },
		{ AT_FDCWD, "/sys/devices/system/cpu", false }, /* the heap */
	};

	/* Failpoints and reports of sanitizers write elsewhere. */
	if (SANITIZED)
		return -EOPNOTSUPP;
	return fence_enter(places, sizeof(places) / sizeof(*places),
	    FENCE_SIGNALS);
}
