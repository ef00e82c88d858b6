#ifndef TEND_KEEPER_CHILD_H
#define TEND_KEEPER_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "keep/control.h"

/* The program: the keeper's first child, and the one whose status counts. */
struct child {
	pid_t pid;
	uint64_t start;    /* as process_start_time */
	uint64_t began_ns; /* CLOCK_BOOTTIME */
	bool ended;
	int status; /* as from wait; set when it has ended */
	uint64_t ended_ns;
	int64_t ended_ms;
};

/* How it is started. */
struct child_plan {
	char **argv;
	int scope;     /* of its cgroup.procs, or /dev/null */
	int oom_score; /* this and the next two: as its user has it */
	struct rlimit core;
	unsigned long slack_ns;
	bool again; /* the terminal is as a program before has left it */
};

/* As this process has it now. */
void child_plan_init(struct child_plan *p, char **argv, int scope);

/* Sooner than us, the kernel shall end the program when memory runs out. */
#define CHILD_OOM_MORE 100

/*
 * Run argv, found by PATH, in a session of its own on the terminal, in the
 * directory cwd.  It gets no other descriptor than the terminal as 0, 1 and 2,
 * and all signals as if nobody had touched them.  0 once it runs, or -errno
 * and what failed in *stage, nothing being left of it.
 */
int child_start(struct child *c, const struct child_plan *plan, int slave,
    int cwd, enum launch_stage *stage);

void child_ended(struct child *c, int status, int64_t now_ms);

/* Every signal to its default and none blocked; after fork, before exec. */
void child_reset_signals(void);

#endif
