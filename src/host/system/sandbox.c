#include "host/system/sandbox.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/log.h"

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#define FOREIGN 0x40000000u /* x32 calls begin here */
#define RESULT(uc) ((uc)->uc_mcontext.gregs[REG_RAX])
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#define FOREIGN UINT32_MAX
#define RESULT(uc) ((uc)->uc_mcontext.regs[0])
#else
#error "the sandbox does not know this architecture"
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || \
    __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#define CALLS_MAX 512 /* calls below it are noted once each */

/* A signal handler has no argument; this is its state. */
static struct {
	int fd;
	uint8_t noted[CALLS_MAX / 8];
} refused = { .fd = -1 };

static size_t
put_number(char *out, unsigned n)
{
	char digits[10];
	size_t len = 0;

	do
		digits[len++] = (char)('0' + n % 10);
	while ((n /= 10) > 0);
	for (size_t i = 0; i < len; i++)
		out[i] = digits[len - 1 - i];
	return len;
}

static void
note(unsigned call)
{
	static const char
	    text[] = "level=warn msg=\"system call refused\" number=";
	char line[sizeof(text) + 11];
	size_t len = sizeof(text) - 1;
	ssize_t n;

	if (call >= CALLS_MAX || (refused.noted[call / 8] >> call % 8 & 1))
		return;
	refused.noted[call / 8] |= (uint8_t)(1 << call % 8);
	memcpy(line, text, len);
	len += put_number(line + len, call);
	line[len++] = '\n';
	n = write(refused.fd, line, len);
	(void)n; /* refused anyway */
}

static void
on_refused(int signo, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)signo;
	note((unsigned)info->si_syscall);
	RESULT(uc) = -ENOSYS;
}

#define LOAD(field) \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, what)
#define IF_EQUAL(value, yes, no) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no)
/* The low half of an argument: all supported machines are little endian. */
#define LOAD_ARG(n) LOAD(args[n])

#define ALLOW(name) IF_EQUAL(__NR_##name, 0, 1), RETURN(SECCOMP_RET_ALLOW),
#define DEADLY(name) \
	IF_EQUAL(__NR_##name, 0, 1), RETURN(SECCOMP_RET_KILL_PROCESS),
/*
 * Third argument: protection.  Writable and executable memory ends the
 * process.  Executable memory alone is refused, or written bytes could be run
 * afterwards.
 */
#define PROTECTS(name) \
	IF_EQUAL(__NR_##name, 0, 7), LOAD_ARG(2), \
	    BPF_STMT(BPF_ALU | BPF_AND | BPF_K, PROT_WRITE | PROT_EXEC), \
	    IF_EQUAL(PROT_WRITE | PROT_EXEC, 0, 1), \
	    RETURN(SECCOMP_RET_KILL_PROCESS), IF_EQUAL(PROT_EXEC, 0, 1), \
	    RETURN(SECCOMP_RET_TRAP), RETURN(SECCOMP_RET_ALLOW),

/* clang-format off */
static const struct sock_filter program[] = {
	LOAD(arch),
	IF_EQUAL(ARCHITECTURE, 1, 0),
	RETURN(SECCOMP_RET_KILL_PROCESS),
	LOAD(nr),
	BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FOREIGN, 0, 1),
	RETURN(SECCOMP_RET_KILL_PROCESS),
#include "host/system/sandbox.def"
	PROTECTS(mmap)
	PROTECTS(mprotect)
	DEADLY(execve)
	DEADLY(execveat)
	DEADLY(ptrace)
	RETURN(SECCOMP_RET_TRAP),
};
/* clang-format on */

static int
install(void)
{
	struct sock_fprog prog = {
		.len = sizeof(program) / sizeof(program[0]),
		.filter = (struct sock_filter *)(uintptr_t)program,
	};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		SECCOMP_FILTER_FLAG_TSYNC, &prog) < 0)
		return -errno;
	return 0;
}

int
sandbox_enter(const struct log *log)
{
	struct sigaction action = {
		.sa_sigaction = on_refused,
		.sa_flags = SA_SIGINFO | SA_NODEFER,
	};
	int rc;

	if (SANITIZED)
		return 0;
	refused.fd = log->fd;
	sigaction(SIGSYS, &action, NULL);
	rc = install();
	if (rc < 0)
		log_write(log, LOG_WARN, "no sandbox",
		    log_str("error", strerror(-rc)));
	return rc;
}
