/*
 * A session begins as a directory, a claimed name and a process that waits.
 * The process becomes the keeper only after session.json on disk names it.  So
 * no reader finds a session that is "starting" without a process to check.
 * Nothing is synced; after a power failure there is no session.
 */
#include "session/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/id.h"
#include "base/mem.h"
#include "base/path.h"
#include "keep/control.h"
#include "keep/ring.h"
#include "session/agent_files.h"
#include "session/around.h"
#include "session/confinement.h"
#include "session/environ.h"
#include "session/find.h"
#include "session/home.h"
#include "session/integrate.h"
#include "session/manifest.h"
#include "session/registry.h"
#include "session/scope.h"
#include "session/visit.h"

#define EXIT_TEND 125
#define EXIT_CANNOT_RUN 126
#define EXIT_NOT_FOUND 127
#define LIMIT_MS 10000
#define SPARE_FD 16             /* above all descriptors handed over */
#define CHILD_STACK (64u << 10) /* of the child that starts the keeper */
#define NO_KEEPER UINT32_MAX    /* our own stage: no tend-keeper */

struct launch {
	const struct home *home;
	struct manifest *m;
	int dir, cwd, host;   /* given to the keeper */
	int scope;            /* likewise; -1: not requested */
	int status[2], go[2]; /* pipes, read end first */
	char keeper[PATH_MAX];
	char **argv, **envp;     /* the keeper's, to free */
	char **words;            /* of argv: its confinement */
	struct integrated shell; /* envp with shell integration */
	char cols[8], rows[8], dashes[3];
	char session_env[64], home_env[PATH_MAX + 16];
	char agent_env[PATH_MAX + 16];
	bool made, named; /* to be undone on failure */
	pid_t pid;        /* of the keeper */
	int pidfd;        /* likewise: it is not our child */
};

/* ------------------------------------------------------------ preparation */

/* The keeper is in the directory where the host was found. */
static int
open_host_in(const char *dir)
{
	char path[PATH_MAX];

	if (path_join(path, sizeof(path), dir, "tend-host") < 0)
		return -1;
	return open(path, O_RDONLY | O_CLOEXEC);
}

/*
 * Look beside tend (a build tree), below its prefix, then in the configured
 * directory.  Return the host's descriptor and the directory it was found in.
 */
static int
find_programs(char dir[PATH_MAX], struct error *err)
{
	char own[PATH_MAX], near[PATH_MAX];
	const char *const places[] = { own, near, TEND_LIBEXECDIR };
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);
	char *slash;

	own[n > 0 ? n : 0] = '\0';
	slash = strrchr(own, '/');
	if (slash != NULL)
		*slash = '\0';
	if (path_join(near, sizeof(near), own, TEND_LIBEXEC_NEAR) < 0)
		near[0] = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		int fd = open_host_in(places[i]);

		if (fd < 0)
			continue;
		snprintf(dir, PATH_MAX, "%s", places[i]);
		return fd;
	}
	return error_set(err, errno, "cannot open tend-host in %s or %s: %s",
	    own, TEND_LIBEXECDIR, strerror(errno));
}

int
launch_open_host(struct error *err)
{
	char dir[PATH_MAX];

	return find_programs(dir, err);
}

int
launch_find(const char *program, char path[PATH_MAX], struct error *err)
{
	char dir[PATH_MAX];
	auto_close int fd = find_programs(dir, err);

	if (fd < 0)
		return fd;
	if (path_join(path, PATH_MAX, dir, program) < 0)
		return error_set(err, ENAMETOOLONG,
		    "the path of %s is too long", program);
	if (access(path, X_OK) < 0)
		return error_set(err, errno, "cannot run %s: %s", path,
		    strerror(errno));
	return 0;
}

static int
open_programs(struct launch *l, struct error *err)
{
	char dir[PATH_MAX];
	int fd = find_programs(dir, err);

	if (fd < 0)
		return fd;
	l->host = fd;
	if (path_join(l->keeper, sizeof(l->keeper), dir, "tend-keeper") < 0)
		return error_set(err, ENAMETOOLONG,
		    "the path of tend-keeper is too long");
	return 0;
}

/*
 * Open the program's working directory; the manifest gets its absolute path.
 */
static int
open_cwd(struct launch *l, struct error *err)
{
	const char *cwd = l->m->cwd != NULL ? l->m->cwd : ".";
	char link[40], path[PATH_MAX];
	ssize_t n;

	l->cwd = open(cwd, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (l->cwd < 0)
		return error_set(err, errno, "cannot start in %s: %s", cwd,
		    strerror(errno));
	if (cwd[0] == '/')
		return 0;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", l->cwd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n < 0)
		return error_set(err, errno, "cannot find the path of %s: %s",
		    cwd, strerror(errno));
	path[n] = '\0';
	free(l->m->cwd);
	l->m->cwd = xstrdup(path);
	return 0;
}

static size_t
count(char *const *list)
{
	size_t n = 0;

	while (list[n] != NULL)
		n++;
	return n;
}

/* Append a list to another; return the next free index. */
static size_t
append(char **to, size_t at, char *const *list)
{
	size_t n = count(list);

	memcpy(to + at, list, n * sizeof(*to));
	return at + n;
}

static void
make_argv(struct launch *l)
{
	char *const *extra = l->shell.args;
	size_t at = 3;

	snprintf(l->cols, sizeof(l->cols), "%u", l->m->cols);
	snprintf(l->rows, sizeof(l->rows), "%u", l->m->rows);
	l->argv = xcalloc(count(l->words) + count(l->m->command) +
		count(extra) + 5,
	    sizeof(*l->argv));
	memcpy(l->dashes, "--", 3);
	l->argv[0] = l->keeper;
	l->argv[1] = l->cols;
	l->argv[2] = l->rows;
	at = append(l->argv, at, l->words);
	l->argv[at++] = l->dashes;
	l->argv[at++] = l->m->command[0];
	at = append(l->argv, at, extra);
	append(l->argv, at, l->m->command + 1);
}

/* ------------------------------------------------------------ confinement */

/*
 * The session that we run in is its creator, and so are that one's creators.
 */
static int
set_creators(struct manifest *m, const struct confinement *in, bool bound,
    struct error *err)
{
	const char *ids[CONFINEMENT_CREATORS_MAX] = { in->id };
	size_t n = 1;

	if (bound && in->n_creators + n > CONFINEMENT_CREATORS_MAX)
		return error_set(err, EACCES,
		    "session %s is confined and cannot create sessions more "
		    "than %d levels deep",
		    in->id, CONFINEMENT_CREATORS_MAX);
	for (size_t i = 0; i < in->n_creators; i++)
		if (n < CONFINEMENT_CREATORS_MAX)
			ids[n++] = in->creators[i];
	if (in->id[0] != '\0')
		manifest_set_list(&m->created_by, ids, n);
	return 0;
}

static int
check_grant(const struct around *a, const struct confinement *made,
    const char *text, struct error *err)
{
	struct grant g;
	int rc = grant_parse(text, &g, err);

	for (size_t i = 0; rc == 0 && i < a->n; i++)
		if (!confinement_covers(&a->sessions[i], made, &g))
			return error_set(err, EACCES,
			    "session %s is confined and cannot grant '%s', "
			    "which it was not granted itself in this home",
			    a->sessions[i].id, text);
	return rc;
}

/*
 * Without grants of its own it inherits those of the nearest confined session,
 * if that is in the same home.
 */
static void
inherit_grants(struct manifest *m, const struct confinement *from)
{
	char text[GRANTS_MAX][GRANT_TEXT_SIZE];
	const char *list[GRANTS_MAX];

	for (size_t i = 0; i < from->n_grants; i++) {
		grant_format(&from->grants[i], text[i]);
		list[i] = text[i];
	}
	manifest_set_list(&m->may, list, from->n_grants);
}

static const struct confinement *
nearest_confined(const struct around *a)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->sessions[i].confined)
			return &a->sessions[i];
	return NULL;
}

static int
bind_to(struct manifest *m, const struct around *a,
    const struct confinement *made, struct error *err)
{
	const struct confinement *bound = nearest_confined(a);
	int rc = a->n > 0 ?
	    set_creators(m, &a->sessions[0], bound != NULL, err) :
	    0;

	if (rc == 0 && m->may != NULL && count(m->may) > GRANTS_MAX)
		return error_set(err, EINVAL, "a session has at most %d grants",
		    GRANTS_MAX);
	if (rc == 0 && bound != NULL && m->may == NULL &&
	    confinement_is_one_home(bound, made))
		inherit_grants(m, bound);
	m->confined |= bound != NULL || m->may != NULL;
	for (char **may = m->may; rc == 0 && may != NULL && *may != NULL; may++)
		rc = check_grant(a, made, *may, err);
	return rc;
}

/*
 * Hosts allow nothing to a process whose sessions are not known.  If it could
 * create a session, that one would be outside of them, and not confined.
 */
static int
find_around(struct around *a, struct error *err)
{
	around_find_own(a);
	if (!a->doubtful)
		return 0;
	around_finish(a);
	return error_set(err, EACCES,
	    "cannot tell which session this process is in, so it cannot "
	    "create one; run tend where /proc shows all its parents, and "
	    "there are at most %d",
	    AROUND_ANCESTORS_MAX);
}

/* A new session can do no more than the sessions that it is created in. */
static int
confine(struct launch *l, struct error *err)
{
	struct confinement own;
	struct around a;
	struct stat st;
	int rc;

	if (fstat(l->home->sessions_fd, &st) < 0)
		return error_set(err, errno, "cannot read %s: %s",
		    l->home->path, strerror(errno));
	confinement_of(&own, l->m, st.st_dev, st.st_ino);
	rc = find_around(&a, err);
	if (rc < 0)
		return rc;
	rc = bind_to(l->m, &a, &own, err);
	around_finish(&a);
	if (rc < 0)
		return rc;
	confinement_of(&own, l->m, st.st_dev, st.st_ino);
	l->words = confinement_words(&own);
	return 0;
}

static bool
is_ours(const char *variable)
{
	return strncmp(variable, "TEND_SESSION=", 13) == 0 ||
	    strncmp(variable, "TEND_HOME=", 10) == 0;
}

/*
 * Use the link to the latest visitor's agent (visit.h), or the present agent
 * if the link's path is too long.  An SSH_AUTH_SOCK given explicitly is in
 * envp and stays.
 */
static bool
find_agent(struct launch *l, char **envp)
{
	static const char name[] = "SSH_AUTH_SOCK=";
	const char *own = getenv("SSH_AUTH_SOCK");
	char path[PATH_MAX];

	for (; *envp != NULL; envp++)
		if (strncmp(*envp, name, sizeof(name) - 1) == 0)
			return false;
	if (visit_link_path(l->home, l->m->id, path, sizeof(path)))
		own = path;
	if (own == NULL || strlen(own) >= PATH_MAX)
		return false;
	snprintf(l->agent_env, sizeof(l->agent_env), "%s%s", name, own);
	return true;
}

static void
make_envp(struct launch *l, char **envp)
{
	size_t n = 0, kept = 2;

	while (envp[n] != NULL)
		n++;
	snprintf(l->session_env, sizeof(l->session_env), "TEND_SESSION=%s",
	    l->m->id);
	snprintf(l->home_env, sizeof(l->home_env), "TEND_HOME=%s",
	    l->home->path);
	l->envp = xcalloc(n + 4, sizeof(*l->envp));
	l->envp[0] = l->session_env;
	l->envp[1] = l->home_env;
	for (size_t i = 0; i < n; i++)
		if (!is_ours(envp[i]))
			l->envp[kept++] = envp[i];
	if (find_agent(l, envp))
		l->envp[kept] = l->agent_env;
}

/* Make a scope only if a limit was requested. */
static void
make_scope(struct launch *l)
{
	const struct manifest *m = l->m;

	if (m->memory_max != 0 || m->pids_max != 0 || m->cpu_weight != 0)
		l->scope = scope_create(l->m);
}

/* -------------------------------------------------------------- its files */

static int
make_parts(int dir)
{
	static const char *const parts[] = { "log", "artifacts", "files" };

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		int rc = home_make_dir(dir, parts[i]);

		if (rc < 0)
			return rc;
	}
	return 0;
}

static int
make_dir(struct launch *l, struct error *err)
{
	struct id_maker maker = { 0 };
	int rc;

	do {
		id_create(&maker, l->m->id);
		rc = home_make_dir(l->home->sessions_fd, l->m->id);
	} while (rc == -EEXIST);
	if (rc == 0) {
		l->made = true;
		l->dir = home_session_dir(l->home, l->m->id, NULL);
		rc = l->dir < 0 ? l->dir : make_parts(l->dir);
	}
	if (rc == -EROFS)
		return error_set(err, EROFS,
		    "cannot create a session in %s: the disk is mounted "
		    "read-only; give another home with --home or TEND_HOME",
		    l->home->path);
	if (rc < 0)
		return error_set(err, -rc, "cannot create a session in %s: %s",
		    l->home->path, strerror(-rc));
	return 0;
}

static int
claim_name(struct launch *l, struct error *err)
{
	void *home = (void *)(uintptr_t)l->home;
	int rc;

	if (l->m->name[0] == '\0')
		rc = name_claim_default(l->home, l->m->command[0], l->m->id,
		    find_is_active, home, l->m->name, err);
	else
		rc = name_claim(l->home, l->m->name, l->m->id, find_is_active,
		    home, err);
	l->named = rc == 0;
	return rc;
}

static int
write_manifest(struct launch *l, struct error *err)
{
	struct manifest *m = l->m;
	int rc;

	m->status = STATUS_STARTING;
	m->created_ms = clock_ms(CLOCK_REALTIME);
	m->began_ns = (uint64_t)clock_ns(CLOCK_BOOTTIME);
	m->keeper.pid = l->pid;
	m->keeper.start = process_start_time(l->pid);
	rc = manifest_set_dir(m, l->dir);
	if (rc < 0)
		return error_set(err, -rc, "cannot read session %s: %s", m->id,
		    strerror(-rc));
	m->environ_crc = m->forget_env ? 0 : environ_crc(l->envp);
	if (boot_id(m->boot_id) < 0)
		return error_set(err, EIO, "cannot read the boot id of /proc");
	return manifest_write(l->dir, m, false, err);
}

static int
keep_environment(const struct launch *l, struct error *err)
{
	int rc = l->m->forget_env ? 0 : environ_write(l->dir, l->envp);

	if (rc < 0)
		return error_set(err, -rc,
		    "cannot store the session's environment: %s",
		    strerror(-rc));
	return 0;
}

/* ------------------------------------------------------------- the keeper */

static void
reset_signals(void)
{
	const struct sigaction dfl = { .sa_handler = SIG_DFL };
	sigset_t none;

	for (int signo = 1; signo < NSIG; signo++)
		sigaction(signo, &dfl, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Install exactly the descriptors of keep/control.h, after /dev/null. */
static bool
hand_over(const struct launch *l)
{
	const int given[] = {
		[0] = open("/dev/null", O_RDWR),
		[LAUNCH_STATUS] = l->status[1],
		[LAUNCH_DIR] = l->dir,
		[LAUNCH_HOST] = l->host,
		[LAUNCH_CWD] = l->cwd,
		[LAUNCH_SCOPE] = l->scope,
	};
	int spare[LAUNCH_FDS_END];

	for (int i = 0; i < LAUNCH_FDS_END; i++) {
		int from = i < LAUNCH_STATUS || given[i] < 0 ? given[0] :
							       given[i];

		spare[i] = fcntl(from, F_DUPFD, SPARE_FD);
		/*
		 * The kernel reports EINVAL if even the first is over the
		 * limit.
		 */
		if (spare[i] < 0 && errno == EINVAL)
			errno = EMFILE;
		if (spare[i] < 0)
			return false;
	}
	for (int i = 0; i < LAUNCH_FDS_END; i++)
		if (dup2(spare[i], i) < 0)
			return false;
	return close_range(LAUNCH_FDS_END, ~0u, 0) == 0;
}

/*
 * The keeper-to-be makes system calls only.  It must not outlive a caller that
 * fails before the manifest is written, so it waits.
 */
static _Noreturn void
become_keeper(const struct launch *l)
{
	struct launch_status s = { .stage = NO_KEEPER };
	int status = l->status[1];
	char go;

	close(l->go[1]);
	if (read(l->go[0], &go, 1) != 1)
		_exit(EXIT_TEND);
	reset_signals();
	if (setsid() >= 0 && chdir("/") == 0 && hand_over(l)) {
		status = LAUNCH_STATUS;
		execve(l->keeper, l->argv, l->shell.envp);
	}
	s.error = errno;
	_exit(write(status, &s, sizeof(s)) < 0 ? EXIT_TEND : EXIT_CANNOT_RUN);
}

/* In the child: start the keeper and end. */
static int
fork_keeper(void *arg)
{
	struct launch *l = arg;

	l->pid = _Fork(); /* runs no handlers of other threads */
	if (l->pid == 0)
		become_keeper(l);
	return l->pid < 0 ? errno : 0;
}

/*
 * The keeper is a grandchild whose parent ends at once: a long-lived caller has
 * nothing to reap, and killing the caller with all its descendants leaves the
 * session alone.  The child shares our memory, in which it leaves the keeper's
 * pid, so that only one copy of the memory is made.  We stand still until it
 * ends, and it has a stack of its own.  Return 0 or an errno.
 */
static int
fork_twice(struct launch *l)
{
	alignas(max_align_t) char stack[CHILD_STACK];
	pid_t child = clone(fork_keeper, stack + sizeof(stack),
	    CLONE_VM | CLONE_VFORK | SIGCHLD, l);
	int status = 0;

	if (child < 0)
		return errno;
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && l->pid > 0)
		return 0;
	l->pid = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : ECHILD;
}

/*
 * No signal handler may run in the new processes.  The keeper waits for let_go,
 * so its pid is still its own when it is opened; without a descriptor it ends
 * because `go` is closed.
 */
static int
start_keeper(struct launch *l, struct error *err)
{
	sigset_t all, before;
	int errnum;

	if (pipe2(l->status, O_CLOEXEC) < 0 || pipe2(l->go, O_CLOEXEC) < 0)
		return error_set(err, errno, "cannot create a pipe: %s",
		    strerror(errno));
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	errnum = fork_twice(l);
	sigprocmask(SIG_SETMASK, &before, NULL);
	fd_close(&l->status[1]);
	fd_close(&l->go[0]);
	if (errnum != 0)
		return error_set(err, errnum, "cannot start a process: %s",
		    strerror(errnum));
	l->pidfd = (int)syscall(SYS_pidfd_open, l->pid, 0);
	if (l->pidfd < 0)
		return error_set(err, errno, "cannot watch tend-keeper: %s",
		    strerror(errno));
	return 0;
}

static int
let_go(struct launch *l, struct error *err)
{
	ssize_t n = write(l->go[1], "g", 1);

	fd_close(&l->go[1]);
	if (n != 1)
		return error_set(err, EIO, "the session's process has ended");
	return 0;
}

/* -------------------------------------------------------------- its answer */

static int
read_status(struct launch *l, struct launch_status *s, struct error *err)
{
	int64_t until = clock_ns(CLOCK_MONOTONIC) + LIMIT_MS * 1000000ll;
	struct pollfd p = { .fd = l->status[0], .events = POLLIN };
	int left, n;

	do {
		left = (int)((until - clock_ns(CLOCK_MONOTONIC)) / 1000000);
		n = poll(&p, 1, left > 0 ? left : 0);
	} while (n < 0 && errno == EINTR);
	if (n == 0)
		return error_set(err, ETIMEDOUT,
		    "the session did not start within %d s", LIMIT_MS / 1000);
	if (read(l->status[0], s, sizeof(*s)) != sizeof(*s))
		return error_set(err, EPROTO,
		    "tend-keeper ended without an answer");
	return 0;
}

/* Opening a terminal gives ENOSPC if the system has no more of them. */
static int
terminal_error(int errnum, struct error *err)
{
	if (errnum == ENOSPC)
		return error_set(err, EAGAIN,
		    "cannot open a pseudo-terminal: all are in use; stop a "
		    "session, or raise /proc/sys/kernel/pty/max");
	return error_set(err, errnum, "cannot open a pseudo-terminal: %s",
	    strerror(errnum));
}

static int
stage_error(const struct launch *l, const struct launch_status *s, int *code,
    struct error *err)
{
	int errnum = s->error > 0 ? s->error : EPROTO;
	const char *why = strerror(errnum);

	switch (s->stage) {
	case LAUNCH_TERMINAL:
		return terminal_error(errnum, err);
	case LAUNCH_SOCKET:
		return error_set(err, errnum,
		    "cannot create the session's socket: %s", why);
	case LAUNCH_RING:
		if (errnum == EFBIG)
			return error_set(err, errnum,
			    "cannot create the session's memory: it needs %u KiB, more "
			    "than 'ulimit -f' allows; raise that limit and try again",
			    (RING_SIZE_MIN >> 10) + 64);
		return error_set(err, errnum,
		    "cannot create the session's memory: %s", why);
	case LAUNCH_FORK:
		return error_set(err, errnum, "cannot start a process: %s",
		    why);
	case LAUNCH_CHDIR:
		return error_set(err, errnum, "cannot start in %s: %s",
		    l->m->cwd, why);
	case LAUNCH_EXEC:
		*code = errnum == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
		return error_set(err, errnum, "cannot run %s: %s",
		    l->m->command[0], why);
	case LAUNCH_ENTER:
		return error_set(err, errnum,
		    "cannot enter the session's cgroup %s: %s", l->m->cgroup,
		    why);
	case LAUNCH_ARGUMENTS:
		return error_set(err, errnum, "tend-keeper cannot start: %s",
		    why);
	default:
		return error_set(err, errnum, "cannot run %s: %s", l->keeper,
		    why);
	}
}

static int
hear(struct launch *l, int *code, struct error *err)
{
	struct launch_status s;
	int rc = read_status(l, &s, err);

	if (rc < 0)
		return rc;
	if (s.stage != LAUNCH_OK)
		return stage_error(l, &s, code, err);
	l->m->child.pid = s.child_pid;
	l->m->child.start = s.child_start;
	l->m->began_ns = s.began_ns;
	return 0;
}

static int
launch(struct launch *l, char **envp, int *code, struct error *err)
{
	int rc;

	if ((rc = open_programs(l, err)) < 0 || (rc = open_cwd(l, err)) < 0 ||
	    (rc = make_dir(l, err)) < 0 || (rc = claim_name(l, err)) < 0)
		return rc;
	if ((rc = confine(l, err)) < 0)
		return rc;
	make_scope(l);
	make_envp(l, envp);
	integrate(&l->shell, l->m, l->home, l->dir, l->envp);
	make_argv(l);
	agent_files_copy(l->dir);
	(void)visit_note(l->dir, environ); /* optional */
	if ((rc = start_keeper(l, err)) < 0 ||
	    (rc = write_manifest(l, err)) < 0 ||
	    (rc = keep_environment(l, err)) < 0 || (rc = let_go(l, err)) < 0)
		return rc;
	return hear(l, code, err);
}

static void
close_all(struct launch *l)
{
	int *const fds[] = { &l->dir, &l->cwd, &l->host, &l->scope,
		&l->status[0], &l->status[1], &l->go[0], &l->go[1] };

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		fd_close(fds[i]);
}

/* A keeper that is gone has given its pid to others. */
static void
end_keeper(struct launch *l)
{
	struct pollfd p = { .fd = l->pidfd, .events = POLLIN };

	if (l->pidfd < 0)
		return;
	if (poll(&p, 1, 0) == 0) {
		kill(-l->pid, SIGKILL);
		(void)syscall(SYS_pidfd_send_signal, l->pidfd, SIGKILL, NULL,
		    0);
	}
	while (poll(&p, 1, -1) < 0 && errno == EINTR)
		;
	fd_close(&l->pidfd);
}

/*
 * Undo everything: process, name and files.  Close descriptors first: the
 * failure may be a lack of them, and removing files needs some.
 */
static void
undo(struct launch *l)
{
	close_all(l);
	end_keeper(l);
	scope_remove(l->m->cgroup);
	if (l->named)
		name_release(l->home, l->m->name, l->m->id);
	if (l->made)
		home_remove_session(l->home, l->m->id, NULL);
}

static void
finish(struct launch *l)
{
	close_all(l);
	fd_close(&l->pidfd);
	free(l->words);
	free(l->argv);
	free(l->envp);
	integrated_finish(&l->shell);
}

/* Add the next step to known errors. */
static void
advise(int rc, struct error *err)
{
	char why[sizeof(err->msg)];

	if (rc != -EMFILE || err == NULL)
		return;
	snprintf(why, sizeof(why), "%s", err->msg);
	error_set(err, EMFILE, "%s; raise the limit with ulimit -n", why);
}

int
launch_session(const struct home *h, struct manifest *m, char **envp, int *code,
    struct error *err)
{
	struct launch l = { .home = h,
		.m = m,
		.dir = -1,
		.cwd = -1,
		.host = -1,
		.scope = -1,
		.pidfd = -1,
		.status = { -1, -1 },
		.go = { -1, -1 } };
	int rc;

	*code = EXIT_TEND;
	if (m->command == NULL || m->command[0] == NULL)
		return error_set(err, EINVAL, "no command to run");
	rc = launch(&l, envp, code, err);
	if (rc < 0) {
		undo(&l);
		advise(rc, err);
	}
	finish(&l);
	/* The program runs already; a failure here does not matter. */
	if (rc == 0)
		(void)registry_record(h);
	return rc;
}
