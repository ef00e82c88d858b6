#ifndef TEND_SANDBOX_FILTER_H
#define TEND_SANDBOX_FILTER_H

#include <stddef.h>
#include <stdint.h>

struct log;

/*
 * A seccomp filter: a list of the system calls that a process may make from now
 * on, in all of its threads.
 *
 *	execve, execveat, ptrace	end the process
 *	memory writable and executable	ends it too
 *	memory executable		ENOSYS, so only loaded code runs
 *	another architecture's calls	end it
 *	calls that are not on the list	ENOSYS, noted once in the log
 *
 * mmap and mprotect need no rule.  Frequent calls come first, because the filter
 * compares in the order of the rules.
 */
enum filter_kind {
	FILTER_ALLOW,
	FILTER_ALLOW_EQUAL, /* if the argument has the value */
	FILTER_ALLOW_BITS,  /* if the argument has all bits of the value */
	FILTER_MISSING,     /* ENOSYS; the C library knows another way */
};

/* Arguments are compared by their low 32 bits. */
struct filter_rule {
	uint16_t call;
	uint8_t kind; /* enum filter_kind */
	uint8_t arg;
	uint32_t value;
};

#define FILTER_RULES_MAX 200

/*
 * Apply the list.  Returns 0, or -errno if the kernel has no seccomp; the log
 * says so.  Does nothing in builds with a sanitizer, which need unknown further
 * calls.
 */
int filter_enter(const struct log *log, const struct filter_rule *rules,
    size_t n);

#endif
