#ifndef TEND_KEEPER_TRIAL_H
#define TEND_KEEPER_TRIAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "keep/control.h"

/*
 * The candidate: a program that may follow the host that serves.  It is started
 * beside it, looks whether it would manage and changes nothing; only when it
 * says that it is ready is the host asked to leave.  Whatever goes wrong, the
 * candidate is killed and the session has the host that it had.
 */
enum trial_stage {
	TRIAL_NONE,
	TRIAL_STARTED, /* it has TRIAL_MS to be ready */
	TRIAL_READY,   /* the host has TRIAL_LEAVE_MS to leave */
};

#define TRIAL_MS 5000
#define TRIAL_LEAVE_MS 15000

struct trial {
	enum trial_stage stage;
	int program; /* -1: the hosts' own */
	pid_t pid;
	int control;
	int64_t until_ms;    /* when its stage must be over */
	struct control said; /* the last FAILED, for the host */
};

void trial_init(struct trial *t);

/*
 * Start a candidate; `program` is -1 or becomes the trial's, `own` is the
 * hosts'.  fds are as for spawn_host, hello is what it hears.  When it cannot
 * be started it has failed.
 */
void trial_start(struct trial *t, int program, int own, int oom_score,
    const int *fds, struct control *hello, int64_t now_ms);

/* Hear what the candidate has to say; true when it has become ready. */
bool trial_receive(struct trial *t, int64_t now_ms);

/* The candidate has ended with this status from wait. */
void trial_ended(struct trial *t, int status);

/* It has failed so: `said` will tell the host.  The candidate is killed. */
void trial_fail(struct trial *t, enum control_failure how, int error);

/* Kill the candidate, if there is one, and close all. */
void trial_end(struct trial *t);

#endif
