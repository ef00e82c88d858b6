#include "client/term.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "vt/vt.h"

#define GIVE_BACK_MS 1000

/*
 * CAN ends an incomplete sequence.  The soft reset does much of the rest on
 * terminals that know it; the others need each mode by itself.
 */
const char term_reset
    [] = "\030\033[?2026l\033[!p\033[?69l\033[r\033[?5W"
	 "\033[4l\033[20l\033[?1;5;6;12;45;66;67l\033>\033[?7;25h"
	 "\033[?9;1000;1002;1003;1004;1005;1006;1007;1015;1016;2004;2031l"
	 "\033[>4;0m\033[<99u\033[=0;1u"
	 "\033[0m\033]8;;\033\\\033(B\033)B\017\033[0 q"
	 "\033]104\033\\\033]110\033\\\033]111\033\\\033]112\033\\";

/* Two modes have no common default: they are saved here and restored below. */
#define SAVE "\033[22;0t\033[?1007;2027s"
#define RESTORE "\033[?1007;2027r\033[23;0t"

static const char take_screen[] = "\033[?1049h" SAVE "\033[H\033[2J";
static const char take_line[] = SAVE;
static const char leave_screen[] = RESTORE "\033[?1049l";
static const char leave_line[] = RESTORE "\033[999H\r\n";

enum { ARMED = 'a', DISARMED = 'd' };

static int
write_all(int fd, const char *p, size_t len, int timeout_ms)
{
	while (len > 0) {
		struct pollfd pfd = { .fd = fd, .events = POLLOUT };
		ssize_t n = write(fd, p, len);

		if (n >= 0) {
			p += n;
			len -= (size_t)n;
		} else if (errno != EAGAIN && errno != EINTR) {
			return -errno;
		} else if (errno == EAGAIN && poll(&pfd, 1, timeout_ms) == 0) {
			return -ETIMEDOUT;
		}
	}
	return 0;
}

static void
undo(int fd, bool in_line)
{
	const char *leave = in_line ? leave_line : leave_screen;

	(void)write_all(fd, term_reset, strlen(term_reset), GIVE_BACK_MS);
	(void)write_all(fd, leave, strlen(leave), GIVE_BACK_MS);
}

static bool
same_termios(const struct termios *a, const struct termios *b)
{
	return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag &&
	    a->c_cflag == b->c_cflag && a->c_lflag == b->c_lflag &&
	    memcmp(a->c_cc, b->c_cc, sizeof(a->c_cc)) == 0;
}

/* The guard's life.  Settings that a shell has made meanwhile stay. */
static void
guard(const struct term *t, int pipe)
{
	struct termios now;
	char state = DISARMED, c;
	ssize_t n;

	while ((n = read(pipe, &c, 1)) != 0)
		if (n > 0)
			state = c;
		else if (errno != EINTR)
			break;
	if (state != ARMED)
		return;
	if (tcgetattr(t->fd, &now) == 0 && same_termios(&now, &t->raw))
		(void)tcsetattr(t->fd, TCSANOW, &t->before);
	undo(t->fd, t->in_line);
}

/* Keep only these two descriptors, no signals, no controlling terminal. */
static void
be_guard(struct term *t, int pipe)
{
	static const int deaf[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE,
		SIGTSTP, SIGTTOU, SIGUSR1, SIGUSR2 };

	setsid();
	for (size_t i = 0; i < sizeof(deaf) / sizeof(deaf[0]); i++)
		signal(deaf[i], SIG_IGN);
	prctl(PR_SET_NAME, "tend-guard");
	t->fd = dup2(t->fd, 0);
	pipe = dup2(pipe, 1);
	if (t->fd >= 0 && pipe >= 0 && close_range(2, ~0u, 0) == 0)
		guard(t, pipe);
	_exit(0);
}

static int
start_guard(struct term *t, struct error *err)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return error_set(err, errno, "cannot create a pipe: %s",
		    strerror(errno));
	t->guard = fork();
	if (t->guard == 0) {
		close(fds[1]);
		be_guard(t, fds[0]);
	}
	close(fds[0]);
	if (t->guard < 0) {
		int rc = errno;

		close(fds[1]);
		return error_set(err, rc, "cannot fork: %s", strerror(rc));
	}
	t->guard_fd = fds[1];
	return 0;
}

static void
tell_guard(const struct term *t, char state)
{
	(void)fd_write_all(t->guard_fd, &state, 1);
}

/*
 * Opened again, since non-blocking is a property of the open file, which the
 * shell shares.  Without permission for that (after su), use the shared one.
 */
static int
open_again(void)
{
	int fd = open("/proc/self/fd/0",
	    O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);

	return fd >= 0 ? fd : fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
}

int
term_open(struct term *t, bool in_line, struct error *err)
{
	*t = (struct term){ .fd = -1, .in_line = in_line, .guard_fd = -1 };
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return error_set(err, ENOTTY,
		    "standard input and output must be a terminal; "
		    "`tend log -f` follows a session without one");
	t->fd = open_again();
	if (t->fd < 0 || tcgetattr(t->fd, &t->before) < 0)
		return error_set(err, errno, "cannot use the terminal: %s",
		    strerror(errno));
	t->raw = t->before;
	cfmakeraw(&t->raw);
	t->raw.c_cc[VMIN] = 1;
	t->raw.c_cc[VTIME] = 0;
	return start_guard(t, err);
}

void
term_close(struct term *t)
{
	term_give_back(t);
	fd_close(&t->guard_fd);
	if (t->guard > 0)
		while (waitpid(t->guard, NULL, 0) < 0 && errno == EINTR)
			;
	t->guard = 0;
	fd_close(&t->fd);
}

int
term_take(struct term *t, struct error *err)
{
	const char *take = t->in_line ? take_line : take_screen;

	tell_guard(t, ARMED);
	t->taken = true;
	if (tcsetattr(t->fd, TCSANOW, &t->raw) < 0)
		return error_set(err, errno, "cannot use the terminal: %s",
		    strerror(errno));
	return term_write_all(t, take, strlen(take), GIVE_BACK_MS);
}

void
term_give_back(struct term *t)
{
	if (!t->taken)
		return;
	t->taken = false;
	undo(t->fd, t->in_line);
	(void)tcsetattr(t->fd, TCSANOW, &t->before);
	tell_guard(t, DISARMED);
}

void
term_size(const struct term *t, unsigned *cols, unsigned *rows)
{
	struct winsize ws = { 0 };

	(void)ioctl(t->fd, TIOCGWINSZ, &ws);
	*cols = ws.ws_col;
	*rows = ws.ws_row;
	if (vt_check_size(*cols, *rows, NULL) < 0) {
		*cols = 80;
		*rows = 24;
	}
}

int
term_write_all(const struct term *t, const void *p, size_t len, int timeout_ms)
{
	return write_all(t->fd, p, len, timeout_ms);
}
