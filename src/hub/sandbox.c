#include "hub/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <malloc.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"
#include "hub/certificate.h"
#include "hub/hub.h"
#include "sandbox/fence.h"
#include "sandbox/filter.h"
#include "sandbox/sanitized.h"

#define MEMORY_MAX ((rlim_t)4 << 30)
#define HEAPS 4
#define PLACES 8 /* for every hub */

#define ALLOW(name) { .call = __NR_##name },

static const struct filter_rule rules[] = {
#include "hub/sandbox.def"
	/* TCP sockets are open before. */
	{ SYS_socket, FILTER_ALLOW_EQUAL, 0, AF_UNIX },
	/* Threads; without clone3 the C library uses clone. */
	{ SYS_clone, FILTER_ALLOW_BITS, 0, CLONE_THREAD },
	{ SYS_clone3, FILTER_MISSING, 0, 0 },
};

static int
fence(const struct hub *hub)
{
	char dirs[CERTIFICATE_DIRS][PATH_MAX];
	struct fence_place places[PLACES + CERTIFICATE_DIRS] = {
		{ hub->home.fd, ".", .writable = true },
		{ hub->home.sessions_fd, ".", .writable = true },
		{ AT_FDCWD, "/proc",
		    .writable = false }, /* peers and our descriptors */
		{ AT_FDCWD, "/dev/null", .writable = false },
		{ AT_FDCWD, "/dev/urandom", .writable = false }, /* SQLite */
		{ AT_FDCWD, "/etc/localtime", .writable = false },
		{ AT_FDCWD, "/usr/share/zoneinfo", .writable = false },
		{ AT_FDCWD, "/sys/devices/system/cpu",
		    .writable = false }, /* the heap */
	};
	size_t n = certificate_dirs(&hub->home, hub->options, dirs);

	for (size_t i = 0; i < n; i++)
		places[PLACES + i] = (struct fence_place){ .dirfd = AT_FDCWD,
			.path = dirs[i] };
	return fence_enter(places, PLACES + n, 0);
}

void
hub_sandbox_prepare(void)
{
	const struct rlimit none = { 0, 0 };
	const struct rlimit memory = { MEMORY_MAX, MEMORY_MAX };

	umask(0077);
	/* Each heap takes 64 MiB of addresses, and there may be one a thread. */
	mallopt(M_ARENA_MAX, HEAPS);
	/* The buffers of slow clients leave no holes: malloc does not adapt. */
	mallopt(M_MMAP_THRESHOLD, 128 << 10);
	mallopt(M_TRIM_THRESHOLD, 128 << 10);
	if (!SANITIZED)
		setrlimit(RLIMIT_AS, &memory);
	/* A core has secrets and screens. */
	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, 0);
}

/*
 * Capabilities are root's.  They would let the hub read maps and environ of
 * processes that it cannot trace.
 */
static void
drop_capabilities(const struct hub *hub)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	const struct __user_cap_data_struct none[2] = { { 0 } };

	if (syscall(SYS_capset, &head, none) < 0)
		log_write(&hub->log, LOG_WARN, "capabilities are kept",
		    log_str("error", strerror(errno)));
}

void
hub_sandbox_enter(struct hub *hub)
{
	int rc;

	drop_capabilities(hub);
	rc = fence(hub);
	if (rc < 0)
		log_write(&hub->log, LOG_WARN, "files are not limited",
		    log_str("error", strerror(-rc)));
	else
		log_write(&hub->log, LOG_INFO, "files are limited",
		    log_int("landlock", rc));
	(void)filter_enter(&hub->log, rules, sizeof(rules) / sizeof(*rules));
}
