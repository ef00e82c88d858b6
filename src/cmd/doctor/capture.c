#include "cmd/doctor/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"

static int
start(char *const argv[], int out, pid_t *pid)
{
	posix_spawn_file_actions_t files;
	int rc;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, out, 1);
	posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
	rc = posix_spawnp(pid, argv[0], &files, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	return -rc;
}

/* Read everything, so that the program does not block; keep the beginning. */
static int
read_all(int fd, int64_t until_ms, char *out, size_t size)
{
	char more[4096];
	size_t len = 0;

	for (;;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		int64_t left = until_ms - clock_ms(CLOCK_MONOTONIC);
		ssize_t n;

		if (left <= 0 || poll(&p, 1, (int)left) == 0)
			return -ETIMEDOUT;
		n = read(fd, more, sizeof(more));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		if ((size_t)n > size - 1 - len)
			n = (ssize_t)(size - 1 - len);
		memcpy(out + len, more, (size_t)n);
		len += (size_t)n;
	}
	out[len] = '\0';
	out[strcspn(out, "\n")] = '\0';
	return 0;
}

int
capture_line(char *const argv[], int limit_ms, char *out, size_t size)
{
	int fds[2], status = 0, rc;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	rc = start(argv, fds[1], &pid);
	fd_close(&fds[1]);
	if (rc == 0) {
		rc = read_all(fds[0], clock_ms(CLOCK_MONOTONIC) + limit_ms, out,
		    size);
		if (rc < 0)
			kill(pid, SIGKILL);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			continue;
		if (rc == 0 && status != 0)
			rc = -EIO;
	}
	fd_close(&fds[0]);
	return rc;
}
