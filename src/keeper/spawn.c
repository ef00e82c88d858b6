#include "keeper/spawn.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "keep/control.h"
#include "keeper/child.h"
#include "keeper/oom.h"

/* The timer slack of a host: the kernel's default. */
#define HOST_SLACK_NS 50000ul

/* All descriptors passed are above their final numbers. */
static _Noreturn void
run(int program, int oom_score, const int *fds, int control)
{
	struct control failed = { .type = CONTROL_FAILED };
	char *argv[] = { "tend-host", NULL };

	setsid();
	/* It would inherit ours, which may be long. */
	prctl(PR_SET_TIMERSLACK, HOST_SLACK_NS, 0, 0, 0);
	oom_set_score(oom_score);
	dup2(control, CONTROL_FD);
	for (int fd = CONTROL_FD + 1; fd < CONTROL_FDS_END; fd++)
		dup2(fds[fd - CONTROL_FD - 1], fd);
	child_reset_signals();
	fexecve(program, argv, environ);
	failed.u.failed.how = CONTROL_FAILED_RUN;
	failed.u.failed.error = errno;
	control_send(CONTROL_FD, &failed, -1);
	_exit(127);
}

int
spawn_host(int program, int oom_score, const int *fds, pid_t *pid, int *control)
{
	int ends[2], rc;
	pid_t made;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	made = fork();
	if (made == 0)
		run(program, oom_score, fds, ends[1]);
	rc = made < 0 ? -errno : 0;
	fd_close(&ends[1]);
	if (rc < 0) {
		fd_close(&ends[0]);
		return rc;
	}
	*pid = made;
	*control = ends[0];
	return 0;
}
