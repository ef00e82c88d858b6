#ifndef TEND_KEEPER_HOSTS_H
#define TEND_KEEPER_HOSTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "keep/control.h"

struct ring;
struct trial;

/*
 * The hosts of this session, one after the other.  A host that ends without
 * having said DONE is started again: at once, then after 0.1, 1 and 5 seconds,
 * and so every 5 seconds for ever.
 *
 * What a host must hear is owed to it until it was sent: a message for which
 * its socket has no room now is sent later.
 *
 * A host may be followed by one of another program (trial.h) while it is well.
 * That program becomes ours when it serves; if it ends before, we go on with
 * the one we had.
 */
struct hosts {
	int program;      /* tend-host, open for reading */
	int next;         /* the program of this host while it has to prove
			     itself; -1: it is `program` */
	int oom_score;    /* that hosts are to have */
	pid_t pid;        /* 0: there is none now */
	int control;      /* -1: none */
	int64_t due_ms;   /* when the next one starts */
	int64_t ready_ms; /* since when this one serves; CLOCK_NEVER: not yet */
	unsigned failures; /* in a row; how long the next start is put off */
	unsigned owed;     /* 1 << control_type */
	int64_t linger_ms; /* how long the terminal stays after the exit */
	bool holds;        /* it stays until a host has decided */
	bool served;       /* a host has been ready: it has said so */
	int cwd;           /* to start the program again in; -1: do not */
	bool acked;        /* a host has logged the exit */
	bool done;         /* a host has written all there is */
	bool asked;        /* it wants another to follow it */
	int offered;       /* that one's program; -1: the same again */
	bool leaving;      /* it was told to leave */
	bool stays;        /* and cannot */
	bool anew;         /* this one is told to forget what was wrong */
	uint32_t started, crashes;
	struct control_death death[CONTROL_DEATHS]; /* the last crashes */
};

void hosts_init(struct hosts *h, int program, int oom_score);

/*
 * Start a host; fds are as for spawn_host.  It is owed HELLO and whatever
 * `owed` has.
 */
void hosts_start(struct hosts *h, const int *fds, unsigned owed,
    int64_t now_ms);

/* The candidate, which is ready, follows the host that has left. */
void hosts_follow(struct hosts *h, struct trial *t, unsigned owed);

/* What to poll(2) its control socket for: room too, while something is owed. */
short hosts_wants(const struct hosts *h);

/* Hear what the host has to say. */
void hosts_receive(struct hosts *h, int64_t now_ms);

/* The host has ended with this status from wait; the ring says where it was. */
void hosts_ended(struct hosts *h, int status, struct ring *ring,
    int64_t now_ms);

/* When the next host is to be started; CLOCK_NEVER when none is. */
int64_t hosts_due_ms(const struct hosts *h);

/* Owe the present host, if there is one, a message. */
void hosts_owe(struct hosts *h, enum control_type type);

/*
 * Pay: send c with fd (-1 for none) if a message of its type is owed.  The
 * deaths of HELLO are filled in here.
 */
void hosts_pay(struct hosts *h, struct control *c, int fd);

#endif
