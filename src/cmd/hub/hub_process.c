#include "cmd/hub/hub_process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/number.h"
#include "cmd/hub/hub_client.h"
#include "home/fault.h"
#include "session/home.h"
#include "session/launch.h"

#define START_MS 30000

/* In the child: leave the terminal, so that its end does not end the hub. */
static void
detach(void)
{
	int null = open("/dev/null", O_RDWR);

	setsid();
	if (null < 0)
		_exit(1);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	if (null > STDERR_FILENO)
		close(null);
	if (chdir("/") < 0)
		_exit(1);
}

/* Read the line of the hub: "ok", or an errno value and the reason. */
static int
await_ready(int fd, struct error *err)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char line[PATH_MAX + 512];
	const char *why = line;
	uint64_t number;
	size_t len = 0;
	ssize_t n;

	while (len < sizeof(line) - 1 && memchr(line, '\n', len) == NULL) {
		if (poll(&p, 1, START_MS) == 0)
			return error_set(err, ETIMEDOUT,
			    "the hub is not ready after %d seconds; hub.log "
			    "in its home may say why",
			    START_MS / 1000);
		n = read(fd, line + len, sizeof(line) - 1 - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	line[len] = '\0';
	line[strcspn(line, "\n")] = '\0';
	if (strcmp(line, "ok") == 0)
		return 0;
	if (!number_take(&why, INT_MAX, &number) || *why != ' ')
		return error_set(err, ECHILD,
		    "the hub ended while it started; hub.log in its home may "
		    "say why");
	return error_set(err, (int)number, "%s", why + 1);
}

/* The arguments of the program: its path, the given ones, one more. */
static char **
arguments(char *path, char *const *argv, char *last)
{
	char **args;
	size_t n = 0;

	while (argv[n] != NULL)
		n++;
	args = xcalloc(n + 3, sizeof(*args));
	args[0] = path;
	memcpy(args + 1, argv, n * sizeof(*args));
	args[n + 1] = last;
	return args;
}

static int
start_in_foreground(char *path, char *const *argv, struct error *err)
{
	static char option[] = "--foreground";
	auto_free char **args = arguments(path, argv, option);

	execv(path, args);
	return error_set(err, errno, "cannot run %s: %s", path,
	    strerror(errno));
}

static int
start_in_background(char *path, char *const *argv, struct error *err)
{
	auto_close int ready = -1, theirs = -1;
	auto_free char **args = NULL;
	char option[32];
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_set(err, errno, "cannot make a pipe: %s",
		    strerror(errno));
	ready = ends[0];
	theirs = ends[1];
	snprintf(option, sizeof(option), "--ready-fd=%d", theirs);
	args = arguments(path, argv, option);
	pid = fork();
	if (pid == 0) {
		/* Twice, so that the hub is nobody's child. */
		if (fork() != 0)
			_exit(0);
		detach();
		/* Somebody may wait for the end of what we have inherited. */
		(void)close_range(STDERR_FILENO + 1, UINT_MAX,
		    CLOSE_RANGE_CLOEXEC);
		(void)fcntl(theirs, F_SETFD, 0);
		execv(path, args);
		_exit(127);
	}
	if (pid < 0)
		return error_set(err, errno, "cannot start a process: %s",
		    strerror(errno));
	fd_close(&theirs);
	(void)waitpid(pid, NULL, 0);
	return await_ready(ready, err);
}

int
hub_process_start(char *const *argv, bool foreground, struct error *err)
{
	char path[PATH_MAX];
	int rc = launch_find("tend-hub", path, err);

	if (rc < 0)
		return rc;
	return foreground ? start_in_foreground(path, argv, err) :
			    start_in_background(path, argv, err);
}

pid_t
hub_process_find(const struct home *h, struct fault *f)
{
	auto_close int fd = hub_client_connect(h, f);
	struct ucred cred;
	socklen_t len = sizeof(cred);

	if (fd < 0)
		return -1;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0)
		return fault_set(f, FAIL_INTERNAL,
		    "cannot find the hub's process: %s", strerror(errno));
	return cred.pid;
}

int
hub_process_stop(pid_t pid, int timeout_ms, struct error *err)
{
	auto_close int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int n;

	if (fd < 0 || syscall(SYS_pidfd_send_signal, fd, SIGTERM, NULL, 0) < 0)
		return error_set(err, errno, "cannot stop the hub, pid %d: %s",
		    (int)pid, strerror(errno));
	do
		n = poll(&p, 1, timeout_ms);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return error_set(err, ETIMEDOUT,
		    "the hub, pid %d, has not ended after %d seconds", (int)pid,
		    timeout_ms / 1000);
	return 0;
}
