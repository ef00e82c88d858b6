#ifndef TEND_KEEPER_CHILD_H
#define TEND_KEEPER_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "keep/control.h"

/* The program: the keeper's first child, whose exit status counts. */
struct child {
	pid_t pid;
	uint64_t start;    /* as process_start_time */
	uint64_t began_ns; /* CLOCK_BOOTTIME */
	bool ended;
	int status; /* from wait; set when it has ended */
	uint64_t ended_ns;
	int64_t ended_ms;
};

/* The settings for starting it. */
struct child_plan {
	char **argv;
	int scope;     /* of its cgroup.procs, or /dev/null */
	int oom_score; /* this and the next two: the user's own */
	struct rlimit core;
	unsigned long slack_ns;
	bool again; /* the terminal is as the last program left it */
};

/* Take the values that this process has now. */
void child_plan_init(struct child_plan *p, char **argv, int scope);

/* When memory runs out, the kernel should end the program before us. */
#define CHILD_OOM_MORE 100

/*
 * Run argv, found by PATH, in its own session on the terminal, in the
 * directory cwd.  It gets only the terminal as descriptors 0, 1 and 2, and all
 * signals at their defaults.  0 once it runs.  On failure -errno, with the
 * failed step in *stage and no process left.
 */
int child_start(struct child *c, const struct child_plan *plan, int slave,
    int cwd, enum launch_stage *stage);

void child_ended(struct child *c, int status, int64_t now_ms);

/* Set every signal to its default and unblock all; after fork, before exec. */
void child_reset_signals(void);

#endif
