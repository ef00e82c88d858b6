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
 * DONE is restarted: at once, then after 0.1, 1 and 5 seconds, and after that
 * every 5 seconds for ever.
 *
 * Messages to the host are owed until they are sent: if its socket is full,
 * the keeper sends them later.
 *
 * A working host may be replaced by one of another program (trial.h).  That
 * program becomes ours when its host serves; if it ends before that, we
 * continue with the old one.
 */
struct hosts {
	int program;       /* tend-host, open for reading */
	int next;          /* this host's, until it serves; -1: `program` */
	int oom_score;     /* of the hosts */
	pid_t pid;         /* 0: none now */
	int control;       /* -1: none */
	int64_t due_ms;    /* when the next one starts */
	int64_t ready_ms;  /* since when it serves; CLOCK_NEVER: not yet */
	unsigned failures; /* in a row; they delay the next start */
	unsigned owed;     /* 1 << control_type */
	int64_t linger_ms; /* time the terminal stays open after the exit */
	bool holds;        /* it stays open until a host decides */
	bool served;       /* a host has sent READY */
	int cwd;           /* to restart the program in; -1: do not */
	bool acked;        /* a host has logged the exit */
	bool done;         /* a host has written everything */
	bool asked;        /* the host asks for a successor */
	int offered;       /* the successor's program; -1: the same */
	bool leaving;      /* the host was asked to leave */
	bool stays;        /* and cannot */
	bool anew;         /* tell this host to clear past failures */
	uint32_t started, crashes;
	struct control_death death[CONTROL_DEATHS]; /* the last crashes */
};

void hosts_init(struct hosts *h, int program, int oom_score);

/*
 * Start a host; fds are as for spawn_host.  It is owed HELLO and the messages
 * in `owed`.
 */
void hosts_start(struct hosts *h, const int *fds, unsigned owed,
    int64_t now_ms);

/* Replace the host that has left by the candidate, which is ready. */
void hosts_follow(struct hosts *h, struct trial *t, unsigned owed);

/*
 * The poll(2) events of its control socket: also POLLOUT while something is
 * owed.
 */
short hosts_wants(const struct hosts *h);

/* Receive the host's messages. */
void hosts_receive(struct hosts *h, int64_t now_ms);

/* The host has ended with this status from wait; the ring has its position. */
void hosts_ended(struct hosts *h, int status, struct ring *ring,
    int64_t now_ms);

/* The time to start the next host; CLOCK_NEVER: none. */
int64_t hosts_due_ms(const struct hosts *h);

/* Owe a message to the present host, if there is one. */
void hosts_owe(struct hosts *h, enum control_type type);

/*
 * Send c with fd (-1: none) if a message of its type is owed.  This fills in
 * the deaths of HELLO.
 */
void hosts_pay(struct hosts *h, struct control *c, int fd);

#endif
