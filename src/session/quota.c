#include "session/quota.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "session/disk.h"
#include "session/find.h"
#include "session/home.h"

#define SECOND_NS 1000000000ll
#define MIB ((uint64_t)1 << 20)
#define FILE_NAME "rate"

int64_t
quota_next_ns(int64_t kept_ns, int64_t now_ns, unsigned rate)
{
	int64_t each = SECOND_NS / rate, most = QUOTA_BURST * each;

	if (kept_ns < now_ns || kept_ns > now_ns + most + SECOND_NS)
		kept_ns = now_ns;
	kept_ns += each;
	return kept_ns > now_ns + most ? -1 : kept_ns;
}

/*
 * There is no lock: two sessions at the same moment may count as one, which is
 * harmless.  If the file cannot be made, creating the session fails too and
 * reports the error.
 */
static int
take_rate(const struct home *h, const struct quota *q, struct error *err)
{
	auto_close int fd = openat(h->fd, FILE_NAME,
	    O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT } };
	struct stat st;
	int64_t next;

	if (q->rate == 0 || fd < 0 || fstat(fd, &st) < 0)
		return 0;
	/* Set the mode regardless of the umask. */
	if ((st.st_mode & 0777) != 0600)
		(void)fchmod(fd, 0600);
	next = quota_next_ns(st.st_mtim.tv_sec * SECOND_NS + st.st_mtim.tv_nsec,
	    clock_ns(CLOCK_REALTIME), q->rate);
	if (next < 0)
		return error_set(err, EAGAIN,
		    "sessions are started too fast: the limit is %d at once "
		    "and %u per second; wait a little, or set TEND_MAX_RATE",
		    QUOTA_BURST, q->rate);
	times[1].tv_sec = next / SECOND_NS;
	times[1].tv_nsec = next % SECOND_NS;
	futimens(fd, times);
	return 0;
}

/* If counting fails, creating the session fails too and reports the error. */
static unsigned
count_sessions(const struct home *h, unsigned max)
{
	int n = name_count(h), swept;

	if (n < (int)max)
		return n > 0 ? (unsigned)n : 0;
	swept = name_sweep(h, find_is_active, (void *)(uintptr_t)h);
	return (unsigned)(swept >= 0 ? swept : n);
}

static int
take_session(const struct home *h, const struct quota *q, char *note,
    size_t size, struct error *err)
{
	unsigned n;

	if (q->max_sessions == 0)
		return 0;
	n = count_sessions(h, q->max_sessions);
	if (n >= q->max_sessions)
		return error_set(err, EAGAIN,
		    "there are %u active sessions, and the limit is %u; end "
		    "some with tend stop, or set TEND_MAX_SESSIONS",
		    n, q->max_sessions);
	if ((n + 1) * 100ull >= q->max_sessions * (uint64_t)QUOTA_NEAR_PERCENT)
		snprintf(note, size,
		    "this is active session %u of at most %u; tend ls lists "
		    "them, TEND_MAX_SESSIONS sets the limit",
		    n + 1, q->max_sessions);
	return 0;
}

static int
check_free(const struct home *h, const struct quota *q, char *note, size_t size,
    struct error *err)
{
	struct disk d;

	/* On a read-only disk, lack of space is not the problem. */
	if (q->min_free == 0 || disk_look(h->fd, &d) < 0 || d.read_only)
		return 0;
	if (d.free < q->min_free)
		return error_set(err, ENOSPC,
		    "the disk of %.100s has %" PRIu64 " MiB left, and %" PRIu64
		    " must be free; make room, or set TEND_MIN_FREE",
		    h->path, d.free / MIB, q->min_free / MIB);
	if (d.free < QUOTA_NEAR_FREE * q->min_free)
		snprintf(note, size,
		    "the disk of %s has %" PRIu64 " MiB left; when it is full, "
		    "sessions continue without a log",
		    h->path, d.free / MIB);
	return 0;
}

int
quota_take(const struct home *h, const struct quota *q, char *note, size_t size,
    struct error *err)
{
	int rc;

	note[0] = '\0';
	rc = check_free(h, q, note, size, err);
	if (rc == 0)
		rc = take_session(h, q, note, size, err);
	if (rc == 0)
		rc = take_rate(h, q, err);
	return rc;
}
