#include "sandbox/fence.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"

/*
 * The kernel's interface, because the headers of older systems lack parts of
 * it.  The numbers of the calls are the same on all architectures.
 */
enum {
	CALL_CREATE = 444,
	CALL_ADD = 445,
	CALL_RESTRICT = 446,
	ASK_VERSION = 1,
	RULE_PATH_BENEATH = 1
};

enum {
	FS_EXECUTE = 1u << 0,
	FS_WRITE_FILE = 1u << 1,
	FS_READ_FILE = 1u << 2,
	FS_READ_DIR = 1u << 3,
	FS_MAKE_CHAR = 1u << 6,
	FS_MAKE_BLOCK = 1u << 11,
	FS_TRUNCATE = 1u << 14,  /* ABI 3 */
	FS_IOCTL_DEV = 1u << 15, /* ABI 5 */
	NET_BOTH = 3,            /* bind and connect; ABI 4 */
	SCOPE_SOCKETS = 1,       /* abstract ones; ABI 6 */
	SCOPE_SIGNALS = 2,       /* ABI 6 */
};

#define ABI_MIN 2
#define READ (FS_READ_FILE | FS_READ_DIR)
#define OF_FILES \
	(FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV)
#define NEVER (FS_EXECUTE | FS_MAKE_CHAR | FS_MAKE_BLOCK | FS_IOCTL_DEV)

struct ruleset {
	uint64_t files, net, scopes;
};

struct beneath {
	uint64_t allowed;
	int32_t fd;
} __attribute__((packed));

/* All rights to files that the version knows. */
static uint64_t
rights_of(int abi)
{
	unsigned n = abi >= 5 ? 16 : abi >= 3 ? 15 : 14;

	return (1u << n) - 1;
}

static int
make(int abi, unsigned flags)
{
	unsigned scopes = SCOPE_SOCKETS |
	    (flags & FENCE_SIGNALS ? 0 : SCOPE_SIGNALS);
	const struct ruleset r = {
		.files = rights_of(abi),
		.net = abi >= 4 ? NET_BOTH : 0,
		.scopes = abi >= 6 ? scopes : 0,
	};

	return (int)syscall(CALL_CREATE, &r, sizeof(r), 0);
}

static int
allow(int ruleset, int abi, const struct fence_place *p)
{
	auto_close int fd = openat(p->dirfd, p->path, O_PATH | O_CLOEXEC);
	struct beneath b = { .fd = fd };
	struct stat st;

	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	if (fstat(fd, &st) < 0)
		return -errno;
	b.allowed = (p->writable ? rights_of(abi) : READ) & ~(uint64_t)NEVER;
	if (p->device)
		b.allowed |= FS_IOCTL_DEV & rights_of(abi);
	if (!S_ISDIR(st.st_mode))
		b.allowed &= OF_FILES;
	return syscall(CALL_ADD, ruleset, RULE_PATH_BENEATH, &b, 0) < 0 ?
	    -errno :
	    0;
}

/* The kernel counts a link for each thread, besides two. */
static bool
has_other_threads(void)
{
	struct stat st;

	return stat("/proc/self/task", &st) == 0 && st.st_nlink > 3;
}

int
fence_enter(const struct fence_place *places, size_t n, unsigned flags)
{
	int abi = (int)syscall(CALL_CREATE, NULL, 0, ASK_VERSION), rc = 0;
	auto_close int ruleset = abi < ABI_MIN ? -1 : make(abi, flags);

	if (abi < ABI_MIN)
		return -EOPNOTSUPP;
	if (ruleset < 0)
		return -errno;
	if (has_other_threads())
		return -EBUSY;
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = allow(ruleset, abi, &places[i]);
	if (rc == 0 &&
	    (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
		syscall(CALL_RESTRICT, ruleset, 0) < 0))
		rc = -errno;
	return rc < 0 ? rc : abi;
}
