#ifndef TEND_HOST_SYSTEM_PROC_H
#define TEND_HOST_SYSTEM_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The processes of a session, as /proc has them. */
struct proc {
	pid_t pid, ppid, pgrp, session;
	uint64_t start; /* clock ticks since boot */
	uint64_t stack; /* its address; 0: not told */
	char state;
	char name[16]; /* of the program's file, cut */
};

/* Read the text of /proc/PID/stat; false when it is not one. */
bool proc_parse(const char *p, size_t len, struct proc *out);

/* Look at one process; false when it is not there. */
bool proc_read(pid_t pid, struct proc *out);

/*
 * Whether it is a fork of its parent that runs the same program still: one that
 * has been replaced (exec) has its stack elsewhere.
 */
bool proc_is_fork(const struct proc *p);

/* The words of its command line, each with a NUL behind it; 0: unknown. */
size_t proc_command_line(pid_t pid, char *out, size_t size);

/*
 * Whether a thread of this process runs or only waits for its turn to, as
 * opposed to waiting for a disk or anything else.
 */
bool proc_thread_runs(pid_t tid);

/*
 * Call fn for each process there is; those that end meanwhile are left out.
 * 0 or -errno.
 */
typedef void proc_fn(void *arg, const struct proc *p);
int proc_each(proc_fn *fn, void *arg);

/*
 * Call fn for each process below this one, children of children too: it costs
 * nothing to have thousands of others around.  Who is to be spared is left out
 * with all that is below.  All are known before fn is called the first time.
 * -ENOENT: there is no such process, or the kernel does not tell.
 */
typedef bool proc_spare_fn(const struct proc *p);
int proc_each_below(pid_t root, proc_spare_fn *spare, proc_fn *fn, void *arg);

#endif
