#ifndef TEND_HOST_SYSTEM_PROC_H
#define TEND_HOST_SYSTEM_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The processes of a session, as in /proc. */
struct proc {
	pid_t pid, ppid, pgrp, session;
	uint64_t start; /* clock ticks since boot */
	long threads;
	bool forked; /* it runs, and no program since its fork */
	char state;
	char name[16]; /* of the program's file, truncated */
};

/* Parse the text of /proc/PID/stat; false if it is invalid. */
bool proc_parse(const char *p, size_t len, struct proc *out);

/* Read one process; false if it does not exist. */
bool proc_read(pid_t pid, struct proc *out);

/* The words of its command line, each followed by a NUL; 0: unknown. */
size_t proc_command_line(pid_t pid, char *out, size_t size);

/*
 * True if a thread of this process runs or is ready to run, and does not wait
 * for a disk or anything else.
 */
bool proc_thread_runs(pid_t tid);

/*
 * Call fn for each process; those that end meanwhile are left out.  0 or
 * -errno.
 */
typedef void proc_fn(void *arg, const struct proc *p);
int proc_each(proc_fn *fn, void *arg);

/*
 * Call fn for each descendant of this process, at no cost for thousands of
 * other processes.  A process that `spare` accepts is left out with all its
 * descendants.  The list is complete before the first call of fn.  -ENOENT:
 * there is no such process, or the kernel does not list children.
 */
typedef bool proc_spare_fn(void *arg, const struct proc *p);
int proc_each_below(pid_t root, proc_spare_fn *spare, proc_fn *fn, void *arg);

#endif
