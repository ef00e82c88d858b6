/*
 * This program is copied into a directory of its own under three names, so
 * that the programs it launches are beside it. As tend-keeper it reports what
 * it was given, or fails as its command says; as tend-host it is only opened.
 */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/mem.h"
#include "keep/control.h"
#include "session/find.h"
#include "session/home.h"
#include "session/launch.h"
#include "session/manifest.h"
#include "session_temp.h"

/* ------------------------------------------------- the keeper's stand-in */

static void
tell_descriptors(FILE *out)
{
	for (int fd = 0; fd < 64; fd++) {
		char link[40], target[4096];
		ssize_t n;

		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		n = readlink(link, target, sizeof(target) - 1);
		if (n < 0 || fd == fileno(out))
			continue;
		target[n] = '\0';
		fprintf(out, "fd %d %s\n", fd, target);
	}
}

/* Ignored and blocked signals survive an exec. */
static void
tell_signals(FILE *out)
{
	sigset_t mask;

	sigprocmask(SIG_SETMASK, NULL, &mask);
	for (int signo = 1; signo < 32; signo++) {
		struct sigaction sa;

		if (sigaction(signo, NULL, &sa) == 0 &&
		    sa.sa_handler == SIG_IGN)
			fprintf(out, "ignored %d\n", signo);
		if (sigismember(&mask, signo) == 1)
			fprintf(out, "blocked %d\n", signo);
	}
}

static void
tell(int argc, char **argv)
{
	int fd = openat(LAUNCH_DIR, "files/told",
	    O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	FILE *out = fdopen(fd, "w");

	for (int i = 1; i < argc; i++)
		fprintf(out, "arg %s\n", argv[i]);
	tell_descriptors(out);
	tell_signals(out);
	fprintf(out, "env %s %s %s\n", getenv("TEND_SESSION"),
	    getenv("TEND_HOME"), getenv("KEPT"));
	fprintf(out, "leader %d\n", getsid(0) == getpid());
	fprintf(out, "manifest %d\n",
	    faccessat(LAUNCH_DIR, "session.json", F_OK, 0));
	fclose(out);
}

/* The command chooses the ending: X STAGE ERRNO, or `silent`. */
static int
keeper(int argc, char **argv)
{
	struct launch_status s = { .keeper_pid = getpid(),
		.child_pid = 4711,
		.child_start = 42,
		.began_ns = 77 };

	tell(argc, argv);
	while (strcmp(*argv, "--") != 0) {
		argv++;
		argc--;
	}
	if (strcmp(argv[1], "silent") == 0)
		return 0;
	if (argc > 3) {
		s.stage = (uint32_t)atoi(argv[2]);
		s.error = atoi(argv[3]);
	}
	if (write(LAUNCH_STATUS, &s, sizeof(s)) != sizeof(s))
		return 1;
	return 0;
}

/* ---------------------------------------------------------------- the tests */

struct place {
	char temp[4096];
	struct home home;
	struct manifest m;
	int code;
	struct error err;
};

static int
set_up(void **state)
{
	struct place *p = xcalloc(1, sizeof(*p));
	char path[8192];

	temp_make(p->temp);
	setenv("XDG_STATE_HOME", p->temp, 1); /* its registry of homes */
	snprintf(path, sizeof(path), "%s/home", p->temp);
	assert_int_equal(home_open(&p->home, path, true, NULL), 0);
	manifest_init(&p->m);
	*state = p;
	return 0;
}

static int
tear_down(void **state)
{
	struct place *p = *state;

	manifest_finish(&p->m);
	home_close(&p->home);
	temp_remove(p->temp);
	free(p);
	return 0;
}

static int
launch(struct place *p, const char *const *command)
{
	char *envp[] = { (char[]){ "KEPT=yes" },
		(char[]){ "TEND_SESSION=outer" }, (char[]){ "TEND_HOME=/x" },
		NULL };
	size_t n = 0;

	while (command[n] != NULL)
		n++;
	manifest_finish(&p->m);
	p->m.command = xcalloc(n + 1, sizeof(char *));
	for (size_t i = 0; i < n; i++)
		p->m.command[i] = xstrdup(command[i]);
	return launch_session(&p->home, &p->m, envp, &p->code, &p->err);
}

#define LAUNCH(p, ...) launch(p, (const char *const[]){ __VA_ARGS__, NULL })

static char *
told(struct place *p)
{
	char path[8192], *text = xcalloc(1, 65536);
	FILE *f;

	snprintf(path, sizeof(path), "%s/home/sessions/%s/files/told", p->temp,
	    p->m.id);
	f = fopen(path, "r");
	assert_non_null(f);
	if (fread(text, 1, 65535, f) == 0)
		fail_msg("nothing was told");
	fclose(f);
	return text;
}

static void
says(const char *text, const char *line)
{
	if (strstr(text, line) == NULL)
		fail_msg("\"%s\" is not in:\n%s", line, text);
}

static unsigned
count(const char *text, const char *what)
{
	unsigned n = 0;

	for (; (text = strstr(text, what)) != NULL; text++)
		n++;
	return n;
}

static void
a_keeper_gets_exactly_the_agreed_descriptors_and_words(void **state)
{
	struct place *p = *state;
	auto_free char *text = NULL;
	char want[16384];
	sigset_t some;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&some);
	sigaddset(&some, SIGUSR1);
	sigprocmask(SIG_BLOCK, &some, NULL);
	if (LAUNCH(p, "sh", "a b", "--") != 0)
		fail_msg("%s", p->err.msg);
	sigprocmask(SIG_UNBLOCK, &some, NULL);
	signal(SIGPIPE, SIG_DFL);
	text = told(p);
	snprintf(want, sizeof(want),
	    "arg 80\narg 24\narg session=%s\narg home=", p->m.id);
	says(text, want);
	says(text, "arg --\narg sh\narg a b\narg --\n");
	says(text, "fd 0 /dev/null\nfd 1 /dev/null\nfd 2 /dev/null\n");
	says(text, "fd 3 pipe:");
	snprintf(want, sizeof(want), "fd 4 %s/sessions/%s\n", p->home.path,
	    p->m.id);
	says(text, want);
	says(text, "/tend-host\n");
	snprintf(want, sizeof(want), "fd 6 %s\n", p->m.cwd);
	says(text, want);
	says(text, "fd 7 /dev/null\n");
	assert_int_equal(count(text, "fd "), 8);
	assert_int_equal(count(text, "ignored"), 0);
	assert_int_equal(count(text, "blocked"), 0);
	snprintf(want, sizeof(want), "env %s %s yes\n", p->m.id, p->home.path);
	says(text, want);
	says(text, "leader 1\n");
	says(text, "manifest 0\n");
}

static void
a_manifest_exists_before_its_keeper(void **state)
{
	struct place *p = *state;
	struct manifest m;
	char id[ID_SIZE];
	int fd;

	assert_int_equal(LAUNCH(p, "/bin/sh"), 0);
	assert_string_equal(p->m.name, "sh");
	assert_true(p->m.child.pid == 4711 && p->m.began_ns == 77);
	fd = home_session_dir(&p->home, p->m.id, NULL);
	assert_int_equal(manifest_read(fd, &m, NULL), 0);
	close(fd);
	assert_string_equal(m.id, p->m.id);
	assert_string_equal(m.name, "sh");
	assert_int_equal(m.status, STATUS_STARTING);
	assert_true(m.keeper.pid > 0 && m.keeper.start > 0);
	assert_true(m.created_ms > 1600000000000);
	assert_int_equal(m.cwd[0], '/');
	assert_int_equal(mode_of(p->temp, "home/sessions"), 0700);
	assert_int_equal(name_holder(&p->home, "sh", id), 0);
	assert_string_equal(id, p->m.id);
	manifest_finish(&m);
}

static void
a_caller_has_no_child_to_wait_for(void **state)
{
	struct place *p = *state;

	assert_int_equal(LAUNCH(p, "sh"), 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static unsigned
entries(const struct place *p, const char *name)
{
	char path[8192];
	struct dirent *e;
	unsigned n = 0;
	DIR *d;

	snprintf(path, sizeof(path), "%s/home/%s", p->temp, name);
	d = opendir(path);
	if (d == NULL)
		return 0;
	while ((e = readdir(d)) != NULL)
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

static void
nothing_is_left(const struct place *p, const char *why, int code)
{
	if (strstr(p->err.msg, why) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", p->err.msg, why);
	assert_int_equal(p->code, code);
	assert_int_equal(entries(p, "sessions"), 0);
	assert_int_equal(entries(p, "names"), 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void
fails(struct place *p, enum launch_stage stage, int errnum, const char *why,
    int code)
{
	char a[16], b[16];

	snprintf(a, sizeof(a), "%d", (int)stage);
	snprintf(b, sizeof(b), "%d", errnum);
	/* The limit on terminals, not the disk. */
	if (stage == LAUNCH_TERMINAL && errnum == ENOSPC)
		errnum = EAGAIN;
	assert_int_equal(LAUNCH(p, "/no/such/program", a, b), -errnum);
	nothing_is_left(p, why, code);
}

static void
every_failure_is_reported_and_leaves_nothing(void **state)
{
	struct place *p = *state;

	fails(p, LAUNCH_EXEC, ENOENT,
	    "cannot run /no/such/program: No such file or directory", 127);
	fails(p, LAUNCH_EXEC, EACCES,
	    "cannot run /no/such/program: Permission denied", 126);
	fails(p, LAUNCH_EXEC, ENOEXEC, "Exec format error", 126);
	fails(p, LAUNCH_TERMINAL, ENOSPC, "all are in use; stop a session",
	    125);
	fails(p, LAUNCH_TERMINAL, EIO, "cannot open a pseudo-terminal: Input",
	    125);
	fails(p, LAUNCH_SOCKET, EMFILE, "raise the limit with ulimit -n", 125);
	fails(p, LAUNCH_SOCKET, EADDRINUSE, "the session's socket", 125);
	fails(p, LAUNCH_RING, ENOMEM, "the session's memory", 125);
	fails(p, LAUNCH_FORK, EAGAIN, "cannot start a process", 125);
	fails(p, LAUNCH_CHDIR, EACCES, "cannot start in /", 125);
	fails(p, LAUNCH_ARGUMENTS, EINVAL, "tend-keeper", 125);
	fails(p, 99, EIO, "cannot run ", 125);
	assert_int_equal(LAUNCH(p, "silent"), -EPROTO);
	nothing_is_left(p, "ended without an answer", 125);
}

static void
a_bad_request_is_refused_before_anything_is_started(void **state)
{
	static char *no_env[] = { NULL };
	struct place *p = *state;

	assert_int_equal(launch_session(&p->home, &p->m, no_env, &p->code,
			     &p->err),
	    -EINVAL);
	nothing_is_left(p, "no command", 125);
	p->m.command = xcalloc(2, sizeof(char *));
	p->m.command[0] = xstrdup("sh");
	p->m.cwd = xstrdup("/no/such/directory");
	assert_int_equal(launch_session(&p->home, &p->m, no_env, &p->code,
			     &p->err),
	    -ENOENT);
	nothing_is_left(p, "cannot start in /no/such/directory: No such", 125);
	free(p->m.cwd);
	p->m.cwd = xstrdup("/etc/passwd");
	assert_int_equal(launch_session(&p->home, &p->m, no_env, &p->code,
			     &p->err),
	    -ENOTDIR);
	free(p->m.cwd);
	p->m.cwd = xstrdup("/");
	snprintf(p->m.name, sizeof(p->m.name), "../x");
	assert_int_equal(launch_session(&p->home, &p->m, no_env, &p->code,
			     &p->err),
	    -EINVAL);
	nothing_is_left(p, "a name is", 125);
}

/*
 * The stand-in has ended; the session is active because its keeper's pid is
 * this process.
 */
static void
a_name_that_is_taken_is_refused(void **state)
{
	struct place *p = *state;
	struct manifest m;
	struct error err;
	char first[ID_SIZE];
	int fd;

	assert_int_equal(LAUNCH(p, "sh"), 0);
	snprintf(first, sizeof(first), "%s", p->m.id);
	fd = home_session_dir(&p->home, first, NULL);
	assert_int_equal(manifest_read(fd, &m, NULL), 0);
	m.keeper = (struct process){ getpid(), process_start_time(getpid()) };
	assert_int_equal(manifest_write(fd, &m, false, NULL), 0);
	close(fd);
	manifest_finish(&m);
	assert_int_equal(LAUNCH(p, "/usr/bin/sh"), 0);
	assert_string_equal(p->m.name, "sh-2");
	snprintf(p->m.name, sizeof(p->m.name), "sh");
	assert_int_equal(launch_session(&p->home, &p->m, environ, &p->code,
			     &err),
	    -EEXIST);
	assert_int_equal(p->code, 125);
	assert_string_equal(err.msg,
	    "the name sh is taken by an active session");
	assert_int_equal(entries(p, "sessions"), 2);
	assert_int_equal(entries(p, "names"), 2);
}

static void
a_full_disk_leaves_nothing(void **state)
{
	struct place *p = *state;
	struct rlimit none = { 0, RLIM_INFINITY }, before;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	none.rlim_max = before.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	assert_int_equal(LAUNCH(p, "sh"), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	signal(SIGXFSZ, SIG_DFL);
	nothing_is_left(p, "cannot write session.json: File too large", 125);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static int
as_tend(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_keeper_gets_exactly_the_agreed_descriptors_and_words),
		TEST(a_manifest_exists_before_its_keeper),
		TEST(a_caller_has_no_child_to_wait_for),
		TEST(every_failure_is_reported_and_leaves_nothing),
		TEST(a_bad_request_is_refused_before_anything_is_started),
		TEST(a_name_that_is_taken_is_refused),
		TEST(a_full_disk_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* ------------------------------------------------------------ three names */

static void
copy_self(const char *dir, const char *name)
{
	auto_close int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	auto_close int to = -1;
	char path[8192], part[65536];
	ssize_t n;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	to = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0700);
	while ((n = read(from, part, sizeof(part))) > 0)
		if (fd_write_all(to, part, (size_t)n) < 0)
			abort();
}

/* Run the copy called tend, and remove all three. */
static int
run_copy(char **argv)
{
	char dir[4096], path[8192];
	int status = -1;
	pid_t pid;

	temp_make(dir);
	copy_self(dir, "tend");
	copy_self(dir, "tend-keeper");
	copy_self(dir, "tend-host");
	snprintf(path, sizeof(path), "%s/tend", dir);
	pid = fork();
	if (pid == 0) {
		execv(path, argv);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	temp_remove(dir);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int
main(int argc, char **argv)
{
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	const char *name;

	self[n > 0 ? n : 0] = '\0';
	name = strrchr(self, '/');
	if (name != NULL && strcmp(name, "/tend-keeper") == 0)
		return keeper(argc, argv);
	if (name != NULL && strcmp(name, "/tend") == 0)
		return as_tend();
	return run_copy(argv);
}
