#include "host/system/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

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

/* Removing a cgroup changes the one above it. */
static const char *
above(const char *cgroup, char out[PATH_MAX])
{
	char *slash;

	snprintf(out, PATH_MAX, "%s", cgroup != NULL ? cgroup : "");
	slash = strrchr(out, '/');
	if (slash == NULL)
		return "";
	*slash = '\0';
	return out;
}

int
sandbox_fence(int dirfd, const char *cgroup)
{
	char parent[PATH_MAX];
	const struct fence_place places[] = {
		{ dirfd, ".", true }, { dirfd, "../..", false },
		{ dirfd, "../../names", true }, /* for renaming */
		{ AT_FDCWD, above(cgroup, parent), true },
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
