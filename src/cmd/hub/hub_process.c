#include "cmd/hub/hub_process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
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

/* Read the line of the hub: "ok" or the reason. */
static int
await_ready(int fd, struct error *err)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char line[512];
	size_t len = 0;
	ssize_t n;

	while (len < sizeof(line) - 1) {
		if (poll(&p, 1, START_MS) == 0)
			return error_set(err, ETIMEDOUT,
			    "the hub is not ready after %d seconds; hub.log "
			    "in its home may say why", START_MS / 1000);
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
	return error_set(err, ECHILD, "%s",
	    line[0] != '\0' ? line : "the hub ended while it started");
}

int
hub_process_start(char *const *argv, bool foreground, struct error *err)
{
	char path[PATH_MAX], option[32];
	char *args[64];
	size_t n = 0;
	int ends[2], rc;
	pid_t pid;

	rc = launch_find("tend-hub", path, err);
	if (rc < 0)
		return rc;
	args[n++] = path;
	for (size_t i = 0; argv[i] != NULL && n < 60; i++)
		args[n++] = argv[i];
	args[n] = NULL;
	if (foreground) {
		execv(path, args);
		return error_set(err, errno, "cannot run %s: %s", path,
		    strerror(errno));
	}
	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_set(err, errno, "cannot make a pipe: %s",
		    strerror(errno));
	snprintf(option, sizeof(option), "--ready-fd=%d", ends[1]);
	args[n++] = option;
	args[n] = NULL;
	pid = fork();
	if (pid == 0) {
		/* Twice, so that the hub is nobody's child. */
		if (fork() != 0)
			_exit(0);
		detach();
		(void)fcntl(ends[1], F_SETFD, 0);
		execv(path, args);
		_exit(127);
	}
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return error_set(err, errno, "cannot start a process: %s",
		    strerror(errno));
	}
	(void)waitpid(pid, NULL, 0);
	rc = await_ready(ends[0], err);
	close(ends[0]);
	return rc;
}

pid_t
hub_process_find(const struct home *h, struct error *err)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	auto_close int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct ucred cred;
	socklen_t len = sizeof(cred);

	snprintf(sa.sun_path, sizeof(sa.sun_path), "/proc/self/fd/%d/hub.sock",
	    h->fd);
	if (h->fd < 0 || fd < 0 ||
	    connect(fd, (struct sockaddr *)&sa, sizeof(sa)) < 0 ||
	    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0)
		return error_set(err, ENOENT,
		    "no hub serves the home %s; \"tend hub start\" starts one",
		    h->path);
	return cred.pid;
}

int
hub_process_stop(pid_t pid, int timeout_ms, struct error *err)
{
	auto_close int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (fd < 0 || syscall(SYS_pidfd_send_signal, fd, SIGTERM, NULL, 0) < 0)
		return error_set(err, errno, "cannot stop the hub, pid %d: %s",
		    (int)pid, strerror(errno));
	if (poll(&p, 1, timeout_ms) <= 0)
		return error_set(err, ETIMEDOUT,
		    "the hub, pid %d, has not ended after %d seconds",
		    (int)pid, timeout_ms / 1000);
	return 0;
}
