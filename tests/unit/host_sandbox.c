/*
 * The limits of a host in its sandbox.  Each test is a child that enters the
 * sandbox and tries something; the test checks the child's exit status.
 */

#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "host/system/sandbox.h"

/* The log is a pipe that the test reads. */
static int
status_of(void (*try)(void), char *said, size_t size)
{
	int fds[2], status;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (pid == 0) {
		struct log log = { .fd = fds[1], .least = LOG_INFO };

		/*
		 * Otherwise cmocka would continue with the next test in the
		 * child.
		 */
		signal(SIGSEGV, SIG_DFL);
		signal(SIGILL, SIG_DFL);
		if (sandbox_enter(&log) != 0)
			_exit(99);
		try();
		_exit(0);
	}
	close(fds[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	n = read(fds[0], said, size - 1);
	said[n > 0 ? n : 0] = '\0';
	close(fds[0]);
	return status;
}

static void
assert_killed(void (*try)(void))
{
	char said[512];
	int status = status_of(try, said, sizeof(said));

	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGSYS)
		fail_msg("status %#x, said: %s", (unsigned)status, said);
}

static void
try_execve(void)
{
	char *argv[] = { "/bin/true", NULL };

	execve(argv[0], argv, NULL);
}

static void
try_execveat(void)
{
	char *argv[] = { "/bin/true", NULL };

	syscall(SYS_execveat, AT_FDCWD, argv[0], argv, NULL, 0);
}

static void
try_ptrace(void)
{
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
}

static void
try_mmap(void)
{
	mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void
try_mprotect(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(p, 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
}

/* Code that was written first is not allowed either. */
static void
try_mprotect_exec(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mprotect(p, 4096, PROT_READ | PROT_EXEC) != -1 || errno != ENOSYS)
		_exit(1);
}

static void
try_mmap_exec(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) !=
		MAP_FAILED ||
	    errno != ENOSYS)
		_exit(1);
}

static void
running_a_program_kills_the_host(void **state)
{
	(void)state;
	assert_killed(try_execve);
	assert_killed(try_execveat);
}

static void
tracing_kills_the_host(void **state)
{
	(void)state;
	assert_killed(try_ptrace);
}

static void
making_code_kills_the_host(void **state)
{
	(void)state;
	assert_killed(try_mmap);
	assert_killed(try_mprotect);
}

static void
assert_refused(void (*try)(void))
{
	char said[512];
	int status = status_of(try, said, sizeof(said));

	if (status != 0 || strstr(said, "system call refused") == NULL)
		fail_msg("status %#x, said: %s", (unsigned)status, said);
}

static void
written_memory_cannot_be_executed(void **state)
{
	(void)state;
	assert_refused(try_mprotect_exec);
	assert_refused(try_mmap_exec);
}

#if defined(__x86_64__)
static void
try_x32(void)
{
	syscall(0x40000000 | SYS_getpid);
}

/* Call as a 32-bit program would: number 20 is getpid there. */
static void
try_i386(void)
{
	long result;

	__asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory");
	_exit(result > 0 ? 1 : 2);
}

static void
calls_of_another_architecture_kill_the_host(void **state)
{
	char said[512];
	int status;

	(void)state;
	assert_killed(try_x32);
	/*
	 * A kernel without 32-bit calls raises a fault instead of asking the
	 * filter.
	 */
	status = status_of(try_i386, said, sizeof(said));
	if (!WIFSIGNALED(status) ||
	    (WTERMSIG(status) != SIGSYS && WTERMSIG(status) != SIGSEGV))
		fail_msg("status %#x, said: %s", (unsigned)status, said);
}
#endif

#define CALLS 470 /* all existing calls, and some more */

/*
 * Calls not to try: those on the list, and those that end the child (tried
 * above).
 */
static bool
is_special(long call)
{
	static const long special[] = {
#define ALLOW(name) __NR_##name,
#include "host/system/sandbox.def"
		__NR_mmap, __NR_mprotect, __NR_execve, __NR_execveat,
		__NR_ptrace
	};

#if defined(__x86_64__)
	/* Probes of the kernel itself, which bypass the filter. */
	if (call == 335 || call == 336)
		return true;
#endif
	for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++)
		if (special[i] == call)
			return true;
	return false;
}

/* With harmless arguments, although no call should get through. */
static void
try_all_others(void)
{
	for (long call = 0; call < CALLS; call++)
		if (!is_special(call) &&
		    (syscall(call, -1, -1, -1, -1, -1, -1) != -1 ||
			errno != ENOSYS))
			_exit(1);
}

/* clone, mount, socket, bpf, process_vm_writev … all that exist. */
static void
every_unlisted_call_is_refused(void **state)
{
	static char said[64 << 10];
	int status = status_of(try_all_others, said, sizeof(said));
	size_t noted = 0, want = 0;

	(void)state;
	if (status != 0)
		fail_msg("status %#x, said: %s", (unsigned)status, said);
	for (const char *p = said; (p = strchr(p, '\n')) != NULL; p++)
		noted++;
	for (long call = 0; call < CALLS; call++)
		want += !is_special(call);
	assert_int_equal(noted, want);
	assert_true(want > 200);
}

/* Twice, to check that it is noted once. */
static void
try_unknown(void)
{
	for (int i = 0; i < 2; i++)
		if (socket(AF_INET, SOCK_STREAM, 0) >= 0 || errno != ENOSYS)
			_exit(1);
}

static void
other_calls_fail_and_are_noted_once(void **state)
{
	char said[512], want[80];
	int status = status_of(try_unknown, said, sizeof(said));

	(void)state;
	snprintf(want, sizeof(want),
	    "level=warn msg=\"system call refused\" number=%d\n",
	    (int)SYS_socket);
	assert_string_equal(said, want);
	assert_int_equal(status, 0);
}

static void
try_ordinary(void)
{
	char *p = malloc(1 << 20);
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);

	if (p == NULL || fd < 0 || read(fd, p, 100) <= 0)
		_exit(1);
	memset(p, 1, 1 << 20);
	free(p);
	close(fd);
	if (kill(getpid(), 0) != 0)
		_exit(2);
}

static void
ordinary_work_of_a_host_is_allowed(void **state)
{
	char said[512];
	int status = status_of(try_ordinary, said, sizeof(said));

	(void)state;
	assert_string_equal(said, "");
	assert_int_equal(status, 0);
}

static pthread_barrier_t barrier;

static void *
exec_in_thread(void *arg)
{
	(void)arg;
	pthread_barrier_wait(&barrier); /* the thread runs ... */
	pthread_barrier_wait(&barrier); /* ... and the sandbox is entered */
	try_execve();
	return NULL;
}

static void
existing_threads_are_in_the_sandbox(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (pid == 0) {
		struct log log = { .fd = -1, .least = LOG_INFO };
		pthread_t thread;

		pthread_barrier_init(&barrier, NULL, 2);
		pthread_create(&thread, NULL, exec_in_thread, NULL);
		pthread_barrier_wait(&barrier);
		if (sandbox_enter(&log) != 0)
			_exit(99);
		pthread_barrier_wait(&barrier);
		pthread_join(thread, NULL);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGSYS)
		fail_msg("status %#x", (unsigned)status);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(running_a_program_kills_the_host),
		cmocka_unit_test(tracing_kills_the_host),
		cmocka_unit_test(making_code_kills_the_host),
		cmocka_unit_test(written_memory_cannot_be_executed),
#if defined(__x86_64__)
		cmocka_unit_test(calls_of_another_architecture_kill_the_host),
#endif
		cmocka_unit_test(every_unlisted_call_is_refused),
		cmocka_unit_test(other_calls_fail_and_are_noted_once),
		cmocka_unit_test(ordinary_work_of_a_host_is_allowed),
		cmocka_unit_test(existing_threads_are_in_the_sandbox),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
