#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/path.h"
#include "base/version.h"
#include "cmd/doctor/capture.h"
#include "cmd/doctor/checks.h"
#include "session/launch.h"

/* Checks that the installation is complete. */

#define VERSION_MS 5000
#define SESSIONS "no session can start without it"
#define REINSTALL "reinstall tend (apt install --reinstall tend)"

static int
path_of(int fd, char out[PATH_MAX])
{
	char link[40];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, out, PATH_MAX - 1);
	if (n < 0)
		return -errno;
	out[n] = '\0';
	return 0;
}

/* True if the program runs and reports our version. */
static bool
is_ours(struct checkup *c, char *path, const char *name, const char *why)
{
	char want[64], seen[128] = "";
	char version[] = "--version";
	char *const argv[] = { path, version, NULL };
	int rc = capture_line(argv, VERSION_MS, seen, sizeof(seen));

	snprintf(want, sizeof(want), "%s %s", name, TEND_VERSION);
	if (rc == 0 && strcmp(seen, want) == 0)
		return true;
	if (rc == 0)
		checkup_bad(c, CHECKUP_PROBLEM,
		    "the programs of tend must have the same version",
		    REINSTALL, "%s is not %s; it prints: %s", path, want, seen);
	else
		checkup_bad(c, CHECKUP_PROBLEM, why, REINSTALL,
		    "%s cannot be run: %s", path, strerror(-rc));
	return false;
}

void
check_programs(struct checkup *c)
{
	char host[PATH_MAX], keeper[PATH_MAX], hub[PATH_MAX], dir[PATH_MAX];
	struct error err;
	auto_close int fd = launch_open_host(&err);
	char *slash;

	if (fd < 0 || path_of(fd, host) < 0) {
		checkup_bad(c, CHECKUP_PROBLEM, SESSIONS, REINSTALL, "%s",
		    fd < 0 ? err.msg : "/proc is missing");
		return;
	}
	memcpy(dir, host, sizeof(dir));
	slash = strrchr(dir, '/');
	if (slash != NULL)
		*slash = '\0';
	if (path_join(keeper, sizeof(keeper), dir, "tend-keeper") < 0 ||
	    path_join(hub, sizeof(hub), dir, "tend-hub") < 0 ||
	    !is_ours(c, host, "tend-host", SESSIONS) ||
	    !is_ours(c, keeper, "tend-keeper", SESSIONS) ||
	    !is_ours(c, hub, "tend-hub", "no hub can start without it"))
		return;
	checkup_ok(c, "tend, tend-keeper, tend-host and tend-hub %s, in %s",
	    TEND_VERSION, dir);
}

/* The first `tend` in PATH; false: none. */
static bool
find_tend(char out[PATH_MAX])
{
	const char *path = getenv("PATH");
	size_t len;

	for (; path != NULL && *path != '\0';
	     path += len + (path[len] == ':')) {
		char dir[PATH_MAX];

		len = strcspn(path, ":");
		if (len == 0 || len >= sizeof(dir))
			continue;
		memcpy(dir, path, len);
		dir[len] = '\0';
		if (path_join(out, PATH_MAX, dir, "tend") == 0 &&
		    access(out, X_OK) == 0)
			return true;
	}
	return false;
}

void
check_path(struct checkup *c)
{
	static const char
	    why[] = "scripts and the commands that tend suggests use the tend "
		    "in the PATH";
	char found[PATH_MAX], own[PATH_MAX] = "", fix[PATH_MAX + 64];
	struct stat a, b;
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);
	char *slash;

	own[n > 0 ? n : 0] = '\0';
	if (find_tend(found) && stat(found, &a) == 0 && stat(own, &b) == 0 &&
	    a.st_ino == b.st_ino && a.st_dev == b.st_dev) {
		checkup_ok(c, "tend is %s", found);
		return;
	}
	slash = strrchr(own, '/');
	snprintf(fix, sizeof(fix), "export PATH=%.*s:$PATH",
	    slash != NULL ? (int)(slash - own) : 0, own);
	if (find_tend(found))
		checkup_bad(c, CHECKUP_WARNING, why, fix,
		    "the tend in the PATH is %s, this is %s", found, own);
	else
		checkup_bad(c, CHECKUP_WARNING, why, fix,
		    "no tend in the PATH; this is %s", own);
}
