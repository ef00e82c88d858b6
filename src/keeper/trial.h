#ifndef TEND_KEEPER_TRIAL_H
#define TEND_KEEPER_TRIAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "keep/control.h"

/*
 * The candidate: a program that may replace the running host.  It is started
 * beside the host, checks that it could take over, and changes nothing.  The
 * host is asked to leave only when the candidate is ready.  If anything fails,
 * the candidate is killed and the host stays.
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
	int program; /* -1: that of the hosts */
	pid_t pid;
	int control;
	int64_t until_ms;    /* the deadline of its stage */
	struct control said; /* the last FAILED, for the host */
};

void trial_init(struct trial *t);

/*
 * Start a candidate; `program` is -1 or becomes the trial's, `own` is the
 * hosts' program.  fds are as for spawn_host; hello is sent to it.  If it
 * cannot be started, the trial has failed.
 */
void trial_start(struct trial *t, int program, int own, int oom_score,
    const int *fds, struct control *hello, int64_t now_ms);

/* Receive the candidate's messages; true when it has become ready. */
bool trial_receive(struct trial *t, int64_t now_ms);

/* The candidate has ended with this status from wait. */
void trial_ended(struct trial *t, int status);

/*
 * The trial has failed: `said` will report this to the host.  Kills the
 * candidate.
 */
void trial_fail(struct trial *t, enum control_failure how, int error);

/* Kill the candidate, if there is one, and close everything. */
void trial_end(struct trial *t);

#endif
