#include "sandbox/filter.h"

#include <assert.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/log.h"
#include "sandbox/sanitized.h"

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

/* The longest rule, and the other instructions. */
#define RULE_MAX 5
#define REST_MAX 40

/* A filter that is being written. */
struct program {
	struct sock_filter code[FILTER_RULES_MAX * RULE_MAX + REST_MAX];
	unsigned short n;
};

static void
put(struct program *p, struct sock_filter s)
{
	assert(p->n < sizeof(p->code) / sizeof(*p->code));
	p->code[p->n++] = s;
}

static void
load(struct program *p, size_t offset)
{
	put(p,
	    (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		(uint32_t)offset));
}

/* The low half of an argument: all supported machines are little endian. */
static void
load_arg(struct program *p, unsigned arg)
{
	load(p, offsetof(struct seccomp_data, args) + arg * sizeof(uint64_t));
}

static void
give(struct program *p, uint32_t what)
{
	put(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, what));
}

/* Skip so many instructions if the value is another one. */
static void
unless_equal(struct program *p, uint32_t value, unsigned skip)
{
	put(p,
	    (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0,
		(uint8_t)skip));
}

static void
mask(struct program *p, uint32_t bits)
{
	put(p, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, bits));
}

static void
put_rule(struct program *p, const struct filter_rule *r)
{
	switch ((enum filter_kind)r->kind) {
	case FILTER_ALLOW:
		unless_equal(p, r->call, 1);
		give(p, SECCOMP_RET_ALLOW);
		return;
	case FILTER_ALLOW_EQUAL:
		unless_equal(p, r->call, 4);
		load_arg(p, r->arg);
		unless_equal(p, r->value, 1);
		give(p, SECCOMP_RET_ALLOW);
		give(p, SECCOMP_RET_TRAP);
		return;
	case FILTER_ALLOW_BITS:
		unless_equal(p, r->call, 5);
		load_arg(p, r->arg);
		mask(p, r->value);
		unless_equal(p, r->value, 1);
		give(p, SECCOMP_RET_ALLOW);
		give(p, SECCOMP_RET_TRAP);
		return;
	case FILTER_MISSING:
		unless_equal(p, r->call, 1);
		give(p, SECCOMP_RET_ERRNO | ENOSYS);
		return;
	}
}

static void
put_deadly(struct program *p, uint32_t call)
{
	unless_equal(p, call, 1);
	give(p, SECCOMP_RET_KILL_PROCESS);
}

/*
 * Third argument: protection.  Writable and executable memory ends the
 * process.  Executable memory alone is refused, or written bytes could be run
 * afterwards.
 */
static void
put_protects(struct program *p, uint32_t call)
{
	unless_equal(p, call, 7);
	load_arg(p, 2);
	mask(p, PROT_WRITE | PROT_EXEC);
	unless_equal(p, PROT_WRITE | PROT_EXEC, 1);
	give(p, SECCOMP_RET_KILL_PROCESS);
	unless_equal(p, PROT_EXEC, 1);
	give(p, SECCOMP_RET_TRAP);
	give(p, SECCOMP_RET_ALLOW);
}

static void
write_program(struct program *p, const struct filter_rule *rules, size_t n)
{
	p->n = 0;
	load(p, offsetof(struct seccomp_data, arch));
	put(p,
	    (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
		ARCHITECTURE, 1, 0));
	give(p, SECCOMP_RET_KILL_PROCESS);
	load(p, offsetof(struct seccomp_data, nr));
	put(p,
	    (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FOREIGN, 0,
		1));
	give(p, SECCOMP_RET_KILL_PROCESS);
	for (size_t i = 0; i < n; i++)
		put_rule(p, &rules[i]);
	put_protects(p, SYS_mmap);
	put_protects(p, SYS_mprotect);
	put_deadly(p, SYS_execve);
	put_deadly(p, SYS_execveat);
	put_deadly(p, SYS_ptrace);
	give(p, SECCOMP_RET_TRAP);
}

/*
 * In pages of its own: on the stack, each of many hosts would keep them.
 */
static int
install(const struct filter_rule *rules, size_t n)
{
	struct program *p = mmap(NULL, sizeof(*p), PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sock_fprog prog;
	int rc = 0;

	if (p == MAP_FAILED)
		return -errno;
	write_program(p, rules, n);
	prog = (struct sock_fprog){ .len = p->n, .filter = p->code };
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		SECCOMP_FILTER_FLAG_TSYNC, &prog) < 0)
		rc = -errno;
	munmap(p, sizeof(*p));
	return rc;
}

int
filter_enter(const struct log *log, const struct filter_rule *rules, size_t n)
{
	struct sigaction action = {
		.sa_sigaction = on_refused,
		.sa_flags = SA_SIGINFO | SA_NODEFER,
	};
	int rc;

	assert(n <= FILTER_RULES_MAX);
	if (SANITIZED)
		return 0;
	refused.fd = log->fd;
	sigaction(SIGSYS, &action, NULL);
	rc = install(rules, n);
	if (rc < 0)
		log_write(log, LOG_WARN, "no sandbox",
		    log_str("error", strerror(-rc)));
	return rc;
}
