#ifndef TEND_HOST_PROC_H
#define TEND_HOST_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The processes of a session, as /proc has them. */
struct proc {
	pid_t pid, ppid, pgrp, session;
	uint64_t start; /* clock ticks since boot */
	char state;
};

/* Read the text of /proc/PID/stat; false when it is not one. */
bool proc_parse(const char *p, size_t len, struct proc *out);

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

/* Only for those of a session, which costs far less where there are many. */
int proc_each_in(pid_t session, proc_fn *fn, void *arg);

#endif
