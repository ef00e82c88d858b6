#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/version.h"
#include "keeper/keeper.h"
#include "keeper/oom.h"

/*
 * tend-keeper: the process that a session cannot lose.  It owns the terminal,
 * the program and the listening socket, and starts the host, which does
 * everything else.  src/keep/control.h documents its start and its messages.
 */

#define OOM_SCORE (-500)

/* Descriptors and values from the launcher. */
struct launch {
	int fd[LAUNCH_FDS_END - LAUNCH_STATUS];
	unsigned cols, rows;
	char **argv;
};

static int
launch_fd(const struct launch *l, enum launch_fd which)
{
	return l->fd[which - LAUNCH_STATUS];
}

/* Duplicate a descriptor above those of hosts; the old one stays open. */
static int
raise_fd(int fd)
{
	return fcntl(fd, F_DUPFD_CLOEXEC, CONTROL_FDS_END);
}

/*
 * Standard streams are /dev/null, and so are the numbers of a host's
 * descriptors, so that all later descriptors are above them.
 */
static int
fill_with_null(void)
{
	auto_close int low = open("/dev/null", O_RDWR | O_CLOEXEC);
	auto_close int null = raise_fd(low);

	if (null < 0)
		return -errno;
	for (int fd = 0; fd < CONTROL_FDS_END; fd++)
		if (dup3(null, fd, fd > 2 ? O_CLOEXEC : 0) < 0)
			return -errno;
	if (low < CONTROL_FDS_END)
		fd_take(&low);
	return 0;
}

/* An older launcher gives no scope. */
static int
raise_given(int fd)
{
	int at = raise_fd(fd);

	if (at < 0 && errno == EBADF && fd == LAUNCH_SCOPE)
		at = raise_fd(open("/dev/null", O_WRONLY | O_CLOEXEC));
	return at;
}

static int
take_fds(struct launch *l)
{
	close_range(LAUNCH_FDS_END, ~0u, 0);
	for (int fd = LAUNCH_STATUS; fd < LAUNCH_FDS_END; fd++) {
		int at = raise_given(fd);

		if (at < 0)
			return -errno;
		l->fd[fd - LAUNCH_STATUS] = at;
	}
	return fill_with_null();
}

static bool
parse_size(const char *text, unsigned *size)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*end || n < 1 || n > UINT16_MAX)
		return false;
	*size = (unsigned)n;
	return true;
}

static int
parse_arguments(struct launch *l, int argc, char **argv)
{
	int at = 3;

	while (at < argc && strcmp(argv[at], "--") != 0)
		at++;
	if (at + 1 >= argc || !parse_size(argv[1], &l->cols) ||
	    !parse_size(argv[2], &l->rows))
		return -EINVAL;
	l->argv = argv + at + 1;
	return 0;
}

/*
 * Only the program, or a host on request, ends a session.  Ignore signals by
 * which a terminal, shell or logout would end the keeper.
 */
static int
take_signals(void)
{
	static const int ignored[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM,
		SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2, SIGTSTP, SIGTTIN, SIGTTOU,
		SIGXFSZ };
	struct sigaction ign = { .sa_handler = SIG_IGN };
	struct sigaction dfl = { .sa_handler = SIG_DFL };
	sigset_t heard;

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		sigaction(ignored[i], &ign, NULL);
	sigaction(SIGCHLD, &dfl, NULL);
	sigemptyset(&heard);
	sigaddset(&heard, SIGCHLD);
	sigaddset(&heard, SIGIO);
	sigprocmask(SIG_SETMASK, &heard, NULL);
	return signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK);
}

/*
 * Survive when memory is short, and leave no core file.  The program was
 * started before and has its user's settings.
 */
static void
protect_itself(void)
{
	struct rlimit core;

	if (getrlimit(RLIMIT_CORE, &core) == 0) {
		core.rlim_cur = 0;
		setrlimit(RLIMIT_CORE, &core);
	}
	oom_set_score(OOM_SCORE);
}

/*
 * Open all parts and run the program; -errno with the failed step in *stage.
 */
static int
start(struct keeper *k, const struct launch *l, enum launch_stage *stage)
{
	int rc = terminal_open(&k->terminal, l->cols, l->rows, stage);

	if (rc < 0)
		return rc;
	*stage = LAUNCH_SOCKET;
	rc = listener_open(&k->listener, launch_fd(l, LAUNCH_DIR));
	if (rc < 0)
		return rc;
	child_plan_init(&k->plan, l->argv, launch_fd(l, LAUNCH_SCOPE));
	rc = child_start(&k->child, &k->plan, k->terminal.slave,
	    launch_fd(l, LAUNCH_CWD), stage);
	if (rc < 0) {
		listener_close(&k->listener);
		return rc;
	}
	*stage = LAUNCH_OK;
	return 0;
}

static int
set_up(struct keeper *k, struct launch *l, int argc, char **argv,
    enum launch_stage *stage)
{
	int rc;

	*stage = LAUNCH_ARGUMENTS;
	rc = parse_arguments(l, argc, argv);
	if (rc < 0)
		return rc;
	*stage = LAUNCH_FORK;
	k->signals = take_signals();
	if (k->signals < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
		return -errno;
	return start(k, l, stage);
}

static void
answer(const struct keeper *k, int fd, enum launch_stage stage, int rc)
{
	struct launch_status s = {
		.stage = stage,
		.error = -rc,
		.keeper_pid = getpid(),
		.keeper_start = process_start_time(getpid()),
		.child_pid = k->child.pid,
		.child_start = k->child.start,
		.began_ns = k->child.began_ns,
	};

	fd_write_all(fd, &s, sizeof(s));
	close(fd);
}

/* For `tend doctor`. */
static int
say_version(void)
{
	static const char text[] = "tend-keeper " TEND_VERSION "\n";

	return fd_write_all(1, text, sizeof(text) - 1) < 0;
}

int
main(int argc, char **argv)
{
	struct keeper k = { 0 };
	struct launch l = { 0 };
	enum launch_stage stage;
	int rc;

	if (argc == 2 && strcmp(argv[1], "--version") == 0)
		return say_version();
	if (take_fds(&l) < 0)
		return 1;
	setsid();
	rc = set_up(&k, &l, argc, argv, &stage);
	answer(&k, launch_fd(&l, LAUNCH_STATUS), stage, rc);
	if (rc < 0)
		return 1;
	close(launch_fd(&l, LAUNCH_CWD));
	if (chdir("/") < 0)
		return 1;
	hosts_init(&k.hosts, launch_fd(&l, LAUNCH_HOST), k.plan.oom_score);
	protect_itself();
	keeper_begin(&k);
	while (keeper_turn(&k))
		;
	return 0;
}
