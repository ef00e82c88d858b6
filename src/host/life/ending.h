#ifndef TEND_HOST_LIFE_ENDING_H
#define TEND_HOST_LIFE_ENDING_H

#include <stdbool.h>
#include <stdint.h>

struct execs;
struct input;
struct messages;
struct oom;
struct restart;
struct server;
struct session;
struct status_watch;
struct stop;

/*
 * The end of a session, step by step, each of them such that a host that dies
 * in between is followed by one that does the rest:
 *
 *	EXIT from the keeper: all output before it is shown
 *	`exit` in the log, once; post-mortem; last keyframe
 *	session.json says how it ended; viewers are told; ACK
 *	output of processes left behind is still logged
 *	CLOSED: all of that is in the log, viewers have what they get; DONE
 */
struct ending;

/* The parts that have a step in it. */
struct ending_parts {
	struct input *input;
	struct server *server;
	struct messages *messages;
	struct execs *execs;
	struct status_watch *status_watch;
	struct restart *restart;
	struct stop *stop;
	struct oom *oom; /* or NULL */
};

struct ending *ending_create(struct session *session,
    const struct ending_parts *with);
void ending_destroy(struct ending *e); /* NULL is fine */

/* `lost`: nobody could wait for the program, its status is unknown. */
void ending_exit(struct ending *e, int status, uint64_t offset, bool lost);
void ending_closed(struct ending *e, uint64_t offset);

/* At the end of each turn: take the steps that can be taken. */
void ending_settle(struct ending *e);

/* After the loop, when the log is closed: the last step, if it has come. */
void ending_conclude(struct ending *e);

#endif
