#include "keeper/child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "keeper/oom.h"

/* The child's report if it cannot become the program. */
struct failure {
	enum launch_stage stage;
	int error;
};

/*
 * Use the system call, because libc reserves two signals; these may have been
 * inherited as ignored, too.  All zeros is the default, without flags.
 */
void
child_reset_signals(void)
{
	static const unsigned long dfl[8];
	sigset_t none;

	for (int signo = 1; signo < _NSIG; signo++)
		syscall(SYS_rt_sigaction, signo, dfl, NULL, _NSIG / 8);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static int
take_terminal(int slave)
{
	if (setsid() < 0 || ioctl(slave, TIOCSCTTY, 0) < 0)
		return -1;
	for (int fd = 0; fd <= 2; fd++)
		if (dup2(slave, fd) < 0)
			return -1;
	return 0;
}

void
child_plan_init(struct child_plan *p, char **argv, int scope)
{
	*p = (struct child_plan){
		.argv = argv,
		.scope = scope,
		.oom_score = oom_score(),
		.slack_ns = (unsigned long)prctl(PR_GET_TIMERSLACK),
	};
	getrlimit(RLIMIT_CORE, &p->core);
}

/*
 * A killed program leaves the terminal in its own modes: the alternate screen,
 * no cursor, mouse reports.  Turn all of that off, with the bytes that a
 * program would have written.  Save the cursor before 1049 restores it, so
 * that on the primary screen it stays below the text.
 */
static void
clean_screen(void)
{
	static const char
	    text[] = "\033[!p\0337\033[?1049l\033[?1000;1002;1003;1004;"
		     "1006;2004l\033[=0u\033[?25h\n";

	fd_write_all(STDOUT_FILENO, text, sizeof(text) - 1);
}

/* Set the user's OOM score, core limit and timer slack; enter the scope. */
static int
enter_scope(const struct child_plan *plan)
{
	int score = plan->oom_score + CHILD_OOM_MORE;

	oom_set_score(score < 1000 ? score : 1000);
	setrlimit(RLIMIT_CORE, &plan->core);
	prctl(PR_SET_TIMERSLACK, plan->slack_ns);
	return write(plan->scope, "0", 1) == 1 ? 0 : -1;
}

/* Returns only if a step before or at exec fails. */
static enum launch_stage
become(const struct child_plan *plan, int slave, int cwd)
{
	child_reset_signals();
	if (enter_scope(plan) < 0)
		return LAUNCH_ENTER;
	if (take_terminal(slave) < 0)
		return LAUNCH_TERMINAL;
	if (plan->again)
		clean_screen();
	if (fchdir(cwd) < 0)
		return LAUNCH_CHDIR;
	if (close_range(3, ~0u, CLOSE_RANGE_CLOEXEC) < 0)
		return LAUNCH_EXEC;
	execvp(plan->argv[0], plan->argv);
	return LAUNCH_EXEC;
}

static _Noreturn void
run(const struct child_plan *plan, int slave, int cwd, int tell)
{
	struct failure f = { .stage = become(plan, slave, cwd) };

	f.error = errno;
	fd_write_all(tell, &f, sizeof(f));
	_exit(127);
}

/* The pipe closes by itself when exec succeeds. */
static int
await_exec(pid_t pid, int hear, enum launch_stage *stage)
{
	struct failure f;
	ssize_t n;

	do
		n = read(hear, &f, sizeof(f));
	while (n < 0 && errno == EINTR);
	if (n == 0)
		return 0;
	waitpid(pid, NULL, 0);
	if (n != sizeof(f))
		return -EIO;
	*stage = f.stage;
	return -f.error;
}

int
child_start(struct child *c, const struct child_plan *plan, int slave, int cwd,
    enum launch_stage *stage)
{
	int ends[2], rc;
	uint64_t now = (uint64_t)clock_ns(CLOCK_BOOTTIME);
	pid_t pid;

	*stage = LAUNCH_FORK;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		run(plan, slave, cwd, ends[1]);
	rc = -errno;
	fd_close(&ends[1]);
	if (pid > 0)
		rc = await_exec(pid, ends[0], stage);
	fd_close(&ends[0]);
	if (rc < 0)
		return rc;
	*c = (struct child){
		.pid = pid,
		.start = process_start_time(pid),
		.began_ns = now,
	};
	return 0;
}

void
child_ended(struct child *c, int status, int64_t now_ms)
{
	c->ended = true;
	c->status = status;
	c->ended_ns = (uint64_t)clock_ns(CLOCK_BOOTTIME);
	c->ended_ms = now_ms;
}
